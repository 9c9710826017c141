"""Pods that run all or not at all: those of one namespace with the same group name.

The job is the group: `{"metadata": ..., "pods": [...]}`, with the metadata of its first pod. Each role is a pod set.
The Workload has the group's name and belongs to all of its pods. It is made when the pods there are reach the number
that each of them names; with fast admission the first pod is enough, and the others are taken to be like it.

Pods end one by one. Of a group that can be completed, pods that failed may be replaced: until then the Workload waits
for replacement pods, and a failed pod keeps its finalizer so that its place is known. Pods beyond the number are
deleted, the youngest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from argosy.base.types import Object
from argosy.client.resources import PODS, Resource
from argosy.queueing.jobs import names
from argosy.queueing.jobs.ancestry import queue_name
from argosy.queueing.jobs.integrations.traits import (
    annotations_of,
    ending,
    group_name,
    is_ended,
    is_finalized,
    is_gated,
    is_managed,
    is_ready,
    is_unretriable,
    let_go,
    phase,
    pod_role,
    pod_set_of,
    releasing,
    total_count,
)
from argosy.queueing.jobs.kinds import JobKind, Outcome, Step, Stop
from argosy.queueing.jobs.podsets import Permanent, PodSetInfo

MOST_ROLES: Final = 18


class Incomplete(Exception):
    """No Workload can be made of the group as it is."""


def group_of(pods: Iterable[Object]) -> Object:
    """The group that these pods are. The oldest speaks for it."""
    ordered = sorted(pods, key=_age)
    return {"metadata": ordered[0]["metadata"], "pods": ordered}


def _age(pod: Object) -> tuple[str, str]:
    meta = pod["metadata"]
    return meta.get("creationTimestamp", ""), meta["name"]


class PodGroups(JobKind):
    """Pods with a group."""

    framework: ClassVar = "pod"
    resource: ClassVar[Resource] = PODS
    is_builtin: ClassVar = True
    is_top_level: ClassVar = True

    def is_suspended(self, job: Object) -> bool:
        return any(is_ended(pod) or is_gated(pod) for pod in job["pods"])

    def suspended(self, job: Object) -> Object:
        return job

    def is_active(self, job: Object) -> bool:
        return any(phase(pod) == "Running" for pod in job["pods"])

    def is_skipped(self, job: Object) -> bool:
        return not all(is_managed(pod) for pod in job["pods"])

    def pod_sets(self, job: Object) -> list[Object]:
        """One per role, by name. Raises Incomplete."""
        pods = [pod for pod in job["pods"] if is_runnable_or_succeeded(pod)]
        if is_fast(job):
            if not pods:
                raise Incomplete("failed to find a runnable pod in the group")
            return [pod_set_of(pods[0], pod_role(pods[0]), total_count(pods[0]) or 1)]
        return sets_of(pods)

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        raise NotImplementedError("the pods of a group are started one by one")

    def starting(self, job: Object, infos: Sequence[PodSetInfo]) -> list[Step]:
        known = {info.name: info for info in infos}
        steps = []
        for pod in job["pods"]:
            if not is_gated(pod):
                continue
            role = pod_role(pod)
            if role not in known:
                text = f"podSetInfo with the name '{role}' is not found"
                raise Permanent(f"invalid podset infos: {text}")
            steps.append(Step(pod, let_go(pod, known[role]), is_told=True))
        return steps

    def restored(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        return job

    def stopping(self, job: Object, infos: Sequence[PodSetInfo], stop: Stop) -> list[Step]:
        steps = [step for pod in job["pods"] for step in ending(pod, stop)]
        if stop.reason == "WorkloadDeleted":
            steps += self.finalizing(job)
        return steps

    def finalizing(self, job: Object) -> list[Step]:
        return [step for pod in job["pods"] for step in releasing(pod)]

    def finished(self, job: Object) -> Outcome | None:
        total = total_count(job["pods"][0])
        if is_serving(job) or total is None:
            return None
        succeeded = sum(phase(pod) == "Succeeded" for pod in job["pods"])
        is_over = all(is_ended(pod) for pod in job["pods"])
        if succeeded != total and not (is_over and any(map(is_unretriable, job["pods"]))):
            return None
        return Outcome(True, f"Pods succeeded: {succeeded}/{total}.")

    def are_pods_ready(self, job: Object) -> bool:
        total = total_count(job["pods"][0]) or 0
        ready = [pod for pod in job["pods"] if is_ready(pod) or phase(pod) == "Succeeded"]
        return len(ready) >= max(total, 1) and len(ready) == len(job["pods"])

    def reclaimable(self, job: Object) -> Mapping[str, int] | None:
        found: dict[str, int] = {}
        if not is_serving(job):
            for pod in job["pods"]:
                if phase(pod) == "Succeeded":
                    role = pod_role(pod)
                    found[role] = found.get(role, 0) + 1
        return found


def is_fast(job: Object) -> bool:
    """Whether one pod is enough to know the group."""
    return names.POD_GROUP_FAST_ADMISSION in annotations_of(job["pods"][0])


def is_serving(job: Object) -> bool:
    """Whether the group never ends by itself."""
    return annotations_of(job["pods"][0]).get(names.POD_GROUP_SERVING) == "true"


def is_runnable_or_succeeded(pod: Object) -> bool:
    """Whether the pod runs, may still run, or has succeeded. One that is deleted before it got a node never runs."""
    if pod["metadata"].get("deletionTimestamp") and not pod["spec"].get("nodeName"):
        return False
    return phase(pod) != "Failed"


def sets_of(pods: Iterable[Object]) -> list[Object]:
    found: dict[str, Object] = {}
    for pod in pods:
        role = pod_role(pod)
        known = found.get(role)
        count = known["count"] + 1 if known is not None else 1
        found[role] = {**(known or pod_set_of(pod, role)), "count": count}
    return [found[role] for role in sorted(found)]


# Members.


@dataclass(slots=True)
class Members:
    """The pods of a group, sorted out against a Workload's pod sets."""

    kept: list[Object] = field(default_factory=list)
    excess: list[Object] = field(default_factory=list)
    replaced: list[Object] = field(default_factory=list)
    # Pods that the Workload counts on and nobody has made.
    absent: int = 0


