"""Claims and volumes find each other, and part, in virtual time."""

from __future__ import annotations

from argosy.client.resources import (
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    STORAGE_CLASSES,
)
from argosy.workloads.scheduling import add_scheduler
from argosy.workloads.volumes import standard_class
from tests.behaviour.workloads.volumes.bodies import (
    claim,
    phase,
    phases,
    remove_claim,
    volume,
    volumes,
)
from tests.fakes.worlds import World, running


def test_a_claim_gets_the_volume_that_suits_it_best() -> None:
    async def story(world: World) -> None:
        modes = ["ReadWriteOnce", "ReadOnlyMany"]
        await world.create(PERSISTENT_VOLUMES, volume("many", "3Gi", accessModes=modes))
        await world.create(PERSISTENT_VOLUMES, volume("large", "9Gi"))
        await world.create(PERSISTENT_VOLUMES, volume("fitting", "5Gi"))
        await world.create(PERSISTENT_VOLUMES, volume("small", "1Gi"))
        assert await phase(world, "fitting") == "Available"
        made = await world.create(PERSISTENT_VOLUME_CLAIMS, claim("c", storageClassName="manual"))
        assert await phases(world, "c") == ("Bound", "fitting")
        found = await world.get(PERSISTENT_VOLUME_CLAIMS, "c")
        assert found is not None
        assert found["metadata"]["annotations"] == {
            "pv.kubernetes.io/bind-completed": "yes",
            "pv.kubernetes.io/bound-by-controller": "yes",
        }
        assert found["status"] == {
            "phase": "Bound",
            "accessModes": ["ReadWriteOnce"],
            "capacity": {"storage": "5Gi"},
        }
        bound = await world.get(PERSISTENT_VOLUMES, "fitting")
        assert bound is not None
        assert bound["status"]["phase"] == "Bound"
        assert bound["metadata"]["annotations"] == {"pv.kubernetes.io/bound-by-controller": "yes"}
        assert bound["spec"]["claimRef"]["uid"] == made["metadata"]["uid"]
        # Modes come before size: a volume that can do more is kept for those who need it.
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("d", storageClassName="manual"))
        assert await phases(world, "d") == ("Bound", "large")

    running(story, volumes())


def test_two_claims_do_not_get_the_same_volume() -> None:
    async def story(world: World) -> None:
        for name in ("a", "b", "c"):
            await world.create(PERSISTENT_VOLUME_CLAIMS, claim(name, storageClassName="manual"))
        await world.settle()
        for name in ("one", "two"):
            await world.create(PERSISTENT_VOLUMES, volume(name))
        await world.pass_time(1)
        got = sorted([await phases(world, name) for name in ("a", "b", "c")])
        assert got == [("Bound", "one"), ("Bound", "two"), ("Pending", "")]

    running(story, volumes())


def test_claims_that_wait_say_why() -> None:
    async def story(world: World) -> None:
        by_hand = {
            "metadata": {"name": "by-hand"},
            "provisioner": "kubernetes.io/no-provisioner",
        }
        await world.create(STORAGE_CLASSES, by_hand)
        await world.create(STORAGE_CLASSES, standard_class())
        await world.create(PERSISTENT_VOLUMES, volume("small", "1Gi"))
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("bare", storageClassName=""))
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("none", storageClassName="missing"))
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("hand", storageClassName="by-hand"))
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("waits"))
        await world.create(
            PERSISTENT_VOLUME_CLAIMS, claim("named", storageClassName="manual", volumeName="small")
        )
        await world.settle()
        want = {
            "bare": (
                "Normal",
                "FailedBinding",
                "no persistent volumes available for this claim and no storage class is set",
            ),
            "none": (
                "Warning",
                "ProvisioningFailed",
                'storageclass.storage.k8s.io "missing" not found',
            ),
            "hand": (
                "Warning",
                "ProvisioningFailed",
                "no volume plugin matched name: kubernetes.io/no-provisioner",
            ),
            "waits": (
                "Normal",
                "WaitForFirstConsumer",
                "waiting for first consumer to be created before binding",
            ),
            "named": (
                "Warning",
                "VolumeMismatch",
                'Cannot bind to requested volume "small": requested PV is too small',
            ),
        }
        got = {name: (await world.events(name))[0] for name in want}
        assert got == want

    running(story, volumes())


