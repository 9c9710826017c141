"""When a Work is looked at again.

Once after five seconds, then after two, and from there ever more slowly: by a fifth at a time while it is not
available, up to 15 seconds, then by a half at a time, up to a quarter of an hour; a Work that is available, or has told
its diffs, begins with the halves. A new generation or another result begins anew. This is also how often a member
looks for drift.

Mirrors upstream's RequeueMultiStageWithExponentialBackoffRateLimiter with the defaults of its flags.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import msgspec


class Pace(msgspec.Struct, frozen=True):
    """Upstream's flags. `fixed_attempts` looks come after `fixed_seconds` each."""

    fixed_attempts: int = 1
    fixed_seconds: float = 5.0
    slow_first_seconds: float = 2.0
    slow_factor: float = 1.2
    slow_most_seconds: float = 15.0
    fast_factor: float = 1.5
    most_seconds: float = 900.0


PACE: Final = Pace()


class Backoff(msgspec.Struct, frozen=True):
    """What was seen last, how often it has been seen, and how long was waited for it."""

    generation: int = 0
    results: Hashable = ()
    attempts: int = 0
    seconds: float = 0.0


def after(
    last: Backoff | None,
    generation: int,
    results: Hashable,
    *,
    is_settled: bool,
    pace: Pace = PACE,
) -> Backoff:
    """The state after another look; its `seconds` are the time until the next."""
    if last is None or last.generation != generation or last.results != results:
        last = Backoff(generation, results)
    seconds = min(_seconds(last, pace, is_settled=is_settled), pace.most_seconds)
    return Backoff(generation, results, last.attempts + 1, seconds)


def _seconds(last: Backoff, pace: Pace, *, is_settled: bool) -> float:
    if last.attempts < pace.fixed_attempts:
        return pace.fixed_seconds
    if last.attempts == pace.fixed_attempts:
        return pace.slow_first_seconds
    slow = last.seconds * pace.slow_factor
    if is_settled or last.seconds >= pace.slow_most_seconds or slow > pace.slow_most_seconds:
        return last.seconds * pace.fast_factor
    return slow
