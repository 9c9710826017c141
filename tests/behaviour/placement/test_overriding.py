"""Overrides are kept as snapshots, and bindings that name them get changed Works."""

from __future__ import annotations

import asyncio
from pathlib import Path

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import NamespacedName
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.types import Json, Object
from argosy.client.objects import Key
from argosy.client.resources import (
    CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS,
    CLUSTER_RESOURCE_OVERRIDES,
    RESOURCE_OVERRIDE_SNAPSHOTS,
    RESOURCE_OVERRIDES,
)
from argosy.control.assemblies import Assembly
from argosy.placement.overriding.picking import Overriding
from argosy.placement.picks import Picked
from argosy.placement.views import Views
from tests.behaviour.placement.harbours import Hub, cluster_role, config_map, on_hub

EVERYWHERE: Object = {"clusterSelectorTerms": []}
CANARY: Object = {"clusterSelectorTerms": [{"labelSelector": {"matchLabels": {"env": "canary"}}}]}


def rule(op: str, path: str, value: Json = None, selector: Object | None = None) -> Object:
    patch: Object = {"op": op, "path": path}
    if value is not None:
        patch["value"] = value
    return {"clusterSelector": selector or EVERYWHERE, "jsonPatchOverrides": [patch]}


async def override(hub: Hub, name: str, target: str, *rules: Object) -> None:
    """A ResourceOverride of a ConfigMap."""
    selector = {"group": "", "version": "v1", "kind": "ConfigMap", "name": target}
    spec: Object = {"resourceSelectors": [selector], "policy": {"overrideRules": list(rules)}}
    await hub.create(RESOURCE_OVERRIDES, {"metadata": {"name": name}, "spec": spec}, "ns")


async def history(hub: Hub) -> dict[str, str]:
    """Which ResourceOverrideSnapshots are the latest."""
    return {
        each["metadata"]["name"]: each["metadata"]["labels"][names.IS_LATEST]
        for each in await hub.list(RESOURCE_OVERRIDE_SNAPSHOTS)
    }


