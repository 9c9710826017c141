"""The JobSet controller: looks at a JobSet when it, one of its Jobs or its service changes, and when its time is over.

What to do is `deciding`'s; here it is done. Writes name the revision they were decided on, so a look at an old picture
ends in a Conflict and is repeated; a Job that was made already is met by its name. Events are told once the status they
belong to is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

from argosy.api.objects import Job, ObjectMeta, decoder
from argosy.api.objects.jobsets import JobSet
from argosy.api.objects.services import Service
from argosy.base.errors import AlreadyExists, NotFound, StatusError
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.protocol import Propagation
from argosy.client.resources import JOBS, SERVICES, Resource
from argosy.control.assemblies import Assembly
from argosy.control.expectations import Expectations
from argosy.control.reconcilers import DONE, Result
from argosy.control.recorders import EventType
from argosy.control.references import reference
from argosy.workloads.jobsets.deciding import Resumption, decide, is_ours
from argosy.workloads.jobsets.names import JOB_SETS
from argosy.workloads.jobsets.statuses import Draft, written

T = TypeVar("T")

_WORKERS: Final = 5
# How many writes of one JobSet are under way at once, as upstream.
_AT_ONCE: Final = 50
# A look costs a walk over all Jobs, and Jobs change in swarms: changes of this long are looked at together.
_BATCH_SECONDS: Final = 0.1
_MANAGER: Final = "jobset"
_OWNER: Final = "jobset"
_read_job: Final = decoder(Job)


class JobSets:
    """One cluster's JobSets."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder("jobset")
        # Jobs that were made and not seen yet.
        self._expected: Expectations[Key] = Expectations(assembly.clock)
        self._sets = assembly.informer(JOB_SETS, JobSet)
        self._jobs = assembly.informer(JOBS, Job)
        self._jobs.add_index(_OWNER, _owner)
        self._services = assembly.informer(SERVICES, Service)
        self._queue = assembly.controller("jobset", self._reconcile, workers=_WORKERS)
        self._sets.add_handler(self._set_changed)
        self._jobs.add_handler(self._job_changed)
        self._services.add_handler(self._child_changed)

    def _set_changed(self, old: JobSet | None, new: JobSet | None) -> None:
        if new is not None:
            self._queue.add(Key(*new.metadata.key))
        elif old is not None:
            self._expected.forget(Key(*old.metadata.key))

    def _job_changed(self, old: Job | None, new: Job | None) -> None:
        owner = new.metadata.controller if old is None and new is not None else None
        if new is not None and owner is not None and owner.kind == JOB_SETS.kind:
            self._expected.creation_observed(Key(new.metadata.namespace, owner.name))
        self._child_changed(old, new)

    def _child_changed(self, old: Job | Service | None, new: Job | Service | None) -> None:
        for child in (old, new):
            owner = child.metadata.controller if child is not None else None
            if child is not None and owner is not None and owner.kind == JOB_SETS.kind:
                self._queue.add_after(Key(child.metadata.namespace, owner.name), _BATCH_SECONDS)

    async def _reconcile(self, key: Key) -> Result:
        jobset = self._sets.get(*key)
        if jobset is None or not is_ours(jobset):
            return DONE
        if not self._expected.is_satisfied(key):
            return Result(self._expected.seconds_left(key))
        jobs = self._jobs.by_index(_OWNER, jobset.metadata.uid)
        now = datetime.fromtimestamp(self._clock.time(), UTC)
        decision = decide(jobset, jobs, now)
        await _each(decision.deletions, self._delete)
        if decision.is_expired:
            await self._remove(JOB_SETS, jobset.metadata)
            return DONE
        if decision.service is not None:
            await self._ensure_service(jobset, decision.service)
        if decision.creations:
            await self._create(jobset, decision.creations)
        await _each(decision.suspensions, self._suspend)
        await _each(decision.resumptions, self._resume)
        await self._write_status(jobset, decision.draft)
        return Result(decision.look_again_seconds)

    # Jobs.

    async def _create(self, jobset: JobSet, jobs: list[Object]) -> None:
        key = Key(*jobset.metadata.key)
        failures: dict[str, StatusError] = {}

        async def make(job: Object) -> None:
            try:
                await self._make(jobset, job)
            except StatusError as error:
                failures[job["metadata"]["name"]] = error
                self._expected.creation_observed(key)

        self._expected.expect_creations(key, len(jobs))
        await _each(jobs, make)
        if not failures:
            return
        # Upstream only logs these; whoever waits for Jobs should see why there are none.
        texts = [
            f'job "{name}" creation failed with error: {error}' for name, error in failures.items()
        ]
        self._event(jobset, "Warning", "JobCreationFailed", "\n".join(texts))
        raise next(iter(failures.values()))

    async def _make(self, jobset: JobSet, job: Object) -> None:
        name, namespace = job["metadata"]["name"], job["metadata"]["namespace"]
        try:
            await self._client.create(JOBS, job, namespace=namespace, field_manager=_MANAGER)
        except AlreadyExists:
            if not await self._is_owned(jobset, name):
                raise
            self._expected.creation_observed(Key(*jobset.metadata.key))

    async def _is_owned(self, jobset: JobSet, name: str) -> bool:
        """Whether the Job of this name is the JobSet's: made before, not seen yet."""
        try:
            raw = await self._client.get(JOBS, name, namespace=jobset.metadata.namespace)
        except NotFound:
            return True
        owner = _read_job(bytes(raw.body)).metadata.controller
        return owner is not None and owner.uid == jobset.metadata.uid

    async def _delete(self, job: Job) -> None:
        await self._remove(JOBS, job.metadata)

    async def _suspend(self, job: Job) -> None:
        await self._patch(JOBS, job.metadata, {"spec": {"suspend": True}})

    async def _resume(self, resumption: Resumption) -> None:
        """A pod template can be changed only while the Job has not started, so its start is taken back first."""
        meta = resumption.job.metadata
        revision = meta.resource_version
        if resumption.job.status.start_time is not None:
            start: Object = {"status": {"startTime": None}}
            revision = await self._patch(JOBS, meta, start, subresource="status")
        change: Object = {"spec": {"suspend": False, "template": resumption.template}}
        await self._patch(JOBS, meta, change, revision=revision)

    # The service and the JobSet itself.

    async def _ensure_service(self, jobset: JobSet, service: Object) -> None:
        name, namespace = service["metadata"]["name"], service["metadata"]["namespace"]
        if self._services.get(namespace, name) is not None:
            return
        try:
            await self._client.create(
                SERVICES, service, namespace=namespace, field_manager=_MANAGER
            )
        except AlreadyExists:
            return
        except StatusError as error:
            self._event(jobset, "Warning", "HeadlessServiceCreationFailed", str(error))
            raise

    async def _write_status(self, jobset: JobSet, draft: Draft) -> None:
        if not draft.is_changed:
            return
        body: Object = {"status": written(draft.status)}
        try:
            await self._patch(JOB_SETS, jobset.metadata, body, subresource="status")
        except NotFound:
            return
        for happening in draft.happenings:
            self._event(jobset, happening.type, happening.reason, happening.message)

    # Calls.

    async def _patch(
        self,
        resource: Resource,
        meta: ObjectMeta,
        change: Object,
        *,
        subresource: str = "",
        revision: str = "",
    ) -> str:
        """Change the object if it still is what was looked at; its new revision."""
        known = {"uid": meta.uid, "resourceVersion": revision or meta.resource_version}
        raw = await self._client.patch(
            resource,
            meta.name,
            {"metadata": known, **change},
            namespace=meta.namespace,
            subresource=subresource,
            field_manager=_MANAGER,
        )
        return raw.revision

    async def _remove(self, resource: Resource, meta: ObjectMeta) -> None:
        """Delete the object after everything it owns."""
        try:
            await self._client.delete(
                resource,
                meta.name,
                namespace=meta.namespace,
                propagation=Propagation.FOREGROUND,
                uid=meta.uid,
            )
        except NotFound:
            return

    def _event(self, jobset: JobSet, type_: EventType, reason: str, message: str) -> None:
        self._recorder.event(reference(JOB_SETS, jobset.metadata), type_, reason, message)


async def _each(items: Sequence[T], work: Callable[[T], Awaitable[None]]) -> None:
    """Do `work` for all items, so many at once; all are tried before the first failure is raised."""
    failures: list[BaseException] = []
    for start in range(0, len(items), _AT_ONCE):
        batch = (work(item) for item in items[start : start + _AT_ONCE])
        results = await asyncio.gather(*batch, return_exceptions=True)
        failures += [result for result in results if result is not None]
    if failures:
        raise failures[0]


def _owner(job: Job) -> Iterable[str]:
    owner = job.metadata.controller
    return (owner.uid,) if owner is not None and owner.kind == JOB_SETS.kind else ()
