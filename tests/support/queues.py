"""Small objects of Kueue's kinds for tests of the heart: quotas as numbers, workloads by what they ask for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias, TypeVar

from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.metadata import View, decoder

V = TypeVar("V", bound=View)
GPU = "acme.com/gpu"
NAMESPACE = "ns"


class Quota(NamedTuple):
    """What is given of a flavor's resource. No limit is not a limit of zero."""

    nominal: int
    borrowing: int | None = None
    lending: int | None = None


# By flavor and resource; a number is a nominal quota without limits.
Quotas: TypeAlias = Mapping[str, Mapping[str, Quota | int]]


def view(kind: type[V], raw: Mapping[str, Any]) -> V:
    """A plain object as a typed view."""
    return decoder(kind)(json.dumps(raw).encode())


def flavor(name: str, labels: Mapping[str, str] | None = None) -> ResourceFlavor:
    """A flavor, of the nodes with these labels."""
    spec = {"nodeLabels": dict(labels or {})}
    return view(ResourceFlavor, {"metadata": {"name": name}, "spec": spec})


def cohort(
    name: str, quotas: Quotas | None = None, *, parent: str = "", weight: float | None = None
) -> Cohort:
    spec: dict[str, Any] = {"parentName": parent, "resourceGroups": _groups(quotas or {})}
    return view(Cohort, {"metadata": {"name": name}, "spec": spec | _sharing(weight)})


def cluster_queue(
    name: str,
    quotas: Quotas,
    *,
    cohort: str = "",
    weight: float | None = None,
    within: str = "Never",
    reclaim: str = "Never",
    borrow: str = "Never",
    threshold: int | None = None,
    **spec: Any,
) -> ClusterQueue:
    """A ClusterQueue with one resource group, for all namespaces; the policies are those of its preemption."""
    preemption: dict[str, Any] = {"withinClusterQueue": within, "reclaimWithinCohort": reclaim}
    if borrow != "Never":
        preemption["borrowWithinCohort"] = {"policy": borrow, "maxPriorityThreshold": threshold}
    made = {
        "cohortName": cohort,
        "resourceGroups": _groups(quotas),
        "namespaceSelector": {},
        "preemption": preemption,
    }
    return view(ClusterQueue, {"metadata": {"name": name}, "spec": made | _sharing(weight) | spec})


def local_queue(name: str, cluster_queue: str = "", *, stop: str = "None") -> LocalQueue:
    """A LocalQueue of the ClusterQueue that is named like it, unless told."""
    spec = {"clusterQueue": cluster_queue or name, "stopPolicy": stop}
    return view(LocalQueue, {"metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec})


def workload(
    name: str,
    queue: str,
    requests: Mapping[str, int],
    *,
    created: float = 0.0,
    priority: int = 0,
    count: int = 1,
    min_count: int | None = None,
    selector: Mapping[str, str] | None = None,
) -> Workload:
    """A workload of `count` pods that each ask for this much, on nodes that match the selector."""
    asked = {resource: str(value) for resource, value in requests.items()}
    pod_set: dict[str, Any] = {
        "name": "main",
        "count": count,
        "template": {
            "spec": {
                "containers": [{"name": "c", "resources": {"requests": asked}}],
                "nodeSelector": dict(selector or {}),
            }
        },
    }
    if min_count is not None:
        pod_set["minCount"] = min_count
    metadata = {
        "name": name,
        "namespace": NAMESPACE,
        "uid": f"uid-{name}",
        "generation": 1,
        "creationTimestamp": datetime.fromtimestamp(created, UTC).isoformat(),
    }
    spec = {"queueName": queue, "priority": priority, "podSets": [pod_set]}
    return view(Workload, {"metadata": metadata, "spec": spec})


def key_of(workload: Workload) -> str:
    return f"{workload.metadata.namespace}/{workload.metadata.name}"


def _sharing(weight: float | None) -> dict[str, Any]:
    return {} if weight is None else {"fairSharing": {"weight": weight}}


def _groups(quotas: Quotas) -> list[dict[str, Any]]:
    if not quotas:
        return []
    resources = sorted({resource for flavor in quotas.values() for resource in flavor})
    flavors = [
        {"name": name, "resources": [_quota(resource, given[resource]) for resource in resources]}
        for name, given in quotas.items()
    ]
    return [{"coveredResources": resources, "flavors": flavors}]


def _quota(resource: str, given: Quota | int) -> dict[str, Any]:
    quota = given if isinstance(given, Quota) else Quota(given)
    made: dict[str, Any] = {"name": resource, "nominalQuota": str(quota.nominal)}
    if quota.borrowing is not None:
        made["borrowingLimit"] = str(quota.borrowing)
    if quota.lending is not None:
        made["lendingLimit"] = str(quota.lending)
    return made
