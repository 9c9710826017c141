"""`argosy why placement/x`: where it went and why there, how far it is, what is in the way, what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from argosy.api.objects.fleet.outcomes import COMPLETE, FAILED
from argosy.api.objects.fleet.placements import PerClusterStatus
from argosy.api.objects.fleet.snapshots import ClusterDecision
from argosy.base.types import Object
from argosy.placement.explaining.advising import advice
from argosy.placement.explaining.families import Family, outcome, telling

# Longer lists are cut; `kubectl describe` has all of it.
_TOLD: Final = 10
_ENDS: Final = {COMPLETE: "is complete", FAILED: "failed"}


def told(family: Family) -> str:
    """Sentences, line by line."""
    return "\n".join(_lines(family)) + "\n"


def _lines(family: Family) -> Iterator[str]:
    yield from _opening(family)
    yield from _where(family)
    for cluster in family.placement.status.placement_statuses:
        if cluster.cluster_name:
            yield from _cluster(cluster)
    helpful = advice(family)
    if helpful:
        yield ""
        yield "What would help:"
        yield from (f"  - {each}" for each in helpful)


def _opening(family: Family) -> Iterator[str]:
    status = family.placement.status
    found, became = telling(status.conditions), outcome(status.conditions)
    if family.placement.metadata.deletion_timestamp is not None:
        yield f"{family.title} is being deleted; it goes when its Works have gone from the members."
    elif found is None:
        yield f"{family.title} is new: nothing was decided yet."
    elif found.status != "True":
        yield f"{family.title}: {found.message}."
    elif family.children:
        yield f"{family.title} is a template: {found.message}."
    else:
        yield f"{family.title} is where it belongs: {found.message}."
    if became is not None:
        state = "has not finished" if became.status != "True" else _ENDS.get(became.reason, "ended")
        yield f"What was placed {state}: {became.message}."
    if status.observed_resource_index and not status.selected_resources:
        yield "It selects nothing: no object on the hub is what spec.resourceSelectors ask for."


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
