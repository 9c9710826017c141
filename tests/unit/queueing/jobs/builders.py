"""Jobs of every kind, Workloads, and what surrounds them, for tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from argosy.api.objects.kueue.quotas import ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Json, Object
from argosy.queueing.jobs.ancestry import Parent
from argosy.queueing.jobs.integrations.batchjobs import BatchJobs
from argosy.queueing.jobs.integrations.jobsets import JobSets
from argosy.queueing.jobs.integrations.rayjobs import RayJobs, RayServices
from argosy.queueing.jobs.integrations.rays import RayClusters
from argosy.queueing.jobs.integrations.replicas import REPLICA_JOBS
from argosy.queueing.jobs.kinds import JobKind
from argosy.queueing.jobs.making import Priorities, make_workload
from argosy.queueing.jobs.surroundings import Rules
from argosy.queueing.workloads.priorities import PriorityClass

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
QUEUE = "kueue.x-k8s.io/queue-name"
TRAINING = {each.resource.kind: each for each in REPLICA_JOBS}
FLAVOR = msgspec.convert(
    {
        "metadata": {"name": "spot"},
        "spec": {
            "nodeLabels": {"tier": "spot"},
            "tolerations": [{"key": "spot", "operator": "Exists", "effect": "NoSchedule"}],
        },
    },
    ResourceFlavor,
)


def template(cpu: str = "1", **more: Json) -> Object:
    container = {"name": "main", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    meta = more.pop("metadata", None)
    return {**({"metadata": meta} if meta else {}), "spec": {"containers": [container], **more}}


def job(
    spec: Object | None = None,
    *,
    status: Object | None = None,
    labels: dict[str, str] | None = None,
    **meta: Json,
) -> Object:
    """Any job; a batch Job unless its spec says otherwise."""
    return {
        "metadata": {
            "name": "j",
            "namespace": "ns",
            "uid": "uid-j",
            "resourceVersion": "1",
            "labels": {QUEUE: "lq"} if labels is None else labels,
            **meta,
        },
        "spec": {"suspend": True, "parallelism": 2, "template": template()}
        if spec is None
        else spec,
        **({"status": status} if status else {}),
    }


def replicated(name: str, replicas: int, pods: Object, **spec: Json) -> Object:
    return {"name": name, "replicas": replicas, "template": {"spec": {"template": pods, **spec}}}


def ray(**more: Json) -> Object:
    return {
        "headGroupSpec": {"template": template("2")},
        "workerGroupSpecs": [
            {"groupName": "Big", "replicas": 2, "numOfHosts": 2, "template": template("4")}
        ],
        **more,
    }


def every_kind(pods: Object) -> dict[str, tuple[JobKind, Object]]:
    """A job of each kind that can be suspended, all of whose pods are made from `pods`."""
    roles = {"Master": {"template": pods}, "Worker": {"replicas": 3, "template": pods}}
    cluster = {
        "headGroupSpec": {"template": pods},
        "workerGroupSpecs": [{"groupName": "w", "replicas": 2, "template": pods}],
    }
    return {
        "Job": (BatchJobs(), job({"suspend": True, "parallelism": 3, "template": pods})),
        "JobSet": (
            JobSets(),
            job(
                {
                    "suspend": True,
                    "replicatedJobs": [replicated("a", 1, pods), replicated("b", 2, pods)],
                }
            ),
        ),
        "RayCluster": (RayClusters(), job({"suspend": True, **cluster})),
        "RayJob": (
            RayJobs(),
            job({"suspend": True, "rayClusterSpec": cluster, "submitterPodTemplate": pods}),
        ),
        "RayService": (RayServices(), job({"rayClusterConfig": {"suspend": True, **cluster}})),
        "PyTorchJob": (
            TRAINING["PyTorchJob"],
            job({"runPolicy": {"suspend": True}, "pytorchReplicaSpecs": roles}),
        ),
        "MPIJob": (
            TRAINING["MPIJob"],
            job(
                {
                    "runPolicy": {"suspend": True},
                    "mpiReplicaSpecs": {
                        "Launcher": {"template": pods},
                        "Worker": {"template": pods},
                    },
                }
            ),
        ),
    }


NO_PRIORITIES = Priorities({}, {})


def workload_of(
    kind: JobKind,
    owner: Object,
    *,
    admitted: bool = False,
    conditions: list[Object] | None = None,
    **status: Json,
) -> Workload:
    """The Workload that is made of a job, as the server would have it."""
    body = make_workload(kind, owner, NO_PRIORITIES)
    body["metadata"] |= {"uid": "uid-w", "resourceVersion": "7", "generation": 1}
    found = list(conditions or ())
    if admitted:
        found += [condition("QuotaReserved"), condition("Admitted")]
        status["admission"] = {
            "clusterQueue": "cq",
            "podSetAssignments": [
                {
                    "name": each["name"],
                    "flavors": {"cpu": "spot"},
                    "count": each["count"],
                }
                for each in body["spec"]["podSets"]
            ],
        }
    body["status"] = {"conditions": found, **status}
    return msgspec.convert(body, Workload)


def condition(
    type_: str, status: str = "True", reason: str = "", message: str = "", when: datetime = NOW
) -> Object:
    return {
        "type": type_,
        "status": status,
        "reason": reason or type_,
        "message": message,
        "lastTransitionTime": when.isoformat(),
    }


@dataclass
class Around:
    """A picture of a cluster with one namespace and one flavor; implements `Surroundings`."""

    rules: Rules = field(default_factory=lambda: Rules(waits_for_pods_ready=False))
    priorities: Priorities = NO_PRIORITIES
    now: datetime = NOW
    flavors: dict[str, ResourceFlavor] = field(default_factory=lambda: {"spot": FLAVOR})
    owners: dict[str, Object] = field(default_factory=dict)
    named: dict[str, Workload] = field(default_factory=dict)
    owned: dict[str, list[Workload]] = field(default_factory=dict)
    namespaces: frozenset[str] = frozenset({"ns"})

    def is_managed_namespace(self, name: str) -> bool:
        return name in self.namespaces

    def parent(self, reference: Object, namespace: str) -> Parent | None:
        found = self.owners.get(reference["name"])
        return Parent(found, True) if found is not None else None

    def workload(self, namespace: str, name: str) -> Workload | None:
        return self.named.get(name)

    def workloads_of(self, job: Object) -> list[Workload]:
        return self.owned.get(job["metadata"]["uid"], [])

    def flavor(self, name: str) -> ResourceFlavor | None:
        return self.flavors.get(name)


def pod_class(name: str, value: int, *, is_default: bool = False) -> PriorityClass:
    return msgspec.convert(
        {"metadata": {"name": name}, "value": value, "globalDefault": is_default}, PriorityClass
    )
