"""Pods that carry the tracking finalizer and have no Job that would count them: the finalizer goes, so that they can.

Such pods are left when a Job is deleted, or lose their owner, or are deleted after their Job has finished. Whoever
notices puts the pod's key into the queue; here it is made sure of once more, from complete pictures, before the pod is
touched. So pods found while informers still fill, at a start, are judged right.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects import Job, OwnerReference, Pod
from argosy.api.wellknown import JOB_TRACKING
from argosy.client.objects import Key
from argosy.client.resources import JOBS
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.control.reconcilers import DONE, Result
from argosy.workloads.jobs.writing import remove_finalizer
from argosy.workloads.pods.caches import pod_informer

CONTROLLER_NAME: Final = "kubernetes.io/job-controller"
_WORKERS: Final = 50


class OrphanPods:
    """Takes the finalizer from pods without a Job."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._jobs = assembly.informer(JOBS, Job)
        self._pods = pod_informer(assembly)
        self._queue = assembly.controller("job-orphan-pod", self._reconcile, workers=_WORKERS)

    def add(self, pod: Pod) -> None:
        self._queue.add(Key(*pod.metadata.key))

    async def _reconcile(self, key: Key) -> Result:
        pod = self._pods.get(*key)
        if pod is None or JOB_TRACKING not in pod.metadata.finalizers:
            return DONE
        owner = pod.metadata.controller
        if owner is not None:
            if not is_job(owner):
                return DONE
            job = resolve(self._jobs, key.namespace, owner)
            if job is not None and (is_managed_elsewhere(job) or not job.is_finished):
                return DONE
        await remove_finalizer(self._client, pod)
        return DONE


def is_job(owner: OwnerReference) -> bool:
    return owner.kind == JOBS.kind and owner.api_version == JOBS.api_version


def resolve(jobs: Informer[Job], namespace: str, owner: OwnerReference) -> Job | None:
    """The Job that an owner reference means, and not another of the same name."""
    job = jobs.get(namespace, owner.name)
    return job if job is not None and job.metadata.uid == owner.uid else None


def is_managed_elsewhere(job: Job) -> bool:
    return job.spec.managed_by not in {None, CONTROLLER_NAME}
