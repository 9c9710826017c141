"""The object a manifest becomes on the member: with its hash, its owner, and the record of what was applied.

A job is held, too, so that it cannot go before its end has been told (`holding`).

The record is the object as it is written, without the record itself; the next apply needs it to know what it once set
and no longer wants. Where it would make the annotations too large it is left empty, and server-side apply, which needs
no record, takes over.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.api.objects.fleet import names
from argosy.base.types import Json, Object
from argosy.member.comparing.hashing import sorted_json

# Kubernetes' own limit of all annotations together.
_MOST_BYTES: Final = 256 * 1024
OURS: Final = "work-api-agent"
# Kubernetes names it for fields that were there before anybody applied.
_BEFORE: Final = "before-first-apply"


def owned(sanitized: Object, digest: str, owner: Object) -> Object:
    """The manifest with its hash and its owner."""
    meta = sanitized["metadata"]
    annotations = {**(meta.get("annotations") or {}), names.SPEC_HASH: digest}
    return {
        **sanitized,
        "metadata": {**meta, "annotations": annotations, "ownerReferences": [owner]},
    }


def held(obj: Object, live: Object | None) -> Object:
    """A job with the finalizer that keeps it until its end has been told. None is put on what is on its way out: the
    server would refuse.
    """
    found = finalizers(live) if live is not None else []
    if (
        live is not None
        and live["metadata"].get("deletionTimestamp")
        and names.OUTCOME not in found
    ):
        return obj
    wanted = list(dict.fromkeys([*finalizers(obj), names.OUTCOME]))
    return {**obj, "metadata": {**obj["metadata"], "finalizers": wanted}}


def finalizers(obj: Object) -> list[str]:
    found: Json = obj["metadata"].get("finalizers")
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []


def recorded(obj: Object, record: Object) -> tuple[Object, bool]:
    """`obj` with `record` as what was applied last, and whether there was room for it."""
    text = sorted_json(record).decode() + "\n"
    annotations: dict[str, str] = {**obj["metadata"]["annotations"], names.LAST_APPLIED: text}
    fits = _size(annotations.items()) <= _MOST_BYTES
    if not fits:
        annotations[names.LAST_APPLIED] = ""
    return {**obj, "metadata": {**obj["metadata"], "annotations": annotations}}, fits


def annotation(obj: Object, name: str) -> str:
    meta: Json = obj.get("metadata")
    found: Json = meta.get("annotations") if isinstance(meta, dict) else None
    value = found.get(name) if isinstance(found, dict) else None
    return value if isinstance(value, str) else ""


def must_force(obj: Object) -> bool:
    """Whether nobody but us manages the object: then a conflict would only be with ourselves, under another verb."""
    managers: Json = obj["metadata"].get("managedFields") or []
    return all(each.get("manager") in {OURS, _BEFORE} for each in managers)


def _size(annotations: Iterable[tuple[str, str]]) -> int:
    return sum(len(key.encode()) + len(value.encode()) for key, value in annotations)
