"""Decisions on their way to the API: what was decided counts at once, and older news must not undo it.

A workload is assumed from the moment a decision about it is made until the object that was written is seen. Answers
and news come by different ways and in any order: the news of a write may be there before its answer, and with it news
of what others did next; a write may fail for a reason that nobody has heard of yet. So while a write is under way, news
are put aside, the newest of each workload; when all answers are there, they count, unless they are older than what is
known to be written: then the real ones are still to come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from argosy.api.objects.kueue.workloads import Workload


@dataclass(slots=True)
class _Assumption:
    """How many writes are under way, the revision of the last that is known to be written, and news put aside."""

    uid: str
    under_way: int = 0
    revision: int = 0
    aside: Workload | None = None

    def put_aside(self, workload: Workload) -> None:
        if self.aside is None or _revision(self.aside) <= _revision(workload):
            self.aside = workload


class Assumptions:
    """The workloads that are assumed, by key."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: Final[dict[str, _Assumption]] = {}

    def __contains__(self, key: str) -> bool:
        """Whether the object that was decided on last is still to be seen."""
        return key in self._known

    def decide(self, workload: Workload) -> None:
        """A decision is made."""
        known = self._of(workload)
        if known is None:
            known = self._known[_key(workload)] = _Assumption(workload.metadata.uid)
        known.under_way += 1

    def forget(self, key: str) -> None:
        """The workload is gone."""
        self._known.pop(key, None)

    def is_news(self, workload: Workload) -> bool:
        """Whether this version counts now. If so, nothing is assumed of the workload any more."""
        known = self._known.get(_key(workload))
        if known is None:
            return True
        known.put_aside(workload)
        return self._settled(known) is not None

    def written(self, workload: Workload, revision: int) -> Workload | None:
        """A decision is in the API. Returns the version that counts from now on, if that was put aside."""
        known = self._of(workload)
        if known is None:
            return None
        known.revision = max(known.revision, revision)
        return self._answered(known)

    def failed(self, workload: Workload, actual: Workload) -> Workload | None:
        """A decision could not be written; `actual` is the workload as others know it. Returns what counts now."""
        known = self._of(workload)
        if known is None:
            return actual
        known.put_aside(actual)
        return self._answered(known)

    def _of(self, workload: Workload) -> _Assumption | None:
        """What is assumed of this very workload, not of another one of its name."""
        known = self._known.get(_key(workload))
        return known if known is not None and known.uid == workload.metadata.uid else None

    def _answered(self, known: _Assumption) -> Workload | None:
        known.under_way -= 1
        return self._settled(known)

    def _settled(self, known: _Assumption) -> Workload | None:
        aside = known.aside
        if known.under_way > 0 or aside is None or _revision(aside) < known.revision:
            return None
        del self._known[_key(aside)]
        return aside


def _key(workload: Workload) -> str:
    return f"{workload.metadata.namespace}/{workload.metadata.name}"


def _revision(workload: Workload) -> int:
    return int(workload.metadata.resource_version or 0)
