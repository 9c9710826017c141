"""A work queue of keys: no key twice, no key with two workers, failing keys ever more slowly.

Mirrors client-go's workqueue. A key that is added while a worker has it is handed out again only after
`done`, so a reconciler never runs twice at once for one key, and never misses the last change. `add_after`
keeps the earliest of several delays. `add_rate_limited` waits for the larger of two limits: exponential per
key (5 ms doubling to 1000 s) and a token bucket for all keys together (10 a second after a burst of 100).
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from argosy.base.clock import Clock
from argosy.base.metrics import Registry
from argosy.control.measuring import QueueMeasures

K = TypeVar("K", bound=Hashable)

# Three years. Whoever waits longer looks in between; timers of the event loop have a limit, too.
_LONGEST_SECONDS: Final = 1e8
# How often, at least, it is tried whether a cluster that took nothing is back.
_BACK_SECONDS: Final = 30.0
# Times are compared with this much tolerance, because sums of floats differ in their last digits.
_TOLERANCE_SECONDS: Final = 1e-6
# Longer than the tolerance: who asks for less than that would be called at once, at the same time, again and again.
_SHORTEST_SECONDS: Final = 1e-5


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How failing keys are slowed down."""

    first_seconds: float = 0.005
    most_seconds: float = 1000.0
    per_second: float = 10.0
    burst: int = 100


DEFAULT_LIMIT: Final = RateLimit()


class Bucket:
    """Tokens that refill with time. `reserve` takes one and says how long to wait for it."""

    __slots__ = ("_at", "_burst", "_clock", "_rate", "_tokens")

    def __init__(self, clock: Clock, per_second: float, burst: int) -> None:
        self._clock = clock
        self._rate = per_second
        self._burst = float(burst)
        self._tokens = self._burst
        self._at = clock.monotonic()

    def reserve(self) -> float:
        self._refill()
        self._tokens -= 1
        return max(0.0, -self._tokens / self._rate)

    def try_take(self) -> bool:
        """Take a token if there is one."""
        self._refill()
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True

    def _refill(self) -> None:
        now = self._clock.monotonic()
        self._tokens = min(self._burst, self._tokens + (now - self._at) * self._rate)
        self._at = now


class WorkQueue(Generic[K]):
    """Keys waiting for workers. One event loop owns it."""

    def __init__(
        self,
        name: str,
        clock: Clock,
        *,
        limit: RateLimit = DEFAULT_LIMIT,
        metrics: Registry | None = None,
    ) -> None:
        self.name: Final = name
        self._clock = clock
        self._limit = limit
        self._bucket = Bucket(clock, limit.per_second, limit.burst)
        self._ready: asyncio.Queue[K] = asyncio.Queue()
        # Since when each key waits to be handed out, or to be handed out again once done; and is worked on.
        self._dirty: dict[K, float] = {}
        self._working: dict[K, float] = {}
        self._failures: dict[K, int] = {}
        # When each delayed key is due; heap entries that disagree are out of date.
        self._due: dict[K, float] = {}
        self._delayed: list[tuple[float, int, K]] = []
        self._order = 0
        self._timer: asyncio.TimerHandle | None = None
        self._measures = QueueMeasures(
            metrics or Registry(), name, depth=lambda: float(len(self)), working=self._ages
        )

    def __len__(self) -> int:
        """How many keys wait for a worker now; delayed ones are not counted."""
        return self._ready.qsize()

    def add(self, key: K) -> None:
        if key in self._dirty:
            return
        self._measures.added()
        self._dirty[key] = self._clock.monotonic()
        if key not in self._working:
            self._ready.put_nowait(key)

    def add_after(self, key: K, seconds: float) -> None:
        """Add the key when `seconds` have passed, unless an earlier time is set already."""
        if seconds <= 0:
            self.add(key)
            return
        pause = max(_SHORTEST_SECONDS, min(seconds, _LONGEST_SECONDS))
        when = self._clock.monotonic() + pause
        if self._due.get(key, when + 1) <= when:
            return
        self._due[key] = when
        self._order += 1
        heapq.heappush(self._delayed, (when, self._order, key))
        self._wind()

    def add_rate_limited(self, key: K) -> None:
        """Add the key after its back-off, which doubles with every call until `forget`."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        self._measures.retried()
        limit = self._limit
        pause = min(limit.most_seconds, limit.first_seconds * 2.0 ** min(failures, 64))
        self.add_after(key, max(pause, self._bucket.reserve()))

    def add_when_back(self, key: K) -> None:
        """Add the key after its back-off, which stays short: the cluster is out of order, not the key."""
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        self._measures.retried()
        limit = self._limit
        most = min(limit.most_seconds, _BACK_SECONDS)
        self.add_after(key, min(most, limit.first_seconds * 2.0 ** min(failures, 64)))

    def forget(self, key: K) -> None:
        """The key succeeded: its next failure starts from the shortest pause."""
        self._failures.pop(key, None)

    def retries(self, key: K) -> int:
        """How often the key has failed in a row."""
        return self._failures.get(key, 0)

    async def get(self) -> K:
        """The next key, in the order they became ready. Hand it back with `done`."""
        key = await self._ready.get()
        now = self._clock.monotonic()
        self._measures.taken(now - self._dirty.pop(key, now))
        self._working[key] = now
        return key

    def done(self, key: K) -> None:
        now = self._clock.monotonic()
        self._measures.finished(now - self._working.pop(key, now))
        if key in self._dirty:
            self._ready.put_nowait(key)

    def close(self) -> None:
        """Forget the timer; keys that are still delayed stay so."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ages(self) -> list[float]:
        now = self._clock.monotonic()
        return [now - since for since in self._working.values()]

    def _wind(self) -> None:
        """Set the one timer to the earliest delayed key."""
        loop = asyncio.get_running_loop()
        when = self._delayed[0][0]
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_later(max(0.0, when - self._clock.monotonic()), self._ring)

    def _ring(self) -> None:
        self._timer = None
        now = self._clock.monotonic()
        while self._delayed and self._delayed[0][0] <= now + _TOLERANCE_SECONDS:
            when, _, key = heapq.heappop(self._delayed)
            if self._due.get(key) == when:
                del self._due[key]
                self.add(key)
        if self._delayed:
            self._wind()
