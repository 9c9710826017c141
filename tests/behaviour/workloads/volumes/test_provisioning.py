"""Volumes made for claims: the local provisioner, ephemeral volumes, stateful sets, in virtual time."""

from __future__ import annotations

from pathlib import Path

from argosy.base.types import Object
from argosy.client.resources import (
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    PODS,
    STATEFUL_SETS,
    STORAGE_CLASSES,
)
from argosy.control.assemblies import Assembly
from argosy.workloads.apps import add_apps
from argosy.workloads.scheduling import add_scheduler
from argosy.workloads.volumes import standard_class
from argosy.workloads.volumes.binding import Storage
from argosy.workloads.volumes.provisioning import LocalProvisioner
from tests.behaviour.workloads.volumes.bodies import (
    claim,
    phase,
    phases,
    remove_claim,
    volumes,
)
from tests.fakes.worlds import World, running

ASKED = (
    "Waiting for a volume to be created either by the external provisioner 'argosy.dev/local' or "
    "manually by the system administrator. If volume creation is delayed, please verify that the "
    "provisioner is running and correctly registered."
)


def provisioner(assembly: Assembly) -> None:
    """The provisioner alone."""
    LocalProvisioner(assembly, Storage(assembly), None)


def test_a_pod_gets_a_folder_where_it_runs_and_the_folder_goes_with_the_claim(
    tmp_path: Path,
) -> None:
    async def story(world: World) -> None:
        await world.create(STORAGE_CLASSES, standard_class())
        await world.node("n1")
        made = await world.create(PERSISTENT_VOLUME_CLAIMS, claim("data"))
        assert made["spec"]["storageClassName"] == "standard"
        mounts = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
        await world.pod("p", volumes=mounts)
        await world.pass_time(1)
        name = f"pvc-{made['metadata']['uid']}"
        assert await phases(world, "data") == ("Bound", name)
        found = await world.get(PERSISTENT_VOLUME_CLAIMS, "data")
        assert found is not None
        assert found["metadata"]["annotations"] == {
            "pv.kubernetes.io/bind-completed": "yes",
            "pv.kubernetes.io/bound-by-controller": "yes",
            "volume.beta.kubernetes.io/storage-provisioner": "argosy.dev/local",
            "volume.kubernetes.io/selected-node": "n1",
            "volume.kubernetes.io/storage-provisioner": "argosy.dev/local",
        }
        bound = await world.get(PERSISTENT_VOLUMES, name)
        assert bound is not None
        assert bound["metadata"]["annotations"] == {
            "pv.kubernetes.io/provisioned-by": "argosy.dev/local"
        }
        spec = bound["spec"]
        assert spec["hostPath"]["path"] == str(tmp_path / name)
        assert spec["persistentVolumeReclaimPolicy"] == "Delete"
        term = {"key": "kubernetes.io/hostname", "operator": "In", "values": ["n1"]}
        (place,) = spec["nodeAffinity"]["required"]["nodeSelectorTerms"]
        assert place == {"matchExpressions": [term]}
        assert (tmp_path / name).is_dir()
        pod = await world.get(PODS, "p")
        assert pod is not None
        assert pod["spec"]["nodeName"] == "n1"
        assert ("Normal", "ExternalProvisioning", ASKED) in await world.events("data")
        await remove_claim(world, "data")
        # What protects a bound volume is taken away by housekeeping once it is released.
        await world.client.patch(PERSISTENT_VOLUMES, name, {"metadata": {"finalizers": None}})
        assert await phase(world, name) == "gone"
        assert not (tmp_path / name).exists()

    running(story, volumes(tmp_path), add_scheduler)


