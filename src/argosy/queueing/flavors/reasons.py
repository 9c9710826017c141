"""The words: why a flavor was not taken, why a workload does not fit, and what was considered.

A status message lists what was said of every flavor tried, sorted, so that equal situations give equal texts. The
reason of a workload that does not fit at all is the least severe among the flavors of a resource group (any of them
would have done) and the most severe across groups and pod sets (all of them are needed).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from argosy.queueing.cache.clusterqueues import Group
from argosy.queueing.flavors.assignments import (
    EXCEEDS_MAX_QUOTA,
    NO_MATCHING_FLAVOR,
    TOPOLOGY_PLACEMENT_FAILED,
    WAITING_FOR_QUOTA,
    Assignment,
    Attempt,
    Mode,
    PodSetAssignment,
    Possibility,
)
from argosy.queueing.quotas.amounts import FlavorResource, printed

_SEVERITIES: Final = {
    "": 0,
    TOPOLOGY_PLACEMENT_FAILED: 1,
    WAITING_FOR_QUOTA: 2,
    EXCEEDS_MAX_QUOTA: 3,
    NO_MATCHING_FLAVOR: 4,
}
MODE_NAMES: Final = {
    Mode.NO_FIT: "NoFit",
    Mode.PREEMPT: "Preempt",
    Mode.DEFERRED_FIT: "DeferredFit",
    Mode.FIT: "Fit",
}
POSSIBILITY_NAMES: Final = {
    Possibility.NO_CANDIDATES: "NoCandidates",
    Possibility.PREEMPT: "Preempt",
    Possibility.RECLAIM: "Reclaim",
}


def unavailable(resource: str) -> str:
    return f"resource {resource} unavailable in ClusterQueue"


def not_found(flavor: str) -> str:
    return f"flavor {flavor} not found"


def not_nominated(flavor: str, resource: str) -> str:
    return (
        f"skipping flavor {flavor} as it is not found in the nomination mapping"
        f" for resource {resource}"
    )


def not_allowed(flavor: str) -> str:
    return f"skipping flavor {flavor} due to WorkloadAllowedResourceFlavorAnnotation annotation"


def of_another_flavor(flavor: str, original: str) -> str:
    return f"could not assign {flavor} flavor since the original workload is assigned: {original}"


def over_capacity(where: FlavorResource, assumed: int, request: int, capacity: int) -> str:
    flavor, resource = where
    return (
        f"insufficient quota for {resource} in flavor {flavor}, previously considered podsets"
        f" requests ({printed(resource, assumed)}) + current podset request"
        f" ({printed(resource, request)}) > maximum capacity ({printed(resource, capacity)})"
    )


def short_of(where: FlavorResource, missing: int) -> str:
    flavor, resource = where
    needed = printed(resource, missing)
    return f"insufficient unused quota for {resource} in flavor {flavor}, {needed} more needed"


def more_severe(one: str, other: str) -> str:
    return one if _SEVERITIES[one] >= _SEVERITIES[other] else other


def message(assignment: Assignment) -> str:
    """What the condition says of the pod sets that do not fit; empty if all do."""
    parts = []
    for pod_set in assignment.pod_sets:
        if pod_set.error:
            return f"failed to assign flavors to pod set {pod_set.name}: {pod_set.error}"
        if pod_set.reasons:
            said = ", ".join(sorted(pod_set.reasons))
            parts.append(f"couldn't assign flavors to pod set {pod_set.name}: {said}")
    return "; ".join(parts)


def considered(assignment: Assignment) -> str:
    """What events list as the flavors considered: all but those that simply fit, by pod set."""
    parts = []
    for pod_set in assignment.pod_sets:
        told = ", ".join(
            _told(attempt)
            for attempt in pod_set.attempts
            if attempt.borrow or attempt.mode is not Mode.FIT
        )
        if told:
            parts.append(f"{pod_set.name}: {told}")
    return " | ".join(parts)


def _told(attempt: Attempt) -> str:
    if attempt.possibility is None:
        details = [MODE_NAMES[attempt.mode]]
    else:
        details = [f"preemptionMode={POSSIBILITY_NAMES[attempt.possibility]}"]
    if attempt.borrow:
        details.append(f"borrow={attempt.borrow}")
    return f"{attempt.flavor}({';'.join((*details, *attempt.reasons))})"


def no_fit_reason(pod_sets: Iterable[PodSetAssignment], groups: Sequence[Group]) -> str:
    """The reason of the condition for a workload that does not fit at all."""
    reason = ""
    for pod_set in pod_sets:
        if pod_set.mode is Mode.NO_FIT:
            reason = more_severe(reason, _reason(pod_set, groups))
    return reason


def _reason(pod_set: PodSetAssignment, groups: Sequence[Group]) -> str:
    if not pod_set.attempts:
        return NO_MATCHING_FLAVOR
    reason = pod_set.no_fit_reason
    refused = [one for one in pod_set.attempts if one.mode is Mode.NO_FIT]
    for group in groups:
        found = [one.no_fit_reason for one in refused if one.flavor in group.flavors]
        if found:
            reason = more_severe(reason, min(found, key=_SEVERITIES.__getitem__))
    return reason
