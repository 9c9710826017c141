"""The Job controller: turns events of Jobs and pods into looks at Jobs.

A new or changed Job is looked at at once; pod events and status changes are gathered for a second, so that a thousand
pods that end together are counted together. Each Job has a ledger, found by its uid: pods name their owner by uid, so
ledgers fill in whichever order informers sync, and a Job made anew under an old name starts with an empty one.

Jobs that `managedBy` gives to somebody else are left alone. API failures are retried after 1 s, doubling up to a
minute.
"""

from __future__ import annotations

import logging
from typing import Final

from argosy.api.objects import Job, OwnerReference, Pod
from argosy.api.wellknown import JOB_TRACKING
from argosy.base.errors import Conflict, StatusError
from argosy.client.objects import Key
from argosy.client.resources import JOBS
from argosy.control.assemblies import Assembly
from argosy.control.expectations import Expectations
from argosy.control.reconcilers import DONE, Result
from argosy.workloads.jobs.backoffs import NO_FAILURES
from argosy.workloads.jobs.claims import Selecting, claim, matcher, selects_by_uid
from argosy.workloads.jobs.ledgers import Ledger
from argosy.workloads.jobs.orphans import OrphanPods, is_job, is_managed_elsewhere
from argosy.workloads.jobs.syncing import BATCH_SECONDS, Look
from argosy.workloads.jobs.writing import Writer
from argosy.workloads.pods.caches import ORPHAN, pod_informer

_LOG: Final = logging.getLogger(__name__)
_WORKERS: Final = 50
_MOST_RETRY_SECONDS: Final = 60.0


