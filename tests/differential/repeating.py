"""Play again what differs: a real control plane under load does not do the same every time.

Which of two events a controller sees first is chance, more so on a busy machine. Only what differs in every play is
different; whatever was played again is told, with what differed at first, so that no chance stays hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeAlias

TRIES = 3

# What differs, by the title of what was played; never an empty list.
Differences: TypeAlias = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of so many comparisons.

    `again` is what was played again, with what differed at first; `different` what differs every time, with what
    differed last.
    """

    count: int = 0
    again: Differences = field(default_factory=dict)
    different: Differences = field(default_factory=dict)

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            self.count + other.count, self.again | other.again, self.different | other.different
        )

    def __str__(self) -> str:
        told = [f"played again: {title}\n  {found[0]}" for title, found in self.again.items()]
        told += ["\n  ".join([f"{title}:", *found]) for title, found in self.different.items()]
        return "\n".join([*told, self._counts()])

    def _counts(self) -> str:
        same, different = self.count - len(self.different), len(self.different)
        return f"{same} comparisons the same, {different} not, {len(self.again)} played again"


def insist(
    titles: Collection[str], play: Callable[[Collection[str]], Differences], tries: int = TRIES
) -> Outcome:
    """Play everything, then what differs again, from the start, until it is the same or was tried often enough.

    `play` gives what differs of what it is asked for.
    """
    first = different = play(titles)
    played = 1
    while different and played < tries:
        different = play(different)
        played += 1
    return Outcome(len(titles), first if played > 1 else {}, different)
