"""A pod that is a job by itself.

It is held back by a scheduling gate and let go by taking the gate away. It can not be put back: stopping a pod means to
delete it, with a condition that says why. A finalizer keeps it until it has been seen how it ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from argosy.base.fielderrors import FieldError, forbidden, invalid, required
from argosy.base.names import is_dns1123_subdomain
from argosy.base.types import Object
from argosy.client.resources import PODS, Resource
from argosy.queueing.jobs import names
from argosy.queueing.jobs.ancestry import lineage, queue_name
from argosy.queueing.jobs.facts import Facts
from argosy.queueing.jobs.integrations.traits import (
    annotations_of,
    ending,
    gated,
    group_name,
    is_ended,
    is_gated,
    is_managed,
    is_ready,
    is_unretriable,
    labels_of,
    let_go,
    pod_role,
    pod_set_of,
    releasing,
)
from argosy.queueing.jobs.kinds import JobKind, Outcome, Step, Stop
from argosy.queueing.jobs.podsets import Permanent, PodSetInfo
from argosy.queueing.jobs.topologies import parse_int, validate_topology

_TOTAL_PATH: Final = f"metadata.annotations[{names.POD_GROUP_TOTAL_COUNT}]"
_GROUP_PATH: Final = f"metadata.labels[{names.POD_GROUP_NAME}]"


class LonePods(JobKind):
    """Pods without a group."""

    framework: ClassVar = "pod"
    resource: ClassVar[Resource] = PODS
    is_builtin: ClassVar = True
    is_top_level: ClassVar = True
    is_gone_when_stopped: ClassVar = True

    def is_suspended(self, job: Object) -> bool:
        return is_ended(job) or is_gated(job)

    def suspended(self, job: Object) -> Object:
        return gated(job)

    def is_active(self, job: Object) -> bool:
        return bool((job.get("spec") or {}).get("nodeName")) and not is_ended(job)

    def is_skipped(self, job: Object) -> bool:
        return not is_managed(job) or bool(group_name(job))

    def pod_sets(self, job: Object) -> list[Object]:
        return [pod_set_of(job)]

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        if len(infos) != 1:
            raise Permanent(f"invalid podset infos: expecting 1 pod set got {len(infos)}")
        return let_go(job, infos[0])

    def starting(self, job: Object, infos: Sequence[PodSetInfo]) -> list[Step]:
        return [Step(job, self.started(job, infos), is_told=True)] if is_gated(job) else []

    def restored(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        """Pods are what they are."""
        return job

    def stopping(self, job: Object, infos: Sequence[PodSetInfo], stop: Stop) -> list[Step]:
        return ending(job, stop)

    def finalizing(self, job: Object) -> list[Step]:
        return releasing(job)

    def finished(self, job: Object) -> Outcome | None:
        if not is_ended(job):
            return None
        status = job["status"]
        return Outcome(status["phase"] == "Succeeded", status.get("message", ""))

    def are_pods_ready(self, job: Object) -> bool:
        return is_ready(job)

    def defaulted(self, job: Object, facts: Facts) -> Object:
        """A pod whose parent is queued through its pods is held without a further look; others ask for a queue."""
        if names.SUSPENDING_PARENT not in annotations_of(job):
            job = _claimed(job, facts)
            if not is_managed(job):
                return job
        return _held(job)

    # Rules: of pods in groups too.

    def validate(self, job: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        value = labels_of(job).get(names.MANAGED)
        if value is not None and value != "true":
            path = f"metadata.labels[{names.MANAGED}]"
            errors.append(forbidden(path, "managed label value can only be 'true'"))
        errors += _validate_group(job)
        errors += validate_topology(job, "metadata")
        return errors + _validate_prebuilt(job)

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        if group_name(new) and is_unretriable(old) and not is_unretriable(new):
            path = f"metadata.annotations[{names.RETRIABLE_IN_GROUP}]"
            detail = "unretriable pod group can't be converted to retriable"
            errors.append(forbidden(path, detail))
        if group_name(old) and group_name(new) != group_name(old):
            errors.append(invalid(_GROUP_PATH, group_name(new), "field is immutable"))
        return errors


# What is filled in.


def _claimed(pod: Object, facts: Facts) -> Object:
    """The pod with its queue and our label, if it is one that is queued by itself."""
    namespace = pod["metadata"].get("namespace", "")
    has_default = facts.has_default_queue(namespace)
    if not (queue_name(pod) or has_default or facts.manages_unnamed):
        return pod
    if not facts.is_managed_namespace(namespace):
        return pod
    found = lineage(pod, facts.parent, manages_unnamed=facts.manages_unnamed)
    if found.ancestor is not None:
        return pod
    labels = {**labels_of(pod), names.MANAGED: "true"}
    if not queue_name(pod) and has_default:
        labels[names.QUEUE_NAME] = names.DEFAULT_LOCAL_QUEUE
    if names.PRIORITY_CLASS not in labels and facts.has_default_priority():
        labels[names.PRIORITY_CLASS] = names.DEFAULT_PRIORITY_CLASS
    return {**pod, "metadata": {**pod["metadata"], "labels": labels}}


def _held(pod: Object) -> Object:
    """Gates cannot be added later, so the one for topologies is put there too; it goes where no topology is used."""
    pod = gated(pod)
    gates = pod["spec"]["schedulingGates"]
    if not any(each["name"] == names.TOPOLOGY_GATE for each in gates):
        gates = [*gates, {"name": names.TOPOLOGY_GATE}]
        pod = {**pod, "spec": {**pod["spec"], "schedulingGates": gates}}
    meta = dict(pod["metadata"])
    finalizers = meta.get("finalizers") or []
    if names.MANAGED not in finalizers:
        meta["finalizers"] = [*finalizers, names.MANAGED]
    meta["annotations"] = {**annotations_of(pod), names.ROLE_HASH: pod_role(pod)}
    index = annotations_of(pod).get(names.POD_GROUP_POD_INDEX_LABEL)
    if index is not None:
        value = labels_of(pod).get(index, "")
        meta["labels"] = {**labels_of(pod), names.POD_GROUP_POD_INDEX: value}
    return {**pod, "metadata": meta}


# Rules.


def _validate_group(pod: Object) -> list[FieldError]:
    total, group = annotations_of(pod).get(names.POD_GROUP_TOTAL_COUNT), group_name(pod)
    both = (
        f"both the '{names.POD_GROUP_TOTAL_COUNT}' annotation and the "
        f"'{names.POD_GROUP_NAME}' label should be set"
    )
    if not group:
        return [required(_GROUP_PATH, both)] if total is not None else []
    problems = is_dns1123_subdomain(group)
    errors = [invalid(_GROUP_PATH, group, ",".join(problems))] if problems else []
    if total is None:
        return [*errors, required(_TOTAL_PATH, both)]
    number = parse_int(total)
    if number is None:
        detail = f'strconv.Atoi: parsing "{total}": invalid syntax'
        errors.append(invalid(_TOTAL_PATH, total, detail))
    elif number < 1:
        detail = (
            f"incorrect annotation value '{names.POD_GROUP_TOTAL_COUNT}={total}': "
            "group total count should be greater than zero"
        )
        errors.append(invalid(_TOTAL_PATH, total, detail))
    return errors


def _validate_prebuilt(pod: Object) -> list[FieldError]:
    name, group = labels_of(pod).get(names.PREBUILT_WORKLOAD, ""), group_name(pod)
    if not name or not group or name == group:
        return []
    path = f"metadata.labels[{names.PREBUILT_WORKLOAD}]"
    return [invalid(path, name, "prebuilt workload and pod group should be equal")]
