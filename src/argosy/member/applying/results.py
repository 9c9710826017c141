"""What came of one manifest in one pass."""

from __future__ import annotations

from dataclasses import dataclass

from argosy.base.types import Object
from argosy.member.applying.manifests import Manifest
from argosy.member.applying.reasons import APPLIED, ResultType
from argosy.member.availability.outcomes import Outcome
from argosy.member.availability.tracking import Availability
from argosy.member.comparing.diffing import Difference


@dataclass(slots=True, frozen=True)
class Result:
    """Of one manifest in one pass. `generation` and `uid` are the object's; None and "" where there is none."""

    manifest: Manifest
    type: ResultType
    error: str = ""
    drifts: tuple[Difference, ...] = ()
    diffs: tuple[Difference, ...] = ()
    generation: int | None = None
    uid: str = ""
    availability: Availability = Availability.SKIPPED
    outcome: Outcome | None = None
    # The job has run and is gone: what was said of it stays.
    is_over: bool = False
    # What the object says of itself, where the hub has asked for it.
    status: Object | None = None

    @property
    def is_applied(self) -> bool:
        return self.type in APPLIED
