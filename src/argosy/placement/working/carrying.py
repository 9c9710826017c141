"""What a placement tells the agents of its clusters beside upstream's words: some of its annotations go onto its Works.

A Work of a placement that says nothing of the kind is exactly upstream's. When a placement changes its mind, its Works
are annotated anew and nothing else of them is touched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.works import SentWork
from argosy.base.types import Object
from argosy.placement.rescheduling.wishes import after_of

_CARRIED: Final = (names.QUEUE_MANAGED, names.RESCHEDULE)


def carried(placement: Placement) -> dict[str, str]:
    """The annotations that every Work of a placement has from it."""
    given = placement.metadata.annotations
    found: dict[str, str] = {key: given[key] for key in _CARRIED if key in given}
    if after_of(placement) is None:
        # What the hub will not do, agents need not prepare for.
        found.pop(names.RESCHEDULE, None)
    return found


def amendment(work: SentWork, wanted: Mapping[str, str]) -> Object | None:
    """The merge patch that makes a Work carry these; None if it does."""
    has = work.metadata.annotations
    changes: Object = {key: wanted.get(key) for key in _CARRIED if wanted.get(key) != has.get(key)}
    return {"metadata": {"annotations": changes}} if changes else None