def sort_out(
    pods: Sequence[Object], counts: Mapping[str, int], *, keeps_ended: bool = True
) -> Members:
    """Which pods stay for each role, by name. Pods of roles that the Workload does not know are in neither list.

    `keeps_ended`: a pod that ended keeps its place until another takes it. What serves is made anew under the same
    name, so its pods must go first.
    """
    members = Members()
    for role, count in counts.items():
        own = [pod for pod in pods if pod_role(pod) == role]
        if not keeps_ended:
            over = [pod for pod in own if is_ended(pod) or not is_runnable_or_succeeded(pod)]
            members.replaced += over
            own = [pod for pod in own if pod not in over]
        active = sorted(filter(is_runnable_or_succeeded, own), key=_staying_first)
        inactive = sorted(
            (pod for pod in own if not is_runnable_or_succeeded(pod)), key=_latest_first
        )
        members.absent += max(0, count - len(active))
        members.kept += active[:count]
        members.excess += active[count:]
        surplus = max(0, min(len(inactive), len(inactive) + len(active) - count))
        members.kept += inactive[: len(inactive) - surplus]
        members.replaced += inactive[len(inactive) - surplus :]
    return members


def _staying_first(pod: Object) -> tuple[bool, bool, str, str]:
    return (is_finalized(pod), is_gated(pod), *_age(pod))


def _latest_first(pod: Object) -> tuple[bool, tuple[int, ...], str]:
    ended = pod["metadata"].get("deletionTimestamp") or _failed_at(pod)
    # Later times come first; of equals the older pod.
    return is_finalized(pod), tuple(-ord(each) for each in ended), pod["metadata"]["name"]


def _failed_at(pod: Object) -> str:
    for each in (pod.get("status") or {}).get("conditions") or ():
        if each["type"] == "ContainersReady" and each["status"] == "False":
            found: str = each.get("lastTransitionTime") or ""
            return found
    return ""


def check_members(job: Object, active: Sequence[Object]) -> None:
    """Raises Incomplete where the pods of a group do not make one."""
    first = job["pods"][0]
    total, group = total_count(first), group_name(first)
    if total is None:
        raise Incomplete(f"failed to extract '{names.POD_GROUP_TOTAL_COUNT}' annotation")
    if not is_fast(job) and len(active) < total:
        raise Incomplete(f"'{group}' group has fewer runnable pods than expected")
    for pod in job["pods"]:
        if phase(pod) != "Failed":
            _check_alike(first, pod, "queue names", queue_name)
            _check_alike(
                first,
                pod,
                f"'{names.POD_GROUP_TOTAL_COUNT}' values",
                lambda one: str(total_count(one)),
            )


def _check_alike(first: Object, pod: Object, what: str, value: Callable[[Object], str]) -> None:
    ours, theirs = value(first), value(pod)
    if ours != theirs:
        one, other = first["metadata"]["name"], pod["metadata"]["name"]
        raise Incomplete(f"pods '{one}' and '{other}' has different {what}: {ours}!={theirs}")
