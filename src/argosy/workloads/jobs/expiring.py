"""Finished Jobs that say how long they are to be kept (`ttlSecondsAfterFinished`) are deleted when that has passed.

Mirrors upstream's ttl-after-finished controller: the time runs from the Complete or Failed condition; before the Job is
deleted it is read once more, because its time may have been changed; it goes in the foreground, its pods first. After a
restart the informer's first events fill the queue again, so nothing is kept anywhere.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects import Job, decoder
from argosy.base.errors import NotFound
from argosy.client.objects import Key
from argosy.client.protocol import Propagation
from argosy.client.resources import JOBS
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result

_WORKERS: Final = 5
_read: Final = decoder(Job)


class ExpiredJobs:
    """Deletes finished Jobs in time."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._jobs = assembly.informer(JOBS, Job)
        self._queue = assembly.controller("ttl-after-finished", self._reconcile, workers=_WORKERS)
        self._jobs.add_handler(self._job_changed)

    def _job_changed(self, _: Job | None, new: Job | None) -> None:
        if new is not None and (left := seconds_left(new, self._clock.time())) is not None:
            self._queue.add_after(Key(*new.metadata.key), left)

    async def _reconcile(self, key: Key) -> Result:
        job = self._jobs.get(*key)
        if job is None or (left := seconds_left(job, self._clock.time())) is None:
            return DONE
        if left > 0:
            return Result(left)
        try:
            raw = await self._client.get(JOBS, key.name, namespace=key.namespace)
            fresh = _read(bytes(raw.body))
            left = seconds_left(fresh, self._clock.time())
            if left is None or left > 0:
                return Result(left)
            await self._client.delete(
                JOBS,
                key.name,
                namespace=key.namespace,
                propagation=Propagation.FOREGROUND,
                uid=fresh.metadata.uid,
            )
        except NotFound:
            return DONE
        return DONE


def seconds_left(job: Job, now: float) -> float | None:
    """How long a Job is kept yet; None if it has not finished, keeps for ever, or is being deleted."""
    keep = job.spec.ttl_seconds_after_finished
    if keep is None or job.metadata.deletion_timestamp is not None:
        return None
    for condition in job.status.conditions:
        finished = condition.last_transition_time
        if (
            condition.type in {"Complete", "Failed"}
            and condition.status == "True"
            and finished is not None
        ):
            return max(0.0, finished.timestamp() + keep - now)
    return None
