"""What a placement wants to happen when a cluster is lost.

Only those that pick N clusters can go elsewhere: the others want all clusters, or these and no others. One that
somebody else rolls out (External) is left to them: what it loses here, nobody would bind there.
"""

from __future__ import annotations

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.policies import PICK_N
from argosy.api.objects.fleet.reschedules import parse_reschedule


def after_of(placement: Placement) -> float | None:
    """For how many seconds a cluster has to be silent until the placement leaves it; None: it never does."""
    text = placement.metadata.annotations.get(names.RESCHEDULE)
    if text is None or unwanted(placement):
        return None
    try:
        return parse_reschedule(text)
    except ValueError:
        return None


def problem(placement: Placement) -> str:
    """Why a placement that asks to be rescheduled will not be; "" if it does not ask, or will."""
    text = placement.metadata.annotations.get(names.RESCHEDULE)
    if text is None:
        return ""
    if why := unwanted(placement):
        return f"{names.RESCHEDULE} is ignored: {why}"
    try:
        parse_reschedule(text)
    except ValueError as error:
        return f"{names.RESCHEDULE} is ignored: {error}"
    return ""


def unwanted(placement: Placement) -> str:
    """What about the placement itself keeps it where it is."""
    spec = placement.spec
    if spec.wanted.type != PICK_N:
        return (
            f"the placement type is {spec.wanted.type}, and only PickN placements are rescheduled"
        )
    if spec.is_external:
        return "the strategy is External, and only placements that roll out by themselves are rescheduled"
    return ""
