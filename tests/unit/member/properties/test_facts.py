"""What a cluster says of itself, from its nodes, pods and Workloads."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from argosy.api.objects import Node, ObjectMeta, Pod
from argosy.api.objects.metadata import Condition
from argosy.api.objects.nodes import NodeStatus
from argosy.api.objects.pods import Container, PodSpec, PodStatus, ResourceRequirements
from argosy.member.properties.counting import Counts
from argosy.member.properties.facts import collect
from argosy.member.properties.waiting import Line, WaitingSpec, WaitingStatus, WaitingWorkload

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SPACE = "kubernetes.azure.com/vm-sizes/undefined/count"


def node(
    name: str = "n", *, price: str = "", labels: dict[str, str] | None = None, **amounts: str
) -> Node:
    annotations = {"argosy.dev/price-per-hour": price} if price else {}
    given = {key.replace("_", "-"): value for key, value in amounts.items()}
    return Node(
        ObjectMeta(name=name, labels=labels or {}, annotations=annotations),
        status=NodeStatus(capacity=given, allocatable=given),
    )


def container(sidecar: bool = False, **requests: str) -> Container:
    policy = "Always" if sidecar else ""
    return Container(resources=ResourceRequirements(requests), restart_policy=policy)


def pod(name: str = "p", *, on: str = "n", phase: str = "Running", **spec: object) -> Pod:
    shape: dict[str, object] = {"containers": (container(cpu="1", memory="1Gi"),), **spec}
    return Pod(
        ObjectMeta(name=name, namespace="ns"),
        PodSpec(node_name=on, **shape),  # type: ignore[arg-type]
        PodStatus(phase=phase),
    )


@dataclass
class Case:
    nodes: list[Node]
    want: dict[str, str]
    pods: list[Pod] = field(default_factory=list)


USAGE = {
    "no nodes have no cores and no memory": Case([], {"cpu": "0", "memory": "0"}),
    "bytes are printed in powers of two, cores in thousandths": Case(
        [node(cpu="3920m", memory="33554432Ki", ephemeral_storage="100Gi")],
        {"cpu": "3920m", "ephemeral-storage": "100Gi", "memory": "32Gi"},
    ),
    "every resource counts, whoever invented it": Case(
        [
            node("a", cpu="4", memory="1Gi", **{"nvidia.com/gpu": "8", "hugepages-2Mi": "64Mi"}),
            node("b", cpu="4", memory="1Gi", **{"nvidia.com/gpu": "4", "example.com/x": "3k"}),
        ],
        {
            "cpu": "8",
            "example.com/x": "3k",
            "hugepages-2Mi": "64Mi",
            "memory": "2Gi",
            "nvidia.com/gpu": "12",
        },
    ),
    "bound pods take what they ask for, and a place": Case(
        [node(cpu="4", memory="4Gi", pods="10")],
        {"cpu": "2", "memory": "2Gi", "pods": "8"},
        [pod("a"), pod("b", phase="Pending")],
    ),
    "pods that have ended or are bound nowhere take nothing": Case(
        [node(cpu="4", memory="4Gi", pods="10")],
        {"cpu": "4", "memory": "4Gi", "pods": "10"},
        [pod("a", phase="Succeeded"), pod("b", phase="Failed"), pod("c", on="")],
    ),
    "a large init container counts instead of the containers": Case(
        [node(cpu="8", memory="8Gi")],
        {"cpu": "3", "memory": "7Gi"},
        [pod(init_containers=(container(cpu="5"),))],
    ),
    "sidecars and overhead come on top": Case(
        [node(cpu="8", memory="8Gi")],
        {"cpu": "6250m", "memory": "7Gi"},
        [pod(init_containers=(container(sidecar=True, cpu="500m"),), overhead={"cpu": "250m"})],
    ),
    "what is overcommitted is nothing left, not less than nothing": Case(
        [node(cpu="2", memory="4Gi", pods="1")],
        {"cpu": "0", "memory": "2Gi", "pods": "0"},
        [pod("a", containers=(container(cpu="3", memory="1Gi"),)), pod("b")],
    ),
    "a resource that pods ask for and no node has is not told of": Case(
        [node(cpu="2", memory="4Gi")],
        {"cpu": "2", "memory": "4Gi"},
        [pod(containers=(container(**{"nvidia.com/gpu": "1"}),))],
    ),
}


@pytest.mark.parametrize("case", USAGE.values(), ids=USAGE)
def test_available(case: Case) -> None:
    counts = Counts()
    for each in case.nodes:
        counts.put_node(each)
    for one in case.pods:
        counts.put_pod(one)
    assert collect(counts, None, NOW).usage.available == case.want


def test_capacity_and_allocatable_differ_where_the_node_keeps_something_back() -> None:
    counts = Counts()
    counts.put_node(
        Node(
            ObjectMeta(name="n"),
            status=NodeStatus(
                capacity={"cpu": "4", "memory": "8Gi"},
                allocatable={"cpu": "3800m", "memory": "7Gi"},
            ),
        )
    )
    usage = collect(counts, None, NOW).usage
    assert usage.capacity == {"cpu": "4", "memory": "8Gi"}
    assert usage.allocatable == {"cpu": "3800m", "memory": "7Gi"}
    assert usage.observation_time == NOW


COUNT = "kubernetes-fleet.io/node-count"
PROPERTIES = {
    "nobody is there": Case([], {COUNT: "0"}),
    "prices are those of a core and of a GiB": Case(
        [
            node("a", price="1.5", cpu="4", memory="16Gi"),
            node("b", price="0.5", cpu="4", memory="16Gi"),
        ],
        {
            COUNT: "2",
            "kubernetes.azure.com/per-cpu-core-cost": "0.250",
            "kubernetes.azure.com/per-gb-memory-cost": "0.062",
            SPACE: "2",
        },
    ),
    "nodes without a price do not make the others cheaper": Case(
        [node("a", price="2", cpu="4", memory="16Gi"), node("b", cpu="400", memory="16Gi")],
        {
            COUNT: "2",
            "kubernetes.azure.com/per-cpu-core-cost": "0.500",
            "kubernetes.azure.com/per-gb-memory-cost": "0.125",
            SPACE: "2",
        },
    ),
    "prices that are none are none": Case(
        [
            node("a", price="cheap", cpu="4", memory="16Gi"),
            node("b", price="-1", cpu="4", memory="16Gi"),
            node("c", price="1e900", cpu="4", memory="16Gi"),
        ],
        {COUNT: "3", SPACE: "3"},
    ),
    "a machine of one's own costs nothing": Case(
        [node(price="0", cpu="4", memory="16Gi")],
        {
            COUNT: "1",
            "kubernetes.azure.com/per-cpu-core-cost": "0.000",
            "kubernetes.azure.com/per-gb-memory-cost": "0.000",
            SPACE: "1",
        },
    ),
    "a priced node that says nothing of its size has no price per core": Case(
        [node(price="1")], {COUNT: "1", SPACE: "1"}
    ),
    "SKUs are counted by the new label and by the old": Case(
        [
            node("a", labels={"node.kubernetes.io/instance-type": "D4"}),
            node("b", labels={"beta.kubernetes.io/instance-type": "D4"}),
            node("c", labels={"node.kubernetes.io/instance-type": "NC24"}),
        ],
        {
            COUNT: "3",
            "kubernetes.azure.com/vm-sizes/D4/count": "2",
            "kubernetes.azure.com/vm-sizes/NC24/count": "1",
        },
    ),
    "the region is where most nodes are, of equals the first by name": Case(
        [
            node("a", labels={"topology.kubernetes.io/region": "west"}),
            node("b", labels={"topology.kubernetes.io/region": "east"}),
        ],
        {
            COUNT: "2",
            SPACE: "2",
            "argosy.dev/region": "east",
            "argosy.dev/regions/east/count": "1",
            "argosy.dev/regions/west/count": "1",
        },
    ),
    "zones are counted, and the nodes of each": Case(
        [
            node("a", labels={"topology.kubernetes.io/zone": "1"}),
            node("b", labels={"topology.kubernetes.io/zone": "2"}),
            node("c", labels={"topology.kubernetes.io/zone": "2"}),
        ],
        {
            COUNT: "3",
            SPACE: "3",
            "argosy.dev/zones": "2",
            "argosy.dev/zones/1/count": "1",
            "argosy.dev/zones/2/count": "2",
        },
    ),
}


@pytest.mark.parametrize("case", PROPERTIES.values(), ids=PROPERTIES)
def test_properties(case: Case) -> None:
    counts = Counts()
    for each in case.nodes:
        counts.put_node(each)
    got = collect(counts, None, NOW).properties
    assert {name: value.value for name, value in got.items()} == case.want
    assert {value.observation_time for value in got.values()} == {NOW}


def workload(
    name: str, made: int = 0, *conditions: Condition, active: bool = True
) -> WaitingWorkload:
    when = NOW + timedelta(seconds=made)
    return WaitingWorkload(
        ObjectMeta(name=name, namespace="ns", creation_timestamp=when),
        WaitingSpec(active),
        WaitingStatus(conditions),
    )


def reserved(status: str, at: int = 0) -> Condition:
    return Condition("QuotaReserved", status, last_transition_time=NOW + timedelta(seconds=at))


LINES: dict[str, tuple[list[WaitingWorkload], tuple[str, str]]] = {
    "nobody waits": ([], ("0", "0")),
    "the longest wait counts": ([workload("a", 10), workload("b", 40)], ("2", "90")),
    "who has quota waits no more": (
        [workload("a", 10), workload("b", 40), workload("a", 10, reserved("True"))],
        ("1", "60"),
    ),
    "who lost its quota has waited since": ([workload("a", 0, reserved("False", 70))], ("1", "30")),
    "who has finished or was deactivated does not wait": (
        [workload("a", 0, Condition("Finished", "True")), workload("b", active=False)],
        ("0", "0"),
    ),
    "a clock that is ahead makes no negative wait": ([workload("a", 500)], ("1", "0")),
}


@pytest.mark.parametrize("case", LINES.values(), ids=LINES)
def test_queue_facts(case: tuple[list[WaitingWorkload], tuple[str, str]]) -> None:
    workloads, want = case
    line = Line()
    for each in workloads:
        line.put(each)
    got = collect(Counts(), line, NOW + timedelta(seconds=100)).properties
    pending, wait = got["argosy.dev/pending-workloads"], got["argosy.dev/queue-wait-seconds"]
    assert (pending.value, wait.value) == want


def test_a_workload_that_was_deleted_waits_no_more() -> None:
    line = Line()
    line.put(workload("a"))
    line.drop(("ns", "a"))
    line.drop(("ns", "a"))
    assert (len(line), line.longest_seconds(NOW)) == (0, 0)
