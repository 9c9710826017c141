"""What to do about a placement that is not where it should be.

Pure. Advice goes by the reasons that the controllers gave, and by what else they wrote down: a drift of `suspend` is a
queue's doing, an owner that is another placement's Work can not be had by taking over, a run may wait for approval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from argosy.api.objects.fleet.policies import PICK_FIXED
from argosy.api.objects.metadata import Condition, is_true
from argosy.base.types import Object
from argosy.placement.explaining.families import Family, telling

_QUEUE: Final = "annotate the placement argosy.dev/queue-managed=ignore, so that what its queue changes is the queue's"
_OWN_SELECTOR: Final = (
    "give a Job that nobody queues a selector of its own (manualSelector: true) and no suspend"
)
_SUSPEND: Final = "/spec/suspend"
_RIVAL: Final = "already owned by another Fleet AppliedWork"


def advice(family: Family) -> list[str]:
    """Each piece once, in the order of what it is for."""
    found: dict[str, None] = {}
    for reason in _reasons(family):
        for piece in _for(family, reason):
            found.setdefault(piece)
    return list(found)


def _reasons(family: Family) -> Iterator[str]:
    status = family.placement.status
    yield from _stopped_by(telling(status.conditions))
    for cluster in status.placement_statuses:
        yield from _stopped_by(telling(cluster.conditions))
        for failed in cluster.failed_placements:
            yield failed["condition"].get("reason", "")


def _stopped_by(condition: Condition | None) -> Iterator[str]:
    if condition is not None and condition.status != "True":
        yield condition.reason


def _for(family: Family, reason: str) -> Iterator[str]:
    if reason in _MORE:
        yield from _MORE[reason](family)
    elif reason in _ADVICE:
        yield _ADVICE[reason]


def _unfulfilled(family: Family) -> Iterator[str]:
    if family.placement.spec.wanted.type == PICK_FIXED:
        yield "correct spec.policy.clusterNames, or join the clusters that are named"
    else:
        yield "ask for fewer clusters, widen spec.policy (affinity, spread, tolerations), or join clusters that fit"


def _external(family: Family) -> Iterator[str]:
    waiting = [each for each in family.approvals if not is_true(each.status.conditions, "Approved")]
    kind = "approvalrequest" if family.placement.metadata.namespace else "clusterapprovalrequest"
    for request in waiting:
        where = f" -n {request.metadata.namespace}" if request.metadata.namespace else ""
        stage = request.spec.target_stage
        yield f"approve stage {stage}: argosy approve {kind} {request.metadata.name}{where}"
    if not family.runs:
        yield "create a staged update run for this placement"
    elif not waiting:
        names = ", ".join(each.metadata.name for each in family.runs)
        yield f"see how its update run is getting on: {names}"


def _drifted(family: Family) -> Iterator[str]:
    if any(each["path"] == _SUSPEND for each in _drifts(family)):
        yield _QUEUE
    else:
        yield "put the object on the member back, or set applyStrategy.whenToApply to Always to have that done"


def _drifted_degraded(family: Family) -> Iterator[str]:
    yield _QUEUE
    yield _OWN_SELECTOR


def _drifts(family: Family) -> Iterator[Object]:
    for cluster in family.placement.status.placement_statuses:
        for drifted in cluster.drifted_placements:
            yield from drifted.get("observedDrifts") or ()


def _not_taken_over(family: Family) -> Iterator[str]:
    messages = [
        failed["condition"].get("message", "")
        for cluster in family.placement.status.placement_statuses
        for failed in cluster.failed_placements
    ]
    if any(_RIVAL in each for each in messages):
        yield "let one placement select the object, not two: they can never share it"
    else:
        yield "make both objects the same, or set applyStrategy.whenToTakeOver to Always"


_MORE: Final[Mapping[str, Callable[[Family], Iterator[str]]]] = {
    "SchedulingPolicyUnfulfilled": _unfulfilled,
    "RolloutControlledByExternalController": _external,
    "FoundDrifts": _drifted,
    "FoundDriftsInDegradedMode": _drifted_degraded,
    "FailedToTakeOver": _not_taken_over,
}
_ADVICE: Final[Mapping[str, str]] = {
    "InvalidResourceSelectors": "correct spec.resourceSelectors",
    "RolloutNotStartedYet": (
        "wait until what is rolling out is available, or raise maxUnavailable in spec.strategy.rollingUpdate"
    ),
    "OverriddenFailed": "correct the override that is named",
    "SyncWorkFailed": "correct the object or the envelope that is named",
    "NotTakenOver": "set applyStrategy.whenToTakeOver to Always or IfNoDiff, or delete the object on the member",
    "ManifestApplyFailed": "correct the object, or create on the member what it needs (its namespace, its kind)",
    "DecodingErred": "install the kind on the member (its CustomResourceDefinition), or do not place it there",
}
