"""ray.io RayJob and RayService: jobs and services with a Ray cluster of their own.

A RayJob's submitter is a pod set too, or, in sidecar mode, a container of the head. A RayJob that uses a cluster which
is there already is not queued, and one that KubeRay finds invalid wants no quota. A RayService never finishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from argosy.base.fielderrors import FieldError, invalid
from argosy.base.types import Object
from argosy.client.resources import Resource
from argosy.queueing.jobs.integrations.rays import (
    SUBMITTER,
    beside,
    cluster_pod_sets,
    dispatched,
    restored_cluster,
    started_cluster,
    validate_cluster,
)
from argosy.queueing.jobs.kinds import JobKind, Outcome
from argosy.queueing.jobs.podsets import PodSetInfo, merged, restored
from argosy.queueing.jobs.topologies import topology_request, with_topology

_SUBMITTER: Final = {"cpu": "500m", "memory": "200Mi"}
_SUBMITTER_LIMITS: Final = {"cpu": "1", "memory": "1Gi"}
_ON_HOLD: Final = "Job is on hold"


class RayJobs(JobKind):
    """Jobs with a cluster of their own."""

    framework: ClassVar = "ray.io/rayjob"
    resource: ClassVar[Resource] = Resource("ray.io", "v1", "rayjobs", "RayJob")

    def is_suspended(self, job: Object) -> bool:
        return bool(job["spec"].get("suspend"))

    def suspended(self, job: Object) -> Object:
        return {**job, "spec": {**job["spec"], "suspend": True}}

    def is_active(self, job: Object) -> bool:
        return _deployment(job) not in {"", "Suspended"}

    def is_skipped(self, job: Object) -> bool:
        return bool(job["spec"].get("clusterSelector"))

    def on_hold(self, job: Object) -> str:
        return _ON_HOLD if _deployment(job) == "ValidationFailed" else ""

    def pod_sets(self, job: Object) -> list[Object]:
        spec = job["spec"]
        found = cluster_pod_sets(spec.get("rayClusterSpec") or {})
        mode = spec.get("submissionMode", "K8sJobMode")
        if mode == "K8sJobMode":
            template = _submitter(spec)
            pod_set = {"name": SUBMITTER, "count": 1, "template": template}
            found.append(with_topology(pod_set, topology_request(template)))
        elif mode == "SidecarMode" and found:
            found[0] = {
                **found[0],
                "template": beside(found[0]["template"], "ray-job-submitter", _SUBMITTER),
            }
        return found

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        spec = dict(job["spec"])
        own = [info for info in infos if info.name != SUBMITTER]
        spec["rayClusterSpec"] = started_cluster(spec.get("rayClusterSpec") or {}, own)
        for info in infos:
            if info.name == SUBMITTER:
                spec["submitterPodTemplate"] = merged(_submitter(spec), info)
        return {**job, "spec": {**spec, "suspend": False}}

    def restored(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        spec = dict(job["spec"])
        spec["rayClusterSpec"] = restored_cluster(spec.get("rayClusterSpec") or {}, infos)
        template = spec.get("submitterPodTemplate")
        for info in infos:
            if info.name == SUBMITTER and template is not None:
                back = restored(template, info)
                if back == _default_submitter(spec):
                    # It was filled in at the start.
                    del spec["submitterPodTemplate"]
                else:
                    spec["submitterPodTemplate"] = back
        return {**job, "spec": spec}

    def finished(self, job: Object) -> Outcome | None:
        if _deployment(job) not in {"Complete", "Failed"}:
            return None
        status = job.get("status") or {}
        return Outcome(status.get("jobStatus") == "SUCCEEDED", status.get("message", ""))

    def are_pods_ready(self, job: Object) -> bool:
        cluster = (job.get("status") or {}).get("rayClusterStatus") or {}
        return cluster.get("state") == "ready"

    def dispatched(self, job: Object) -> Object:
        return dispatched(job)

    def validate_managed(self, job: Object) -> list[FieldError]:
        spec = job["spec"]
        if self.is_skipped(job):
            return []
        errors: list[FieldError] = []
        if not spec.get("shutdownAfterJobFinishes"):
            detail = "a kueue managed job should delete the cluster after finishing"
            errors.append(invalid("spec.shutdownAfterJobFinishes", False, detail))
        return errors + validate_cluster(spec.get("rayClusterSpec") or {}, "spec.rayClusterSpec")


class RayServices(JobKind):
    """Services: suspended by the cluster they are to run on."""

    framework: ClassVar = "ray.io/rayservice"
    resource: ClassVar[Resource] = Resource("ray.io", "v1", "rayservices", "RayService")

    def is_suspended(self, job: Object) -> bool:
        return bool(_config(job).get("suspend"))

    def suspended(self, job: Object) -> Object:
        return _with_config(job, {**_config(job), "suspend": True})

    def is_active(self, job: Object) -> bool:
        status = (job.get("status") or {}).get("activeServiceStatus") or {}
        return bool(status.get("rayClusterName"))

    def pod_sets(self, job: Object) -> list[Object]:
        return cluster_pod_sets(_config(job))

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        return _with_config(job, {**started_cluster(_config(job), infos), "suspend": False})

    def restored(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        return _with_config(job, restored_cluster(_config(job), infos))

    def finished(self, job: Object) -> Outcome | None:
        return None

    def are_pods_ready(self, job: Object) -> bool:
        return any(
            condition["type"] == "Ready" and condition["status"] == "True"
            for condition in (job.get("status") or {}).get("conditions") or ()
        )

    def validate_managed(self, job: Object) -> list[FieldError]:
        return validate_cluster(_config(job), "spec.rayClusterConfig")


def _config(job: Object) -> Object:
    found: Object = job["spec"].get("rayClusterConfig") or {}
    return found


def _with_config(job: Object, config: Object) -> Object:
    return {**job, "spec": {**job["spec"], "rayClusterConfig": config}}


def _deployment(job: Object) -> str:
    found: str = (job.get("status") or {}).get("jobDeploymentStatus", "")
    return found


def _submitter(spec: Object) -> Object:
    found: Object = spec.get("submitterPodTemplate") or _default_submitter(spec)
    return found


def _default_submitter(spec: Object) -> Object:
    """What KubeRay makes the submitter of: the head's image, and little of everything."""
    head = ((spec.get("rayClusterSpec") or {}).get("headGroupSpec") or {}).get("template") or {}
    containers = (head.get("spec") or {}).get("containers") or [{}]
    container = {
        "name": "ray-job-submitter",
        "resources": {"requests": dict(_SUBMITTER), "limits": dict(_SUBMITTER_LIMITS)},
    }
    if image := containers[0].get("image"):
        container["image"] = image
    return {"spec": {"restartPolicy": "Never", "containers": [container]}}
