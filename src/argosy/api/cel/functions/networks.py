"""IP addresses, networks and URLs: what their texts must look like is Go's netip and net/url's business, so the
parsing errors quote those.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote_plus

from argosy.api.cel.declarations import Overload, declare
from argosy.api.cel.values import TYPE_NAMES, CelError
from argosy.base.fielderrors import quote

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_OCTET: Final = re.compile(r"[0-9]+")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_PORT: Final = re.compile(r"(?::[0-9]*)?")
_PATH_SAFE: Final = re.compile(r"[A-Za-z0-9\-_.~$&+,/:;=@!'()*%\[\]]")


@dataclass(slots=True, frozen=True)
class IP:
    address: Address


@dataclass(slots=True, frozen=True)
class CIDR:
    address: Address
    bits: int

    @property
    def network(self) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        return ipaddress.ip_network((self.address, self.bits), strict=False)


@dataclass(slots=True, frozen=True)
class URL:
    scheme: str
    host: str
    path: str
    query: str


TYPE_NAMES[IP] = "net.IP"
TYPE_NAMES[CIDR] = "net.CIDR"
TYPE_NAMES[URL] = "kubernetes.URL"


def parse_address(text: str) -> Address:
    """netip.ParseAddr; raises ValueError with its text."""
    if "." not in text and ":" not in text:
        what = "missing IPv6 address" if "%" in text else "unable to parse IP"
        raise ValueError(f"ParseAddr({quote(text)}): {what}")
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        raise ValueError(f"ParseAddr({quote(text)}): {_why(text)}") from None


def _why(text: str) -> str:
    if ":" in text:
        return "unexpected character, want colon"
    for octet in text.split("."):
        if not octet:
            at = text[text.find("..") + 1 :] if ".." in text else "."
            return f"IPv4 field must have at least one digit (at {quote(at)})"
        if not _OCTET.fullmatch(octet):
            bad = re.search(r"[^0-9.]", text)
            return f"unexpected character (at {quote(text[bad.start() :] if bad else text)})"
        if len(octet) > 1 and octet[0] == "0":
            return "IPv4 field has octet with leading zero"
        if int(octet) > 255:
            return "IPv4 field has value >255"
    return "IPv4 address too long" if text.count(".") > 3 else "IPv4 address too short"


def to_ip(text: str) -> IP:
    try:
        address = parse_address(text)
    except ValueError as error:
        raise CelError(
            f"IP Address {quote(text)} parse error during conversion from string: {error}"
        ) from None
    if "%" in text:
        raise CelError(f"IP address {quote(text)} with zone value is not allowed")
    if _mapped(address):
        raise CelError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return IP(address)


def _mapped(address: Address) -> bool:
    return isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None


def to_cidr(text: str) -> CIDR:
    problem = "network address parse error during conversion from string: "
    try:
        return _prefix(text)
    except ValueError as error:
        inner = "" if str(error).startswith("IPv4-mapped") else problem
        raise CelError(f"{problem}{inner}{error}") from None


def _prefix(text: str) -> CIDR:
    head, slash, bits = text.rpartition("/")
    label = f"netip.ParsePrefix({quote(text)}): "
    if not slash:
        raise ValueError(f"{label}no '/'")
    try:
        address = parse_address(head)
    except ValueError as error:
        raise ValueError(f"{label}{error}") from None
    if "%" in head:
        raise ValueError(f"{label}IPv6 zones cannot be present in a prefix")
    if not re.fullmatch(r"0|[1-9][0-9]*", bits):
        raise ValueError(f"{label}bad bits after slash: {quote(bits)}")
    if int(bits) > address.max_prefixlen:
        raise ValueError(f"{label}prefix length out of range")
    if _mapped(address):
        raise ValueError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return CIDR(address, int(bits))


def _is(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def run(text: str) -> bool:
        try:
            parse(text)
        except CelError:
            return False
        return True

    return run


def _contains_ip(cidr: CIDR, ip: IP) -> bool:
    return ip.address in cidr.network


def _contains_cidr(cidr: CIDR, other: CIDR) -> bool:
    if cidr.address.version != other.address.version:
        return False
    return cidr.bits <= other.bits and other.address in cidr.network


def _masked(cidr: CIDR) -> CIDR:
    return CIDR(cidr.network.network_address, cidr.bits)


def _global_unicast(ip: IP) -> bool:
    """Go's meaning: everything but broadcast, unspecified, loopback, multicast and link-local."""
    address = ip.address
    if address in {ipaddress.IPv4Address(2**32 - 1), ipaddress.IPv4Address(0)}:
        return False
    return not (
        address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
    )


def _link_local_multicast(ip: IP) -> bool:
    if isinstance(ip.address, ipaddress.IPv4Address):
        return ip.address in ipaddress.IPv4Network("224.0.0.0/24")
    return ip.address.packed[0] == 0xFF and ip.address.packed[1] & 0x0F == 0x02


