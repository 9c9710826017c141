"""ray.io RayCluster, and what RayJob and RayService share with it.

The head is a pod set of one; each worker group one of replicas times hosts. What KubeRay adds to pods by itself counts
too: the autoscaler beside the head. It is added to what the Workload says, not to the cluster. A RayCluster never
finishes by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from argosy.base.fielderrors import FieldError, invalid
from argosy.base.types import Object
from argosy.client.resources import Resource
from argosy.queueing.jobs import names
from argosy.queueing.jobs.kinds import JobKind, Outcome
from argosy.queueing.jobs.podsets import Permanent, PodSetInfo, merged, restored
from argosy.queueing.jobs.topologies import topology_request, validate_topology, with_topology

HEAD: Final = "head"
SUBMITTER: Final = "submitter"
_MOST_POD_SETS: Final = 18
_OWN_CONTROLLER: Final = "ray.io/kuberay-operator"
_AUTOSCALER: Final = {"cpu": "500m", "memory": "512Mi"}


class RayClusters(JobKind):
    """Clusters that run until they are deleted."""

    framework: ClassVar = "ray.io/raycluster"
    resource: ClassVar[Resource] = Resource("ray.io", "v1", "rayclusters", "RayCluster")

    def is_suspended(self, job: Object) -> bool:
        return bool(job["spec"].get("suspend"))

    def suspended(self, job: Object) -> Object:
        return {**job, "spec": {**job["spec"], "suspend": True}}

    def is_active(self, job: Object) -> bool:
        return (job.get("status") or {}).get("state") == "ready"

    def pod_sets(self, job: Object) -> list[Object]:
        return cluster_pod_sets(job["spec"])

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        spec = started_cluster(job["spec"], infos)
        return {**job, "spec": {**spec, "suspend": False}}

    def restored(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        return {**job, "spec": restored_cluster(job["spec"], infos)}

    def finished(self, job: Object) -> Outcome | None:
        return None

    def are_pods_ready(self, job: Object) -> bool:
        return (job.get("status") or {}).get("state") == "ready"

    def dispatched(self, job: Object) -> Object:
        return dispatched(job)

    def validate_managed(self, job: Object) -> list[FieldError]:
        return validate_cluster(job["spec"], "spec")


# Clusters, alone and within jobs.


def _workers(spec: Object) -> list[Object]:
    found: list[Object] = spec.get("workerGroupSpecs") or []
    return found


def cluster_pod_sets(spec: Object) -> list[Object]:
    head = (spec.get("headGroupSpec") or {}).get("template") or {}
    request = topology_request(head)
    if spec.get("enableInTreeAutoscaling"):
        options = spec.get("autoscalerOptions") or {}
        amounts = (options.get("resources") or {}).get("requests") or _AUTOSCALER
        head = beside(head, "autoscaler", amounts)
    found = [with_topology({"name": HEAD, "count": 1, "template": head}, request)]
    for group in _workers(spec):
        template = group.get("template") or {}
        pod_set = {
            "name": group["groupName"].lower(),
            "count": _group_count(group),
            "template": template,
        }
        found.append(with_topology(pod_set, topology_request(template)))
    return found


def _group_count(group: Object) -> int:
    return int(group.get("replicas", 1)) * max(1, int(group.get("numOfHosts", 1)))


def beside(template: Object, name: str, requests: Object) -> Object:
    """The template with one container more."""
    spec = template.get("spec") or {}
    container = {"name": name, "resources": {"requests": dict(requests)}}
    return {**template, "spec": {**spec, "containers": [*spec.get("containers", ()), container]}}


def started_cluster(spec: Object, infos: Sequence[PodSetInfo]) -> Object:
    want = 1 + len(_workers(spec))
    if len(infos) != want:
        raise Permanent(f"invalid podset infos: expecting {want} podset, got {len(infos)}")
    known = {info.name: info for info in infos}
    missing = [
        name
        for name in (HEAD, *(group["groupName"].lower() for group in _workers(spec)))
        if name not in known
    ]
    if missing:
        raise Permanent(f"invalid podset infos: podset {missing[0]} is not assigned")
    return _changed(spec, lambda name, template: merged(template, known[name]))


def restored_cluster(spec: Object, infos: Sequence[PodSetInfo]) -> Object:
    known = {info.name: info for info in infos}
    return _changed(
        spec,
        lambda name, template: restored(template, known[name]) if name in known else template,
    )


def _changed(spec: Object, change: Callable[[str, Object], Object]) -> Object:
    head = spec.get("headGroupSpec") or {}
    new = {
        **spec,
        "headGroupSpec": {**head, "template": change(HEAD, head.get("template") or {})},
    }
    if _workers(spec):
        new["workerGroupSpecs"] = [
            {**group, "template": change(group["groupName"].lower(), group.get("template") or {})}
            for group in _workers(spec)
        ]
    return new


def dispatched(job: Object) -> Object:
    if job["spec"].get("managedBy") not in {None, _OWN_CONTROLLER}:
        return job
    return {**job, "spec": {**job["spec"], "managedBy": names.MULTI_KUEUE_CONTROLLER}}


def validate_cluster(spec: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    workers = _workers(spec)
    most = _MOST_POD_SETS - 1
    if len(workers) > most:
        detail = f"must have at most {most} worker groups"
        errors.append(invalid(f"{path}.workerGroupSpecs", len(workers), detail))
    head = (spec.get("headGroupSpec") or {}).get("template") or {}
    errors += validate_topology(head, f"{path}.headGroupSpec.template.metadata", 1)
    for index, group in enumerate(workers):
        at = f"{path}.workerGroupSpecs[{index}]"
        if group.get("groupName", "").lower() in {HEAD, SUBMITTER}:
            detail = f'"{group["groupName"].lower()}" is reserved'
            errors.append(invalid(f"{at}.groupName", group["groupName"], detail))
        count = _group_count(group)
        errors += validate_topology(group.get("template") or {}, f"{at}.template.metadata", count)
    return errors
