"""What clusters' free resources were promised to placements that are still on their way.

Upstream knows no such thing: scores go by the last heartbeat, so a burst of placements piles up on one cluster.
Whoever keeps the promises is asked before each decision and told of it at once, before anything is awaited, so that
the next decision counts with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from argosy.api.objects.metadata import Quantities
from argosy.client.objects import Key


class Promises(Protocol):
    """The ledger of promises."""

    def reserved(self, placement: Key) -> Mapping[str, Quantities]:
        """By cluster, what is promised to others than this placement."""

    def needs(self, placement: Key) -> Quantities:
        """What the placement's objects ask of each cluster they go to."""

    def promise(self, placement: Key, clusters: Sequence[str]) -> None:
        """The placement was just given these clusters."""


class NoPromises:
    """Upstream's way: nothing is ever reserved."""

    def reserved(self, placement: Key) -> Mapping[str, Quantities]:
        return {}

    def needs(self, placement: Key) -> Quantities:
        return {}

    def promise(self, placement: Key, clusters: Sequence[str]) -> None:
        return
