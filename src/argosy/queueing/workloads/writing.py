"""Typed views back into JSON, as Kubernetes writes them: what is empty is left out, unless the schema requires it.

Views are read-only pictures of an object and leave out what they do not know; only whole parts that they know
completely are written from them, such as a Workload's status.
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Final

import msgspec

from argosy.api.objects.kueue.localqueues import AdmissionFairSharingStatus
from argosy.api.objects.kueue.workloads import (
    Admission,
    AdmissionCheckState,
    EvictionCount,
    PodSetAssignment,
    PodSetRequest,
    PodSetUpdate,
    PreemptionGateState,
    ReclaimablePod,
    UnhealthyNode,
)
from argosy.api.objects.metadata import Condition, View
from argosy.base.timestamps import format_time
from argosy.base.types import Json, Object

# Fields that stand in the JSON even if they are empty.
_REQUIRED: Final[dict[type[View], frozenset[str]]] = {
    Condition: frozenset({"type", "status", "reason", "message"}),
    Admission: frozenset({"cluster_queue", "pod_set_assignments"}),
    PodSetAssignment: frozenset({"name"}),
    AdmissionCheckState: frozenset({"name", "state", "message"}),
    EvictionCount: frozenset({"reason", "underlying_cause", "count"}),
    PodSetRequest: frozenset({"name"}),
    PodSetUpdate: frozenset({"name"}),
    PreemptionGateState: frozenset({"name", "position"}),
    ReclaimablePod: frozenset({"name", "count"}),
    UnhealthyNode: frozenset({"name"}),
    AdmissionFairSharingStatus: frozenset({"consumed_resources"}),
}


def written(view: View) -> Object:
    """The view as a JSON object."""
    found: Object = {}
    required = _REQUIRED.get(type(view), frozenset())
    for name, wire in _fields(type(view)):
        value = getattr(view, name)
        if name in required or not _is_empty(name, value):
            found[wire] = _value(value)
    return found


def _is_empty(name: str, value: Json) -> bool:
    if value is None or value in ((), {}, ""):
        return True
    # Optional numbers are None when they are not there; this one is Go's zero.
    return name == "observed_generation" and value == 0


def _value(value: Json) -> Json:
    match value:
        case View():
            return written(value)
        case datetime():
            return format_time(value)
        case tuple():
            return [_value(one) for one in value]
        case dict():
            return {key: _value(one) for key, one in value.items()}
        case _:
            return value


@cache
def _fields(view: type[View]) -> tuple[tuple[str, str], ...]:
    return tuple((one.name, one.encode_name) for one in msgspec.structs.fields(view))