def parse_request_uri(text: str) -> URL:
    """url.ParseRequestURI, then url.Parse to split off the fragment; raises ValueError with Go's text."""
    label = f"parse {quote(text)}: "
    if not text:
        raise ValueError(f"{label}empty url")
    if re.search(r"[\x00-\x1f\x7f]", text):
        raise ValueError(f"{label}net/url: invalid control character in URL")
    scheme, rest = "", text
    found = _SCHEME.fullmatch(text)
    if found is not None:
        scheme, rest = found[1].lower(), found[2]
    elif text.startswith(":"):
        raise ValueError(f"{label}missing protocol scheme")
    elif not text.startswith("/"):
        raise ValueError(f"{label}invalid URI for request")
    rest = rest.partition("#")[0]
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return URL(scheme, "", "", query)
        raise ValueError(f"{label}invalid URI for request")
    host = ""
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        host, slash, path = rest[2:].partition("/")
        rest = slash + path
    host = host.rpartition("@")[2]
    _check_host(host, label)
    bad = re.search(r"%(?![0-9A-Fa-f]{2}).{0,2}", rest)
    if bad is not None:
        raise ValueError(f"{label}invalid URL escape {quote(bad[0])}")
    return URL(scheme, host, rest, query)


def _check_host(host: str, label: str) -> None:
    if host.startswith("["):
        end = host.rfind("]")
        if end < 0:
            raise ValueError(f"{label}missing ']' in host")
        port = host[end + 1 :]
    else:
        bad = re.search(r'[\s<>"^`{}|\\]', host)
        if bad is not None:
            raise ValueError(f"{label}invalid character {quote(bad[0])} in host name")
        port = host[host.rfind(":") :] if ":" in host else ""
    if not _PORT.fullmatch(port):
        raise ValueError(f"{label}invalid port {quote(port)} after host")


def to_url(text: str) -> URL:
    try:
        return parse_request_uri(text)
    except ValueError as error:
        raise CelError(f"URL parse error during conversion from string: {error}") from None


def _hostname(url: URL) -> str:
    if url.host.startswith("["):
        return url.host[1 : url.host.rfind("]")]
    return url.host.rpartition(":")[0] if ":" in url.host else url.host


def _port(url: URL) -> str:
    tail = url.host[url.host.rfind("]") + 1 :]
    return tail.rpartition(":")[2] if ":" in tail else ""


def _escaped_path(url: URL) -> str:
    return "".join(
        ch if _PATH_SAFE.fullmatch(ch) else "".join(f"%{byte:02X}" for byte in ch.encode())
        for ch in url.path
    )


def _query(url: URL) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for pair in url.query.split("&"):
        if pair and ";" not in pair:
            key, _, value = pair.partition("=")
            found.setdefault(unquote_plus(key), []).append(unquote_plus(value))
    return found


LIBRARY: Final[tuple[Overload, ...]] = (
    declare("ip(string) -> IP", to_ip),
    declare("isIP(string) -> bool", _is(to_ip)),
    declare("ip.isCanonical(string) -> bool", lambda text: str(to_ip(text).address) == text),
    declare("IP::family() -> int", lambda ip: ip.address.version),
    declare("IP::isUnspecified() -> bool", lambda ip: ip.address.is_unspecified),
    declare("IP::isLoopback() -> bool", lambda ip: ip.address.is_loopback),
    declare("IP::isLinkLocalMulticast() -> bool", _link_local_multicast),
    declare("IP::isLinkLocalUnicast() -> bool", lambda ip: ip.address.is_link_local),
    declare("IP::isGlobalUnicast() -> bool", _global_unicast),
    declare("string(IP) -> string", lambda ip: str(ip.address)),
    declare("cidr(string) -> CIDR", to_cidr),
    declare("isCIDR(string) -> bool", _is(to_cidr)),
    declare("CIDR::containsIP(string) -> bool", lambda c, text: _contains_ip(c, to_ip(text))),
    declare("CIDR::containsIP(IP) -> bool", _contains_ip),
    declare("CIDR::containsCIDR(string) -> bool", lambda c, text: _contains_cidr(c, to_cidr(text))),
    declare("CIDR::containsCIDR(CIDR) -> bool", _contains_cidr),
    declare("CIDR::ip() -> IP", lambda cidr: IP(cidr.address)),
    declare("CIDR::prefixLength() -> int", lambda cidr: cidr.bits),
    declare("CIDR::masked() -> CIDR", _masked),
    declare("string(CIDR) -> string", lambda cidr: f"{cidr.address}/{cidr.bits}"),
    declare("url(string) -> URL", to_url),
    declare("isURL(string) -> bool", _is(to_url)),
    declare("URL::getScheme() -> string", lambda url: url.scheme),
    declare("URL::getHost() -> string", lambda url: url.host),
    declare("URL::getHostname() -> string", _hostname),
    declare("URL::getPort() -> string", _port),
    declare("URL::getEscapedPath() -> string", _escaped_path),
    declare("URL::getQuery() -> map<string, list<string>>", _query),
)
