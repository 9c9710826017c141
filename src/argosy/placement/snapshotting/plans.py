"""What has to be written for the snapshots of a placement to be right: changes, then deletions, then new ones.

The order keeps at most one snapshot marked as the latest, whenever a hub dies: the old mark goes first. Who comes after
finds none marked, takes the highest index as the latest and goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.types import Object
from argosy.placement.scopes import scope_of


class _Snapshot(Protocol):
    @property
    def metadata(self) -> ObjectMeta: ...


_S = TypeVar("_S", bound=_Snapshot)


@dataclass(slots=True, frozen=True)
class Change:
    """A merge patch of a snapshot's labels and annotations."""

    meta: ObjectMeta
    patch: Object


@dataclass(slots=True, frozen=True)
class Plan:
    """`wait_seconds`: nothing new may be made before that has passed."""

    changes: tuple[Change, ...] = ()
    removals: tuple[ObjectMeta, ...] = ()
    creations: tuple[Object, ...] = ()
    wait_seconds: float | None = None


def marked(meta: ObjectMeta) -> bool:
    return meta.labels.get(names.IS_LATEST) == "true"


def mark(meta: ObjectMeta, *, is_latest: bool) -> Change:
    value = "true" if is_latest else "false"
    return Change(meta, {"metadata": {"labels": {names.IS_LATEST: value}}})


def unmark_all(snapshots: Iterable[_Snapshot]) -> tuple[Change, ...]:
    return tuple(
        mark(each.metadata, is_latest=False) for each in snapshots if marked(each.metadata)
    )


def latest_of(masters: Sequence[_S]) -> _S | None:
    """The latest of snapshots in order of their indexes: the last one that is marked, else the last one."""
    chosen = [each for each in masters if marked(each.metadata)] or masters
    return chosen[-1] if chosen else None


def strangers(placement: Placement, snapshots: Iterable[_Snapshot]) -> tuple[ObjectMeta, ...]:
    """Snapshots that an earlier placement of the name has left."""
    return tuple(
        each.metadata for each in snapshots if not belongs(placement.metadata, each.metadata)
    )


def belongs(placement: ObjectMeta, snapshot: ObjectMeta) -> bool:
    owner = snapshot.controller
    return owner is None or owner.uid == placement.uid


def owned(placement: Placement, name: str, **more: Object) -> Object:
    """The metadata of a placement's snapshot."""
    meta = placement.metadata
    resource = scope_of(meta.namespace).placements
    owner = {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": meta.name,
        "uid": meta.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    document: Object = {"name": name, **more, "ownerReferences": [owner]}
    if meta.namespace:
        document["namespace"] = meta.namespace
    return document
