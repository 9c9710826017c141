"""ClusterQueue, LocalQueue and Cohort between their versions.

v1beta1's list of admission checks becomes v1beta2's strategy, for all flavors; it is not turned back, because a
strategy is there in both. What only one version has is dropped on the way to the other, as upstream does.
"""

from __future__ import annotations

from typing import Final

from argosy.base.types import Object
from argosy.queueing.conversion.parts import renamed, within, without

_OLD_WORDS: Final = {"whenCanBorrow": "Borrow", "whenCanPreempt": "Preempt"}
_SHARE: Final = ("status", "fairSharing")


def cluster_queue_to_v1beta2(obj: Object) -> Object:
    obj = within(obj, ("spec",), _spec_to_v1beta2)
    obj = within(obj, ("status",), lambda status: without(status, "pendingWorkloadsStatus"))
    return _without_history(obj)


def cluster_queue_to_v1beta1(obj: Object) -> Object:
    return within(obj, ("spec",), _spec_to_v1beta1)


def _spec_to_v1beta2(spec: Object) -> Object:
    out = without(renamed(spec, "cohort", "cohortName"), "admissionChecks")
    checks = spec.get("admissionChecks")
    if checks and isinstance(checks, list):
        out["admissionChecksStrategy"] = {"admissionChecks": [{"name": name} for name in checks]}
    return within(out, ("flavorFungibility",), _fungibility)


def _fungibility(part: Object) -> Object:
    return {
        name: "MayStopSearch" if value == _OLD_WORDS.get(name) else value
        for name, value in part.items()
    }


def _spec_to_v1beta1(spec: Object) -> Object:
    return without(renamed(spec, "cohortName", "cohort"), "concurrentAdmissionPolicy")


def local_queue_to_v1beta2(obj: Object) -> Object:
    return within(
        obj,
        ("status",),
        lambda status: without(renamed(status, "flavorUsage", "flavorsUsage"), "flavors"),
    )


def local_queue_to_v1beta1(obj: Object) -> Object:
    return within(obj, ("status",), lambda status: renamed(status, "flavorsUsage", "flavorUsage"))


def cohort_to_v1beta2(obj: Object) -> Object:
    return _without_history(obj)


def cohort_to_v1beta1(obj: Object) -> Object:
    return obj


def _without_history(obj: Object) -> Object:
    """Only LocalQueues have a history of use in v1beta2."""
    return within(obj, _SHARE, lambda share: without(share, "admissionFairSharingStatus"))
