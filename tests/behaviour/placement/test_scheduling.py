"""The scheduler at work: when it looks at a placement, what it writes, and what it leaves alone."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from argosy.api.objects.fleet import names
from argosy.api.objects.metadata import Quantities
from argosy.base.ids import SeededIds
from argosy.base.types import Object
from argosy.client.objects import Key, decode
from argosy.client.resources import (
    CLUSTER_RESOURCE_BINDINGS,
    CLUSTER_RESOURCE_PLACEMENTS,
    CLUSTER_SCHEDULING_POLICY_SNAPSHOTS,
    MEMBER_CLUSTERS,
    NAMESPACES,
)
from argosy.control.assemblies import Assembly
from tests.behaviour.placement.placingworlds import Counts, Hub, add_controllers, playing
from tests.support.placing import (
    RESOURCES,
    labelled,
    pick_n,
    preferred,
    required,
    sorted_by,
    spread_over,
    taint,
    where,
)

CPU = RESOURCES + "available-cpu"
BY_CPU = preferred((40, sorted_by(CPU)))


async def _three(hub: Hub) -> None:
    for name, cpu in (("c1", "10"), ("c2", "30"), ("c3", "20")):
        await hub.join(name, available={"cpu": cpu}, labels={"env": "prod"})
    await hub.world.settle()


async def _finalizers(hub: Hub, name: str) -> list[str] | None:
    found = await hub.world.get(CLUSTER_RESOURCE_PLACEMENTS, name, "")
    return found["metadata"].get("finalizers", []) if found is not None else None


def test_a_placement_is_scheduled_once_it_has_a_policy_snapshot(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _three(hub)
        spec = {"resourceSelectors": [{"group": "", "version": "v1", "kind": "Namespace"}]}
        await hub.client.create(
            CLUSTER_RESOURCE_PLACEMENTS, {"metadata": {"name": "web"}, "spec": spec}
        )
        await hub.world.settle()
        assert await _finalizers(hub, "web") == []
        await hub.policy("web", None)
        await hub.world.settle()
        assert await _finalizers(hub, "web") == [names.SCHEDULER_CLEANUP]
        assert await hub.targets("web") == ["c1", "c2", "c3"]

    playing(shared, story)


def test_two_latest_snapshots_are_waited_out(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _three(hub)
        await hub.place("web", pick_n(1))
        await hub.policy("web", pick_n(1, **BY_CPU), index=1)
        await hub.world.settle()
        assert await hub.told("web", index=1) == {}
        await hub.outdate_policy("web")
        await hub.world.settle()
        # Nobody was told that the other is the only one now, except by its own events.
        await hub.client.patch(
            CLUSTER_SCHEDULING_POLICY_SNAPSHOTS,
            "web-1",
            {"metadata": {"annotations": {names.PLACEMENT_GENERATION: "2"}}},
        )
        await hub.world.settle()
        assert (await hub.told("web", index=1))["observedCRPGeneration"] == 2
        assert (await hub.states("web"))["c2"] == "Bound"

    playing(shared, story)


def test_what_was_picked_stays_whatever_becomes_of_clusters(shared: Path) -> None:
    counts = Counts()

    async def story(hub: Hub) -> None:
        await _three(hub)
        await hub.place("web", pick_n(1, **BY_CPU))
        await hub.world.settle()
        assert await hub.states("web") == {"c2": "Bound"}
        assert counts.writes() > 0
        await hub.join("c9", available={"cpu": "900"})
        await hub.member_status("c2", {"resourceUsage": {"available": {"cpu": "0"}}})
        await hub.member_spec("c2", {"metadata": {"labels": {"env": "dev"}}})
        await hub.member_spec("c2", {"spec": {"taints": [taint("x")]}})
        await hub.member_spec("c2", {"spec": {"taints": []}})
        ill = hub.agent(healthy="False", sick=timedelta(minutes=10))
        await hub.member_status("c2", {"agentStatus": [ill]})
        await hub.world.settle()
        assert await hub.states("web") == {"c2": "Bound"}
        assert counts.writes() == 0

    playing(shared, story, through=counts)


CHANGES: dict[str, tuple[Object, Object, dict[str, Object]]] = {
    "its agent joins": (pick_n(2), {"joined": "False"}, {"agent": {}}),
    "it is heard again": (pick_n(2), {"silent": timedelta(minutes=9)}, {"agent": {}}),
    "it gets a label": (
        pick_n(2, **required(labelled(env="prod"))),
        {},
        {"spec": {"metadata": {"labels": {"env": "prod"}}}},
    ),
    "it has more room": (
        pick_n(2, **required(where(CPU, "Ge", "10"))),
        {},
        {"status": {"resourceUsage": {"available": {"cpu": "10"}}}},
    ),
    "it tells a property": (
        pick_n(2, **required(where("x.io/y", "Ge", "1"))),
        {},
        {
            "status": {
                "properties": {"x.io/y": {"value": "1", "observationTime": "2026-01-01T00:00:00Z"}}
            }
        },
    ),
}


@pytest.mark.parametrize(("policy", "before", "change"), CHANGES.values(), ids=CHANGES.keys())
def test_a_placement_that_wants_more_takes_a_cluster_when(
    shared: Path, policy: Object, before: Object, change: dict[str, Object]
) -> None:
    async def story(hub: Hub) -> None:
        has = {"labels": {"env": "prod"}, "available": {"cpu": "10"}, "properties": {"x.io/y": "1"}}
        await hub.join("c1", **has)
        await hub.join("c2", agent=hub.agent(**before))
        await hub.world.settle()
        await hub.place("web", policy)
        await hub.world.settle()
        assert await hub.targets("web") == ["c1"]
        if "agent" in change:
            await hub.member_status("c2", {"agentStatus": [hub.agent()]})
        if "spec" in change:
            await hub.member_spec("c2", change["spec"])
        if "status" in change:
            await hub.member_status("c2", change["status"])
        await hub.world.settle()
        assert await hub.targets("web") == ["c2", "c1"]
        assert (await hub.told("web"))["conditions"][0]["reason"] == "SchedulingPolicyFulfilled"

    playing(shared, story)


def test_picking_all_takes_clusters_as_they_join_and_keeps_them(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _three(hub)
        await hub.place("web", {"placementType": "PickAll"})
        await hub.world.settle()
        await hub.member_spec("c1", {"spec": {"taints": [taint("x")]}})
        await hub.join("c4")
        await hub.world.settle()
        assert await hub.targets("web") == ["c4", "c1", "c2", "c3"]

    playing(shared, story)


def test_a_cluster_that_left_is_replaced_when_it_is_gone(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _three(hub)
        await hub.place("web", pick_n(1, **BY_CPU), {"rollingUpdate": {"maxUnavailable": 0}})
        await hub.world.settle()
        await hub.fares("web", "c2")
        hold = {"metadata": {"finalizers": ["example.com/hold"]}}
        await hub.member_spec("c2", hold)
        await hub.client.delete(MEMBER_CLUSTERS, "c2")
        await hub.world.settle()
        assert await hub.states("web") == {"c2": "Bound"}
        await hub.member_spec("c2", {"metadata": {"finalizers": None}})
        await hub.world.settle()
        # The replacement is bound, the old one given up; the rollout takes it away within its budget.
        assert await hub.states("web") == {"c2": "Unscheduled", "c3": "Bound"}
        old = (await hub.bindings("web"))[0]
        assert old["metadata"]["annotations"] == {names.PREVIOUS_STATE: "Bound"}

    playing(shared, story)


def test_the_number_of_clusters_follows_its_annotation(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _three(hub)
        await hub.place("web", pick_n(1, **BY_CPU), {"rollingUpdate": {"maxUnavailable": 0}})
        await hub.world.settle()
        await hub.annotate_policy("web", number_of_clusters="3", CRP_generation="2")
        await hub.world.settle()
        assert await hub.targets("web") == ["c3", "c1", "c2"]
        assert (await hub.told("web"))["observedCRPGeneration"] == 2
        await hub.annotate_policy("web", number_of_clusters="1", CRP_generation="3")
        await hub.world.settle()
        assert await hub.targets("web") == ["c2"]
        states = await hub.states("web")
        assert states.pop("c2") == "Bound"
        assert set(states.values()) <= {"Unscheduled"}

    playing(shared, story)


def test_another_policy_takes_up_what_it_can_and_gives_up_the_rest(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _three(hub)
        await hub.place("web", {"placementType": "PickFixed", "clusterNames": ["c1", "c2"]})
        await hub.world.settle()
        before = {
            each["spec"]["targetCluster"]: each["metadata"]["name"]
            for each in await hub.bindings("web")
        }
        await hub.outdate_policy("web")
        wanted = {"placementType": "PickFixed", "clusterNames": ["c2", "c3"]}
        await hub.policy("web", wanted, index=1, generation=2)
        await hub.world.settle()
        found = {each["spec"]["targetCluster"]: each for each in await hub.bindings("web")}
        assert found["c2"]["metadata"]["name"] == before["c2"]
        assert found["c2"]["spec"]["schedulingPolicySnapshotName"] == "web-1"
        assert found["c3"]["spec"]["state"] == "Bound"
        assert found["c1"]["spec"]["state"] == "Unscheduled"

    playing(shared, story)


def test_a_binding_that_somebody_deletes_is_released_and_replaced(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _three(hub)
        await hub.place("web", pick_n(1, **BY_CPU))
        await hub.world.settle()
        old = (await hub.bindings("web"))[0]["metadata"]
        await hub.member_spec("c2", {"spec": {"taints": [taint("x")]}})
        await hub.client.delete(CLUSTER_RESOURCE_BINDINGS, old["name"])
        await hub.world.settle()
        assert await hub.world.get(CLUSTER_RESOURCE_BINDINGS, old["name"], "") is None
        assert await hub.states("web") == {"c3": "Bound"}

    playing(shared, story)


def test_bindings_go_with_their_placement(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _three(hub)
        await hub.place("web", {"placementType": "PickAll"})
        await hub.world.settle()
        held = (await hub.bindings("web"))[0]["metadata"]["name"]
        keep = [names.BINDING_CLEANUP, names.WORK_CLEANUP]
        await hub.client.patch(CLUSTER_RESOURCE_BINDINGS, held, {"metadata": {"finalizers": keep}})
        await hub.client.delete(CLUSTER_RESOURCE_PLACEMENTS, "web")
        await hub.world.settle()
        # The work generator still has to take its works away; the placement is not held up by that.
        left = await hub.bindings("web")
        assert [each["metadata"]["finalizers"] for each in left] == [[names.WORK_CLEANUP]]
        assert await _finalizers(hub, "web") == [names.PLACEMENT_CLEANUP]

    playing(shared, story)


def test_placements_of_two_namespaces_and_of_the_cluster_do_not_mix(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _three(hub)
        for namespace in ("one", "two"):
            await hub.client.create(NAMESPACES, {"metadata": {"name": namespace}})
        await hub.place("web", pick_n(1), namespace="one")
        await hub.place("web", {"placementType": "PickAll"}, namespace="two")
        await hub.place("web", pick_n(2))
        await hub.world.settle()
        counts = [len(await hub.bindings("web", namespace)) for namespace in ("one", "two", "")]
        assert counts == [1, 3, 2]

    playing(shared, story)


def test_eighty_clusters_are_all_taken(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        for number in range(80):
            await hub.join(f"c{number:02}", labels={"zone": str(number % 7)})
        await hub.world.settle()
        await hub.place("web", None, {"rollingUpdate": {"maxUnavailable": "100%"}})
        over = [spread_over("zone", skew=2)]
        await hub.place("some", pick_n(70, topologySpreadConstraints=over))
        await hub.world.pass_time(1)
        states = await hub.states("web")
        assert len(states) == 80
        assert set(states.values()) == {"Bound"}
        assert len(await hub.targets("some")) == 70

    playing(shared, story)


def test_at_rest_heartbeats_cost_no_write(shared: Path) -> None:
    counts = Counts()

    async def story(hub: Hub) -> None:
        await _three(hub)
        await hub.place("all", {"placementType": "PickAll"})
        await hub.place("some", pick_n(2, **BY_CPU))
        await hub.place("many", pick_n(9))
        await hub.world.settle()
        assert counts.writes() > 0
        for _ in range(3):
            await hub.world.pass_time(15)
            for name in ("c1", "c2", "c3"):
                usage = {"available": {"cpu": str(random.Random(name).randrange(99))}}
                beat = {"agentStatus": [hub.agent()], "resourceUsage": usage}
                await hub.member_status(name, beat)
        await hub.world.settle()
        assert counts.writes() == 0

    playing(shared, story, through=counts)


def test_a_property_that_is_no_quantity_stops_scheduling_until_it_is_mended(
    shared: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def story(hub: Hub) -> None:
        await hub.join("c1", properties={"x.io/price": "cheap"})
        await hub.world.settle()
        await hub.place("web", pick_n(1, **required(where("x.io/price", "Le", "3"))))
        await hub.world.settle()
        assert await hub.told("web") == {}
        mended = {"value": "2", "observationTime": "2026-01-01T00:00:00Z"}
        await hub.member_status("c1", {"properties": {"x.io/price": mended}})
        await hub.world.settle()
        assert await hub.targets("web") == ["c1"]

    playing(shared, story)
    assert (
        "web cannot be scheduled: value cheap of property x.io/price from cluster c1" in caplog.text
    )


class Ledger:
    """Promises four CPUs to every placement, for good."""

    def __init__(self) -> None:
        self.given: dict[str, set[Key]] = {}

    def needs(self, placement: Key) -> Quantities:
        return {"cpu": "4"}

    def reserved(self, placement: Key) -> Mapping[str, Quantities]:
        return {
            name: {"cpu": str(4 * len(keys - {placement}))} for name, keys in self.given.items()
        }

    def promise(self, placement: Key, clusters: Sequence[str]) -> None:
        for name in clusters:
            self.given.setdefault(name, set()).add(placement)


def _burst(shared: Path, promises: Ledger | None) -> dict[str, int]:
    spread: dict[str, int] = {}

    async def story(hub: Hub) -> None:
        await _three(hub)
        for number in range(12):
            await hub.place(f"job-{number}", pick_n(1, **BY_CPU))
        await hub.world.settle()
        for number in range(12):
            (name,) = await hub.targets(f"job-{number}")
            spread[name] = spread.get(name, 0) + 1

    playing(shared, story, promises=promises)
    return spread


def test_without_promises_a_burst_piles_up_on_one_cluster(shared: Path) -> None:
    assert _burst(shared, None) == {"c2": 12}


def test_promises_spread_a_burst_by_what_is_left(shared: Path) -> None:
    got = _burst(shared, Ledger())
    # 10, 30 and 20 CPUs are free, and every placement takes four.
    assert sum(got.values()) == 12
    assert got["c2"] > got["c3"] > got["c1"] > 0


@pytest.mark.parametrize("seed", range(8))
def test_a_hub_that_dies_at_any_moment_goes_on_where_it_was(shared: Path, seed: int) -> None:
    async def run(hub: Hub, moments: int | None) -> None:
        assembly = Assembly(
            hub.client, clock=hub.world.clock, ids=SeededIds(seed), source=random.Random(seed)
        )
        add_controllers(assembly, hub.overrides)
        task = asyncio.create_task(assembly.run())
        if moments is None:
            await hub.world.settle()
        else:
            await assembly.started()
            for _ in range(moments):
                await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})

    async def story(hub: Hub) -> None:
        for number in range(30):
            await hub.join(f"c{number:02}", labels={"zone": str(number % 3)})
        over = [spread_over("zone")]
        await hub.place("all", {"placementType": "PickAll"})
        await hub.place("some", pick_n(12, topologySpreadConstraints=over))
        source = random.Random(seed)
        for _ in range(4):
            await run(hub, source.randrange(1, 40))
        await run(hub, None)
        for name, count in (("all", 30), ("some", 12)):
            found = await hub.bindings(name)
            assert len({each["spec"]["targetCluster"] for each in found}) == len(found) == count
            assert {each["spec"]["state"] for each in found} == {"Bound"}
            assert {each["metadata"]["generation"] for each in found} == {3}
            assert sorted(await hub.targets(name)) == [
                each["spec"]["targetCluster"] for each in found
            ]

    playing(shared, story, idle=True)


def test_a_fulfilled_placement_still_says_why_others_were_not_picked_after_a_restart(
    shared: Path,
) -> None:
    async def story(hub: Hub) -> None:
        await _three(hub)
        await hub.place("web", pick_n(1, **BY_CPU))
        await hub.world.settle()
        before = await hub.told("web")
        again = Assembly(hub.client, clock=hub.world.clock, ids=SeededIds(9))
        add_controllers(again)
        task = asyncio.create_task(again.run())
        await hub.world.settle()
        task.cancel()
        await asyncio.wait({task})
        assert await hub.told("web") == before
        assert len(before["targetClusters"]) == 3

    playing(shared, story)


def test_a_new_binding_looks_like_upstreams(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.join("c1")
        await hub.world.settle()
        await hub.place("web", None, {"type": "External"})
        await hub.world.settle()
        raw = (await hub.client.list(CLUSTER_RESOURCE_BINDINGS)).items[0]
        got = decode(raw)
        assert got["metadata"]["generation"] == 1
        assert "ownerReferences" not in got["metadata"]
        assert "applyStrategy" not in got["spec"]
        assert got["spec"]["resourceSnapshotName"] == ""

    playing(shared, story)
