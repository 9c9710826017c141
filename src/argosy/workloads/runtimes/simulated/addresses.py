"""Pod addresses: each pod of the cluster has its own, as long as it is there.

Handed out in order from one range, over again from its start when the end is reached. Addresses that pods have already
(after a restart of the process) are taken out first.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from typing import Final

# Four million addresses, apart from those of services and of nodes.
RANGE: Final = IPv4Network("10.128.0.0/10")


class Addresses:
    """The addresses of one cluster's simulated pods."""

    def __init__(self, network: IPv4Network = RANGE) -> None:
        self._first = int(network.network_address) + 1
        self._last = int(network.broadcast_address) - 1
        self._next = self._first
        self._taken: set[int] = set()

    def take(self) -> str:
        """A free address; "" when there is none left."""
        if len(self._taken) > self._last - self._first:
            return ""
        while self._next in self._taken:
            self._advance()
        found = self._next
        self._taken.add(found)
        self._advance()
        return f"{found >> 24}.{found >> 16 & 255}.{found >> 8 & 255}.{found & 255}"

    def keep(self, address: str) -> None:
        """Note that a pod has the address."""
        if (number := _number(address)) is not None:
            self._taken.add(number)

    def give_back(self, address: str) -> None:
        if (number := _number(address)) is not None:
            self._taken.discard(number)

    def _advance(self) -> None:
        self._next = self._next + 1 if self._next < self._last else self._first


def _number(address: str) -> int | None:
    try:
        return int(IPv4Address(address))
    except ValueError:
        return None
