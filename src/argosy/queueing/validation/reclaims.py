"""Pods of a Workload whose share is free again (`status.reclaimablePods`): while quota is reserved, they become only
more.

An elastic job that has shrunk below what it was admitted with counts anew: what was reclaimable then may now be more
than there are pods, and may become less.
"""

from __future__ import annotations

from typing import Final

from argosy.base.fielderrors import FieldError, invalid, not_supported, required
from argosy.base.types import Object
from argosy.queueing.validation.annotations import is_elastic
from argosy.queueing.validation.gates import Gates
from argosy.queueing.validation.podsets import count_of

_PATH: Final = "status.reclaimablePods"


def validate_reclaimable(new: Object, old: Object | None, gates: Gates) -> list[FieldError]:
    """Each names a pod set, and no more pods than it has."""
    pod_sets = _by_name((new.get("spec") or {}).get("podSets"))
    tolerated = _reclaimable(old) if old is not None and _is_elastic(new, gates) else {}
    errors: list[FieldError] = []
    for name, count in _reclaimable(new).items():
        path = f"{_PATH}[{name}]"
        if name not in pod_sets:
            errors.append(not_supported(f"{path}.name", name, pod_sets))
        elif count > count_of(pod_sets[name]) and tolerated.get(name) != count:
            most = count_of(pod_sets[name])
            errors.append(invalid(f"{path}.count", count, f"should be less or equal to {most}"))
    return errors


def validate_reclaimable_update(new: Object, old: Object, gates: Gates) -> list[FieldError]:
    """For workloads that have quota reserved, before and after."""
    before, after = _reclaimable(old), _reclaimable(new)
    errors: list[FieldError] = []
    for name, count in after.items():
        if count < before.get(name, 0) and not _has_shrunk(new, name, gates):
            detail = f"cannot be less then {before[name]}"
            errors.append(invalid(f"{_PATH}[{name}].count", count, detail))
    errors += [
        required(f"{_PATH}[{name}]", "cannot be removed")
        for name in before
        if name not in after and not _has_shrunk(new, name, gates)
    ]
    return errors


def _is_elastic(workload: Object, gates: Gates) -> bool:
    return gates.elastic_jobs_via_workload_slices and is_elastic(workload)


def _has_shrunk(workload: Object, name: str, gates: Gates) -> bool:
    """Whether an elastic job has fewer pods of a set than it was admitted with."""
    if not _is_elastic(workload, gates):
        return False
    admission = (workload.get("status") or {}).get("admission") or {}
    admitted = _by_name(admission.get("podSetAssignments")).get(name)
    if admitted is None or admitted.get("count") is None:
        return False
    wanted = _by_name((workload.get("spec") or {}).get("podSets")).get(name)
    return count_of(wanted) < count_of(admitted)


def _reclaimable(workload: Object) -> dict[str, int]:
    entries = (workload.get("status") or {}).get("reclaimablePods") or ()
    return {entry["name"]: count_of(entry) for entry in entries}


def _by_name(parts: list[Object] | None) -> dict[str, Object]:
    return {part.get("name") or "": part for part in parts or ()}
