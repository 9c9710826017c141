"""What a controller has asked for and not yet seen: so that it never acts twice on one picture.

Between a create or delete and the moment an informer shows it, the controller's picture is old. It notes here what it
waits for and leaves the key alone until `is_satisfied`. Mirrors client-go's ControllerExpectations with uids for
deletions, so that two sightings of one deletion count once. What was never seen is given up after five minutes: the
picture is then taken as it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from argosy.base.clock import Clock

K = TypeVar("K", bound=Hashable)

_TIMEOUT_SECONDS: Final = 300.0


@dataclass(slots=True)
class _Expected:
    since: float
    creations: int = 0
    deletions: set[str] = field(default_factory=set)


class Expectations(Generic[K]):
    """Expected creations (a number) and deletions (by uid) per key of an owner."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._expected: dict[K, _Expected] = {}

    def expect_creations(self, key: K, count: int) -> None:
        expected = self._touch(key)
        expected.creations += count

    def expect_deletions(self, key: K, uids: Iterable[str]) -> None:
        self._touch(key).deletions.update(uids)

    def creation_observed(self, key: K, count: int = 1) -> None:
        """Seen, or failed and never to be seen."""
        expected = self._expected.get(key)
        if expected is not None:
            expected.creations = max(0, expected.creations - count)
            self._settle(key, expected)

    def deletion_observed(self, key: K, uid: str) -> None:
        """Seen, or failed and never to be seen."""
        expected = self._expected.get(key)
        if expected is not None:
            expected.deletions.discard(uid)
            self._settle(key, expected)

    def is_satisfied(self, key: K) -> bool:
        """Whether the informer's picture holds everything this controller did."""
        expected = self._expected.get(key)
        if expected is None:
            return True
        if self._clock.monotonic() - expected.since < _TIMEOUT_SECONDS:
            return False
        del self._expected[key]
        return True

    def seconds_left(self, key: K) -> float:
        """How long until what is expected for the key is given up; 0 when nothing is."""
        expected = self._expected.get(key)
        if expected is None:
            return 0.0
        return max(0.0, expected.since + _TIMEOUT_SECONDS - self._clock.monotonic())

    def forget(self, key: K) -> None:
        self._expected.pop(key, None)

    def _touch(self, key: K) -> _Expected:
        now = self._clock.monotonic()
        expected = self._expected.setdefault(key, _Expected(now))
        expected.since = now
        return expected

    def _settle(self, key: K, expected: _Expected) -> None:
        if not expected.creations and not expected.deletions:
            del self._expected[key]