def test_nodes_of_one_runtime_share_their_volumes() -> None:
    async def story(world: World) -> None:
        await world.create(STORAGE_CLASSES, standard_class())
        await world.node("n1", labels={"argosy.dev/runtime": "process"})
        made = await world.create(PERSISTENT_VOLUME_CLAIMS, claim("data"))
        mounts = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
        await world.pod("p", volumes=mounts)
        await world.pass_time(1)
        found = await world.get(PERSISTENT_VOLUMES, f"pvc-{made['metadata']['uid']}")
        assert found is not None
        (place,) = found["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
        term = {"key": "argosy.dev/runtime", "operator": "In", "values": ["process"]}
        assert place == {"matchExpressions": [term]}

    running(story, volumes(), add_scheduler)


async def marked(world: World, node: str) -> Object:
    """A claim as the scheduler and the binder leave it for the provisioner."""
    await world.create(STORAGE_CLASSES, standard_class())
    made = claim("data")
    made["metadata"]["annotations"] = {
        "volume.kubernetes.io/selected-node": node,
        "volume.kubernetes.io/storage-provisioner": "argosy.dev/local",
    }
    created = await world.create(PERSISTENT_VOLUME_CLAIMS, made)
    await world.settle()
    return created


def test_the_provisioner_says_what_it_does() -> None:
    async def story(world: World) -> None:
        await world.node("n1")
        made = await marked(world, "n1")
        name = f"pvc-{made['metadata']['uid']}"
        message = 'External provisioner is provisioning volume for claim "ns/data"'
        assert await world.events("data") == [
            ("Normal", "Provisioning", message),
            ("Normal", "ProvisioningSucceeded", f"Successfully provisioned volume {name}"),
        ]

    running(story, provisioner)


def test_a_node_that_went_before_the_volume_was_made_is_selected_anew() -> None:
    async def story(world: World) -> None:
        await marked(world, "gone")
        found = await world.get(PERSISTENT_VOLUME_CLAIMS, "data")
        assert found is not None
        assert "volume.kubernetes.io/selected-node" not in found["metadata"]["annotations"]
        message = 'failed to get target node: nodes "gone" not found'
        assert await world.events("data") == [("Warning", "ProvisioningFailed", message)]

    running(story, provisioner)


def test_what_the_provisioner_cannot_make_it_refuses() -> None:
    async def story(world: World) -> None:
        await world.create(STORAGE_CLASSES, standard_class())
        await world.node("n1")
        made = claim("data", volumeMode="Block")
        made["metadata"]["annotations"] = {
            "volume.kubernetes.io/selected-node": "n1",
            "volume.kubernetes.io/storage-provisioner": "argosy.dev/local",
        }
        await world.create(PERSISTENT_VOLUME_CLAIMS, made)
        await world.settle()
        message = (
            'failed to provision volume with StorageClass "standard": argosy.dev/local does not '
            "support block volume provisioning; use volumeMode Filesystem"
        )
        assert await world.events("data") == [("Warning", "ProvisioningFailed", message)]
        assert await world.list(PERSISTENT_VOLUMES) == []

    running(story, provisioner)


def test_an_ephemeral_volume_has_a_claim_of_its_own() -> None:
    async def story(world: World) -> None:
        await world.create(STORAGE_CLASSES, standard_class())
        await world.node("n1")
        template = {"metadata": {"labels": {"a": "b"}}, "spec": claim("x")["spec"]}
        mounts = [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": template}}]
        pod = await world.pod("p", volumes=mounts)
        await world.settle()
        found = await world.get(PERSISTENT_VOLUME_CLAIMS, "p-scratch")
        assert found is not None
        assert found["metadata"]["labels"] == {"a": "b"}
        (owner,) = found["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"]) == ("Pod", pod["metadata"]["uid"])
        waits = ("Normal", "WaitForPodScheduled", "waiting for pod p to be scheduled")
        assert await world.events("p-scratch") == [waits]
        # As the scheduler does.
        mark = {"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "n1"}}}
        await world.client.patch(PERSISTENT_VOLUME_CLAIMS, "p-scratch", mark, namespace="ns")
        assert (await phases(world, "p-scratch"))[0] == "Bound"

    running(story, volumes())


def test_an_ephemeral_volume_does_not_take_a_claim_of_others() -> None:
    async def story(world: World) -> None:
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("p-scratch", storageClassName=""))
        template = {"spec": claim("x")["spec"]}
        mounts = [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": template}}]
        await world.pod("p", volumes=mounts)
        await world.settle()
        why = "PVC ns/p-scratch was not created for pod ns/p (pod is not owner)"
        want = ("Warning", "FailedBinding", f"ephemeral volume scratch: {why}")
        assert want in await world.events("p")

    running(story, volumes())


def test_a_stateful_set_with_claims_works_out_of_the_box() -> None:
    async def story(world: World) -> None:
        await world.create(STORAGE_CLASSES, standard_class())
        await world.node("n1")
        template = {
            "metadata": {"labels": {"app": "db"}},
            "spec": {"containers": [{"name": "main", "image": "busybox"}]},
        }
        spec = {
            "replicas": 2,
            "serviceName": "db",
            "podManagementPolicy": "Parallel",
            "selector": {"matchLabels": {"app": "db"}},
            "template": template,
            "volumeClaimTemplates": [claim("data")],
        }
        await world.create(STATEFUL_SETS, {"metadata": {"name": "db"}, "spec": spec})
        await world.pass_time(2)
        for number in range(2):
            assert (await phases(world, f"data-db-{number}"))[0] == "Bound"
            pod = await world.get(PODS, f"db-{number}")
            assert pod is not None
            assert pod["spec"]["nodeName"] == "n1"

    running(story, volumes(), add_apps, add_scheduler)
