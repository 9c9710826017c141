"""Finished objects in the order in which they go.

One shelf holds the finished objects of one kind in one namespace. Putting, dropping and taking cost O(log n):
entries of objects that were dropped or put again stay in the heap until they surface.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable
from typing import Generic, TypeVar

from argosy.workloads.retention.rules import Rule

K = TypeVar("K", bound=Hashable)


class Shelf(Generic[K]):
    """Keys by the time their objects finished."""

    def __init__(self) -> None:
        self._finished: dict[K, float] = {}
        self._order: list[tuple[float, K]] = []

    def __len__(self) -> int:
        return len(self._finished)

    def put(self, key: K, finished_at: float) -> bool:
        """Keep an object; whether it was not there before."""
        if self._finished.get(key) == finished_at:
            return False
        is_new = key not in self._finished
        self._finished[key] = finished_at
        heapq.heappush(self._order, (finished_at, key))
        return is_new

    def drop(self, key: K) -> None:
        self._finished.pop(key, None)

    def take_due(self, rule: Rule, now: float) -> list[tuple[K, str]]:
        """What has to go now, oldest first, each with the reason."""
        due = []
        while (first := self._first()) is not None:
            finished_at, key = first
            if finished_at + rule.seconds <= now:
                reason = "time"
            elif len(self._finished) > rule.most:
                reason = "number"
            else:
                break
            heapq.heappop(self._order)
            del self._finished[key]
            due.append((key, reason))
        return due

    def next_due(self, rule: Rule) -> float | None:
        """When the next object has to go by time."""
        first = self._first()
        return first[0] + rule.seconds if first is not None else None

    def _first(self) -> tuple[float, K] | None:
        while self._order:
            finished_at, key = self._order[0]
            if self._finished.get(key) == finished_at:
                return self._order[0]
            heapq.heappop(self._order)
        return None