class Jobs:
    """Keeps the pods of Jobs."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._jobs = assembly.informer(JOBS, Job)
        self._pods = pod_informer(assembly)
        self._orphans = OrphanPods(assembly)
        self._recorder = assembly.recorder("job-controller")
        self._expectations: Expectations[str] = Expectations(assembly.clock)
        self._ledgers: dict[str, Ledger] = {}
        self._selecting = Selecting()
        self._queue = assembly.controller("job", self._reconcile, workers=_WORKERS)
        self._jobs.add_handler(self._job_changed)
        self._pods.add_handler(self._pod_changed)

    # Events of Jobs.

    def _job_changed(self, old: Job | None, new: Job | None) -> None:
        if old is not None and (new is None or new.metadata.uid != old.metadata.uid):
            self._job_gone(old)
            old = None
        if new is None:
            return
        if old is None:
            self._job_found(new)
        key, ledger = Key(*new.metadata.key), self._ledger(new.metadata.uid)
        ledger.key, ledger.is_watched = key, not new.is_finished
        if not ledger.is_watched:
            for found in ledger.tracked.values():
                self._orphans.add(found.pod)
        elif old is None or new.metadata.generation != old.metadata.generation:
            self._queue.add(key)
        elif not _is_own_write(new, ledger):
            self._queue_soon(ledger)

    def _job_found(self, job: Job) -> None:
        if selects_by_uid(job):
            return
        self._selecting.put(job)
        ledger, matches = self._ledger(job.metadata.uid), matcher(job)
        for pod in self._pods.by_index(ORPHAN, job.metadata.namespace):
            if matches(pod.metadata.labels):
                ledger.orphans[pod.metadata.uid] = pod

    def _job_gone(self, job: Job) -> None:
        uid = job.metadata.uid
        self._selecting.drop(job)
        self._expectations.forget(uid)
        ledger = self._ledger(uid)
        ledger.key, ledger.is_watched, ledger.written = None, False, None
        for found in ledger.tracked.values():
            self._orphans.add(found.pod)
        self._tidy(uid, ledger)

    # Events of pods.

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if old is not None and new is not None and old.metadata.uid != new.metadata.uid:
            self._pod_left(old, old.metadata.controller)
            old = None
        if new is None:
            if old is not None:
                self._pod_left(old, old.metadata.controller)
            return
        owner = _controller(new)
        if (
            old is not None
            and old.metadata.owner_references != new.metadata.owner_references
            and (before := _controller(old)) != owner
        ):
            self._pod_left(old, before)
        if owner is None:
            if old is not None and old.metadata.labels != new.metadata.labels:
                self._pod_left(old, None)
            self._orphan_changed(new)
        elif is_job(owner):
            self._owned_changed(new, owner)

    def _owned_changed(self, pod: Pod, owner: OwnerReference) -> None:
        meta = pod.metadata
        ledger = self._ledger(owner.uid)
        is_new = meta.uid not in ledger.entries
        ledger.put(pod)
        if is_new:
            self._expectations.creation_observed(owner.uid)
        if meta.deletion_timestamp is not None:
            self._expectations.deletion_observed(owner.uid, meta.uid)
            if JOB_TRACKING in meta.finalizers and not ledger.is_watched:
                self._orphans.add(pod)
        if pod.is_terminal and not ledger.active and ledger.is_watched and ledger.key is not None:
            # The last pod has ended: nobody is left to wait for.
            self._queue.add(ledger.key)
        else:
            self._queue_soon(ledger)

    def _orphan_changed(self, pod: Pod) -> None:
        meta = pod.metadata
        if JOB_TRACKING in meta.finalizers:
            self._orphans.add(pod)
        if meta.deletion_timestamp is not None:
            return
        for uid in self._selecting.candidates(pod):
            ledger = self._ledger(uid)
            is_new = meta.uid not in ledger.orphans
            ledger.orphans[meta.uid] = pod
            if is_new:
                self._queue_soon(ledger)

    def _pod_left(self, pod: Pod, owner: OwnerReference | None) -> None:
        """A pod is gone, or its owner is another one now."""
        meta = pod.metadata
        if owner is None:
            for uid in list(self._selecting.candidates(pod)):
                if (ledger := self._ledgers.get(uid)) is not None:
                    ledger.orphans.pop(meta.uid, None)
                    self._tidy(uid, ledger)
        elif is_job(owner) and (ledger := self._ledgers.get(owner.uid)) is not None:
            ledger.drop(meta.uid)
            self._expectations.deletion_observed(owner.uid, meta.uid)
            self._tidy(owner.uid, ledger)
            self._queue_soon(ledger)

    # Ledgers.

    def _ledger(self, uid: str) -> Ledger:
        found = self._ledgers.get(uid)
        if found is None:
            found = self._ledgers[uid] = Ledger()
        return found

    def _tidy(self, uid: str, ledger: Ledger) -> None:
        """Forget the ledger of a Job that is gone, with its last pod."""
        if ledger.key is None and ledger.is_empty:
            self._ledgers.pop(uid, None)

    def _queue_soon(self, ledger: Ledger) -> None:
        if ledger.is_watched and not ledger.is_queued and ledger.key is not None:
            ledger.is_queued = True
            self._queue.add_after(ledger.key, BATCH_SECONDS)

    # Reconciling.

    async def _reconcile(self, key: Key) -> Result:
        job = self._jobs.get(*key)
        if job is None or is_managed_elsewhere(job):
            return DONE
        uid = job.metadata.uid
        ledger = self._ledger(uid)
        ledger.is_queued = False
        job = _newest(job, ledger)
        if job.is_finished:
            ledger.backoff = NO_FAILURES
            return DONE
        writer = Writer(self._client, self._recorder, self._expectations, job, ledger)
        look: Look | None = None
        try:
            await claim(self._client, job, ledger)
            is_settled = self._expectations.is_satisfied(uid)
            look = Look(job, ledger, writer, self._clock, is_settled=is_settled)
            await look.run()
        except Conflict:
            # Somebody else has written the Job; its event brings it back at the latest.
            raise
        except StatusError as error:
            return self._retry(key, ledger, error, look)
        if writer.error is not None:
            return self._retry(key, ledger, writer.error, look)
        ledger.failures = 0
        if is_settled:
            return Result(look.look_again)
        return _earlier(self._expectations.seconds_left(uid), look)

    def _retry(self, key: Key, ledger: Ledger, error: StatusError, look: Look | None) -> Result:
        pause = min(_MOST_RETRY_SECONDS, 2.0 ** min(ledger.failures, 10))
        ledger.failures += 1
        _LOG.warning("Job %s: %s; trying again in %d s", key, error, pause)
        return _earlier(pause, look)


def _earlier(pause: float, look: Look | None) -> Result:
    """After the pause, or when the look wants to be repeated: a deadline does not wait for calls that fail."""
    again = look.look_again if look is not None else None
    return Result(pause if again is None else min(pause, again))


def _controller(pod: Pod) -> OwnerReference | None:
    """As `metadata.controller`, for every event of every pod."""
    for owner in pod.metadata.owner_references:
        if owner.controller:
            return owner
    return None


def _newest(job: Job, ledger: Ledger) -> Job:
    """The Job as the informer shows it, or as this controller has written it since."""
    written = ledger.written
    if written is None:
        return job
    if int(written.metadata.resource_version) <= int(job.metadata.resource_version):
        ledger.written = None
        return job
    return written


def _is_own_write(job: Job, ledger: Ledger) -> bool:
    written = ledger.written
    return (
        written is not None and written.metadata.resource_version == job.metadata.resource_version
    )
