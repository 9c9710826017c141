"""The books of nodes and of unschedulable pods, kept by deltas."""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.nodefit import PodClasses
from argosy.api.objects import (
    Condition,
    Node,
    NodeStatus,
    ObjectMeta,
    OwnerReference,
    Pod,
    PodSpec,
    PodStatus,
    Taint,
)
from argosy.api.objects.pods import Container, ResourceRequirements
from argosy.base.types import Object
from argosy.capacity.demands import Demands
from argosy.capacity.occupancy import LEAVING, Occupancy
from argosy.capacity.snapshots import Stage

UNSCHEDULABLE = (Condition("PodScheduled", "False", "Unschedulable"),)


class At:
    """A clock that stands where it is put."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def time(self) -> float:
        return self.seconds


def pod(
    name: str = "p", *, cpu: str = "1", node: str = "", phase: str = "Pending", **more: object
) -> Pod:
    meta: dict[str, object] = more.pop("meta", {})  # type: ignore[assignment]
    status: dict[str, object] = more.pop("status", {})  # type: ignore[assignment]
    container = Container(resources=ResourceRequirements(requests={"cpu": cpu}))
    return Pod(
        metadata=ObjectMeta(name=name, namespace="ns", **meta),  # type: ignore[arg-type]
        spec=PodSpec(containers=(container,), node_name=node, **more),  # type: ignore[arg-type]
        status=PodStatus(phase=phase, **{"conditions": UNSCHEDULABLE, **status}),  # type: ignore[arg-type]
    )


def node(name: str, *, cpu: str = "8", ready: str = "True", **meta: object) -> Node:
    labels = {"argosy.dev/nodepool": "a", "kubernetes.io/hostname": name}
    return Node(
        metadata=ObjectMeta(name=name, labels=labels, **meta),  # type: ignore[arg-type]
        status=NodeStatus(
            allocatable={"cpu": cpu, "pods": "10"}, conditions=(Condition("Ready", ready),)
        ),
    )


@dataclass(frozen=True)
class Case:
    pod: Pod
    want: int


ANTI: Object = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {
                "topologyKey": "kubernetes.io/hostname",
                "labelSelector": {"matchLabels": {"app": "x"}},
            }
        ]
    }
}
PINNED: Object = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}
            ]
        }
    }
}

DEMANDS: dict[str, Case] = {
    "an unschedulable pod counts": Case(pod(), 1),
    "a bound pod does not": Case(pod(node="n"), 0),
    "a pod nobody has looked at does not": Case(pod(status={"conditions": ()}), 0),
    "a gated pod does not": Case(
        pod(status={"conditions": (Condition("PodScheduled", "False", "SchedulingGated"),)}), 0
    ),
    "a pod that preemption helps does not": Case(pod(status={"nominated_node_name": "n"}), 0),
    "a finished pod does not": Case(pod(phase="Failed"), 0),
    "a pod for one named node does not": Case(pod(affinity=PINNED), 0),
}


@pytest.mark.parametrize("case", DEMANDS.values(), ids=DEMANDS.keys())
def test_who_counts(case: Case) -> None:
    demands = Demands(PodClasses())
    demands.pod_changed(None, case.pod)
    assert len(demands) == case.want


def test_equal_pods_are_one_demand_and_leave_one_by_one() -> None:
    demands = Demands(PodClasses())
    pods = [pod(f"p{number}") for number in range(3)] + [pod("q", cpu="2")]
    for one in pods:
        assert demands.pod_changed(None, one)
    assert sorted(group.demand().count for group in demands.groups()) == [1, 3]
    assert not demands.pod_changed(pods[0], pods[0])
    assert demands.pod_changed(pods[0], None)
    assert demands.pod_changed(pods[1], pod("p1", node="n"))
    assert demands.pod_changed(pods[3], None)
    assert [group.demand().count for group in demands.groups()] == [1]


def test_a_pod_made_again_with_the_same_name_does_not_hide_others() -> None:
    demands = Demands(PodClasses())
    first = pod("a")
    demands.pod_changed(None, first)
    demands.pod_changed(None, pod("b"))
    demands.pod_changed(first, None)
    demands.pod_changed(None, pod("a", cpu="2"))
    assert len({group.key for group in demands.groups()}) == 2


def test_pods_that_avoid_each_other_are_one_per_node() -> None:
    demands = Demands(PodClasses())
    demands.pod_changed(None, pod("a", affinity=ANTI, meta={"labels": {"app": "x"}}))
    demands.pod_changed(None, pod("b", affinity=ANTI, meta={"labels": {"app": "y"}}))
    got = {group.key: (group.per_node, group.is_sociable) for group in demands.groups()}
    assert got == {"ns/a@1": (1, True), "ns/b@2": (None, True)}


def test_equal_nodes_are_one_room_whatever_their_names() -> None:
    book = Occupancy(At(), PodClasses())
    for number in range(3):
        book.node_changed(None, node(f"n{number}"))
    book.pod_changed(None, pod("p", node="n0"))
    rooms = sorted((room.count, room.stage, room.free["cpu"]) for room in book.rooms())
    assert rooms == [(1, Stage.BUSY, 7000), (2, Stage.IDLE, 8000)]


def test_pods_seen_before_their_node_count_when_it_comes() -> None:
    book = Occupancy(At(), PodClasses())
    book.pod_changed(None, pod("p", node="n"))
    book.node_changed(None, node("n"))
    assert [room.free for room in book.rooms()] == [{"cpu": 7000, "pods": 9}]


def test_idle_time_begins_when_the_last_pod_ends() -> None:
    clock = At()
    book = Occupancy(clock, PodClasses())
    book.node_changed(None, node("n"))
    here = pod("p", node="n")
    book.pod_changed(None, here)
    clock.seconds = 150.0
    book.pod_changed(here, pod("p", node="n", phase="Succeeded"))
    (room,) = book.rooms()
    (idle,) = room.nodes
    assert (idle.name, idle.since) == ("n", 150.0)


def test_pods_of_daemon_sets_keep_no_node_busy() -> None:
    book = Occupancy(At(), PodClasses())
    book.node_changed(None, node("n"))
    owner = OwnerReference(kind="DaemonSet", name="d", uid="u", controller=True)
    book.pod_changed(None, pod("d", node="n", meta={"owner_references": (owner,)}))
    (room,) = book.rooms()
    assert (room.stage, room.free["cpu"]) == (Stage.IDLE, 7000)


LEFT_OUT: dict[str, Node] = {
    "a node that is not ready": node("n", ready="False"),
    "a node on its way out": msgspec.structs.replace(
        node("n"), spec=msgspec.structs.replace(Node().spec, taints=(Taint(LEAVING, "1", "NoSchedule"),))
    ),
}  # fmt: skip


@pytest.mark.parametrize("left_out", LEFT_OUT.values(), ids=LEFT_OUT.keys())
def test_who_offers_no_room(left_out: Node) -> None:
    book = Occupancy(At(), PodClasses())
    book.node_changed(None, node("n"))
    book.node_changed(node("n"), left_out)
    assert list(book.rooms()) == []
    assert list(book.of_pool("a")) == ["n"]


def test_a_resized_pod_takes_what_it_asks_for_now() -> None:
    book = Occupancy(At(), PodClasses())
    book.node_changed(None, node("n"))
    before = pod("p", node="n", meta={"generation": 1})
    after = pod("p", cpu="3", node="n", meta={"generation": 2})
    book.pod_changed(None, before)
    book.pod_changed(before, after)
    assert [room.free["cpu"] for room in book.rooms()] == [5000]


STEPS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 2), st.sampled_from(["bind", "end", "gone"])),
    max_size=30,
)


@given(STEPS)
def test_the_book_is_what_a_fresh_one_would_be(steps: list[tuple[int, int, str]]) -> None:
    """Deltas in any order end where reading everything at the end would."""
    book = Occupancy(At(), PodClasses())
    there: dict[str, Pod] = {}
    for number in range(3):
        book.node_changed(None, node(f"n{number}"))
    for number, where, what in steps:
        name = f"p{number}"
        old = there.get(name)
        if what == "gone" or (what == "bind" and old is not None):
            there.pop(name, None)
            if old is not None:
                book.pod_changed(old, None)
        elif what == "bind":
            there[name] = pod(name, node=f"n{where}")
            book.pod_changed(None, there[name])
        elif old is not None:
            there[name] = msgspec.structs.replace(old, status=PodStatus(phase="Succeeded"))
            book.pod_changed(old, there[name])
    fresh = Occupancy(At(), PodClasses())
    for number in range(3):
        fresh.node_changed(None, node(f"n{number}"))
    for one in there.values():
        fresh.pod_changed(None, one)
    assert _rooms(book) == _rooms(fresh)


def _rooms(book: Occupancy) -> list[tuple[object, ...]]:
    rooms = (replace(room, nodes=sorted(one.name for one in room.nodes)) for room in book.rooms())  # type: ignore[type-var]
    return sorted((room.count, room.stage, sorted(room.free.items()), room.nodes) for room in rooms)  # type: ignore[misc]
