"""apps/v1 Deployment and StatefulSet: what serves, and never finishes.

Neither is suspended: their pods are held by gates. Labels and annotations put into the pod template see to that, at
creation and at every change.

Each pod of a Deployment is a job of its own, so it scales as it likes. The pods of a StatefulSet are one group, whose
Workload is made from the StatefulSet (`statefulsets`) under a name that is known before there is a uid; all pods have
the same role. It may be scaled to zero and back, not in between: a group is admitted as a whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from argosy.base.fielderrors import FieldError, forbidden, invalid
from argosy.base.types import Object
from argosy.client.resources import DEPLOYMENTS, STATEFUL_SETS, Resource
from argosy.queueing.jobs import names
from argosy.queueing.jobs.ancestry import queue_name
from argosy.queueing.jobs.defaulting import is_managed, with_default_priority, with_default_queue
from argosy.queueing.jobs.facts import Facts
from argosy.queueing.jobs.kinds import JobKind, Outcome
from argosy.queueing.jobs.naming import workload_name
from argosy.queueing.jobs.podsets import PodSetInfo
from argosy.queueing.jobs.topologies import (
    annotations_of,
    topology_request,
    validate_topology,
    with_topology,
)

_POD_INDEX: Final = "apps.kubernetes.io/pod-index"


class _Serving(JobKind):
    """What both have in common."""

    is_builtin: ClassVar = True
    is_top_level: ClassVar = True
    takes_prebuilt: ClassVar = False
    fills_in_changes: ClassVar = True

    def is_suspended(self, job: Object) -> bool:
        """Queue and priority may change while nothing is up."""
        return not (job.get("status") or {}).get("readyReplicas")

    def suspended(self, job: Object) -> Object:
        return job

    def is_active(self, job: Object) -> bool:
        return bool((job.get("status") or {}).get("replicas"))

    def pod_sets(self, job: Object) -> list[Object]:
        return []

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        return job

    def restored(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        return job

    def finished(self, job: Object) -> Outcome | None:
        return None

    def are_pods_ready(self, job: Object) -> bool:
        return bool((job.get("status") or {}).get("readyReplicas", 0) >= replicas_of(job))

    def defaulted(self, job: Object, facts: Facts) -> Object:
        if not facts.is_managed_namespace(job["metadata"].get("namespace", "")):
            return job
        job = with_default_queue(job, facts)
        if not is_managed(job, facts):
            return job
        job = with_default_priority(job, facts)
        labels, annotations = self.marks(job)
        template = job["spec"]["template"]
        meta = dict(template.get("metadata") or {})
        meta["labels"] = {**(meta.get("labels") or {}), **labels}
        meta["annotations"] = {**(meta.get("annotations") or {}), **annotations}
        return {**job, "spec": {**job["spec"], "template": {**template, "metadata": meta}}}

    def marks(self, job: Object) -> tuple[dict[str, str], dict[str, str]]:
        """Labels and annotations of pods."""
        labels = {names.MANAGED: "true"}
        if queue := queue_name(job):
            labels[names.QUEUE_NAME] = queue
        priority = (job["metadata"].get("labels") or {}).get(names.PRIORITY_CLASS)
        if priority:
            labels[names.PRIORITY_CLASS] = priority
        return labels, {names.SUSPENDING_PARENT: self.framework}

    def validate(self, job: Object) -> list[FieldError]:
        return validate_topology(job["spec"]["template"], "spec.template.metadata")


class Deployments(_Serving):
    """Pods that are queued one by one."""

    framework: ClassVar = "deployment"
    resource: ClassVar[Resource] = DEPLOYMENTS


class StatefulSets(_Serving):
    """Pods that are queued as one group."""

    framework: ClassVar = "statefulset"
    resource: ClassVar[Resource] = STATEFUL_SETS

    def pod_sets(self, job: Object) -> list[Object]:
        template = job["spec"]["template"]
        pod_set = {"name": names.MAIN, "count": replicas_of(job), "template": template}
        return [with_topology(pod_set, topology_request(template, pod_index_label=_POD_INDEX))]

    def marks(self, job: Object) -> tuple[dict[str, str], dict[str, str]]:
        labels, annotations = super().marks(job)
        group = group_workload(job)
        labels |= {names.POD_GROUP_NAME: group, names.PREBUILT_WORKLOAD: group}
        known = annotations_of(job["spec"]["template"]).get(names.POD_GROUP_TOTAL_COUNT, "1")
        total = replicas_of(job) or known
        annotations |= {
            names.POD_GROUP_TOTAL_COUNT: str(total),
            names.POD_GROUP_FAST_ADMISSION: "true",
            names.POD_GROUP_SERVING: "true",
            names.ROLE_HASH: names.MAIN,
        }
        return labels, annotations

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        if not queue_name(new):
            return []
        count, before = replicas_of(new), replicas_of(old)
        errors: list[FieldError] = []
        if count and before and count != before:
            errors.append(invalid("spec.replicas", count, "field is immutable"))
        if not before and count and (new.get("status") or {}).get("replicas"):
            errors.append(forbidden("spec.replicas", "scaling down is still in progress"))
        return errors


def replicas_of(job: Object) -> int:
    return int(job["spec"].get("replicas", 1))


def group_workload(job: Object) -> str:
    """The name of a StatefulSet's Workload, which is its pods' group."""
    resource = STATEFUL_SETS
    return workload_name(resource.kind, resource.group, job["metadata"]["name"], "")
