"""Pods with claims go where their volumes are."""

from __future__ import annotations

from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import PatchType
from argosy.client.resources import (
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    STORAGE_CLASSES,
)
from tests.behaviour.workloads.scheduling.worlds import World, in_world
from tests.fakes.clients import FaultyClient

ASKED = {"requests": {"storage": "1Gi"}}


def mounting(*claims: str) -> list[Object]:
    return [
        {"name": f"v{number}", "persistentVolumeClaim": {"claimName": claim}}
        for number, claim in enumerate(claims)
    ]


async def storage_class(world: World, name: str, provisioner: str, **more: object) -> None:
    body = {
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer",
        **more,
    }
    await world.client.create(STORAGE_CLASSES, body)


async def claim(world: World, name: str, class_name: str = "", volume: str = "") -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": ASKED, "storageClassName": class_name}
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


async def volume(world: World, name: str, node: str, class_name: str = "") -> None:
    values = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
    spec = {
        "capacity": {"storage": "1Gi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/data"},
        "storageClassName": class_name,
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


def test_a_free_volume_is_given_to_one_claim_only() -> None:
    """Also while nobody has bound them yet."""

    async def story(world: World) -> None:
        for name in ("n1", "n2"):
            await world.node(name)
        await storage_class(world, "local", "kubernetes.io/no-provisioner")
        await volume(world, "pv1", "n1", "local")
        for name in ("a", "b"):
            await claim(world, name, "local")
            await world.pod(name, volumes=mounting(name))
        await world.settle()
        assert await world.where("a") == "n1"
        why = "2 node(s) didn't find available persistent volumes to bind."
        assert (await world.where("b")).startswith(f"Unschedulable: 0/2 nodes are available: {why}")
        await volume(world, "pv2", "n2", "local")
        await world.settle()
        assert await world.where("b") == "n2"

    in_world(story)


def test_a_pod_of_two_claims_goes_where_there_is_a_volume_for_each() -> None:
    async def story(world: World) -> None:
        for name in ("n1", "n2"):
            await world.node(name)
        await storage_class(world, "local", "kubernetes.io/no-provisioner")
        for name, node in (("pv1", "n1"), ("pv2", "n2"), ("pv3", "n2")):
            await volume(world, name, node, "local")
        for name in ("x", "y"):
            await claim(world, name, "local")
        await world.pod("a", volumes=mounting("x", "y"))
        await world.settle()
        assert await world.where("a") == "n2"

    in_world(story)


def test_a_promise_ends_with_its_volume() -> None:
    async def story(world: World) -> None:
        for name in ("n1", "n2"):
            await world.node(name)
        await storage_class(world, "local", "kubernetes.io/no-provisioner")
        await volume(world, "pv1", "n1", "local")
        await claim(world, "data", "local")
        await world.pod("a", volumes=mounting("data"))
        await world.settle()
        await world.delete("a")
        await world.client.delete(PERSISTENT_VOLUMES, "pv1")
        await world.client.patch(PERSISTENT_VOLUMES, "pv1", {"metadata": {"finalizers": None}})
        await volume(world, "pv2", "n2", "local")
        await world.pod("b", volumes=mounting("data"))
        await world.settle()
        assert await world.where("b") == "n2"

    in_world(story)


def test_pods_of_a_claim_that_has_no_volume_yet_go_to_one_node() -> None:
    async def story(world: World) -> None:
        for name in ("n1", "n2"):
            await world.node(name, cpu="4")
        await storage_class(world, "late", "x.io/disks")
        await claim(world, "data", "late")
        for name in ("a", "b", "c"):
            await world.pod(name, volumes=mounting("data"))
        await world.settle()
        assert [await world.where(name) for name in ("a", "b", "c")] == ["n1"] * 3

    in_world(story)


def test_a_class_may_name_the_zones_it_makes_volumes_for() -> None:
    async def story(world: World) -> None:
        for number in (1, 2):
            zone = {"topology.kubernetes.io/zone": f"z{number}"}
            await world.node(f"n{number}", labels=zone)
        expression = {"key": "topology.kubernetes.io/zone", "values": ["z2"]}
        topologies = [{"matchLabelExpressions": [expression]}]
        await storage_class(world, "zonal", "x.io/disks", allowedTopologies=topologies)
        await claim(world, "data", "zonal")
        await world.pod("a", volumes=mounting("data"))
        await world.settle()
        assert await world.where("a") == "n2"

    in_world(story)


def test_a_pod_whose_claim_goes_while_it_is_bound_is_not_forgotten() -> None:
    faulty: list[FaultyClient] = []

    def wrap(client: LocalClient) -> FaultyClient:
        faulty.append(FaultyClient(client))
        return faulty[0]

    async def story(world: World) -> None:
        await world.node("n1")
        await storage_class(world, "late", "x.io/disks")
        await claim(world, "data", "late")
        await world.settle()
        faulty[0].fail("patch", NotFound('persistentvolumeclaims "data" not found'))
        await world.pod("a", volumes=mounting("data"))
        await world.settle()
        (event,) = await world.events("a")
        assert event["message"] == (
            'running PreBind plugin "VolumeBinding": persistentvolumeclaims "data" not found'
        )
        await world.settle(5)
        assert await world.where("a") == "n1"

    in_world(story, wrap)


def test_a_node_may_be_refused_for_several_volumes_at_once() -> None:
    async def story(world: World) -> None:
        for name in ("n1", "n2"):
            await world.node(name)
        await storage_class(world, "local", "kubernetes.io/no-provisioner")
        await volume(world, "pv", "n2")
        await claim(world, "there", volume="pv")
        await bound(world, "there")
        await claim(world, "nowhere", "local")
        await world.pod("a", volumes=mounting("nowhere", "there"))
        await world.settle()
        assert (await world.where("a")).startswith(
            "Unschedulable: 0/2 nodes are available: "
            "1 node(s) didn't match PersistentVolume's node affinity, "
            "2 node(s) didn't find available persistent volumes to bind. "
        )

    in_world(story)
