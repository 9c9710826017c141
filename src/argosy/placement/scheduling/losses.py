"""Which clusters are lost to a placement: silent for longer than it bears, by the hub's own clock.

Upstream bears five minutes of silence, by the agents' clocks, and so do placements that say nothing. One that leaves
lost clusters may bear less, and must not be given the cluster it has just left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Protocol

from argosy.client.objects import Key


class Losses(Protocol):
    """Who keeps track of silence."""

    def lost(self, placement: Key) -> Mapping[str, timedelta]:
        """By cluster, how long those that are lost to the placement have been silent."""

    def on_return(self, tell: Callable[[str], None]) -> None:
        """Have `tell` called with each cluster that may be lost to nobody any more."""


class NoLosses:
    """Upstream's way: a heartbeat is all that counts."""

    def lost(self, placement: Key) -> Mapping[str, timedelta]:
        return {}

    def on_return(self, tell: Callable[[str], None]) -> None:
        return
