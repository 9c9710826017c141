"""Events under their two names: core/v1, which is stored, and events.k8s.io/v1.

Seven fields are called differently and everything else is the same, so a conversion is one pass over the top keys.
Both directions return a new object that shares its values with the old one. One difference of form remains: core always
prints who reports, even when that is empty, and events.k8s.io prints it only when it is set.
"""

from __future__ import annotations

from typing import Final

from argosy.base.types import Object

_TO_CORE: Final = {
    "regarding": "involvedObject",
    "note": "message",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
    "reportingController": "reportingComponent",
}
_FROM_CORE: Final = {core: name for name, core in _TO_CORE.items()}

# Field selectors of events.k8s.io, and the core fields they stand for.
SELECTABLE: Final = {
    "regarding.kind": "involvedObject.kind",
    "regarding.namespace": "involvedObject.namespace",
    "regarding.name": "involvedObject.name",
    "regarding.uid": "involvedObject.uid",
    "regarding.apiVersion": "involvedObject.apiVersion",
    "regarding.resourceVersion": "involvedObject.resourceVersion",
    "regarding.fieldPath": "involvedObject.fieldPath",
    "reportingController": "reportingComponent",
    "reason": "reason",
    "type": "type",
}


_REPORTER: Final = ("reportingComponent", "reportingInstance")


def to_core(event: Object) -> Object:
    """An events.k8s.io/v1 event as core/v1 stores it."""
    core = {_TO_CORE.get(key, key): value for key, value in event.items()}
    for key in _REPORTER:
        core.setdefault(key, "")
    return core


def from_core(event: Object) -> Object:
    """A stored event as events.k8s.io/v1 shows it."""
    return {
        _FROM_CORE.get(key, key): value
        for key, value in event.items()
        if value or key not in _REPORTER
    }
