"""jobset.x-k8s.io JobSet: a pod set for each of its replicated jobs.

A replicated job's pods are those of all its replicas. Replicas that have succeeded give their quota back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from argosy.base.fielderrors import FieldError
from argosy.base.types import Object
from argosy.client.resources import Resource
from argosy.queueing.jobs import names
from argosy.queueing.jobs.integrations.batchjobs import COMPLETION_INDEX, pods_count
from argosy.queueing.jobs.kinds import JobKind, Outcome
from argosy.queueing.jobs.podsets import Permanent, PodSetInfo, merged, restored
from argosy.queueing.jobs.topologies import topology_request, validate_topology, with_topology

JOB_INDEX: Final = "jobset.sigs.k8s.io/job-index"
_OWN_CONTROLLER: Final = "jobset.sigs.k8s.io/jobset-controller"


class JobSets(JobKind):
    """Sets of Jobs."""

    framework: ClassVar = "jobset.x-k8s.io/jobset"
    resource: ClassVar[Resource] = Resource("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet")

    def is_suspended(self, job: Object) -> bool:
        return bool(job["spec"].get("suspend"))

    def suspended(self, job: Object) -> Object:
        return {**job, "spec": {**job["spec"], "suspend": True}}

    def is_active(self, job: Object) -> bool:
        return any(each.get("active") for each in _statuses(job))

    def pod_sets(self, job: Object) -> list[Object]:
        return [_pod_set(each) for each in _replicated(job)]

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        if len(infos) != len(_replicated(job)):
            want = len(_replicated(job))
            raise Permanent(f"invalid podset infos: expecting {want} podset, got {len(infos)}")
        jobs = [
            _with_template(each, merged(_template(each), info))
            for each, info in zip(_replicated(job), infos, strict=True)
        ]
        return {**job, "spec": {**job["spec"], "suspend": False, "replicatedJobs": jobs}}

    def restored(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        known = {info.name: info for info in infos}
        jobs = [
            _with_template(each, restored(_template(each), known[each["name"]]))
            if each["name"] in known
            else each
            for each in _replicated(job)
        ]
        return {**job, "spec": {**job["spec"], "replicatedJobs": jobs}}

    def finished(self, job: Object) -> Outcome | None:
        for condition in (job.get("status") or {}).get("conditions") or ():
            if condition["type"] in {"Completed", "Failed"} and condition["status"] == "True":
                return Outcome(condition["type"] == "Completed", condition.get("message", ""))
        return None

    def are_pods_ready(self, job: Object) -> bool:
        replicas = sum(each.get("replicas", 1) for each in _replicated(job))
        done = sum(each.get("ready", 0) + each.get("succeeded", 0) for each in _statuses(job))
        return bool(done == replicas)

    def reclaimable(self, job: Object) -> Mapping[str, int]:
        succeeded = {each["name"]: each.get("succeeded", 0) for each in _statuses(job)}
        return {
            each["name"]: succeeded[each["name"]] * pods_count(each["template"]["spec"])
            for each in _replicated(job)
            if 0 < succeeded.get(each["name"], 0) <= each.get("replicas", 1)
        }

    def dispatched(self, job: Object) -> Object:
        if job["spec"].get("managedBy") not in {None, _OWN_CONTROLLER}:
            return job
        return {**job, "spec": {**job["spec"], "managedBy": names.MULTI_KUEUE_CONTROLLER}}

    def validate(self, job: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        for index, each in enumerate(_replicated(job)):
            path = f"spec.replicatedJobs[{index}].template.metadata"
            errors += validate_topology(_template(each), path, _count(each))
        return errors


def _replicated(job: Object) -> list[Object]:
    found: list[Object] = job["spec"].get("replicatedJobs") or []
    return found


def _statuses(job: Object) -> list[Object]:
    found: list[Object] = (job.get("status") or {}).get("replicatedJobsStatus") or []
    return found


def _template(replicated: Object) -> Object:
    found: Object = replicated["template"]["spec"]["template"]
    return found


def _with_template(replicated: Object, template: Object) -> Object:
    spec = {**replicated["template"]["spec"], "template": template}
    return {**replicated, "template": {**replicated["template"], "spec": spec}}


def _count(replicated: Object) -> int:
    return int(replicated.get("replicas", 1) * pods_count(replicated["template"]["spec"]))


def _pod_set(replicated: Object) -> Object:
    template = _template(replicated)
    request = topology_request(
        template,
        pod_index_label=COMPLETION_INDEX,
        sub_group_label=JOB_INDEX,
        sub_groups=replicated.get("replicas", 1),
    )
    pod_set = {"name": replicated["name"], "count": _count(replicated), "template": template}
    return with_topology(pod_set, request)
