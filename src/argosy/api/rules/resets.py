"""What a write of a status may not touch, for kinds whose status leaves metadata alone."""

from __future__ import annotations

from typing import Final

from argosy.base.types import Object

_KEPT: Final = ("labels", "annotations", "finalizers", "ownerReferences")


def keep_metadata(new: Object, old: Object) -> None:
    """Metadata as it was, in place. Who manages which fields is the server's to say and stays."""
    meta, before = new["metadata"], old["metadata"]
    for field in _KEPT:
        if field in before:
            meta[field] = before[field]
        else:
            meta.pop(field, None)
