"""Which proxy the environment names for a server: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, read as Go reads them.

Names may be in lower case, which wins. This machine itself is never reached through a proxy. NO_PROXY lists what is
reached directly: `*`, addresses, networks (10.0.0.0/8), domains with their subdomains (example.com), subdomains
alone (.example.com), each with a port if only that is meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit


def proxy_of(server: str, env: Mapping[str, str]) -> str:
    """The proxy's URL; "" to go directly."""
    url = urlsplit(server)
    host, port = url.hostname or "", str(url.port or (443 if url.scheme == "https" else 80))
    if host == "localhost" or (_is_address(host) and ip_address(host).is_loopback):
        return ""
    if any(
        _covers(entry.strip().lower(), host, port) for entry in _named(env, "no_proxy").split(",")
    ):
        return ""
    proxy = _named(env, f"{url.scheme}_proxy")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def _named(env: Mapping[str, str], name: str) -> str:
    return env.get(name) or env.get(name.upper()) or ""


def _covers(entry: str, host: str, port: str) -> bool:
    """Whether one entry of NO_PROXY means this host."""
    if entry == "*":
        return True
    if "/" in entry and _is_address(host):
        try:
            return ip_address(host) in ip_network(entry, strict=False)
        except ValueError:
            return False
    if entry.count(":") == 1:
        entry, _, wanted = entry.partition(":")
        if wanted != port:
            return False
    if not entry:
        return False
    if entry.startswith("."):
        return host.endswith(entry)
    return host == entry.strip("[]") or (not _is_address(host) and host.endswith(f".{entry}"))


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
