"""ServiceCIDRs and IPAddresses: the ranges services get their addresses from, and who has which.

A range may grow from one family to both and never change otherwise. An IPAddress is named after the address itself, in
canonical form. Who allocates is the server; these objects are checked here and no more.
"""

from __future__ import annotations

from ipaddress import IPv4Address, ip_address
from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.addresses import parse_cidr, validate_ip
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain, is_path_segment
from argosy.api.rules.networking.references import validate_segments
from argosy.api.rules.resets import keep_metadata
from argosy.api.rules.wording import IMMUTABLE, printed
from argosy.base.fielderrors import FieldError, invalid, quote, required
from argosy.base.types import Object

_RANGES: Final = "spec.cidrs"
_BAD_CIDR: Final = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"


def _ranges(obj: Object) -> list[str]:
    return (obj.get("spec") or {}).get("cidrs") or []


def _validate_range(obj: Object) -> list[FieldError]:
    return validate_metadata(obj, False, is_dns1123_subdomain) + _validate_ranges(_ranges(obj))


def _validate_ranges(ranges: list[str]) -> list[FieldError]:
    if not ranges:
        return [required(_RANGES, "at least one CIDR required")]
    if len(ranges) > 2:
        return [invalid(_RANGES, printed({"CIDRs": ranges}), "may only hold up to 2 values")]
    errors: list[FieldError] = []
    for index, cidr in enumerate(ranges):
        errors += _validate_strict_cidr(cidr, f"{_RANGES}[{index}]")
    families = [parsed[1].version for cidr in ranges if (parsed := parse_cidr(cidr)) is not None]
    if len(families) == 2 and families[0] == families[1]:
        detail = (
            "may specify no more than one IP for each IP family, "
            "i.e 192.168.0.0/24 and 2001:db8::/64"
        )
        errors.append(invalid(_RANGES, printed(ranges), detail))
    return errors


def _validate_strict_cidr(value: str, path: str) -> list[FieldError]:
    if (parsed := parse_cidr(value)) is None:
        return [invalid(path, value, _BAD_CIDR)]
    address, network = parsed
    text, _, length = value.partition("/")
    if length != str(int(length)) or _has_zeros(text):
        detail = "must not have leading 0s in IP or prefix length"
    elif isinstance(address, IPv4Address) and ":" in text:
        detail = "must not have an IPv4-mapped IPv6 address"
    elif address != network.network_address:
        detail = "must not have bits set beyond the prefix length"
    elif value != str(network):
        detail = f"must be in canonical form ({quote(str(network))})"
    else:
        return []
    return [invalid(path, value, detail)]


def _has_zeros(address: str) -> bool:
    """Whether an address that Go's old parser took is none by today's rules."""
    try:
        ip_address(address)
    except ValueError:
        return True
    return False


def _validate_range_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    ranges, before = _ranges(new), _ranges(old)
    if len(ranges) == len(before):
        errors += [
            invalid(f"{_RANGES}[{index}]", cidr, IMMUTABLE)
            for index, (cidr, was) in enumerate(zip(ranges, before, strict=True))
            if cidr != was
        ]
    elif len(before) == 1 and len(ranges) == 2:
        if ranges[0] != before[0]:
            errors.append(invalid(f"{_RANGES}[0]", ranges[0], IMMUTABLE))
        errors += _validate_ranges(ranges)
    else:
        errors.append(invalid(_RANGES, printed(ranges or None), IMMUTABLE))
    return errors


def _address_problems(name: str) -> list[str]:
    return [error.detail for error in validate_ip(name, "")]


def _validate_address(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, False, _address_problems)
    path = "spec.parentRef"
    if (parent := (obj.get("spec") or {}).get("parentRef")) is None:
        return [*errors, required(path)]
    if group := parent.get("group", ""):
        errors += [invalid(f"{path}.group", group, text) for text in is_dns1123_subdomain(group)]
    errors += validate_segments(parent, ("resource", "name"), path)
    if namespace := parent.get("namespace", ""):
        problems = is_path_segment(namespace)
        errors += [invalid(f"{path}.namespace", namespace, text) for text in problems]
    return errors


def _validate_address_update(new: Object, old: Object) -> list[FieldError]:
    errors = _validate_address(new) + validate_metadata_update(new, old)
    parent = (new.get("spec") or {}).get("parentRef")
    if parent != (old.get("spec") or {}).get("parentRef"):
        fields = ("group", "resource", "namespace", "name")
        names = {field[:1].upper() + field[1:]: field for field in fields}
        shown = {name: parent.get(field, "") for name, field in names.items()} if parent else None
        errors.append(invalid("spec.parentRef", printed(shown), IMMUTABLE))
    return errors


SERVICE_CIDR: Final = Rules(
    prepare_status=keep_metadata,
    validate=_validate_range,
    validate_update=_validate_range_update,
    validate_status=validate_metadata_update,
    name_problems=is_dns1123_subdomain,
    tracks_generation=False,
)
IP_ADDRESS: Final = Rules(
    validate=_validate_address,
    validate_update=_validate_address_update,
    name_problems=_address_problems,
    tracks_generation=False,
)
