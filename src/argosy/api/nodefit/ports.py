"""Ports of the host: two pods on one node cannot have the same one.

The same port and protocol clash when the addresses are equal or either of them is all addresses. Init containers count
only when they stay (sidecars).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from argosy.api.objects import PodSpec

_ALL_ADDRESSES: Final = "0.0.0.0"  # noqa: S104  (what an empty hostIP means)


class HostPort(NamedTuple):
    """A port that a pod takes on its node."""

    port: int
    protocol: str
    ip: str


def host_ports(spec: PodSpec) -> tuple[HostPort, ...]:
    sidecars = [c for c in spec.init_containers if c.restart_policy == "Always"]
    return tuple(
        HostPort(port.host_port, port.protocol or "TCP", port.host_ip or _ALL_ADDRESSES)
        for container in (*sidecars, *spec.containers)
        for port in container.ports
        if port.host_port > 0
    )


def clashes(wanted: Iterable[HostPort], used: Iterable[HostPort]) -> bool:
    """Whether any wanted port is taken."""
    taken = tuple(used)
    return any(_clash(one, other) for one in wanted for other in taken)


def _clash(one: HostPort, other: HostPort) -> bool:
    return (
        one.port == other.port
        and one.protocol == other.protocol
        and (one.ip == other.ip or _ALL_ADDRESSES in {one.ip, other.ip})
    )
