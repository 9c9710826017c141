"""What a Job's controller asks of the cluster: pods made, deleted and let go, many at once, and events about it.

Pods are made one, two, four … at a time, up to 200, and no further after a batch with a failure: a quota that is used
up is hit once, not a thousand times. Deletions and finalizer removals go 200 at a time and are all tried. Of the events
about single pods only as many are handed on as the recorder would ever write for one object.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from argosy.api.objects import Job, Pod, decoder
from argosy.api.wellknown import JOB_TRACKING
from argosy.base.errors import Conflict, NotFound, StatusError
from argosy.base.types import Object
from argosy.client.protocol import Client, PatchType
from argosy.client.resources import JOBS, PODS
from argosy.control.correlating import Reference
from argosy.control.expectations import Expectations
from argosy.control.recorders import EventRecorder, EventType
from argosy.control.references import reference
from argosy.workloads.jobs.ledgers import Ledger, is_ready
from argosy.workloads.pods.templates import is_namespace_terminating

T = TypeVar("T")

AT_ONCE: Final = 200
# The recorder writes 25 events of a type per object and then one in five minutes.
_EVENTS_PER_LOOK: Final = 40
_RELEASE: Final = (
    b'{"metadata":{"$deleteFromPrimitiveList/finalizers":["' + JOB_TRACKING.encode() + b'"]}}'
)
_read_job: Final[Callable[[bytes], Job]] = decoder(Job)


class Writer:
    """Writes for one Job, in one look at it. The first failure is kept in `error`; the rest goes on."""

    def __init__(
        self,
        client: Client,
        recorder: EventRecorder,
        expectations: Expectations[str],
        job: Job,
        ledger: Ledger,
    ) -> None:
        self.error: StatusError | None = None
        self._client = client
        self._recorder = recorder
        self._expectations = expectations
        self._ledger = ledger
        self._uid = job.metadata.uid
        self._namespace = job.metadata.namespace
        self._about: Reference = reference(JOBS, job.metadata)
        self._events = 0

    def event(self, type_: EventType, reason: str, message: str) -> None:
        self._recorder.event(self._about, type_, reason, message)

    async def write_status(self, name: str, patch: Object) -> Job:
        """Write the Job's status; Conflict if the Job has changed since it was read."""
        raw = await self._client.patch(
            JOBS, name, patch, namespace=self._namespace, subresource="status"
        )
        return _read_job(bytes(raw.body))

    async def create(self, bodies: Sequence[Callable[[], Object]]) -> int:
        """Make pods; gives how many were made."""
        self._expectations.expect_creations(self._uid, len(bodies))
        made, started, size = 0, 0, 1
        while started < len(bodies):
            batch = bodies[started : started + size]
            started += len(batch)
            results = await _gather(self._create(body()) for body in batch)
            made += sum(results)
            if not all(results):
                break
            size = min(2 * size, AT_ONCE)
        if made < len(bodies):
            self._expectations.creation_observed(self._uid, len(bodies) - made)
        return made

    async def _create(self, body: Object) -> bool:
        try:
            raw = await self._client.create(PODS, body, namespace=self._namespace)
        except StatusError as error:
            if is_namespace_terminating(error):
                return False
            self.event("Warning", "FailedCreate", f"Error creating: {error.message}")
            self.error = self.error or error
            return False
        self._pod_event("SuccessfulCreate", f"Created pod: {raw.name}")
        return True

    async def delete_expecting(self, pods: Sequence[Pod]) -> list[Pod]:
        """Let go of pods and delete them, before they have ended: they will not be counted. Gives those now gone."""
        self._expectations.expect_deletions(self._uid, (pod.metadata.uid for pod in pods))
        deleted = []
        for batch in _batches(pods):
            released = await self.release(batch)
            results = await _gather(map(self._delete, released))
            deleted += [pod for pod, done in zip(released, results, strict=True) if done]
        for uid in {pod.metadata.uid for pod in pods} - {pod.metadata.uid for pod in deleted}:
            self._expectations.deletion_observed(self._uid, uid)
        return deleted

    async def delete(self, pods: Sequence[Pod]) -> list[Pod]:
        """Delete pods, which keep their finalizer until they are counted. Gives those that are going or gone."""
        deleted = []
        for batch in _batches(pods):
            results = await _gather(map(self._delete, batch))
            deleted += [pod for pod, done in zip(batch, results, strict=True) if done]
        return deleted

    async def _delete(self, pod: Pod) -> bool:
        meta = pod.metadata
        try:
            await self._client.delete(PODS, meta.name, namespace=meta.namespace)
        except NotFound:
            self._expectations.deletion_observed(self._uid, meta.uid)
            return True
        except StatusError as error:
            self.event("Warning", "FailedDelete", f"Error deleting: {error.message}")
            self.error = self.error or error
            return False
        self._pod_event("SuccessfulDelete", f"Deleted pod: {meta.name}")
        return True

    async def release(self, pods: Sequence[Pod]) -> list[Pod]:
        """Take the finalizer from pods. Gives those that are free of it, or gone."""
        released = []
        for batch in _batches(pods):
            for pod in batch:
                self._ledger.mark_released(pod.metadata.uid)
            results = await _gather(map(self._release, batch))
            released += [pod for pod, done in zip(batch, results, strict=True) if done]
        return released

    async def _release(self, pod: Pod) -> bool:
        meta = pod.metadata
        if JOB_TRACKING not in meta.finalizers:
            return True
        try:
            await remove_finalizer(self._client, pod)
        except StatusError as error:
            self._ledger.unmark_released(meta.uid)
            self.error = self.error or error
            return False
        return True

    def _pod_event(self, reason: str, message: str) -> None:
        self._events += 1
        if self._events <= _EVENTS_PER_LOOK:
            self.event("Normal", reason, message)


async def remove_finalizer(client: Client, pod: Pod) -> None:
    """Take the tracking finalizer from a pod, if both are still there.

    A merge patch of the revision at hand costs the server half as much as one that takes an element out of whatever
    list there is; that one is sent when the pod has changed meanwhile.
    """
    meta = pod.metadata
    others = [each for each in meta.finalizers if each != JOB_TRACKING]
    patch = {"metadata": {"resourceVersion": meta.resource_version, "finalizers": others or None}}
    try:
        try:
            await client.patch(PODS, meta.name, patch, namespace=meta.namespace)
        except Conflict:
            await client.patch(
                PODS, meta.name, _RELEASE, kind=PatchType.STRATEGIC, namespace=meta.namespace
            )
    except NotFound:
        return


def count_ready(pods: Iterable[Pod]) -> int:
    return sum(map(is_ready, pods))


def _batches(pods: Sequence[Pod]) -> Iterator[Sequence[Pod]]:
    for start in range(0, len(pods), AT_ONCE):
        yield pods[start : start + AT_ONCE]


async def _gather(calls: Iterable[Awaitable[T]]) -> list[T]:
    return await asyncio.gather(*calls)
