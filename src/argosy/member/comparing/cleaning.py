"""Objects without the fields that say nothing about what a user wants.

`cleaned` is for comparing and hashing, `sanitized` for writing. Both leave their argument as it is; what they do not
touch is shared with it.

A cleaned object always has labels and annotations, finalizers, managers and owners, if only empty ones, because
upstream's has: a label that only the member knows is a difference at `/metadata/labels/x`, whether or not the manifest
has any label, and the hash covers the empty fields as well.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects.fleet import names
from argosy.base.types import Json, Object

_RESERVED: Final = ("kubernetes.io/", "k8s.io/", "kubernetes-fleet.io/")
_NAMES: Final = ("name", "namespace", "generateName")
_EMPTIED: Final = ("finalizers", "managedFields", "ownerReferences")
_SERVERS: Final = (
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
    "resourceVersion",
    "selfLink",
    "uid",
)
_CREATED: Final = (
    ("spec", "template", "metadata", "creationTimestamp"),
    ("spec", "jobTemplate", "spec", "template", "metadata", "creationTimestamp"),
)
# Annotations that are somebody's bookkeeping, on the hub or here.
_BOOKKEEPING: Final = (
    names.SPEC_HASH,
    names.LAST_APPLIED,
    "kubectl.kubernetes.io/last-applied-configuration",
    "deployment.kubernetes.io/revision",
)


def cleaned(obj: Object) -> Object:
    """What counts in a comparison."""
    out = {key: value for key, value in obj.items() if key != "status"}
    meta = _without(_mapping(obj.get("metadata")), (*_NAMES, *_SERVERS))
    for field in ("annotations", "labels"):
        meta[field] = _unreserved(_mapping(meta.get(field)))
    for field in _EMPTIED:
        meta[field] = []
    out["metadata"] = meta
    for path in _CREATED:
        out = _removed(out, path)
    return out


def sanitized(obj: Object) -> Object:
    """What may be written: envelopes bring objects just as somebody once read them from a server."""
    out = {key: value for key, value in obj.items() if key != "status"}
    meta = _without(_mapping(obj.get("metadata")), (*_SERVERS, "managedFields", "ownerReferences"))
    annotations = _without(_mapping(meta.pop("annotations", None)), _BOOKKEEPING)
    if annotations:
        meta["annotations"] = annotations
    out["metadata"] = meta
    return out


def _unreserved(found: Object) -> Object:
    return {
        key: value for key, value in found.items() if not any(part in key for part in _RESERVED)
    }


def _mapping(value: Json) -> Object:
    return value if isinstance(value, dict) else {}


def _without(found: Object, keys: tuple[str, ...]) -> Object:
    return {key: value for key, value in found.items() if key not in keys}


def _removed(obj: Object, path: tuple[str, ...]) -> Object:
    """`obj` without the field at `path`; only what lies on the way is copied."""
    head, rest = path[0], path[1:]
    if head not in obj:
        return obj
    if not rest:
        return _without(obj, (head,))
    inner = obj[head]
    if not isinstance(inner, dict):
        return obj
    changed = _removed(inner, rest)
    return obj if changed is inner else {**obj, head: changed}
