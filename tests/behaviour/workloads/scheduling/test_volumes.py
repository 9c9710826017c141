"""Pods with claims go where their volumes are."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.protocol import PatchType
from argosy.client.resources import (
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    STORAGE_CLASSES,
)
from tests.behaviour.workloads.scheduling.worlds import World, in_world

ASKED = {"requests": {"storage": "1Gi"}}


def mounting(claim: str) -> list[Object]:
    return [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}]


async def claim(world: World, name: str, storage_class: str = "", volume: str = "") -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": ASKED, "storageClassName": storage_class}
    if volume:
        spec["volumeName"] = volume
    body = {"metadata": {"name": name}, "spec": spec}
    await world.client.create(PERSISTENT_VOLUME_CLAIMS, body, namespace="ns")


async def bound(world: World, name: str) -> None:
    await world.client.patch(
        PERSISTENT_VOLUME_CLAIMS,
        name,
        {"status": {"phase": "Bound"}},
        kind=PatchType.MERGE,
        namespace="ns",
        subresource="status",
    )


async def volume(world: World, name: str, node: str, storage_class: str = "") -> None:
    values = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/data"},
        "storageClassName": storage_class,
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [values]}]}},
    }
    await world.client.create(PERSISTENT_VOLUMES, {"metadata": {"name": name}, "spec": spec})


def test_a_claim_that_comes_later_and_is_bound_helps() -> None:
    async def story(world: World) -> None:
        await world.node("n1")
        await world.node("n2")
        await world.pod("a", volumes=mounting("data"))
        await world.settle()
        text = "Unschedulable: 0/2 nodes are available: {}. not found"
        assert await world.where("a") == text.format('persistentvolumeclaim "data" not found')
        await claim(world, "data", volume="pv")
        await world.settle()
        await volume(world, "pv", "n2")
        await bound(world, "data")
        await world.settle()
        assert await world.where("a") == "n2"

    in_world(story)


def test_an_unbound_claim_keeps_its_pod_waiting() -> None:
    async def story(world: World) -> None:
        await world.node("n1")
        await claim(world, "data")
        await world.pod("a", volumes=mounting("data"))
        await world.settle()
        assert await world.where("a") == (
            "Unschedulable: 0/1 nodes are available: "
            "pod has unbound immediate PersistentVolumeClaims. not found"
        )

    in_world(story)


def test_a_claim_that_waits_for_its_pod_is_told_the_node() -> None:
    async def story(world: World) -> None:
        await world.node("n1")
        body = {
            "metadata": {"name": "late"},
            "provisioner": "x.io/disks",
            "volumeBindingMode": "WaitForFirstConsumer",
        }
        await world.client.create(STORAGE_CLASSES, body)
        await claim(world, "data", "late")
        await world.pod("a", volumes=mounting("data"))
        await world.settle()
        assert await world.where("a") == "n1"
        raw = await world.client.get(PERSISTENT_VOLUME_CLAIMS, "data", namespace="ns")
        chosen = decode(raw)["metadata"]["annotations"]["volume.kubernetes.io/selected-node"]
        assert chosen == "n1"

    in_world(story)


def test_local_volumes_are_looked_for() -> None:
    async def story(world: World) -> None:
        await world.node("n1")
        await world.node("n2")
        body = {
            "metadata": {"name": "local"},
            "provisioner": "kubernetes.io/no-provisioner",
            "volumeBindingMode": "WaitForFirstConsumer",
        }
        await world.client.create(STORAGE_CLASSES, body)
        await claim(world, "data", "local")
        await world.pod("a", volumes=mounting("data"))
        await world.settle()
        assert (await world.where("a")).startswith(
            "Unschedulable: 0/2 nodes are available: "
            "2 node(s) didn't find available persistent volumes to bind."
        )
        await volume(world, "pv", "n2", "local")
        await world.settle()
        assert await world.where("a") == "n2"

    in_world(story)
