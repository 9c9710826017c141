"""What a real KubeFleet wrote for the same placements on the same fleet: policy snapshots, bindings, generations."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from argosy.base.types import Object
from argosy.client.resources import NAMESPACES
from tests.behaviour.placement.placingworlds import Hub, playing
from tests.support.placing import (
    RESOURCES,
    labelled,
    pick_n,
    preferred,
    required,
    sorted_by,
    spread_over,
    taint,
)

CASES = Path("fixtures/kubefleet/cases")
HASH = re.compile(r"-[0-9a-f]{8}$")
EVERYWHERE = {"placementType": "PickAll"}


def _golden(shared: Path, case: str, what: str) -> list[Object]:
    return list(yaml.safe_load_all((shared / CASES / case / f"{what}.yaml").read_text()))


def _timeless(status: Object) -> Object:
    for each in status["conditions"]:
        each["lastTransitionTime"] = "<time>"
    return status


async def _same_status(hub: Hub, shared: Path, case: str, name: str, namespace: str = "") -> None:
    kind = "rp" if namespace else "crp"
    golden = _golden(shared, case, f"{kind}-{name}.policysnapshots")[0]["status"]
    assert _timeless(await hub.told(name, namespace=namespace)) == golden


async def _same_bindings(hub: Hub, shared: Path, case: str, name: str, namespace: str = "") -> None:
    """Up to what the work generator adds."""
    kind = "rp" if namespace else "crp"
    golden = _golden(shared, case, f"{kind}-{name}.bindings")
    got = await hub.bindings(name, namespace)
    assert len(got) == len(golden)
    for mine, real in zip(got, golden, strict=True):
        meta = mine["metadata"]
        assert HASH.sub("-<hash>", meta["name"]) == real["metadata"]["name"]
        assert meta["labels"] == real["metadata"]["labels"]
        assert meta["finalizers"] == real["metadata"]["finalizers"][:1]
        assert meta["generation"] == real["metadata"]["generation"]
        assert mine["spec"] == real["spec"]
        if "status" in real:
            assert _timeless(mine["status"])["conditions"] == real["status"]["conditions"][:1]
        else:
            assert "status" not in mine


async def _fleet(hub: Hub) -> None:
    await hub.join("fake-000", labels={"region": "r0"}, available={"cpu": "10", "memory": "40Gi"})
    await hub.join("fake-001", labels={"region": "r1"}, available={"cpu": "17", "memory": "68Gi"})
    await hub.join("member-1", labels={"region": "r0"}, available={"cpu": "32", "memory": "128Gi"})
    await hub.join("member-2", labels={"region": "r0"}, available={"cpu": "24", "memory": "96Gi"})
    await hub.world.settle()


ALL_AT_ONCE = {"rollingUpdate": {"maxUnavailable": "100%", "maxSurge": "25%"}}


def test_placements_that_find_too_few_clusters(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _fleet(hub)
        in_r1 = required(labelled(region="r1"))
        over = [spread_over("region", anyway=True)]
        await hub.place("uf-toomany", pick_n(9), ALL_AT_ONCE)
        await hub.place("uf-affinity", pick_n(2, **in_r1), ALL_AT_ONCE)
        await hub.place("uf-spread-any", pick_n(3, topologySpreadConstraints=over), ALL_AT_ONCE)
        await hub.world.settle()
        gpu = {"spec": {"taints": [taint("gpu", "yes")]}}
        await hub.member_spec("member-2", gpu)
        await hub.place("uf-taint", pick_n(4), ALL_AT_ONCE)
        await hub.world.settle()
        for name in ("uf-toomany", "uf-affinity", "uf-spread-any", "uf-taint"):
            await _same_status(hub, shared, "05-unfulfilled", name)
            await _same_bindings(hub, shared, "05-unfulfilled", name)
        await hub.member_spec("member-2", {"spec": {"taints": []}})
        await hub.world.settle()
        await _same_status(hub, shared, "05-unfulfilled-after-untaint", "uf-taint")
        await _same_bindings(hub, shared, "05-unfulfilled-after-untaint", "uf-taint")

    playing(shared, story)


def test_the_guides_jobs_go_where_most_is_free(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.join("member-1", available={"cpu": "32", "memory": "128Gi"})
        await hub.join("member-2", available={"cpu": "24", "memory": "96Gi"})
        await hub.client.create(NAMESPACES, {"metadata": {"name": "compute-jobs"}})
        await hub.world.settle()
        by_room = preferred(
            (40, sorted_by(RESOURCES + "available-cpu")),
            (30, sorted_by(RESOURCES + "available-memory")),
        )
        careful = {"applyStrategy": {"whenToApply": "IfNotDrifted"}}
        there = "compute-jobs"
        await hub.place("sample-kueue", EVERYWHERE)
        await hub.place("queue-placement", EVERYWHERE, careful, namespace=there)
        await hub.place("job1-placement", pick_n(1, **by_room), careful, namespace=there)
        await hub.world.settle()
        for name, namespace in (
            ("sample-kueue", ""),
            ("queue-placement", there),
            ("job1-placement", there),
        ):
            await _same_status(hub, shared, "01-guide", name, namespace)
        await _same_bindings(hub, shared, "01-guide", "sample-kueue")
        await _same_bindings(hub, shared, "01-guide", "job1-placement", there)

    playing(shared, story)


def test_a_placement_that_is_rolled_out_from_outside_is_scheduled_and_no_more(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.join("member-1")
        await hub.join("member-2")
        await hub.world.settle()
        await hub.place("st-crp", EVERYWHERE, {"type": "External"}, resources=False)
        await hub.world.settle()
        await _same_status(hub, shared, "08-staged-a-before-run", "st-crp")
        await _same_bindings(hub, shared, "08-staged-a-before-run", "st-crp")

    playing(shared, story)
