"""What a write of one part of an object may not touch: restored from the stored object, in place."""

from __future__ import annotations

from typing import Final

from argosy.base.types import Object

# What writers may set in the metadata of an object that exists.
METADATA: Final = ("labels", "annotations", "finalizers", "ownerReferences")


def keep_spec(new: Object, old: Object) -> None:
    """A write of the status leaves what is wished for alone."""
    new["spec"] = old.get("spec", {})


def keep_status(new: Object, old: Object) -> None:
    """A write of the object leaves what is reported alone."""
    new["status"] = old.get("status", {})


def keep_metadata(new: Object, old: Object, fields: tuple[str, ...] = METADATA) -> None:
    """A write of one part leaves metadata alone, where the kind says so. Who manages which fields is the server's to
    say and stays.
    """
    meta, before = new["metadata"], old["metadata"]
    for field in fields:
        if field in before:
            meta[field] = before[field]
        else:
            meta.pop(field, None)
