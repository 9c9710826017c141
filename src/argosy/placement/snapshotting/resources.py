"""Resource snapshots: what a placement has selected, in pieces that a server takes.

A selection is cut greedily, in order, where a piece would grow past 800 KiB; the first piece is the master, which knows
how many there are. A hub that died between two of them makes the missing ones. A changed selection is not written at
once: changes are gathered for a while, and a new snapshot keeps its distance from the last one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import msgspec

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.timestamps import format_time, parse_time
from argosy.base.types import Object
from argosy.placement.selecting.selections import Selection
from argosy.placement.snapshotting.plans import (
    Change,
    Plan,
    belongs,
    latest_of,
    mark,
    marked,
    owned,
    strangers,
    unmark_all,
)
from argosy.placement.views import index_of

SHARD_BYTES: Final = 800 * 1024


@dataclass(slots=True, frozen=True)
class Delays:
    """How long changes are gathered, and how far apart snapshots are made, in seconds."""

    changes_collection_seconds: float = 15.0
    creation_interval_seconds: float = 30.0


DEFAULT_DELAYS: Final = Delays()
NO_DELAYS: Final = Delays(0.0, 0.0)


def is_master(snapshot: ResourceSnapshot) -> bool:
    return names.SUBINDEX not in snapshot.metadata.annotations


def subindex_of(snapshot: ResourceSnapshot) -> int:
    """Where a piece stands in its group; the master is first."""
    found = snapshot.metadata.annotations.get(names.SUBINDEX)
    return -1 if found is None else int(found) if found.isdecimal() else 0


def shards_of(snapshots: Iterable[ResourceSnapshot], index: str) -> list[ResourceSnapshot]:
    """The pieces of one index, the master first."""
    return sorted(
        (each for each in snapshots if each.metadata.labels.get(names.RESOURCE_INDEX) == index),
        key=subindex_of,
    )


def cut(contents: Sequence[bytes], most_bytes: int = SHARD_BYTES) -> list[tuple[bytes, ...]]:
    """The contents in pieces. One that is too large by itself gets a piece of its own; nothing at all is one piece."""
    pieces: list[tuple[bytes, ...]] = []
    piece: list[bytes] = []
    size = 0
    for each in contents:
        if piece and size + len(each) > most_bytes:
            pieces.append(tuple(piece))
            piece, size = [], 0
        piece.append(each)
        size += len(each)
    pieces.append(tuple(piece))
    return pieces


def plan_resources(
    placement: Placement,
    snapshots: Sequence[ResourceSnapshot],
    selection: Selection,
    delays: Delays,
    now: datetime,
) -> Plan:
    """What makes the latest resource snapshot that of the selection, now or when it is time."""
    mine = [each for each in snapshots if belongs(placement.metadata, each.metadata)]
    masters = sorted((each for each in mine if is_master(each)), key=_index)
    foreign = strangers(placement, snapshots)
    latest = latest_of(masters)
    digest = selection.digest
    if latest is not None and latest.metadata.annotations.get(names.RESOURCE_HASH) == digest:
        return _kept(placement, mine, masters, latest, selection, foreign)
    if latest is not None and marked(latest.metadata):
        waiting = _waiting(latest, delays, now)
        if waiting is not None:
            return waiting
    surplus = _surplus(mine, placement.spec.revision_history_limit)
    gone = {each.metadata.name for each in surplus}
    index = max((_index(each) for each in mine), default=-1) + 1
    return Plan(
        unmark_all(each for each in masters if each.metadata.name not in gone),
        (*foreign, *(each.metadata for each in surplus)),
        tuple(_documents(placement, index, digest, selection)),
    )


def _kept(
    placement: Placement,
    mine: Sequence[ResourceSnapshot],
    masters: Sequence[ResourceSnapshot],
    latest: ResourceSnapshot,
    selection: Selection,
    foreign: tuple[ObjectMeta, ...],
) -> Plan:
    """The latest snapshot stays; perhaps it has lost its mark, or has not all its pieces."""
    changes = unmark_all(each for each in masters if each is not latest)
    if not marked(latest.metadata):
        changes = (*changes, mark(latest.metadata, is_latest=True))
    index = latest.metadata.labels.get(names.RESOURCE_INDEX, "")
    there = {each.metadata.name for each in mine}
    missing: tuple[Object, ...] = ()
    if len(shards_of(mine, index)) != shard_count(latest):
        documents = _documents(placement, _index(latest), "", selection)
        missing = tuple(each for each in documents if each["metadata"]["name"] not in there)
    return Plan(changes, foreign, missing)


def _waiting(latest: ResourceSnapshot, delays: Delays, now: datetime) -> Plan | None:
    """None if it is time for a new snapshot. The first to see a change notes on the old one when that was."""
    if delays.changes_collection_seconds <= 0 and delays.creation_interval_seconds <= 0:
        return None
    meta = latest.metadata
    changes: tuple[Change, ...] = ()
    detected = _detected(latest)
    if detected is None:
        detected = now
        noted = {names.NEXT_CANDIDATE: format_time(now)}
        changes = (Change(meta, {"metadata": {"annotations": noted}}),)
    due = detected + timedelta(seconds=delays.changes_collection_seconds)
    if meta.creation_timestamp is not None:
        apart = timedelta(seconds=delays.creation_interval_seconds)
        due = max(due, meta.creation_timestamp + apart)
    return Plan(changes, wait_seconds=(due - now).total_seconds()) if due > now else None


def _detected(latest: ResourceSnapshot) -> datetime | None:
    text = latest.metadata.annotations.get(names.NEXT_CANDIDATE, "")
    try:
        return parse_time(text)
    except ValueError:
        return None


def _surplus(mine: Iterable[ResourceSnapshot], limit: int) -> list[ResourceSnapshot]:
    """What goes so that one more index fits into the history."""
    indexes = sorted({_index(each) for each in mine})
    gone = frozenset(indexes[: max(0, len(indexes) + 1 - limit)])
    return [each for each in mine if _index(each) in gone]


def _documents(
    placement: Placement, index: int, digest: str, selection: Selection
) -> Iterable[Object]:
    name = placement.metadata.name
    pieces = cut(selection.contents)
    labels = {names.PARENT: name, names.RESOURCE_INDEX: str(index)}
    for number, piece in enumerate(pieces, -1):
        if number < 0:
            meta = owned(
                placement,
                names.resource_snapshot_name(name, index),
                labels={**labels, names.IS_LATEST: "true"},
                annotations={
                    names.RESOURCE_HASH: digest,
                    names.NUMBER_OF_SNAPSHOTS: str(len(pieces)),
                    names.NUMBER_OF_ENVELOPES: str(selection.envelopes),
                },
            )
        else:
            meta = owned(
                placement,
                names.resource_snapshot_name(name, index, number),
                labels=labels,
                annotations={names.SUBINDEX: str(number)},
            )
        yield {
            "metadata": meta,
            "spec": {"selectedResources": [msgspec.Raw(each) for each in piece]},
        }


def _index(snapshot: ResourceSnapshot) -> int:
    return index_of(snapshot, names.RESOURCE_INDEX)


def shard_count(master: ResourceSnapshot) -> int:
    """How many pieces its group has; -1 if somebody broke the annotation."""
    found = master.metadata.annotations.get(names.NUMBER_OF_SNAPSHOTS, "")
    return int(found) if found.isdecimal() else -1
