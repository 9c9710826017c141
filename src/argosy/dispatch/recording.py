"""Hears of jobs, placements and Works, and has jobs recorded that have come to an end, and let go after that.

A look at a job reads a few dicts. It is looked at when something is news of it: itself, a placement that selects it, a
Work that has it, its record. How an open job stood last is remembered, because when it is deleted, its placement and
its Works may be gone before that is heard.

No finalizer is put on anybody's objects. A Job that is deleted while nobody here runs is found by the placement it
owns, which its own finalizer keeps until the hub's controllers are back: so jobs of `argosy submit` and of placement
templates are recorded in any case. A Job with a placement of its own standing (the guide's pattern) that is deleted
while the hub's controllers are down, or in the tenth of a second before they are killed, leaves no record; it had not
ended, or nobody had heard of that. On an embedded hub nothing can be deleted while the hub is down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from typing import Final

import msgspec

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.history import JobRecord
from argosy.api.objects.metadata import ObjectMeta
from argosy.api.prices import Prices, prices
from argosy.base.errors import NotFound
from argosy.client.objects import Raw
from argosy.client.resources import JOBS, MEMBER_CLUSTERS, Resource
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.control.reconcilers import DONE, Result
from argosy.dispatch.kinds import RESOURCES, HubJob, Ref, is_job
from argosy.dispatch.leaving import Leavers
from argosy.dispatch.ledgers import Ledger
from argosy.dispatch.records import record_of
from argosy.dispatch.sightings import Sightings
from argosy.dispatch.standings import Standing, without_earlier
from argosy.dispatch.writing import Pages

_WORKERS: Final = 4
_decode = msgspec.json.Decoder(HubJob).decode


class Recording:
    """The jobs of one hub, from being placed to being let go."""

    def __init__(
        self,
        assembly: Assembly,
        sightings: Sightings,
        ledger: Ledger,
        pages: Pages,
        leavers: Leavers,
    ) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._sightings = sightings
        self._ledger = ledger
        self._pages = pages
        self._leavers = leavers
        self._members = assembly.informer(MEMBER_CLUSTERS, MemberCluster)
        self._jobs: dict[Resource, Informer[HubJob]] = {}
        # How each open job stood last, by uid; jobs that went and were not looked at since; owners of placements that
        # were not looked for yet.
        self._open: dict[str, Standing] = {}
        self._gone: dict[Ref, list[HubJob]] = {}
        self._owners: dict[Ref, Placement] = {}
        self._queue = assembly.controller("job-recorder", self._reconcile, workers=_WORKERS)
        for resource in RESOURCES:
            # Every hub has Jobs; what else there is depends on it.
            informer = (
                assembly.informer(resource, HubJob)
                if resource == JOBS
                else assembly.informer_when_served(resource, HubJob)
            )
            self._jobs[resource] = informer
            informer.add_handler(partial(self._job_changed, resource))
        for placements in (sightings.cluster_placements, sightings.placements):
            placements.add_handler(self._placement_changed)
        for snapshots in (sightings.cluster_snapshots, sightings.snapshots):
            snapshots.add_handler(lambda old, new: self._look(sightings.snapshot(old, new)))
        sightings.works.add_handler(lambda old, new: self._look(sightings.work(old, new)))
        pages.on_record(self._recorded)

    # What is worth a look.

    def _look(self, refs: Iterable[Ref]) -> None:
        for ref in refs:
            self._queue.add(ref)

    def _job_changed(self, resource: Resource, old: HubJob | None, new: HubJob | None) -> None:
        meta = (new or old).metadata  # type: ignore[union-attr]  # one of them is there
        ref = Ref(resource.group, resource.kind, meta.namespace, meta.name)
        if old is not None and (new is None or new.metadata.uid != old.metadata.uid):
            self._gone.setdefault(ref, []).append(old)
        elif old is not None and new is not None and _is_alike(old.metadata, new.metadata):
            return
        self._queue.add(ref)

    def _placement_changed(self, old: Placement | None, new: Placement | None) -> None:
        self._look(self._sightings.placement(old, new))
        if new is None and old is not None:
            self._leavers.forget(old.metadata)
        if old is None and new is not None and (owner := _owner(new.metadata)) is not None:
            self._owners[owner] = new
            self._queue.add(owner)

    def _recorded(self, namespace: str, record: JobRecord) -> None:
        group = record.api_version.rpartition("/")[0]
        self._open.pop(record.uid, None)
        if is_job(group, record.kind):
            self._queue.add(Ref(group, record.kind, namespace, record.name))

    # A look.

    async def _reconcile(self, ref: Ref) -> Result:
        for gone in self._gone.pop(ref, ()):
            self._leavers.forget(gone.metadata)
            self._note(ref, gone, is_gone=True)
        if (placement := self._owners.pop(ref, None)) is not None:
            try:
                await self._find_owner(ref, placement)
            except Exception:
                self._owners.setdefault(ref, placement)
                raise
        job = self._jobs[ref.resource].get(ref.namespace, ref.name)
        if job is None:
            return DONE
        self._leavers.check(ref, job)
        ended = self._note(ref, job)
        if ended is None:
            return DONE
        return await self._leavers.let_go(ref, job, self._ends(ref, ended))

    def _note(self, ref: Ref, job: HubJob, *, is_gone: bool = False) -> datetime | None:
        """Have a job recorded that has come to an end; returns when it did, if that is on the hub already."""
        uid = job.metadata.uid
        if (known := self._ledger.ended(uid)) is not None:
            return known
        standing = without_earlier(
            self._sightings.standing(ref, job, is_gone=is_gone),
            job.metadata.creation_timestamp,
            self._ledger.previous(ref.namespace, ref.kind, ref.name, uid),
        )
        before = self._open.pop(uid, None)
        if before is not None and not standing.is_placed:
            standing = before._replace(is_decided=before.is_decided and is_gone)
        record = record_of(ref, job, standing, self._prices, self._clock.now(), is_gone=is_gone)
        if record is None:
            if standing.is_placed and not is_gone:
                self._open[uid] = standing
            return None
        if (known := self._ledger.settled(ref.namespace, record)) is not None:
            return known
        if self._ledger.note(ref.namespace, record):
            self._pages.write(ref.namespace, soon=is_gone)
        return None

    def _ends(self, ref: Ref, ended: datetime) -> dict[Ref, datetime | None]:
        """When the jobs of a recorded job's placements ended; up to the first that has not, if there is one."""
        ends: dict[Ref, datetime | None] = {ref: ended}
        for placement in self._sightings.placements_of(ref):
            for other in self._sightings.selected_by(placement):
                if other not in ends:
                    ends[other] = self._end(other)
                if ends[other] is None:
                    break
        return ends

    def _end(self, ref: Ref) -> datetime | None:
        job = self._jobs[ref.resource].get(ref.namespace, ref.name)
        return self._ledger.ended(job.metadata.uid) if job is not None else None

    def _prices(self, cluster: str) -> Prices:
        member = self._members.get("", cluster)
        return prices(member.status.properties) if member is not None else Prices()

    # What went while nobody looked.

    async def _find_owner(self, ref: Ref, placement: Placement) -> None:
        """Record the owner of a placement if it has gone: before this process began, or unheard."""
        uid = _uid(placement.metadata, ref)
        if self._ledger.ended(uid) is not None or self._ledger.is_waiting(ref.namespace, uid):
            return
        here = self._jobs[ref.resource].get(ref.namespace, ref.name)
        if here is not None and here.metadata.uid == uid:
            return
        try:
            # The watch may be behind: the placement is told of, and its owner not yet.
            found = _decode(await self._read(ref))
        except NotFound:
            found = HubJob()
        if found.metadata.uid != uid:
            self._note(ref, self._remembered(ref, uid, placement), is_gone=True)

    async def _read(self, ref: Ref) -> bytes | memoryview:
        raw: Raw = await self._client.get(ref.resource, ref.name, namespace=ref.namespace)
        return raw.body

    def _remembered(self, ref: Ref, uid: str, placement: Placement) -> HubJob:
        """A job that has gone, as its placement sent it out. It was created when its placement was, nearly."""
        created = placement.metadata.creation_timestamp
        for snapshot in self._sightings.snapshots_of(placement):
            for raw in snapshot.spec.selected_resources:
                body = _Placed.read(raw)
                if body.is_of(ref):
                    meta = msgspec.structs.replace(
                        body.metadata, uid=uid, creation_timestamp=created
                    )
                    return HubJob(meta, body.spec)
        meta = ObjectMeta(ref.name, namespace=ref.namespace, uid=uid, creation_timestamp=created)
        return HubJob(meta)


class _Placed(HubJob, frozen=True):
    """A job in a snapshot."""

    kind: str = ""
    api_version: str = ""

    @staticmethod
    def read(raw: msgspec.Raw) -> _Placed:
        return _decode_placed(raw)

    def is_of(self, ref: Ref) -> bool:
        group = self.api_version.rpartition("/")[0]
        return (group, self.kind, self.metadata.name) == (ref.group, ref.kind, ref.name)


_decode_placed: Final[Callable[[msgspec.Raw], _Placed]] = msgspec.json.Decoder(_Placed).decode


def _is_alike(old: ObjectMeta, new: ObjectMeta) -> bool:
    return old.annotations == new.annotations and old.deletion_timestamp == new.deletion_timestamp


def _owner(meta: ObjectMeta) -> Ref | None:
    """The job that owns a placement of its namespace."""
    for owner in meta.owner_references:
        group = owner.api_version.rpartition("/")[0]
        if meta.namespace and is_job(group, owner.kind):
            return Ref(group, owner.kind, meta.namespace, owner.name)
    return None


def _uid(meta: ObjectMeta, ref: Ref) -> str:
    for owner in meta.owner_references:
        if (owner.kind, owner.name) == (ref.kind, ref.name):
            return owner.uid
    return ""
