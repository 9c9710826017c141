"""Where jobs are and how they fare, as placements and Works tell it, kept by deltas.

A change of a Work or of a placement costs what the object itself holds, and names the jobs it is news of; nobody else
is looked at. What a Work says counts for a job only if it was made of it: a Job that was deleted and made again has the
name of the one before it, and for a moment its Work still tells how that one ended. So the member must have seen the
Work as it is, and the snapshot that the Work was made of must not be older than the job; both times are the hub's. What
is left to doubt is settled by what is remembered of the one before (`standings.without_earlier`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.fleet.works import APPLIED, FINISHED, SentWork
from argosy.api.objects.metadata import Condition, find_condition
from argosy.client.objects import Key
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENTS,
    CLUSTER_RESOURCE_SNAPSHOTS,
    RESOURCE_PLACEMENTS,
    RESOURCE_SNAPSHOTS,
    WORKS,
)
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.dispatch.kinds import HubJob, Ref, is_job
from argosy.dispatch.standings import Run, Standing, clusters_of, is_decided, ranked, title

_NOBODY: Final[frozenset[Ref]] = frozenset()


class _Where(NamedTuple):
    """A placement on a cluster."""

    placement: Key
    cluster: str


class _Said(NamedTuple):
    """What a Work says of a job."""

    work: Key
    outcome: Condition


class Sightings:
    """What a hub sees of its jobs."""

    def __init__(self, assembly: Assembly) -> None:
        self.cluster_placements: Final = assembly.informer(CLUSTER_RESOURCE_PLACEMENTS, Placement)
        self.placements: Final = assembly.informer(RESOURCE_PLACEMENTS, Placement)
        self.works: Final = assembly.informer(WORKS, SentWork)
        self.cluster_snapshots: Final = assembly.informer(
            CLUSTER_RESOURCE_SNAPSHOTS, ResourceSnapshot
        )
        self.snapshots: Final = assembly.informer(RESOURCE_SNAPSHOTS, ResourceSnapshot)
        self._selects: dict[Key, frozenset[Ref]] = {}
        self._selected_by: dict[Ref, set[Key]] = {}
        self._said: dict[Ref, dict[_Where, _Said]] = {}

    # Feeding; each returns the jobs it is news of.

    def placement(self, old: Placement | None, new: Placement | None) -> Iterable[Ref]:
        here = new or old
        if here is None:
            return _NOBODY
        key = Key(*here.metadata.key)
        before = self._selects.get(key, _NOBODY)
        if new is None:
            self._select(key, before, _NOBODY)
            return before
        if old is not None and _selection(old) == _selection(new):
            after = before
        else:
            after = frozenset(
                Ref(each.group, each.kind, each.namespace, each.name)
                for each in new.status.selected_resources
                if each.envelope is None and is_job(each.group, each.kind)
            )
            self._select(key, before, after)
        return before ^ after if old is not None and _is_alike(old, new) else before | after

    def work(self, old: SentWork | None, new: SentWork | None) -> Iterable[Ref]:
        here = new or old
        if here is None or names.ENVELOPE_TYPE in here.metadata.labels:
            return _NOBODY
        where, key = _where(here), Key(*here.metadata.key)
        before = _told(old) if old is not None else {}
        after = _told(new) if new is not None else {}
        if old is not None and new is not None and _is_made_alike(old, new):
            changed = {
                ref for ref in before.keys() | after.keys() if before.get(ref) != after.get(ref)
            }
        else:
            changed = {*before, *after}
        for ref in changed:
            said = after.get(ref)
            if said is not None:
                self._said.setdefault(ref, {})[where] = _Said(key, said)
            elif (known := self._said.get(ref)) is not None:
                known.pop(where, None)
                if not known:
                    del self._said[ref]
        return changed

    def snapshot(self, old: ResourceSnapshot | None, new: ResourceSnapshot | None) -> Iterable[Ref]:
        """It may come after a Work that was made of it."""
        if old is not None or new is None:
            return _NOBODY
        parent = Key(new.metadata.namespace, new.metadata.labels.get(names.PARENT, ""))
        return self._selects.get(parent, _NOBODY)

    def _select(self, key: Key, before: frozenset[Ref], after: frozenset[Ref]) -> None:
        if after:
            self._selects[key] = after
        else:
            self._selects.pop(key, None)
        for ref in before - after:
            known = self._selected_by.get(ref, set())
            known.discard(key)
            if not known:
                self._selected_by.pop(ref, None)
        for ref in after - before:
            self._selected_by.setdefault(ref, set()).add(key)

    # Asking.

    def placements_of(self, ref: Ref) -> list[Placement]:
        """Those that select a job, the one it belongs to first."""
        found = (self._placement(key) for key in self._selected_by.get(ref, ()))
        return ranked(each for each in found if each is not None)

    def selected_by(self, placement: Placement) -> frozenset[Ref]:
        return self._selects.get(Key(*placement.metadata.key), _NOBODY)

    def standing(self, ref: Ref, job: HubJob, *, is_gone: bool) -> Standing:
        """How a job stands; placements that go count for jobs that go, because they go with them."""
        going = is_gone or job.metadata.deletion_timestamp is not None
        placements = [
            each
            for each in self.placements_of(ref)
            if going or each.metadata.deletion_timestamp is None
        ]
        said = self._said.get(ref, {})
        runs = tuple(
            Run(cluster, self._outcome(said.get(_Where(Key(*each.metadata.key), cluster)), job))
            for each in placements
            for cluster in clusters_of(each)
        )
        if not runs:
            return Standing()
        return Standing(title(placements[0]), runs, all(map(is_decided, placements)))

    def snapshots_of(self, placement: Placement) -> Iterable[ResourceSnapshot]:
        """All that is left of what a placement has selected. Asked after a restart, for what went meanwhile."""
        meta = placement.metadata
        return (
            each
            for each in self._snapshots_in(meta.namespace)
            if each.metadata.namespace == meta.namespace
            and each.metadata.labels.get(names.PARENT) == meta.name
        )

    def _placement(self, key: Key) -> Placement | None:
        return (self.placements if key.namespace else self.cluster_placements).get(*key)

    def _snapshots_in(self, namespace: str) -> Informer[ResourceSnapshot]:
        return self.snapshots if namespace else self.cluster_snapshots

    def _outcome(self, said: _Said | None, job: HubJob) -> Condition | None:
        """What a Work says of this very job."""
        work = self.works.get(*said.work) if said is not None else None
        if said is None or work is None:
            return None
        applied = find_condition(work.status.conditions, APPLIED)
        if applied is None or applied.observed_generation < work.metadata.generation:
            return None
        namespace = work.metadata.labels.get(names.PARENT_NAMESPACE, "")
        name = work.metadata.annotations.get(names.PARENT_SNAPSHOT_NAME, "")
        snapshot = self._snapshots_in(namespace).get(namespace, name)
        made = snapshot.metadata.creation_timestamp if snapshot is not None else None
        created = job.metadata.creation_timestamp
        if made is None or (created is not None and made < created):
            return None
        return said.outcome


def _selection(placement: Placement) -> object:
    return placement.status.selected_resources


def _is_alike(old: Placement, new: Placement) -> bool:
    """Whether all the same is to be said of the jobs that a placement selects before and after a change."""
    before, after = old.metadata, new.metadata
    return (
        clusters_of(old) == clusters_of(new)
        and is_decided(old) == is_decided(new)
        and before.uid == after.uid
        and before.deletion_timestamp == after.deletion_timestamp
        and before.annotations == after.annotations
    )


def _where(work: SentWork) -> _Where:
    meta = work.metadata
    parent = Key(meta.labels.get(names.PARENT_NAMESPACE, ""), meta.labels.get(names.PARENT, ""))
    return _Where(parent, names.member_of(meta.namespace))


def _told(work: SentWork) -> dict[Ref, Condition]:
    """By job, of those that have begun."""
    told = {}
    for manifest in work.status.manifest_conditions:
        who = manifest.identifier
        if is_job(who.group, who.kind):
            said = find_condition(manifest.conditions, FINISHED)
            if said is not None:
                told[Ref(who.group, who.kind, who.namespace, who.name)] = said
    return told


def _is_made_alike(old: SentWork, new: SentWork) -> bool:
    """Whether what a Work says is of the same objects before and after a change."""
    return (
        old.metadata.generation == new.metadata.generation
        and old.metadata.annotations == new.metadata.annotations
        and _observed(old) == _observed(new)
    )


def _observed(work: SentWork) -> int:
    applied = find_condition(work.status.conditions, APPLIED)
    return applied.observed_generation if applied is not None else 0
