"""`argosy why placement/x`: where it went and why there, how far it is, what is in the way, what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from argosy.api.objects.fleet.placements import PerClusterStatus
from argosy.api.objects.fleet.snapshots import ClusterDecision
from argosy.api.objects.metadata import Condition
from argosy.base.types import Object
from argosy.placement.explaining.families import Family, telling

# Longer lists are cut; `kubectl describe` has all of it.
_TOLD: Final = 10

# What to do about the reasons that stop a placement.
_ADVICE: Final[Mapping[str, str]] = {
    "InvalidResourceSelectors": "correct spec.resourceSelectors",
    "SchedulingPolicyUnfulfilled": (
        "ask for fewer clusters, widen spec.policy (affinity, spread, tolerations), or join clusters that fit"
    ),
    "RolloutNotStartedYet": (
        "wait until what is rolling out is available, or raise maxUnavailable in spec.strategy.rollingUpdate"
    ),
    "RolloutControlledByExternalController": "create a staged update run for this placement",
    "OverriddenFailed": "correct the override that is named",
    "SyncWorkFailed": "correct the object or the envelope that is named",
    "FoundDrifts": (
        "put the object on the member back, or set applyStrategy.whenToApply to Always to have that done"
    ),
    "FoundDriftsInDegradedMode": (
        "for a Job that a queue manages, annotate the placement argosy.dev/queue-managed=ignore, "
        "or give the Job a selector of its own (manualSelector: true)"
    ),
    "NotTakenOver": "set applyStrategy.whenToTakeOver to Always or IfNoDiff, or delete the object on the member",
    "FailedToTakeOver": "make both objects the same, or set applyStrategy.whenToTakeOver to Always",
    "ManifestApplyFailed": "correct the object, or create on the member what it needs (its namespace, its kind)",
    "DecodingErred": "install the kind on the member (its CustomResourceDefinition), or do not place it there",
}


def told(family: Family) -> str:
    """Sentences, line by line."""
    return "\n".join(_lines(family)) + "\n"


def _lines(family: Family) -> Iterator[str]:
    yield from _opening(family)
    yield from _where(family)
    for cluster in family.placement.status.placement_statuses:
        if cluster.cluster_name:
            yield from _cluster(cluster)
    advice = list(_advice(family))
    if advice:
        yield ""
        yield "What would help:"
        yield from (f"  - {each}" for each in advice)


def _opening(family: Family) -> Iterator[str]:
    found = telling(family.placement.status.conditions)
    if family.placement.metadata.deletion_timestamp is not None:
        yield f"{family.title} is being deleted; it goes when its Works have gone from the members."
    elif found is None:
        yield f"{family.title} is new: nothing was decided yet."
    elif found.status == "True":
        yield f"{family.title} is where it belongs: {found.message}."
    else:
        yield f"{family.title}: {found.message}."


def _where(family: Family) -> Iterator[str]:
    policy = family.latest_policy
    if policy is None or not policy.status.target_clusters:
        return
    yield ""
    yield "Clusters:"
    shown = policy.status.target_clusters[:_TOLD]
    for decision in shown:
        yield f"  {'+' if decision.selected else '-'} {_decision(decision)}"
    more = len(policy.status.target_clusters) - len(shown)
    if more:
        yield f"  and {more} more"


def _decision(decision: ClusterDecision) -> str:
    score = decision.cluster_score
    if decision.selected and score is not None:
        spread = score.priority_score or 0
        return (
            f"{decision.cluster_name}: picked, affinity score {score.affinity_score or 0}, "
            f"topology spread score {spread}"
        )
    if decision.selected:
        return f"{decision.cluster_name}: picked"
    return f"{decision.cluster_name}: {decision.reason}"


def _cluster(status: PerClusterStatus) -> Iterator[str]:
    found = telling(status.conditions)
    if found is None or (found.status == "True" and not status.drifted_placements):
        return
    yield ""
    yield f"On {status.cluster_name}: {found.message}"
    for failed in status.failed_placements[:_TOLD]:
        yield f"  {_object(failed)}: {failed['condition'].get('message', '')}"
    for drifted in status.drifted_placements[:_TOLD]:
        yield from _differences(drifted, "drifted", "observedDrifts")
    for differing in status.diffed_placements[:_TOLD]:
        yield from _differences(differing, "differs", "observedDiffs")


def _differences(item: Object, verb: str, field: str) -> Iterator[str]:
    yield f"  {_object(item)} {verb}:"
    found = item.get(field) or ()
    for each in found[:_TOLD]:
        hub, member = (
            each.get("valueInHub", "(not there)"),
            each.get("valueInMember", "(not there)"),
        )
        yield f"    {each['path']}: {hub} on the hub, {member} on the member"
    if len(found) > _TOLD:
        yield f"    and {len(found) - _TOLD} more"


def _object(item: Object) -> str:
    namespace = item.get("namespace")
    return f"{item['kind']} {namespace + '/' if namespace else ''}{item['name']}"


def _advice(family: Family) -> Iterator[str]:
    """Each piece once, in the order of what it is for."""
    reasons: dict[str, None] = {}
    status = family.placement.status
    _note(reasons, telling(status.conditions))
    for cluster in status.placement_statuses:
        _note(reasons, telling(cluster.conditions))
        for failed in cluster.failed_placements:
            reasons.setdefault(failed["condition"].get("reason", ""))
    return (_ADVICE[reason] for reason in reasons if reason in _ADVICE)


def _note(reasons: dict[str, None], condition: Condition | None) -> None:
    if condition is not None and condition.status != "True":
        reasons.setdefault(condition.reason)
