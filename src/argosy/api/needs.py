"""What an object will ask of the cluster it is placed on: the pods it will have at once, and their requests.

Pure: a manifest in, amounts out. Only what is plain from the manifest counts; an object that makes no pods, or in a way
nobody here knows, needs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from argosy.api.podresources import Amounts, add, requests
from argosy.base.quantities import ParseError, Quantity
from argosy.base.types import Object

# Pods of one shape, and how many of them.
_Pods = Iterator[tuple[Object, int]]


def runs(group: str, kind: str) -> bool:
    """Whether objects of the kind are known to make pods."""
    return (group, kind) in _KINDS


def pods(manifest: Object) -> int:
    """How many pods it has at once."""
    return sum(count for _, count in _pods(manifest))


def needs(manifest: Object) -> Amounts:
    """The sum of the requests of all its pods; nothing where a quantity cannot be read, which the member will say."""
    total: Amounts = {}
    try:
        for template, count in _pods(manifest):
            each = requests(template.get("spec") or {})
            add(total, {name: times(amount, count) for name, amount in each.items()})
    except ParseError:
        return {}
    return total


def _pods(manifest: Object) -> _Pods:
    known = _KINDS.get((_group(manifest), manifest.get("kind", "")))
    return known(manifest.get("spec") or {}) if known is not None else iter(())


def times(amount: Quantity, count: int) -> Quantity:
    return Quantity(amount.nanos * count, amount.format)


def _group(manifest: Object) -> str:
    return str(manifest.get("apiVersion", "")).rpartition("/")[0]


def _pod(spec: Object) -> _Pods:
    yield {"spec": spec}, 1


def _job(spec: Object) -> _Pods:
    """As many as run at once: no more than are wanted in all."""
    parallel = _number(spec.get("parallelism"))
    wanted = spec.get("completions")
    yield spec.get("template") or {}, parallel if wanted is None else min(parallel, wanted)


def _replicas(spec: Object) -> _Pods:
    yield spec.get("template") or {}, _number(spec.get("replicas"))


def _job_set(spec: Object) -> _Pods:
    for replicated in spec.get("replicatedJobs") or ():
        for template, count in _job((replicated.get("template") or {}).get("spec") or {}):
            yield template, count * _number(replicated.get("replicas"))


def _ray_cluster(spec: Object) -> _Pods:
    yield (spec.get("headGroupSpec") or {}).get("template") or {}, 1
    for group in spec.get("workerGroupSpecs") or ():
        hosts = _number(group.get("numOfHosts"))
        yield group.get("template") or {}, _number(group.get("replicas")) * hosts


def _ray_job(spec: Object) -> _Pods:
    yield from _ray_cluster(spec.get("rayClusterSpec") or {})


def _ray_service(spec: Object) -> _Pods:
    yield from _ray_cluster(spec.get("rayClusterConfig") or {})


def _kubeflow(spec: Object) -> _Pods:
    """`pytorchReplicaSpecs`, `tfReplicaSpecs` and their like: roles, each with a template."""
    for name, roles in spec.items():
        if name.lower().endswith("replicaspecs") and isinstance(roles, dict):
            for role in roles.values():
                yield (role or {}).get("template") or {}, _number((role or {}).get("replicas"))


def _number(given: int | None) -> int:
    return 1 if given is None else given


_KINDS: Final[Mapping[tuple[str, str], Callable[[Object], _Pods]]] = {
    ("", "Pod"): _pod,
    ("", "ReplicationController"): _replicas,
    ("apps", "Deployment"): _replicas,
    ("apps", "ReplicaSet"): _replicas,
    ("apps", "StatefulSet"): _replicas,
    ("batch", "Job"): _job,
    ("jobset.x-k8s.io", "JobSet"): _job_set,
    ("ray.io", "RayCluster"): _ray_cluster,
    ("ray.io", "RayJob"): _ray_job,
    ("ray.io", "RayService"): _ray_service,
    **{
        ("kubeflow.org", kind): _kubeflow
        for kind in ("PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob", "MPIJob")
    },
}
