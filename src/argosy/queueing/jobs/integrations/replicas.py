"""Jobs that list their pods by role: the Kubeflow jobs (kubeflow.org/v1) and MPIJob (kubeflow.org/v2beta1).

They differ in names only. Each role is a pod set, in the order in which upstream lists roles; suspension and priority
are in the run policy, where `schedulingPolicy.priorityClass` wins over the templates'.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from argosy.base.fielderrors import FieldError
from argosy.base.types import Object
from argosy.client.resources import Resource
from argosy.queueing.jobs import names
from argosy.queueing.jobs.kinds import JobKind, Outcome
from argosy.queueing.jobs.podsets import Permanent, PodSetInfo, merged, restored
from argosy.queueing.jobs.topologies import topology_request, validate_topology, with_topology

_REPLICA_INDEX: Final = "training.kubeflow.org/replica-index"
_MASTER_WORKER: Final = ("Master", "Worker")


class ReplicaJobs(JobKind):
    """One kind, told by where its roles stand and which it has."""

    # The table below fills these in; a kind of this family has no class of its own.
    framework: str  # type: ignore[misc]  # of the object, not of the class
    resource: Resource  # type: ignore[misc]  # as above

    def __init__(
        self, kind: str, field: str, roles: Sequence[str], version: str = "v1", manager: str = ""
    ) -> None:
        self.resource = Resource("kubeflow.org", version, f"{kind.lower()}s", kind)
        self.framework = f"kubeflow.org/{kind.lower()}"
        self._field = field
        self._roles = tuple(roles)
        self._manager = manager

    def is_suspended(self, job: Object) -> bool:
        return bool(_policy(job).get("suspend"))

    def suspended(self, job: Object) -> Object:
        return _with_policy(job, suspend=True)

    def is_active(self, job: Object) -> bool:
        statuses = (job.get("status") or {}).get("replicaStatuses") or {}
        return any(each.get("active") for each in statuses.values())

    def pod_sets(self, job: Object) -> list[Object]:
        found = []
        for role, replica in self._replicas(job):
            template = replica["template"]
            pod_set = {"name": role.lower(), "count": _count(replica), "template": template}
            request = topology_request(template, pod_index_label=_REPLICA_INDEX)
            found.append(with_topology(pod_set, request))
        return found

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        replicas = self._replicas(job)
        if len(infos) != len(replicas):
            want = len(replicas)
            raise Permanent(f"invalid podset infos: expecting {want} podset, got {len(infos)}")
        changed = {
            role: {**replica, "template": merged(replica["template"], info)}
            for (role, replica), info in zip(replicas, infos, strict=True)
        }
        return self._with(_with_policy(job, suspend=False), changed)

    def restored(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        known = {info.name: info for info in infos}
        changed = {
            role: {**replica, "template": restored(replica["template"], known[role.lower()])}
            for role, replica in self._replicas(job)
            if role.lower() in known
        }
        return self._with(job, changed)

    def finished(self, job: Object) -> Outcome | None:
        for condition in (job.get("status") or {}).get("conditions") or ():
            if condition["type"] in {"Succeeded", "Failed"} and condition["status"] == "True":
                return Outcome(condition["type"] == "Succeeded", condition.get("message", ""))
        return None

    def are_pods_ready(self, job: Object) -> bool:
        return any(
            condition["type"] == "Running" and condition["status"] == "True"
            for condition in (job.get("status") or {}).get("conditions") or ()
        )

    def priority_class(self, job: Object) -> str:
        policy = _policy(job).get("schedulingPolicy") or {}
        found: str = policy.get("priorityClass", "")
        return found

    def dispatched(self, job: Object) -> Object:
        if _policy(job).get("managedBy") not in {None, self._manager}:
            return job
        return _with_policy(job, managedBy=names.MULTI_KUEUE_CONTROLLER)

    def validate(self, job: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        for role, replica in self._replicas(job):
            path = f"spec.{self._field}[{role}].template.metadata"
            errors += validate_topology(replica["template"], path, _count(replica))
        return errors

    def _replicas(self, job: Object) -> list[tuple[str, Object]]:
        found = job["spec"].get(self._field) or {}
        return [(role, found[role]) for role in self._roles if role in found]

    def _with(self, job: Object, changed: dict[str, Object]) -> Object:
        replicas = {**(job["spec"].get(self._field) or {}), **changed}
        return {**job, "spec": {**job["spec"], self._field: replicas}}


def _policy(job: Object) -> Object:
    found: Object = job["spec"].get("runPolicy") or {}
    return found


def _with_policy(job: Object, **changes: object) -> Object:
    return {**job, "spec": {**job["spec"], "runPolicy": {**_policy(job), **changes}}}


def _count(replica: Object) -> int:
    return int(replica.get("replicas", 1))


_TRAINING: Final = "kubeflow.org/training-operator"
REPLICA_JOBS: Final = (
    ReplicaJobs("JAXJob", "jaxReplicaSpecs", ("Worker",), manager=_TRAINING),
    ReplicaJobs("PaddleJob", "paddleReplicaSpecs", _MASTER_WORKER, manager=_TRAINING),
    ReplicaJobs("PyTorchJob", "pytorchReplicaSpecs", _MASTER_WORKER, manager=_TRAINING),
    ReplicaJobs(
        "TFJob",
        "tfReplicaSpecs",
        ("Chief", "Master", "PS", "Worker", "Evaluator"),
        manager=_TRAINING,
    ),
    ReplicaJobs("XGBoostJob", "xgbReplicaSpecs", _MASTER_WORKER, manager=_TRAINING),
    ReplicaJobs(
        "MPIJob", "mpiReplicaSpecs", ("Launcher", "Worker"), "v2beta1", "kubeflow.org/mpi-operator"
    ),
)