def test_a_claim_that_waited_gets_a_free_volume_of_its_node() -> None:
    async def story(world: World) -> None:
        local = {
            "metadata": {"name": "local"},
            "provisioner": "kubernetes.io/no-provisioner",
            "volumeBindingMode": "WaitForFirstConsumer",
        }
        await world.create(STORAGE_CLASSES, local)
        for number in (1, 2):
            await world.node(f"n{number}")
            term = {"key": "kubernetes.io/hostname", "operator": "In", "values": [f"n{number}"]}
            affinity = {"required": {"nodeSelectorTerms": [{"matchExpressions": [term]}]}}
            body = volume(f"v{number}", storageClassName="local", nodeAffinity=affinity)
            await world.create(PERSISTENT_VOLUMES, body)
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("data", storageClassName="local"))
        mounts = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
        await world.pod("p", volumes=mounts, nodeSelector={"kubernetes.io/hostname": "n2"})
        await world.pass_time(1)
        assert await phases(world, "data") == ("Bound", "v2")

    running(story, volumes(), add_scheduler)


def test_a_volume_that_is_kept_outlives_its_claim_and_one_nobody_can_delete_fails() -> None:
    async def story(world: World) -> None:
        await world.create(PERSISTENT_VOLUMES, volume("kept"))
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("a", storageClassName="manual"))
        assert await phases(world, "a") == ("Bound", "kept")
        await remove_claim(world, "a")
        assert await phase(world, "kept") == "Released"
        # Nobody else gets it while it names its old claim.
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("a", storageClassName="manual"))
        assert await phases(world, "a") == ("Pending", "")
        policy = {"persistentVolumeReclaimPolicy": "Delete"}
        await world.create(PERSISTENT_VOLUMES, volume("lasting", **policy))
        assert await phases(world, "a") == ("Bound", "lasting")
        await remove_claim(world, "a")
        assert await phase(world, "lasting") == "Failed"
        why = 'error getting deleter volume plugin for volume "lasting"'
        want = ("Warning", "VolumeFailedDelete", f"{why}: no deletable volume plugin matched")
        assert await world.events("lasting") == [want]

    running(story, volumes())


def test_a_bound_claim_whose_volume_goes_is_lost() -> None:
    async def story(world: World) -> None:
        await world.create(PERSISTENT_VOLUMES, volume("v"))
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("a", storageClassName="manual"))
        assert await phases(world, "a") == ("Bound", "v")
        await world.client.patch(PERSISTENT_VOLUMES, "v", {"metadata": {"finalizers": None}})
        await world.client.delete(PERSISTENT_VOLUMES, "v")
        assert await phases(world, "a") == ("Lost", "v")
        message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
        assert (await world.events("a"))[-1] == ("Warning", "ClaimLost", message)

    running(story, volumes())


def test_a_volume_set_aside_by_name_goes_to_that_claim() -> None:
    async def story(world: World) -> None:
        aside = volume("aside", claimRef={"namespace": "ns", "name": "mine"})
        await world.create(PERSISTENT_VOLUMES, aside)
        assert await phase(world, "aside") == "Available"
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("other", storageClassName="manual"))
        assert await phases(world, "other") == ("Pending", "")
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("mine", storageClassName="manual"))
        assert await phases(world, "mine") == ("Bound", "aside")
        found = await world.get(PERSISTENT_VOLUMES, "aside")
        assert found is not None
        assert "annotations" not in found["metadata"]

    running(story, volumes())


def test_a_claim_without_a_class_gets_the_default_when_there_is_one() -> None:
    async def story(world: World) -> None:
        await world.create(PERSISTENT_VOLUME_CLAIMS, claim("early"))
        await world.settle()
        await world.create(STORAGE_CLASSES, standard_class())
        await world.settle()
        found = await world.get(PERSISTENT_VOLUME_CLAIMS, "early")
        assert found is not None
        assert found["spec"]["storageClassName"] == "standard"

    running(story, volumes())
