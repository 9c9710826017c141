"""When a job that was recorded may go, and its placement with it. Pure.

Both go by their own word (`argosy.dev/keep-after-end`), or by the hub's if it has one: then Jobs that nobody manages
go, and placements that name nothing but such jobs.

A placement that its job owns goes with the job: garbage collection takes it. It must not go before, because whoever
made it (a placement template) would make it again, and the job would run again. A placement that stands for itself goes
first, so that the hub does not roll out a selection that has lost its job; it goes no later than its last job, because
without it nobody would know any more when to let it go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.history import KEEP
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.durations import parse_duration
from argosy.dispatch.kinds import is_job


class BadKeep(ValueError):
    """An annotation that cannot be read."""


class Placed(NamedTuple):
    """A placement of a job. `ended`: when its last job did, None if one has not; `is_last`: it selects no other job."""

    placement: Placement
    ended: datetime | None = None
    is_last: bool = False


class Leaving(NamedTuple):
    """Who goes now, placements first, and when to ask again."""

    placements: tuple[Placement, ...] = ()
    job: bool = False
    due: datetime | None = None


def keep_of(annotations: Mapping[str, str]) -> timedelta | None:
    """How long an object may stay after the end; None where it does not say. Raises BadKeep."""
    text = annotations.get(KEEP)
    if text is None:
        return None
    try:
        seconds = parse_duration(text)
        if seconds < 0:
            raise ValueError("must not be negative")
        return timedelta(seconds=seconds)
    except ValueError as error:
        raise BadKeep(
            f'{KEEP}: invalid value "{text}": {error}; '
            'give a duration such as "10m" or "24h". It is not deleted'
        ) from None


def leaving(
    meta: ObjectMeta,
    ended: datetime,
    placed: Sequence[Placed],
    default: timedelta | None,
    now: datetime,
) -> Leaving:
    """Who of a recorded job and its placements goes now. What cannot be read stays."""
    due = _due(meta, ended, default if meta.controller is None else None)
    is_due = due is not None and due <= now
    gone, waits = [], [] if due is None or is_due else [due]
    for each in placed:
        known = _placement_due(meta, each, default)
        if known is None:
            continue
        if known <= now or (is_due and each.is_last):
            gone.append(each.placement)
        else:
            waits.append(known)
    is_here = meta.deletion_timestamp is None
    return Leaving(tuple(gone), is_due and is_here, min(waits, default=None))


def owns(meta: ObjectMeta, placement: Placement) -> bool:
    return any(each.uid == meta.uid for each in placement.metadata.owner_references)


def is_plain(placement: Placement) -> bool:
    """Whether a placement is about certain jobs and nothing else."""
    return all(
        term.name and is_job(term.group, term.kind) for term in placement.spec.resource_selectors
    )


def problems(*annotated: ObjectMeta) -> Iterable[tuple[ObjectMeta, str]]:
    """What cannot be read, and why."""
    for meta in annotated:
        try:
            keep_of(meta.annotations)
        except BadKeep as error:
            yield meta, str(error)


def _placement_due(meta: ObjectMeta, placed: Placed, default: timedelta | None) -> datetime | None:
    placement = placed.placement
    if (
        placed.ended is None
        or placement.metadata.deletion_timestamp is not None
        or owns(meta, placement)
    ):
        return None
    is_meant = placement.metadata.controller is None and is_plain(placement)
    return _due(placement.metadata, placed.ended, default if is_meant else None)


def _due(meta: ObjectMeta, ended: datetime, default: timedelta | None) -> datetime | None:
    try:
        keep = keep_of(meta.annotations)
    except BadKeep:
        return None
    if keep is None:
        keep = default
    return ended + keep if keep is not None else None
