"""JSON merge patch (RFC 7386): objects merge, null removes, everything else replaces.

Where the original has no object to merge into, the patch's nulls mean nothing and are left out, also below lists:
that is where kube-apiserver goes further than the RFC, and it is kept. Work is proportional to the patch, plus one
shallow copy of each object on the way.
"""

from __future__ import annotations

from argosy.base.errors import BadRequest
from argosy.base.gotext import json_kind
from argosy.base.types import Json, Object


def apply_merge_patch(original: Object, patch: Json) -> Object:
    """The object a merge patch makes of `original`. Raises `BadRequest` when the patch is not an object."""
    if patch is None:
        raise BadRequest("Invalid JSON Patch")
    if not isinstance(patch, dict):
        raise BadRequest(
            f"error decoding patch: json: cannot unmarshal {json_kind(patch)} "
            "into Go value of type map[string]interface {}"
        )
    return _merge(original, patch)


def without_nulls(value: Json) -> Json:
    """`value` without the keys that are null, at any depth; the value itself where there are none."""
    if not _has_nulls(value):
        return value
    if isinstance(value, dict):
        return {k: without_nulls(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_nulls(item) for item in value]
    return value


def _has_nulls(value: Json) -> bool:
    """Whether some key at any depth is null."""
    if value.__class__ is dict:
        for item in value.values():
            if item is None:
                return True
            if (item.__class__ is dict or item.__class__ is list) and _has_nulls(item):
                return True
    elif value.__class__ is list:
        for item in value:
            if (item.__class__ is dict or item.__class__ is list) and _has_nulls(item):
                return True
    return False


def _merge(original: Object, patch: Object) -> Object:
    out = dict(original)
    for key, value in patch.items():
        if value is None:
            out.pop(key, None)
            continue
        current = out.get(key)
        if not isinstance(current, dict):
            out[key] = without_nulls(value)
        elif isinstance(value, dict):
            out[key] = _merge(current, value)
        else:
            out[key] = value
    return out
