"""Kueue's definitions, written out as `argosy crds` prints them, on any server: what they fill in and what they refuse.

The sentences were taken from a real kube-apiserver, which these tests run against too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from argosy.api.crds.expanding import expanded
from argosy.base.errors import Invalid, NotFound
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.protocol import Client
from argosy.client.resources import (
    CLUSTER_QUEUES,
    CUSTOM_RESOURCE_DEFINITIONS,
    LOCAL_QUEUES,
    MULTI_KUEUE_CLUSTERS,
    MULTI_KUEUE_CONFIGS,
    RESOURCE_FLAVORS,
    TOPOLOGIES,
    WORKLOADS,
    Resource,
)
from argosy.queueing.definitions import definitions
from tests.behaviour.clients.conftest import Place
from tests.behaviour.clients.waiting import eventually


async def install(client: Client) -> None:
    """The definitions, if they are not there yet; a real server needs a moment to serve them."""
    for crd in definitions():
        name = crd["metadata"]["name"]
        await client.apply(CUSTOM_RESOURCE_DEFINITIONS, name, expanded(crd), field_manager="m")

    async def served() -> None:
        for resource in (CLUSTER_QUEUES, TOPOLOGIES, WORKLOADS, MULTI_KUEUE_CLUSTERS):
            await client.list(resource, namespace="default" if resource.namespaced else None)

    await eventually(served, NotFound)


async def create(place: Place, resource: Resource, spec: Object, name: str = "") -> Object:
    body = {"metadata": {"name": name or f"{place.namespace}-x"}, "spec": spec}
    where = place.namespace if resource.namespaced else None
    return decode(await place.client.create(resource, body, namespace=where))


def quota(resources: tuple[str, ...] = ("cpu",), **limits: Any) -> list[Object]:
    amounts = {"name": "cpu", "nominalQuota": 1, **limits}
    return [
        {"coveredResources": list(resources), "flavors": [{"name": "f", "resources": [amounts]}]}
    ]


POD_SET = {"template": {"spec": {"containers": [{"name": "c", "ports": [{"containerPort": 1}]}]}}}


async def test_what_is_filled_in(place: Place) -> None:
    await install(place.client)
    queue = await create(place, CLUSTER_QUEUES, {"resourceGroups": quota()})
    assert queue["spec"] == {
        "resourceGroups": quota(),
        "flavorFungibility": {"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "TryNextFlavor"},
        "preemption": {
            "borrowWithinCohort": {"policy": "Never"},
            "reclaimWithinCohort": "Never",
            "withinClusterQueue": "Never",
        },
        "queueingStrategy": "BestEffortFIFO",
        "stopPolicy": "None",
    }
    workload = await create(place, WORKLOADS, {"podSets": [POD_SET]})
    (pod_set,) = workload["spec"]["podSets"]
    assert (workload["spec"]["active"], pod_set["name"], pod_set["count"]) == (True, "main", 1)
    (port,) = pod_set["template"]["spec"]["containers"][0]["ports"]
    assert port["protocol"] == "TCP"


@dataclass(slots=True, frozen=True)
class Refused:
    resource: Resource
    spec: Object
    want: str


REFUSED = {
    "limits without a cohort, and a resource without quota": Refused(
        CLUSTER_QUEUES,
        {"resourceGroups": quota(("cpu", "memory"), borrowingLimit=1)},
        "[spec: Invalid value: borrowingLimit must be nil when cohort is empty, spec.resourceGroups[0]: Invalid value: "
        "flavors must have the same number of resources as the coveredResources]",
    ),
    "a preference that cannot be": Refused(
        CLUSTER_QUEUES,
        {"flavorFungibility": {"preference": "BorrowingOverPreemption"}},
        "spec.flavorFungibility: Invalid value: preference can only be set when both whenCanBorrow and "
        "whenCanPreempt are TryNextFlavor",
    ),
    "preempting to borrow without reclaiming": Refused(
        CLUSTER_QUEUES,
        {"preemption": {"borrowWithinCohort": {"policy": "LowerPriority"}}},
        "spec.preemption: Invalid value: reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never",
    ),
    "a topology of no nodes": Refused(
        RESOURCE_FLAVORS,
        {"topologyName": "t", "nodeLabels": {}},
        "spec: Invalid value: at least one nodeLabel is required when topology is set",
    ),
    "a toleration of everything that compares": Refused(
        RESOURCE_FLAVORS,
        {"tolerations": [{"operator": "Equal", "value": "x"}]},
        "spec.tolerations: Invalid value: operator must be Exists when 'key' is empty, which means 'match all values "
        "and all keys'",
    ),
    "hosts that hold racks": Refused(
        TOPOLOGIES,
        {"levels": [{"nodeLabel": "kubernetes.io/hostname"}, {"nodeLabel": "rack"}]},
        "spec.levels: Invalid value: the kubernetes.io/hostname label can only be used at the lowest level of topology",
    ),
    "a level twice": Refused(
        TOPOLOGIES,
        {"levels": [{"nodeLabel": "rack"}, {"nodeLabel": "rack"}]},
        "spec.levels: Invalid value: must be unique",
    ),
    "a cluster twice": Refused(
        MULTI_KUEUE_CONFIGS,
        {"clusters": ["a", "a"]},
        "spec.clusters: Invalid value: must be unique",
    ),
    "a cluster without a way to it": Refused(
        MULTI_KUEUE_CLUSTERS,
        {"clusterSource": {}},
        "spec.clusterSource: Invalid value: exactly one of the fields in [kubeConfig clusterProfileRef] must be set",
    ),
    "a class of the wrong kind, and no priority": Refused(
        WORKLOADS,
        {
            "podSets": [POD_SET],
            "priorityClassRef": {"group": "kueue.x-k8s.io", "kind": "PriorityClass", "name": "x"},
        },
        "[spec: Invalid value: priority should not be nil when priorityClassRef is set, spec.priorityClassRef: Invalid "
        "value: only the WorkloadPriorityClass kind is allowed for the kueue.x-k8s.io group]",
    ),
    "a least count above the count": Refused(
        WORKLOADS,
        {"podSets": [{**POD_SET, "minCount": 2}]},
        "spec.podSets[0]: Invalid value: minCount should be positive and less or equal to count",
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
async def test_what_is_refused(place: Place, case: Refused) -> None:
    await install(place.client)
    name = f"{place.namespace}-r"
    with pytest.raises(Invalid) as got:
        await create(place, case.resource, case.spec, name)
    kind = f"{case.resource.kind}.{case.resource.group}"
    assert got.value.message == f'{kind} "{name}" is invalid: {case.want}'


@pytest.mark.parametrize(
    ("resource", "spec", "change", "want"),
    [
        (
            LOCAL_QUEUES,
            {"clusterQueue": "a"},
            {"clusterQueue": "b"},
            'spec.clusterQueue: Invalid value: "b": field is immutable',
        ),
        (
            RESOURCE_FLAVORS,
            {"topologyName": "a", "nodeLabels": {"x": "y"}},
            {"topologyName": "b"},
            "spec: Invalid value: topologyName is immutable when topologyName is set",
        ),
        (
            TOPOLOGIES,
            {"levels": [{"nodeLabel": "rack"}]},
            {"levels": [{"nodeLabel": "row"}]},
            (
                "spec.levels: Invalid value: levels are mutable only when kubernetes.io/hostname is the lowest level both "
                "before and after the change"
            ),
        ),
    ],
    ids=["the queue behind a queue", "a flavor's topology", "levels above hosts"],
)
async def test_what_may_not_change(
    place: Place, resource: Resource, spec: Object, change: Object, want: str
) -> None:
    await install(place.client)
    name = f"{place.namespace}-c"
    await create(place, resource, spec, name)
    where = place.namespace if resource.namespaced else None
    with pytest.raises(Invalid) as got:
        await place.client.patch(resource, name, {"spec": change}, namespace=where)
    assert got.value.message.partition(" is invalid: ")[2] == want
