"""Flavors with a topology: who takes them, and what placing makes of an assignment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from argosy.api.objects.kueue.workloads import TopologyRequest
from argosy.base.types import Object
from argosy.queueing.flavors.assigning import Assigner
from argosy.queueing.flavors.assignments import Assignment, Mode
from argosy.queueing.flavors.reasons import message
from argosy.queueing.flavors.topologies import (
    Failure,
    Levels,
    Placement,
    PlacementRequest,
    asks_for_topology,
)
from argosy.queueing.workloads.infos import Info, PodSetResources
from tests.unit.queueing.flavors.building import Oracle, cluster, flavor, info, pod_set

HOST = "kubernetes.io/hostname"
TAS = flavor("tas", nodeLabels={"pool": "tas"}, topologyName="hosts")
RACK = {"required": "rack"}


@dataclass
class Nodes(Levels):
    """A topology that has room for everything but what is listed, by pod set; keeps what it was asked."""

    full: Mapping[str, str] = field(default_factory=dict)
    too_small: Mapping[str, str] = field(default_factory=dict)
    delayed: bool = False
    asked: list[tuple[str, str, int, bool, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__({"tas": ["rack", HOST], "tas2": [HOST]})

    def is_delayed(self, info: Info, flavor: str) -> bool:
        return self.delayed

    def place(
        self, requests: Sequence[PlacementRequest], info: Info, *, as_if_empty: bool
    ) -> Placement:
        self.asked += [
            (one.flavor, one.pod_set.name, one.count, one.is_implied, as_if_empty)
            for one in requests
        ]
        refused = self.too_small if as_if_empty else self.full
        for one in requests:
            if one.pod_set.name in refused:
                reason = refused[one.pod_set.name]
                return Placement(failure=Failure(one.pod_set.name, one.flavor, reason))
        return Placement({one.pod_set.name: _place(one) for one in requests})


def _place(request: PlacementRequest) -> Object:
    return {"levels": [HOST], "flavor": request.flavor, "count": request.count}


def _assign(
    workload: Info, nodes: Levels, used: str = "0", *, is_mixed: bool = False
) -> Assignment:
    quotas = {"tas": {"cpu": "4"}} | ({"plain": {"cpu": "9"}} if is_mixed else {})
    snapshot = cluster(quotas, used={"tas": {"cpu": used}}, flavors=[TAS])
    return Assigner(topology=nodes).assign(
        workload, snapshot.queues["cq"], snapshot, Oracle(), cycle=7
    )


REQUESTS = {
    "nothing": ({}, False),
    "a group alone": ({"pod_set_group_name": "g"}, False),
    "a level": ({"required": "rack"}, True),
    "rather a level": ({"preferred": "rack"}, True),
    "any place": ({"unconstrained": True}, True),
    "slices of a level": ({"pod_set_slice_required_topology": "rack"}, True),
    "slices of a size": ({"pod_set_slice_size": 2}, True),
}


@pytest.mark.parametrize(("fields", "want"), REQUESTS.values(), ids=REQUESTS)
def test_asking_for(fields: dict[str, object], want: bool) -> None:
    assert asks_for_topology(TopologyRequest(**fields)) is want


def test_pods_are_placed_where_quota_fits() -> None:
    nodes = Nodes()
    got = _assign(info(pod_set(count=2, cpu="1", topology=RACK)), nodes)
    assert (got.mode, message(got)) == (Mode.FIT, "")
    assert nodes.asked == [("tas", "main", 2, False, False)]
    assert got.pod_sets[0].topology_assignment == {"levels": [HOST], "flavor": "tas", "count": 2}


def test_in_a_queue_of_topologies_all_pods_are_placed() -> None:
    nodes = Nodes()
    got = _assign(info(pod_set(cpu="1")), nodes)
    assert got.mode is Mode.FIT
    assert nodes.asked == [("tas", "main", 1, True, False)]


def test_pods_that_do_not_ask_keep_away_from_topologies() -> None:
    nodes = Nodes()
    got = _assign(info(pod_set(cpu="1")), nodes, is_mixed=True)
    assert got.pod_sets[0].flavors["cpu"].name == "plain"
    assert got.pod_sets[0].attempts[1].reasons == (
        'Flavor "tas" supports only TopologyAwareScheduling',
    )
    assert nodes.asked == []


LEVELS: dict[str, dict[str, object]] = {
    "its own": {"required": "block"},
    "that of its slices": {
        "preferred": "rack",
        "podSetSliceRequiredTopology": "block",
        "podSetSliceSize": 1,
    },
    "that of slices of slices": {
        "required": "rack",
        "podsetSliceRequiredTopologyConstraints": [{"topology": "block", "size": 1}],
    },
}


@pytest.mark.parametrize("topology", LEVELS.values(), ids=LEVELS)
def test_flavor_without_the_level(topology: dict[str, object]) -> None:
    got = _assign(info(pod_set(cpu="1", topology=topology)), Nodes(), is_mixed=True)
    assert message(got) == (
        "couldn't assign flavors to pod set main:"
        ' Flavor "plain" does not support TopologyAwareScheduling,'
        ' Flavor "tas" does not contain the requested level'
    )
    assert (got.mode, got.no_fit_reason) == (Mode.NO_FIT, "NoMatchingFlavor")


def test_topology_that_nobody_knows() -> None:
    got = _assign(info(pod_set(cpu="1", topology=RACK)), Levels({}))
    want = 'Flavor "tas" information missing in TAS cache'
    assert message(got) == f"couldn't assign flavors to pod set main: {want}"


def test_resources_that_pods_do_not_ask_nodes_for_may_come_from_elsewhere() -> None:
    """As when a transformation makes credits of devices."""
    snapshot = cluster({"tas": {"cpu": "4"}}, {"credits": {"gpu": "9"}}, flavors=[TAS])
    workload = info(pod_set(cpu="1", topology=RACK))
    resources = PodSetResources("main", 1, {"cpu": 1000, "example.com/gpu": 3})
    workload.total_requests = (resources,)
    nodes = Nodes()
    got = Assigner(topology=nodes).assign(workload, snapshot.queues["cq"], snapshot, Oracle())
    assert {name: one.name for name, one in got.pod_sets[0].flavors.items()} == {
        "cpu": "tas",
        "example.com/gpu": "credits",
    }
    assert nodes.asked == [("tas", "main", 1, False, False)]


def test_scattered_room_asks_for_preemption() -> None:
    nodes = Nodes(full={"main": "topology is full"})
    got = _assign(info(pod_set(cpu="1", topology=RACK)), nodes)
    assert (got.mode, got.no_fit_reason) == (Mode.PREEMPT, "")
    assert message(got) == "couldn't assign flavors to pod set main: topology is full"
    assert got.pod_sets[0].flavors["cpu"].mode is Mode.PREEMPT
    assert got.last is not None
    assert (got.last.tried, got.last.cycle) == (({"cpu": -1},), 7)


def test_pods_larger_than_any_node_do_not_fit() -> None:
    nodes = Nodes(full={"main": "too large"}, too_small={"main": "too large"})
    got = _assign(info(pod_set(cpu="1", topology=RACK)), nodes)
    assert (got.mode, got.no_fit_reason) == (Mode.NO_FIT, "TopologyPlacementFailed")
    (attempt,) = got.pod_sets[0].attempts
    assert (attempt.mode, attempt.no_fit_reason) == (Mode.NO_FIT, "TopologyPlacementFailed")
    assert message(got) == "couldn't assign flavors to pod set main: too large"


def test_preemption_for_quota_is_checked_against_an_empty_topology() -> None:
    nodes = Nodes(too_small={"main": "too large"})
    got = _assign(info(pod_set(cpu="1", topology=RACK)), nodes, used="4")
    assert (got.mode, got.no_fit_reason) == (Mode.NO_FIT, "TopologyPlacementFailed")
    assert nodes.asked == [("tas", "main", 1, False, True)]


def test_victims_are_looked_for_on_all_that_is_placed() -> None:
    """Pod set a fits by itself, but what b has to preempt may be scattered."""
    nodes = Nodes()
    workload = info(pod_set("a", cpu="1", topology=RACK), pod_set("b", cpu="2", topology=RACK))
    got = _assign(workload, nodes, used="2")
    assert got.mode is Mode.PREEMPT
    assert [one.flavors["cpu"].mode for one in got.pod_sets] == [Mode.PREEMPT, Mode.PREEMPT]


def test_placing_may_wait_for_a_check() -> None:
    nodes = Nodes(delayed=True)
    got = _assign(info(pod_set(cpu="1", topology=RACK)), nodes)
    assert (got.mode, got.pod_sets[0].delayed_topology_request) == (Mode.FIT, "Pending")
    assert nodes.asked == []


def test_a_delayed_place_is_ready_once_found() -> None:
    workload = info(pod_set(cpu="1", topology=RACK))
    workload.total_requests = (
        PodSetResources("main", 1, {"cpu": 1000}, {"cpu": "tas"}, None, "Pending"),
    )
    got = _assign(workload, Nodes())
    assert got.pod_sets[0].delayed_topology_request == "Ready"
    assert got.pod_sets[0].topology_assignment is not None


def test_no_pods_need_no_place() -> None:
    nodes = Nodes()
    got = _assign(info(pod_set(count=0, cpu="1", topology=RACK)), nodes)
    assert (got.mode, nodes.asked) == (Mode.FIT, [])


def test_a_pod_set_that_requests_nothing_takes_the_flavor_of_its_group() -> None:
    nodes = Nodes()
    grouped = {**RACK, "podSetGroupName": "g"}
    workload = info(pod_set("leader", topology=grouped), pod_set("w", cpu="1", topology=grouped))
    got = _assign(workload, nodes)
    assert [one.flavors["cpu"].name for one in got.pod_sets] == ["tas", "tas"]
    assert [asked[1] for asked in nodes.asked] == ["leader", "w"]
    assert got.usage == {("tas", "cpu"): 1000}


def test_a_pod_set_alone_that_requests_nothing_cannot_be_placed() -> None:
    workload = info(pod_set("leader", topology=RACK), pod_set("w", cpu="1", topology=RACK))
    got = _assign(workload, Nodes())
    assert (got.mode, got.no_fit_reason) == (Mode.NO_FIT, "NoMatchingFlavor")
    assert message(got) == "failed to assign flavors to pod set leader: no TAS flavor assigned"


def test_two_topologies_for_one_pod_set() -> None:
    snapshot = cluster(
        {"tas2": {"cpu": "4"}},
        {"tas": {"memory": "4"}},
        flavors=[TAS, flavor("tas2", nodeLabels={"a": "b"}, topologyName="t")],
    )
    workload = info(pod_set(cpu="1", memory="1", topology={"required": HOST}))
    got = Assigner(topology=Nodes()).assign(workload, snapshot.queues["cq"], snapshot, Oracle())
    want = "more than one TAS flavor assigned: tas, tas2"
    assert (got.mode, message(got)) == (
        Mode.NO_FIT,
        f"failed to assign flavors to pod set main: {want}",
    )


def test_a_queue_without_topologies_cannot_place() -> None:
    snapshot = cluster({"plain": {"cpu": "4"}})
    workload = info(
        pod_set("leader", topology={**RACK, "podSetGroupName": "g"}),
        pod_set("w", cpu="1", topology={"podSetGroupName": "g"}),
    )
    got = Assigner(topology=Nodes()).assign(workload, snapshot.queues["cq"], snapshot, Oracle())
    want = "workload requires Topology, but there is no TAS cache information"
    assert message(got) == f"failed to assign flavors to pod set leader: {want}"