def test_an_override_is_kept_as_numbered_snapshots_of_which_ten_remain(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await override(hub, "ro", "cm", rule("replace", "/data/a", "0"))
        await hub.settle()
        assert await history(hub) == {"ro-0": "true"}
        found = await hub.found(RESOURCE_OVERRIDES, "ro", "ns")
        assert found["metadata"]["finalizers"] == [names.OVERRIDE_CLEANUP]

        for number in range(1, 12):
            rules = [rule("replace", "/data/a", str(number))]
            body = {"spec": {"policy": {"overrideRules": rules}}}
            await hub.patch(RESOURCE_OVERRIDES, "ro", body, "ns")
            await hub.settle()
        assert await history(hub) == {
            **{f"ro-{number}": "false" for number in range(2, 11)},
            "ro-11": "true",
        }

        # What changes nothing makes no snapshot.
        await hub.patch(RESOURCE_OVERRIDES, "ro", {"metadata": {"labels": {"a": "b"}}}, "ns")
        await hub.settle(100)
        assert len(await history(hub)) == 10

    on_hub(shared, story)


def test_a_deleted_override_takes_its_snapshots_along(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await override(hub, "ro", "cm", rule("remove", "/data/a"))
        await override(hub, "other", "cm2", rule("remove", "/data/a"))
        await hub.settle()
        await hub.client.delete(RESOURCE_OVERRIDES, "ro", namespace="ns")
        await hub.settle()
        assert await hub.get(RESOURCE_OVERRIDES, "ro", "ns") is None
        assert await history(hub) == {"other-0": "true"}

    on_hub(shared, story)


def test_snapshots_that_were_edited_by_hand_are_put_right(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await override(hub, "ro", "cm", rule("remove", "/data/a"))
        await hub.settle()
        unmarked = {"metadata": {"labels": {names.IS_LATEST: "false"}}}
        await hub.patch(RESOURCE_OVERRIDE_SNAPSHOTS, "ro-0", unmarked, "ns")
        await hub.settle()
        assert await history(hub) == {"ro-0": "true"}
        await hub.client.delete(RESOURCE_OVERRIDE_SNAPSHOTS, "ro-0", namespace="ns")
        await hub.settle()
        assert await history(hub) == {"ro-0": "true"}

    on_hub(shared, story)


def test_works_are_changed_by_the_overrides_their_binding_names(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await override(hub, "ro", "cm", rule("replace", "/data/a", "${MEMBER-CLUSTER-NAME}"))
        selector = {"group": "", "version": "v1", "kind": "Namespace", "name": "ns"}
        labels = rule("add", "/metadata/labels", {"env": "${MEMBER-CLUSTER-LABEL-KEY-env}"})
        spec: Object = {
            "clusterResourceSelectors": [selector],
            "policy": {"overrideRules": [labels]},
        }
        await hub.create(CLUSTER_RESOURCE_OVERRIDES, {"metadata": {"name": "cro"}, "spec": spec})
        await hub.settle()
        await hub.snapshot("rp", config_map("cm"), config_map("plain"), namespace="ns")
        named: Object = {
            "resourceOverrideSnapshots": [{"name": "ro-0", "namespace": "ns"}],
            "clusterResourceOverrideSnapshots": ["cro-0"],
        }
        await hub.binding("b1", "rp", "m1", "ns", **named)
        await hub.binding("b2", "rp", "m2", "ns", **named)
        await hub.settle()
        for cluster, env in (("m1", "canary"), ("m2", "prod")):
            work = await hub.work(cluster, "ns.rp-work")
            manifests = work["spec"]["workload"]["manifests"]
            assert [each["data"]["a"] for each in manifests] == [cluster, "1"]
            assert [each["metadata"]["labels"]["env"] for each in manifests] == [env, env]
        said = (await hub.says("b1", "ns"))[0]
        assert said == (
            "Overridden True OverriddenSucceeded: Successfully applied the override rules on the resources"
        )

        # A binding that names none any more gets the objects as they are.
        nothing: Object = {
            "resourceOverrideSnapshots": None,
            "clusterResourceOverrideSnapshots": None,
        }
        await hub.respecify("b1", "ns", **nothing)
        await hub.settle()
        work = await hub.work("m1", "ns.rp-work")
        assert work["spec"]["workload"]["manifests"] == [config_map("cm"), config_map("plain")]

    on_hub(shared, story)


def test_a_work_may_be_left_without_manifests(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        gone: Object = {"clusterSelector": CANARY, "overrideType": "Delete"}
        await override(hub, "ro", "cm", gone)
        await hub.settle()
        await hub.snapshot("rp", config_map("cm"), namespace="ns")
        named = [{"name": "ro-0", "namespace": "ns"}]
        await hub.binding("b", "rp", "m1", "ns", resourceOverrideSnapshots=named)
        await hub.settle()
        work = await hub.work("m1", "ns.rp-work")
        assert work["spec"]["workload"] == {}

    on_hub(shared, story)


def test_an_override_that_does_not_fit_is_told_and_sends_nothing(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await override(hub, "ro", "cm", rule("replace", "/data/nope/deeper", "x"))
        await hub.settle()
        await hub.snapshot("rp", config_map("cm"), namespace="ns")
        named = [{"name": "ro-0", "namespace": "ns"}]
        await hub.binding("b", "rp", "m1", "ns", resourceOverrideSnapshots=named)
        await hub.settle()
        assert await hub.says("b", "ns") == [
            (
                "Overridden False OverriddenFailed: Failed to apply the override rules on the resources: "
                'ResourceOverrideSnapshot "ro-0" failed to apply on ConfigMap "cm" in namespace "ns": '
                "replace operation does not apply: doc is missing path: /data/nope/deeper: missing value"
            )
        ]
        assert await hub.works() == []

    on_hub(shared, story)


def test_an_override_snapshot_that_is_gone_is_told(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.snapshot("crp", cluster_role("r"))
        await hub.binding("b", "crp", "m1", clusterResourceOverrideSnapshots=["gone-0"])
        await hub.settle()
        assert await hub.says("b") == [
            (
                "Overridden False OverriddenFailed: Failed to apply the override rules on the resources: "
                "clusterResourceSnapshot gone-0 is not found"
            )
        ]
        assert await hub.list(CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS) == []

    on_hub(shared, story)


def test_a_work_the_server_refuses_is_told(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await override(hub, "ro", "cm", rule("add", "/metadata/labels", {"bad key!": "x"}))
        await hub.settle()
        await hub.snapshot("rp", config_map("cm"), namespace="ns")
        named = [{"name": "ro-0", "namespace": "ns"}]
        await hub.binding("b", "rp", "m1", "ns", resourceOverrideSnapshots=named)
        await hub.settle()
        said = await hub.says("b", "ns")
        assert len(said) == 2
        assert said[1].startswith(
            "WorkSynchronized False SyncWorkFailed: Failed to synchronize the work to the latest: "
            'Work.placement.kubernetes-fleet.io "ns.rp-work" is invalid: '
            'spec.workload.manifests[0].metadata.labels: Invalid value: "bad key!": '
        )

    on_hub(shared, story)


def test_what_a_cluster_gets_is_asked_of_the_snapshots_there_are(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        assembly = Assembly(hub.client, clock=hub.clock)
        views = Views(assembly)
        overriding = Overriding(views)
        task = asyncio.create_task(assembly.run())
        await assembly.started()
        await hub.snapshot("rp", config_map("cm"), namespace="ns")
        await hub.settle()
        shards = views.resource_snapshots(Key("ns", "rp"))
        canary = MemberCluster(metadata=ObjectMeta(name="m1", labels={"env": "canary"}))
        prod = MemberCluster(metadata=ObjectMeta(name="m2", labels={"env": "prod"}))
        key = Key("ns", "rp")
        assert overriding.picked(key, shards, canary) == Picked()
        await override(hub, "ro", "cm", rule("remove", "/data/a", selector=CANARY))
        await override(hub, "unrelated", "other", rule("remove", "/data/a"))
        await hub.settle()
        assert overriding.picked(key, shards, canary) == Picked((), (NamespacedName("ro-0", "ns"),))
        assert overriding.picked(key, shards, prod) == Picked()
        task.cancel()
        await asyncio.wait({task})

    on_hub(shared, story)
