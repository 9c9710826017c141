"""Completion indexes: sets of them as sorted intervals, written as `0,2-5,7`.

The status of an Indexed Job holds its completed and failed indexes as such a text. Sets are immutable; adding k
indexes to n intervals costs n + k, parsing and writing cost n. An interval of two is written with a comma, as upstream
writes it, and so read back as two that are joined again.

Parsing is forgiving, because users can write a status too: what is no number is skipped, and everything beyond the
Job's completions is left out, which is how a Job that was made smaller forgets.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable
from operator import itemgetter
from typing import Final, TypeAlias

from argosy.api.objects import Pod

COMPLETION_INDEX: Final = "batch.kubernetes.io/job-completion-index"
UNKNOWN: Final = -1

Interval: TypeAlias = tuple[int, int]

_last = itemgetter(1)


class Indexes:
    """A set of completion indexes: disjoint intervals (first, last) in order, never touching each other."""

    __slots__ = ("intervals", "total")

    def __init__(self, intervals: tuple[Interval, ...] = ()) -> None:
        self.intervals: Final = intervals
        self.total: Final = sum(last - first + 1 for first, last in intervals)

    def __contains__(self, index: object) -> bool:
        assert isinstance(index, int)
        at = bisect_left(self.intervals, index, key=_last)
        return at < len(self.intervals) and self.intervals[at][0] <= index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Indexes) and self.intervals == other.intervals

    def __hash__(self) -> int:
        return hash(self.intervals)

    def __str__(self) -> str:
        return ",".join(map(_write, self.intervals))

    def __repr__(self) -> str:
        return f"Indexes({self})"

    def with_indexes(self, indexes: Iterable[int]) -> Indexes:
        """This set and these indexes, which need not be in order."""
        return self.union((index, index) for index in indexes)

    def union(self, intervals: Iterable[Interval]) -> Indexes:
        merged: list[Interval] = []
        for first, last in sorted((*self.intervals, *intervals)):
            if not merged or first > merged[-1][1] + 1:
                merged.append((first, last))
            elif merged[-1][1] < last:
                merged[-1] = (merged[-1][0], last)
        return Indexes(tuple(merged))

    def overlap(self, other: Indexes) -> int:
        """How many indexes both sets have."""
        count, here, there = 0, 0, 0
        while here < len(self.intervals) and there < len(other.intervals):
            mine, its = self.intervals[here], other.intervals[there]
            count += max(0, min(mine[1], its[1]) - max(mine[0], its[0]) + 1)
            here, there = here + (mine[1] <= its[1]), there + (its[1] <= mine[1])
        return count


NONE: Final = Indexes()


def parse(text: str, completions: int) -> Indexes:
    """The indexes of a text, without those that are not below `completions`."""
    intervals: list[Interval] = []
    for part in text.split(",") if text else ():
        ends = part.split("-")
        try:
            first = int(ends[0])
            last = int(ends[1]) if len(ends) > 1 else first
        except ValueError:
            continue
        if first >= completions:
            break
        last = min(last, completions - 1)
        if intervals and intervals[-1][1] == first - 1:
            intervals[-1] = (intervals[-1][0], last)
        else:
            intervals.append((first, last))
    return Indexes(tuple(intervals))


def first_pending(
    count: int, completions: int, done: Indexes, running: Container[int], failed: Indexes
) -> list[int]:
    """The lowest `count` indexes that neither have ended nor run.

    Whole intervals of ended indexes are jumped over; beyond that the cost is one look per running or pending index.
    """
    found: list[int] = []
    candidate = 0
    for first, last in (*done.union(failed.intervals).intervals, (completions, completions)):
        while candidate < min(first, completions) and len(found) < count:
            if candidate not in running:
                found.append(candidate)
            candidate += 1
        if len(found) == count:
            break
        candidate = max(candidate, last + 1)
    return found


def completion_index(pod: Pod) -> int:
    """The completion index of a pod, UNKNOWN when it has none or a bad one."""
    text = pod.metadata.annotations.get(COMPLETION_INDEX)
    if text is None:
        return UNKNOWN
    try:
        return max(int(text), UNKNOWN)
    except ValueError:
        return UNKNOWN


def _write(interval: Interval) -> str:
    first, last = interval
    if first == last:
        return str(first)
    return f"{first}{',' if last == first + 1 else '-'}{last}"
