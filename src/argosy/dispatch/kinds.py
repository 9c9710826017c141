"""Jobs as the history sees them: which kinds they are, how one is known, and what of it is read."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from argosy.api.objects.metadata import ObjectMeta, View
from argosy.base.types import Object
from argosy.client.resources import JOBS, Resource

JOB_SETS: Final = Resource("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet")
RAY_JOBS: Final = Resource("ray.io", "v1", "rayjobs", "RayJob")
# Those whose members tell how they ended. A hub has the first; the others may arrive.
RESOURCES: Final = (JOBS, JOB_SETS, RAY_JOBS)
_BY_KIND: Final = {(each.group, each.kind): each for each in RESOURCES}
_QUEUE_NAME: Final = "kueue.x-k8s.io/queue-name"
_NOTHING: Final = msgspec.Raw(b"{}")


class Ref(NamedTuple):
    """Names a job on the hub."""

    group: str
    kind: str
    namespace: str
    name: str

    @property
    def resource(self) -> Resource:
        return _BY_KIND[self.group, self.kind]


class HubJob(View, frozen=True):
    """A job of any kind. Its spec is decoded when it is recorded, once."""

    metadata: ObjectMeta = ObjectMeta()
    spec: msgspec.Raw = _NOTHING


def is_job(group: str, kind: str) -> bool:
    return (group, kind) in _BY_KIND


def manifest(ref: Ref, job: HubJob) -> Object:
    """As much of the job as says what it needs."""
    resource = ref.resource
    spec: Object = msgspec.json.decode(job.spec)
    return {"apiVersion": resource.api_version, "kind": resource.kind, "spec": spec}


def queue_of(meta: ObjectMeta) -> str:
    """The queue a job names: in a label, or in an annotation as some guides write it."""
    return meta.labels.get(_QUEUE_NAME) or meta.annotations.get(_QUEUE_NAME, "")
