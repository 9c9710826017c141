"""IP addresses and CIDRs in object fields.

Old fields accept what Go's parser once took: leading zeros in IPv4 parts and IPv4-mapped IPv6 addresses. New fields
are strict and canonical. Writers of the sloppy forms are warned.
"""

from __future__ import annotations

import re
from collections.abc import Container
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final

from argosy.base.fielderrors import FieldError, invalid, quote

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_BAD_IP: Final = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
_BAD_CIDR: Final = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_zeros = re.compile(r"(?<![0-9A-Fa-f:])0+(?=[0-9])")


@lru_cache(maxsize=4096)
def parse_ip(value: str) -> Address | None:
    """An address as Go's old parser reads it: leading zeros mean nothing, a mapped address is its IPv4 one."""
    if "%" in value or len(value) > 64:
        return None
    try:
        address = ip_address(_zeros.sub("", value) if "." in value else value)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def parse_cidr(value: str) -> tuple[Address, Network] | None:
    """A CIDR's own address and the network it lies in."""
    text, slash, length = value.partition("/")
    address = parse_ip(text)
    if address is None or not slash or not (length.isascii() and length.isdigit()):
        return None
    bits = int(length[-9:])
    if ":" in text and isinstance(address, IPv4Address):
        # An IPv4-mapped address counts its prefix from the IPv6 one.
        bits -= 96
    if not 0 <= bits <= address.max_prefixlen:
        return None
    return address, ip_network(f"{address}/{bits}", strict=False)


def validate_legacy_ip(
    value: str, path: str, known: Container[str] = frozenset()
) -> list[FieldError]:
    """An address in an old field; values that are stored already stay valid."""
    if value in known or parse_ip(value) is not None:
        return []
    return [invalid(path, value, _BAD_IP)]


def validate_legacy_cidr(
    value: str, path: str, known: Container[str] = frozenset()
) -> list[FieldError]:
    if value in known or parse_cidr(value) is not None:
        return []
    return [invalid(path, value, _BAD_CIDR)]


def validate_ip(value: str, path: str) -> list[FieldError]:
    """An address in a new field: no leading zeros, not mapped, canonical."""
    address = parse_ip(value)
    if address is None:
        return [invalid(path, value, _BAD_IP)]
    errors: list[FieldError] = []
    if _strictly(value) is None:
        errors.append(invalid(path, value, "must not have leading 0s"))
    if _is_mapped(value, address):
        errors.append(invalid(path, value, "must not be an IPv4-mapped IPv6 address"))
    if not errors and value != str(address):
        errors.append(invalid(path, value, f"must be in canonical form ({quote(str(address))})"))
    return errors


def warnings_for_ip(value: str, path: str) -> list[str]:
    """What to tell a writer about an address that only old fields accept. Empty for a bad one."""
    address = parse_ip(value)
    if address is None:
        return []
    if _strictly(value) is None or _is_mapped(value, address):
        text = (
            f"{path}: non-standard IP address {quote(value)} will be considered invalid in a future "
            f"Kubernetes release: use {quote(str(address))}"
        )
        return [text]
    if isinstance(address, IPv6Address) and str(address) != value:
        text = (
            f"{path}: IPv6 address {quote(value)} should be in RFC 5952 canonical format "
            f"({quote(str(address))})"
        )
        return [text]
    return []


def warnings_for_cidr(value: str, path: str) -> list[str]:
    parsed = parse_cidr(value)
    if parsed is None:
        return []
    address, network = parsed
    warnings: list[str] = []
    if address != network.network_address:
        single = f"{address}/{address.max_prefixlen}"
        warnings.append(
            f"{path}: CIDR value {quote(value)} is ambiguous in this context "
            f"(should be {quote(str(network))} or {quote(single)}?)"
        )
    text, _, length = value.partition("/")
    if _strictly(text) is None or _is_mapped(text, address) or length != str(int(length)):
        warnings.append(
            f"{path}: non-standard CIDR value {quote(value)} will be considered invalid in a future "
            f"Kubernetes release: use {quote(str(network))}"
        )
    elif not warnings and isinstance(address, IPv6Address) and f"{address}/{length}" != value:
        warnings.append(
            f"{path}: IPv6 CIDR value {quote(value)} should be in RFC 5952 canonical format "
            f"({quote(f'{address}/{length}')})"
        )
    return warnings


def _strictly(value: str) -> Address | None:
    try:
        return ip_address(value)
    except ValueError:
        return None


def _is_mapped(value: str, address: Address) -> bool:
    return isinstance(address, IPv4Address) and ":" in value
