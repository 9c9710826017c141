"""The pod sets of a Workload: their templates, and how close their pods want to be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from argosy.api.rules.labels import validate_annotations, validate_labels
from argosy.api.rules.wording import IMMUTABLE, NOT_NEGATIVE
from argosy.base.fielderrors import FieldError, forbidden, invalid
from argosy.base.quantities import parse
from argosy.base.types import Object
from argosy.queueing.validation.equality import immutable
from argosy.queueing.validation.gates import Gates

# Kueue counts pods itself under this name.
_PODS: Final = "pods"
_KINDS: Final = ("requests", "limits")
_NOT_POSITIVE: Final = "must be greater than 0"
_NO_LEVEL: Final = "may not be set without podSetSliceRequiredTopology"


def validate_pod_set(pod_set: Object, path: str, gates: Gates) -> list[FieldError]:
    template = pod_set.get("template") or {}
    spec, at = template.get("spec") or {}, f"{path}.template.spec"
    errors: list[FieldError] = []
    for group in ("initContainers", "containers"):
        for index, container in enumerate(spec.get(group) or ()):
            where = f"{at}.{group}[{index}].resources"
            errors += _resource_errors(container.get("resources"), where, gates)
    errors += _resource_errors(spec.get("resources"), f"{at}.resources", gates)
    if gates.workload_validation_for_pod_set_metadata:
        meta, where = template.get("metadata") or {}, f"{path}.template.metadata"
        errors += validate_labels(meta.get("labels"), f"{where}.labels")
        errors += validate_annotations(meta.get("annotations"), f"{where}.annotations")
    if gates.tas_validate_workload_slice_size:
        request = pod_set.get("topologyRequest") or {}
        errors += _slice_errors(request, f"{path}.topologyRequest")
    return errors


def _resource_errors(resources: Object | None, path: str, gates: Gates) -> list[FieldError]:
    errors: list[FieldError] = []
    for kind in _KINDS:
        for name, amount in ((resources or {}).get(kind) or {}).items():
            at = f"{path}.{kind}[{name}]"
            if name == _PODS:
                errors.append(invalid(at, name, "the key is reserved for internal kueue use"))
            if gates.workload_validate_resources_are_non_negative and parse(amount).sign < 0:
                errors.append(invalid(at, str(parse(amount)), NOT_NEGATIVE))
    return errors


def _slice_errors(request: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    size = request.get("podSetSliceSize")
    if size is not None:
        at = f"{path}.podSetSliceSize"
        if not request.get("podSetSliceRequiredTopology"):
            errors.append(forbidden(at, _NO_LEVEL))
        elif size <= 0:
            errors.append(invalid(at, size, _NOT_POSITIVE))
    for index, part in enumerate(request.get("podsetSliceRequiredTopologyConstraints") or ()):
        if (part.get("size") or 0) <= 0:
            at = f"{path}.podsetSliceRequiredTopologyConstraints[{index}].size"
            errors.append(invalid(at, part.get("size") or 0, _NOT_POSITIVE))
    return errors


def validate_pod_sets_update(
    new: Sequence[Object], old: Sequence[Object], path: str, gates: Gates
) -> list[FieldError]:
    """Pod sets stay as quota was reserved for them; those of elastic jobs may shrink."""
    if len(new) != len(old):
        return [invalid(path, list(new), IMMUTABLE)]
    errors: list[FieldError] = []
    for index, (after, before) in enumerate(zip(new, old, strict=True)):
        if gates.elastic_jobs_via_workload_slices and count_of(after) < count_of(before):
            after = {**after, "count": before.get("count")}
        errors += immutable(after, before, f"{path}.{index}")
    return errors


def count_of(part: Object | None) -> int:
    return int((part or {}).get("count") or 0)
