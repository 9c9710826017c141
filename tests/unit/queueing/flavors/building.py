"""Small clusters for tests of flavor assignment: quotas as numbers, pods by what they ask for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from argosy.api.objects.kueue.quotas import (
    ClusterQueuePreemption,
    FlavorFungibility,
    ResourceFlavor,
)
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.metadata import View, decoder
from argosy.base.selectors.labels import nothing
from argosy.queueing.cache.clusterqueues import CachedQueue, Group
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.flavors.assignments import Possibility
from argosy.queueing.quotas.amounts import FlavorResource, amount
from argosy.queueing.quotas.forest import Forest
from argosy.queueing.quotas.nodes import Quota
from argosy.queueing.workloads.infos import Info, LastAssignment
from argosy.queueing.workloads.making import Infos

V = TypeVar("V", bound=View)
# Nominal quota, and a borrowing limit where one is given, by flavor and resource.
Quotas = Mapping[str, Mapping[str, str | tuple[str, str]]]


def view(kind: type[V], raw: Mapping[str, Any]) -> V:
    return decoder(kind)(json.dumps(raw).encode())


def flavor(name: str, **spec: Any) -> ResourceFlavor:
    return view(ResourceFlavor, {"metadata": {"name": name}, "spec": spec})


def pod_set(
    name: str = "main",
    count: int = 1,
    *,
    topology: Mapping[str, Any] | None = None,
    min_count: int | None = None,
    spec: Mapping[str, Any] | None = None,
    **requests: str,
) -> dict[str, Any]:
    """A pod set whose pods each request this; `gpu` stands for a resource of a vendor."""
    named = {_resource(name): value for name, value in requests.items()}
    containers = [{"name": "c", "resources": {"requests": named}}]
    made: dict[str, Any] = {
        "name": name,
        "count": count,
        "template": {"spec": {"containers": containers, **(spec or {})}},
    }
    if topology is not None:
        made["topologyRequest"] = topology
    if min_count is not None:
        made["minCount"] = min_count
    return made


def info(
    *pod_sets: dict[str, Any],
    last: LastAssignment | None = None,
    annotations: Mapping[str, str] | None = None,
    variants: bool = False,
) -> Info:
    metadata = {"name": "wl", "namespace": "ns", "annotations": annotations or {}}
    workload = view(Workload, {"metadata": metadata, "spec": {"podSets": pod_sets}})
    made = Infos(variants=variants).make(workload, "cq")
    made.last_assignment = last
    return made


def _resource(name: str) -> str:
    return "example.com/gpu" if name == "gpu" else name


@dataclass
class Oracle:
    """Answers by flavor (and resource, as `flavor/resource`); `Preempt` without borrowing else. Keeps what it was asked."""

    answers: Mapping[str, tuple[Possibility, int]] = field(default_factory=dict)
    asked: list[tuple[FlavorResource, int]] = field(default_factory=list)

    def simulate(
        self, queue: CachedQueue, info: Info, flavor_resource: FlavorResource, value: int
    ) -> tuple[Possibility, int]:
        self.asked.append((flavor_resource, value))
        name, resource = flavor_resource
        default = self.answers.get(name, (Possibility.PREEMPT, 0))
        return self.answers.get(f"{name}/{resource}", default)


def quotas(given: Quotas) -> dict[FlavorResource, Quota]:
    made = {}
    for name, resources in given.items():
        for short, value in resources.items():
            resource = _resource(short)
            nominal, limit = (value, None) if isinstance(value, str) else value
            made[FlavorResource(name, resource)] = Quota(
                amount(resource, nominal), None if limit is None else amount(resource, limit)
            )
    return made


def cluster(
    *groups: Quotas,
    used: Mapping[str, Mapping[str, str]] | None = None,
    others: Quotas | None = None,
    others_use: Mapping[str, Mapping[str, str]] | None = None,
    flavors: Sequence[ResourceFlavor] = (),
    fungibility: FlavorFungibility | None = None,
    preemption: ClusterQueuePreemption | None = None,
) -> Snapshot:
    """A ClusterQueue `cq` with these resource groups. Where `others` have quotas, both share a cohort."""
    forest = Forest()
    own = {where: quota for group in groups for where, quota in quotas(group).items()}
    forest.put_cluster_queue("cq", own, cohort="cohort" if others else "")
    if others:
        forest.put_cluster_queue("others", quotas(others), cohort="cohort")
        forest.add("others", {w: q.nominal for w, q in quotas(others_use or {}).items()})
    forest.add("cq", {where: quota.nominal for where, quota in quotas(used or {}).items()})
    node = forest.cluster_queue("cq")
    assert node is not None
    queue = CachedQueue(
        "cq",
        tuple(
            Group(
                frozenset(_resource(r) for resources in group.values() for r in resources),
                tuple(group),
            )
            for group in groups
        ),
        preemption or ClusterQueuePreemption(),
        fungibility or FlavorFungibility(),
        nothing(),
        "BestEffortFIFO",
        node,
    )
    known = {name: flavor(name) for group in groups for name in group}
    known |= {one.metadata.name: one for one in flavors}
    return Snapshot({"cq": queue}, known)
