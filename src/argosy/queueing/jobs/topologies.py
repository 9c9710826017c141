"""What pod templates ask of topologies: annotations of a template read as a pod set's `topologyRequest`, and checked.

Deciding where the pods go is the topology scheduler's; here is only the request.
"""

from __future__ import annotations

import json
from typing import Final

from argosy.api.rules.labels import validate_label_name
from argosy.base.fielderrors import (
    OMITTED,
    FieldError,
    forbidden,
    invalid,
    required,
)
from argosy.base.types import Json, Object
from argosy.queueing.jobs import names

_KINDS: Final = (names.REQUIRED_TOPOLOGY, names.PREFERRED_TOPOLOGY, names.UNCONSTRAINED_TOPOLOGY)
_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "false", "FALSE", "False"})


def parse_bool(text: str) -> bool | None:
    """Go's strconv.ParseBool; None for what is no boolean."""
    return True if text in _TRUE else False if text in _FALSE else None


def parse_int(text: str) -> int | None:
    """Go's strconv.Atoi; None for what is no integer."""
    digits = text[1:] if text[:1] in {"+", "-"} else text
    return int(text) if digits.isascii() and digits.isdigit() else None


def annotations_of(template: Object) -> dict[str, str]:
    found: dict[str, str] = (template.get("metadata") or {}).get("annotations") or {}
    return found


def topology_request(
    template: Object, *, pod_index_label: str = "", sub_group_label: str = "", sub_groups: int = 0
) -> Object | None:
    """The request of a template; None where it has none."""
    given = annotations_of(template)
    request: Object = {}
    if names.REQUIRED_TOPOLOGY in given:
        request["required"] = given[names.REQUIRED_TOPOLOGY]
    elif names.PREFERRED_TOPOLOGY in given:
        request["preferred"] = given[names.PREFERRED_TOPOLOGY]
    elif names.UNCONSTRAINED_TOPOLOGY in given:
        request["unconstrained"] = bool(parse_bool(given[names.UNCONSTRAINED_TOPOLOGY]))
    group = given.get(names.POD_SET_GROUP)
    if group is not None and ("required" in request or "preferred" in request):
        request["podSetGroupName"] = group
    request |= _slices(given)
    if not request:
        return None
    if pod_index_label:
        request["podIndexLabel"] = pod_index_label
    if sub_group_label:
        request |= {"subGroupIndexLabel": sub_group_label, "subGroupCount": sub_groups}
    return request


def _slices(given: dict[str, str]) -> Object:
    constraints = _constraints(given.get(names.SLICE_CONSTRAINTS, ""))
    if constraints:
        return {"podsetSliceRequiredTopologyConstraints": constraints}
    size = parse_int(given.get(names.SLICE_SIZE, ""))
    if names.SLICE_REQUIRED_TOPOLOGY not in given or size is None:
        return {}
    return {
        "podSetSliceRequiredTopology": given[names.SLICE_REQUIRED_TOPOLOGY],
        "podSetSliceSize": size,
    }


def _constraints(text: str) -> list[Object]:
    if not text:
        return []
    try:
        found: Json = json.loads(text)
    except ValueError:
        return []
    is_list = isinstance(found, list) and all(isinstance(each, dict) for each in found)
    return found if is_list else []


def with_topology(pod_set: Object, request: Object | None) -> Object:
    return pod_set if request is None else {**pod_set, "topologyRequest": request}


def validate_topology(template: Object, path: str, count: int | None = None) -> list[FieldError]:
    """What is wrong with the annotations of a template, whose metadata is at `path`. `count` bounds the slices."""
    given, at = annotations_of(template), f"{path}.annotations"
    errors: list[FieldError] = []
    if sum(key in given for key in _KINDS) > 1:
        keys = ", ".join(f'"{key}"' for key in _KINDS)
        detail = f"must not contain more than one topology annotation: [{keys}]"
        errors.append(invalid(at, OMITTED, detail))
    for key in (names.REQUIRED_TOPOLOGY, names.PREFERRED_TOPOLOGY, names.SLICE_REQUIRED_TOPOLOGY):
        if key in given:
            errors += validate_label_name(given[key], f"{at}[{key}]")
    unconstrained = given.get(names.UNCONSTRAINED_TOPOLOGY)
    if unconstrained is not None and parse_bool(unconstrained) is None:
        where = f"{at}[{names.UNCONSTRAINED_TOPOLOGY}]"
        errors.append(invalid(where, unconstrained, "must be a boolean value"))
    errors += _validate_slices(given, at)
    if not errors and count is not None:
        errors += _validate_upper_bound(given, at, count)
    return errors


def _validate_slices(given: dict[str, str], at: str) -> list[FieldError]:
    errors: list[FieldError] = []
    where, size = f"{at}[{names.SLICE_SIZE}]", given.get(names.SLICE_SIZE)
    if size is not None:
        number = parse_int(size)
        if number is None:
            errors.append(invalid(where, size, "must be a numeric value"))
        elif number < 1:
            errors.append(invalid(where, size, "must be greater than or equal to 1"))
    if names.SLICE_REQUIRED_TOPOLOGY in given and size is None:
        detail = "slice size is required if slice topology is requested"
        errors.append(required(where, detail))
    if names.SLICE_REQUIRED_TOPOLOGY not in given and size is not None:
        detail = f"cannot be set when '{names.SLICE_REQUIRED_TOPOLOGY}' is not present"
        errors.append(forbidden(where, detail))
    return errors


def _validate_upper_bound(given: dict[str, str], at: str, count: int) -> list[FieldError]:
    size = given.get(names.SLICE_SIZE)
    if size is None or (parse_int(size) or 0) <= count:
        return []
    detail = f"must not be greater than pod set count {count}"
    return [invalid(f"{at}[{names.SLICE_SIZE}]", size, detail)]
