"""What upstream's webhook refuses of Workloads and their statuses, beyond what the schema and its rules do.

Most of it protects a reservation: while quota is reserved, what it was reserved for does not change. A workload whose
reservation has no admission is refused, unless it is in that state already: it must be possible to let it go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from argosy.api.rules.labels import validate_annotations, validate_labels
from argosy.base.fielderrors import FieldError, invalid, not_found, not_supported, required
from argosy.base.types import Object
from argosy.queueing.quotas.amounts import amount
from argosy.queueing.validation.annotations import (
    REPLACEMENT_FOR,
    annotations_of,
    is_elastic,
    validate_boost,
    validate_gates,
    validate_gates_update,
)
from argosy.queueing.validation.conditions import validate_conditions
from argosy.queueing.validation.equality import immutable
from argosy.queueing.validation.flavors import validate_toleration_keys
from argosy.queueing.validation.gates import DEFAULTS, Gates
from argosy.queueing.validation.podsets import (
    count_of,
    validate_pod_set,
    validate_pod_sets_update,
)
from argosy.queueing.validation.reclaims import (
    validate_reclaimable,
    validate_reclaimable_update,
)

_POD_SETS: Final = "spec.podSets"
_ADMISSION: Final = "status.admission"
_CHECKS: Final = "status.admissionChecks"
# What may still be found out about pods that have their quota.
_PLACES: Final = ("topologyAssignment", "delayedTopologyRequest")


def validate_workload(new: Object, gates: Gates = DEFAULTS) -> list[FieldError]:
    return _workload_errors(new, None, gates) + validate_gates(new)


def validate_workload_update(new: Object, old: Object, gates: Gates = DEFAULTS) -> list[FieldError]:
    errors = _workload_errors(new, old, gates)
    status, before = new.get("status") or {}, old.get("status") or {}
    if has_reservation(old):
        errors += validate_pod_sets_update(_pod_sets(new), _pod_sets(old), _POD_SETS, gates)
        if has_reservation(new):
            errors += validate_reclaimable_update(new, old, gates)
    errors += _admission_update_errors(status.get("admission"), before.get("admission"))
    errors += _check_update_errors(
        status.get("admissionChecks") or (), before.get("admissionChecks") or ()
    )
    errors += _cluster_errors(new, status, before, gates)
    return errors + validate_gates_update(new, old)


def has_reservation(workload: Object) -> bool:
    return any(
        condition.get("type") == "QuotaReserved" and condition.get("status") == "True"
        for condition in (workload.get("status") or {}).get("conditions") or ()
    )


def _pod_sets(workload: Object) -> list[Object]:
    return (workload.get("spec") or {}).get("podSets") or []


def _workload_errors(new: Object, old: Object | None, gates: Gates) -> list[FieldError]:
    status = new.get("status") or {}
    errors: list[FieldError] = []
    for index, pod_set in enumerate(_pod_sets(new)):
        errors += validate_pod_set(pod_set, f"{_POD_SETS}[{index}]", gates)
    errors += _partial_errors(new, gates)
    if has_reservation(new):
        errors += _admission_errors(new, old)
    errors += validate_conditions(status.get("conditions") or (), "status.conditions")
    errors += validate_reclaimable(new, old, gates)
    errors += _check_errors(new, status.get("admissionChecks") or ())
    return errors + (validate_boost(new) if gates.priority_boost else [])


def _partial_errors(new: Object, gates: Gates) -> list[FieldError]:
    partial = sum(pod_set.get("minCount") is not None for pod_set in _pod_sets(new))
    if partial > 1:
        return [invalid(_POD_SETS, partial, "at most one podSet can use minCount")]
    if partial and gates.elastic_jobs_via_workload_slices and is_elastic(new):
        return [invalid(_POD_SETS, partial, "partial admission cannot be used with elastic jobs")]
    return []


def _admission_errors(new: Object, old: Object | None) -> list[FieldError]:
    admission = (new.get("status") or {}).get("admission")
    if admission is None:
        if old is not None and has_reservation(old) and not (old["status"].get("admission")):
            return []
        return [required(_ADMISSION, "must be set while quota is reserved")]
    names = {pod_set.get("name") for pod_set in _pod_sets(new)}
    errors: list[FieldError] = []
    for index, assignment in enumerate(admission.get("podSetAssignments") or ()):
        path = f"{_ADMISSION}.podSetAssignments[{index}]"
        if assignment.get("name") not in names:
            errors.append(not_found(f"{path}.name", assignment.get("name")))
        errors += _usage_errors(assignment, f"{path}.resourceUsage")
    return errors


def _usage_errors(assignment: Object, path: str) -> list[FieldError]:
    """What a pod set uses is what its pods use, and these are alike."""
    count = count_of(assignment)
    if count <= 0:
        return []
    errors: list[FieldError] = []
    for name, given in (assignment.get("resourceUsage") or {}).items():
        if amount(name, given) % count:
            detail = f"is not a multiple of {count}"
            errors.append(invalid(f"{path}[{name}]", given, detail))
    return errors


def _check_errors(new: Object, checks: Sequence[Object]) -> list[FieldError]:
    names = {pod_set.get("name") or "" for pod_set in _pod_sets(new)}
    errors: list[FieldError] = []
    for index, check in enumerate(checks):
        for number, update in enumerate(check.get("podSetUpdates") or ()):
            path = f"{_CHECKS}[{index}].podSetUpdates[{number}]"
            if update.get("name") not in names:
                errors.append(not_supported(f"{path}.name", update.get("name"), names))
            errors += [
                *validate_toleration_keys(update.get("tolerations") or (), f"{path}.tolerations"),
                *validate_annotations(update.get("annotations"), f"{path}.annotations"),
                *validate_labels(update.get("nodeSelector"), f"{path}.nodeSelector"),
                *validate_labels(update.get("labels"), f"{path}.labels"),
            ]
    return errors


def _check_update_errors(checks: Sequence[Object], before: Sequence[Object]) -> list[FieldError]:
    """What a check has said the pods get stays, while it says yes."""
    after = {check.get("name"): check for check in checks}
    errors: list[FieldError] = []
    for index, old in enumerate(before):
        new = after.get(old.get("name"))
        if new is not None and old.get("state") == new.get("state") == "Ready":
            path = f"{_CHECKS}[{index}].podSetUpdates"
            errors += immutable(new.get("podSetUpdates"), old.get("podSetUpdates"), path)
    return errors


def _admission_update_errors(new: Object | None, old: Object | None) -> list[FieldError]:
    """An admission comes and goes as a whole; only places of pods may change in it."""
    if new is None or old is None:
        return []
    after, before = new.get("podSetAssignments") or [], old.get("podSetAssignments") or []
    if len(after) == len(before):
        old = {
            **old,
            "podSetAssignments": [
                {name: value for name, value in was.items() if name not in _PLACES}
                | {name: now[name] for name in _PLACES if name in now}
                for was, now in zip(before, after, strict=True)
            ],
        }
    return immutable(new, old, _ADMISSION)


def _cluster_errors(new: Object, status: Object, before: Object, gates: Gates) -> list[FieldError]:
    cluster = status.get("clusterName")
    if cluster is None or before.get("clusterName") is not None:
        return []
    if not gates.nominated_clusters_only or cluster in (before.get("nominatedClusterNames") or ()):
        return []
    if gates.elastic_jobs_via_workload_slices and REPLACEMENT_FOR in annotations_of(new):
        return []
    detail = "when setting clusterName it must be one of the nominatedClusterNames"
    return [invalid("status.clusterName", cluster, detail)]
