"""The controller of one kind of jobs: looks at a job when it, its Workload or its parent's Workload changes.

What to do is `deciding`'s; `writing` does it. Kinds whose resource is custom are followed when it is served; until the
first picture of them is whole, nothing is concluded from a job that is not in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.control.reconcilers import Result
from argosy.queueing.jobs.deciding import decide, decide_gone
from argosy.queueing.jobs.kinds import JobKind
from argosy.queueing.jobs.measuring import measured
from argosy.queueing.jobs.mirroring import prebuilt_name
from argosy.queueing.jobs.pictures import Picture, controller_uid
from argosy.queueing.jobs.writing import Writer
from argosy.queueing.metrics.jobs import JobMetrics

_WORKERS: Final = 10
_BY_CONTROLLER: Final = "controller"
_BY_PREBUILT: Final = "prebuilt"
# How soon to ask again whether jobs of a kind are known.
_UNSYNCED_SECONDS: Final = 5.0


def job_informer(assembly: Assembly, kind: JobKind) -> Informer[Object]:
    """Whole objects: templates are written back."""
    if kind.is_builtin:
        return assembly.informer(kind.resource, dict)
    return assembly.informer_when_served(kind.resource, dict)


class Jobs:
    """The jobs of one kind in one cluster."""

    def __init__(self, assembly: Assembly, kind: JobKind, picture: Picture) -> None:
        self._client = assembly.client
        self._kind = kind
        self._picture = picture
        self._metrics = JobMetrics(assembly.metrics)
        self._recorder = assembly.recorder(f"{kind.framework}-kueue-controller")
        self._jobs = job_informer(assembly, kind)
        self._jobs.add_index(_BY_CONTROLLER, controller_uid)
        self._jobs.add_index(_BY_PREBUILT, _prebuilt)
        resource = kind.resource
        picture.follow(resource.api_version, resource.kind, self._jobs, self)
        self._queue = assembly.controller(
            f"kueue-{resource.qualified}", self._reconcile, workers=_WORKERS
        )
        self._jobs.add_handler(self._job_changed)

    def _job_changed(self, old: Object | None, new: Object | None) -> None:
        found = new if new is not None else old
        if found is not None:
            self._queue.add(_key(found))
        before, after = _prebuilt(old), _prebuilt(new)
        if before != after:
            self._picture.expect(after, instead_of=before)

    def look_at(self, key: Key) -> None:
        """The Workload of a job has changed."""
        self._queue.add(key)

    def look_at_children(self, uid: str) -> None:
        """The Workload of a job above ours has changed."""
        for job in self._jobs.by_index(_BY_CONTROLLER, uid):
            self._queue.add(_key(job))

    def look_at_expecting(self, workload: str) -> None:
        """A Workload that jobs of ours may wait for has come, or changed."""
        for job in self._jobs.by_index(_BY_PREBUILT, workload):
            self._queue.add(_key(job))

    async def _reconcile(self, key: Key) -> Result:
        if not self._jobs.is_synced:
            return Result(_UNSYNCED_SECONDS)
        resource = self._kind.resource
        workloads = self._picture.workloads_named_for(resource.api_version, resource.kind, key)
        job = self._jobs.get(*key)
        if job is None:
            actions = decide_gone(workloads, self._picture)
        else:
            actions = decide(self._kind, job, workloads, self._picture)
        done = measured(self._metrics, resource.kind, job, self._picture)
        return Result(await Writer(self._client, self._recorder, done).perform(actions))


def _key(job: Object) -> Key:
    meta = job["metadata"]
    return Key(meta.get("namespace", ""), meta["name"])


def _prebuilt(job: Object | None) -> Sequence[str]:
    """Namespace and name of the Workload that a job names as its own."""
    name = prebuilt_name(job) if job is not None else ""
    if job is None or not name:
        return ()
    return (f"{job['metadata'].get('namespace', '')}/{name}",)
