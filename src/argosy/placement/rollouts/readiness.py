"""How a binding stands on its cluster: ready, failed, or on its way.

Only what was said of the binding's current generation counts. What nobody can track is ready once it has been there
for a while without complaint. Failed is anything that is said to be False with a reason other than upstream's four
words for "not yet"; the words that the work generator uses while it waits are not among them, so a binding whose
resources are being applied counts as failed and is updated without asking for room.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from argosy.api.objects.conditions import is_current
from argosy.api.objects.fleet.bindings import (
    APPLIED,
    AVAILABLE,
    DIFF_REPORTED,
    OVERRIDDEN,
    WORK_SYNCHRONIZED,
    Binding,
)
from argosy.api.objects.metadata import Condition, find_condition

_UNTRACKABLE: Final = frozenset({"NotAllWorkAreAvailabilityTrackable", "WorkNotTrackable"})
_PENDING: Final = frozenset(
    {"OverriddenPending", "WorkNotSynchronizedYet", "ApplyPending", "ResourceNotAvailableYet"}
)
_STEPS: Final = (OVERRIDDEN, WORK_SYNCHRONIZED, APPLIED, AVAILABLE)


class Readiness(NamedTuple):
    """`wait` is how long until it is ready by itself; None if that takes news."""

    is_ready: bool
    wait: timedelta | None = None


_READY: Final = Readiness(is_ready=True)
_UNREADY: Final = Readiness(is_ready=False)


def readiness(binding: Binding, untracked: timedelta, now: datetime) -> Readiness:
    """How it stands; `untracked` is how long something that cannot be tracked has to be there."""
    if is_diff_reported(binding):
        return _READY
    available = _said(binding, AVAILABLE)
    if available is None or available.status != "True":
        return _UNREADY
    since = available.last_transition_time
    if available.reason not in _UNTRACKABLE or since is None:
        return _READY
    left = since + untracked - now
    return Readiness(is_ready=False, wait=left) if left > timedelta() else _READY


def is_diff_reported(binding: Binding) -> bool:
    reported = find_condition(binding.status.conditions, DIFF_REPORTED)
    return is_current(reported, binding.metadata.generation, "True")


def has_failed(binding: Binding) -> bool:
    for step in _STEPS:
        said = _said(binding, step)
        if said is not None and said.status == "False" and said.reason not in _PENDING:
            return True
    return False


def _said(binding: Binding, type_: str) -> Condition | None:
    """What is said of the current generation."""
    found = find_condition(binding.status.conditions, type_)
    is_now = found is not None and found.observed_generation == binding.metadata.generation
    return found if is_now else None
