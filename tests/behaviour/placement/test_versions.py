"""The fleet's kinds in all their versions: v1beta1 is stored, and the others show and keep what they know."""

from __future__ import annotations

import msgspec

from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import PatchType
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENTS,
    CUSTOM_RESOURCE_DEFINITIONS,
    MEMBER_CLUSTERS,
)
from argosy.placement.definitions import definitions
from tests.behaviour.apiserver.serving import TABLE, Served, serving
from tests.fakes.clusters import memory_client

OLD = CLUSTER_RESOURCE_PLACEMENTS
NEW = msgspec.structs.replace(OLD, version="v1")
SELECTOR = {"group": "", "version": "v1", "kind": "Namespace", "name": "ns"}
PLACEMENT = {
    "metadata": {"name": "x"},
    "spec": {
        "resourceSelectors": [SELECTOR],
        "strategy": {"deleteStrategy": {"propagationPolicy": "Abandon"}},
    },
}


async def hub() -> LocalClient:
    client = await memory_client()
    for definition in definitions():
        await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
    return client


def test_v1_does_not_show_what_it_does_not_know() -> None:
    async def story() -> None:
        client = await hub()
        await client.create(OLD, PLACEMENT)

        shown = decode(await client.get(NEW, "x"))
        (listed,) = (await client.list(NEW)).items
        assert shown["apiVersion"] == "placement.kubernetes-fleet.io/v1"
        assert shown["spec"]["strategy"] == {"type": "RollingUpdate"}
        assert decode(listed)["spec"] == shown["spec"]

    run_virtual(story())


def test_whoever_writes_v1_loses_what_it_does_not_know() -> None:
    async def story() -> None:
        client = await hub()
        await client.create(OLD, PLACEMENT)
        assert _deletes(await _stored(client))

        await client.patch(NEW, "x", {"metadata": {"labels": {"a": "b"}}}, kind=PatchType.MERGE)
        assert not _deletes(await _stored(client))

    run_virtual(story())


def test_v1_of_a_member_shows_no_namespaces() -> None:
    async def story() -> None:
        client = await hub()
        status: Object = {"status": {"namespaces": {"a": ""}, "properties": {}}}
        member = {"metadata": {"name": "m"}, "spec": {"identity": {"kind": "User", "name": "u"}}}
        await client.create(MEMBER_CLUSTERS, member)
        await client.patch(MEMBER_CLUSTERS, "m", status, subresource="status")

        stored = decode(await client.get(MEMBER_CLUSTERS, "m"))
        shown = decode(
            await client.get(msgspec.structs.replace(MEMBER_CLUSTERS, version="v1"), "m")
        )
        assert stored["status"] == status["status"]
        assert shown["status"] == {"properties": {}}
        assert shown["spec"]["heartbeatPeriodSeconds"] == 60

    run_virtual(story())


def test_a_placement_is_shown_in_upstreams_columns() -> None:
    async def story(served: Served) -> None:
        for definition in definitions():
            code, answer = await served.ask(
                "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition
            )
            assert code == 201, answer
        path = "/apis/placement.kubernetes-fleet.io/v1beta1/clusterresourceplacements"
        kind = {"apiVersion": OLD.api_version, "kind": OLD.kind}
        await served.ask("POST", path, {**kind, **PLACEMENT})
        _, table = await served.ask("GET", path, accept=TABLE)

        assert [column["name"] for column in table["columnDefinitions"]] == [
            "Name", "Gen", "Type", "Scheduled", "Scheduled-Gen", "Work-Synchronized", "Work-Synchronized-Gen",
            "Available", "Available-Gen", "Age",
        ]  # fmt: skip
        assert table["rows"][0]["cells"][:3] == ["x", "1", None]

    serving(story)


async def _stored(client: LocalClient) -> Object:
    return decode(await client.get(OLD, "x"))


def _deletes(placement: Object) -> bool:
    return "deleteStrategy" in placement["spec"].get("strategy", {})
