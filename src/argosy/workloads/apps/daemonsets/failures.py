"""How soon a pod that failed is made again: after one second, then two, four, up to fifteen minutes.

Per set, generation and node: a set that changed starts over. What was not asked about for half an hour is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from argosy.api.objects import Pod
from argosy.api.objects.apps import DaemonSet
from argosy.base.clock import Clock

_FIRST_SECONDS: Final = 1.0
_MOST_SECONDS: Final = 900.0

_Key: TypeAlias = tuple[str, int, str]


class _Delay(NamedTuple):
    since: float
    seconds: float


class FailedPods:
    """Remembers failures."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._delays: dict[_Key, _Delay] = {}
        self._swept = clock.monotonic()

    def due(
        self, owner: DaemonSet, failed: Iterable[tuple[Pod, str]]
    ) -> tuple[list[tuple[Pod, str]], float | None]:
        """Those that may be deleted now, and how long until the next may; None if none waits."""
        now = self._clock.monotonic()
        self._sweep(now)
        due: list[tuple[Pod, str]] = []
        wait: float | None = None
        for pod, node in failed:
            key = (owner.metadata.uid, owner.status.observed_generation, node)
            delay = self._delays.get(key)
            if delay is not None and now - delay.since < delay.seconds:
                left = delay.since + delay.seconds - now
                wait = left if wait is None else min(wait, left)
                continue
            seconds = min(2 * delay.seconds, _MOST_SECONDS) if delay else _FIRST_SECONDS
            self._delays[key] = _Delay(now, seconds)
            due.append((pod, node))
        return due, wait

    def _sweep(self, now: float) -> None:
        if now - self._swept < _MOST_SECONDS:
            return
        self._swept = now
        for key, delay in list(self._delays.items()):
            if now - delay.since > 2 * _MOST_SECONDS:
                del self._delays[key]
