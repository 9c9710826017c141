"""What becomes of a claim or a volume, given the others. Pure.

A claim and a volume are bound when each names the other: the volume by `claimRef`, the claim by `volumeName`. The
volume is written first, so that two claims cannot have the same one. Mirrors pkg/controller/volume/persistentvolume.
One thing is done here that kube-scheduler does upstream: a claim that waited for its pod and was told the node gets a
free volume that this node can reach, if there is one, before a new one is asked for.

Not done: growing of claims, recycling, and migration of in-tree plugins.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from argosy.api.nodefit import RequiredAffinity
from argosy.api.objects import Node
from argosy.api.objects.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from argosy.workloads.volumes.classes import IN_TREE

BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
PROVISIONED_BY: Final = "pv.kubernetes.io/provisioned-by"
SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
STORAGE_PROVISIONER: Final = "volume.kubernetes.io/storage-provisioner"
OLD_STORAGE_PROVISIONER: Final = "volume.beta.kubernetes.io/storage-provisioner"


class Picture(Protocol):
    """What else there is."""

    def volume(self, name: str) -> PersistentVolume | None: ...
    def kept_for(self, claim: PersistentVolumeClaim) -> Sequence[PersistentVolume]:
        """Volumes whose claimRef has the claim's name."""

    def free(self, class_name: str) -> Sequence[PersistentVolume]:
        """Volumes of the class that nobody has."""

    def storage_class(self, name: str) -> StorageClass | None: ...
    def default_class(self) -> StorageClass | None: ...
    def node(self, name: str) -> Node | None: ...
    def waiting_pods(self, claim: PersistentVolumeClaim) -> Sequence[str]:
        """Names of the pods that use the claim and have no node yet."""


@dataclass(frozen=True, slots=True)
class Notice:
    """An event."""

    type: Literal["Normal", "Warning"]
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Bind:
    """Bind the claim and the volume, or finish binding them."""

    volume: PersistentVolume


@dataclass(frozen=True, slots=True)
class Remain:
    """The claim is in this phase, for the reason given; one that `is_late` is given only when the phase changes."""

    phase: str
    notice: Notice | None = None
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class Provision:
    """Ask the provisioner for a volume."""

    provisioner: str


@dataclass(frozen=True, slots=True)
class AssignClass:
    """The claim named no class; now there is a default."""

    name: str


ClaimStep: TypeAlias = Bind | Remain | Provision | AssignClass


def claim_step(claim: PersistentVolumeClaim, picture: Picture) -> ClaimStep:
    """What to do for a claim."""
    if BIND_COMPLETED in claim.metadata.annotations:
        return _bound(claim, picture)
    if claim.spec.volume_name:
        return _named(claim, picture)
    volume = _best(claim, picture)
    if volume is not None:
        return Bind(volume)
    if not claim.names_class and (default := picture.default_class()) is not None:
        return AssignClass(default.metadata.name)
    return _wanting(claim, picture)


def _bound(claim: PersistentVolumeClaim, picture: Picture) -> ClaimStep:
    if not claim.spec.volume_name:
        return _lost(
            "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!"
        )
    volume = picture.volume(claim.spec.volume_name)
    if volume is None:
        return _lost("Bound claim has lost its PersistentVolume. Data on the volume is lost!")
    reference = volume.spec.claim_ref
    if reference is None or reference.uid == claim.metadata.uid:
        return Bind(volume)
    message = "Two claims are bound to the same volume, this one is bound incorrectly"
    return Remain("Lost", Notice("Warning", "ClaimMisbound", message), is_late=True)


def _lost(message: str) -> Remain:
    return Remain("Lost", Notice("Warning", "ClaimLost", message), is_late=True)


def _named(claim: PersistentVolumeClaim, picture: Picture) -> ClaimStep:
    """A claim that asks for one volume."""
    volume = picture.volume(claim.spec.volume_name)
    if volume is None:
        return Remain("Pending")
    name = volume.metadata.name
    if volume.spec.claim_ref is None:
        if why := volume.mismatch(claim):
            message = f'Cannot bind to requested volume "{name}": {why}'
            return Remain("Pending", Notice("Warning", "VolumeMismatch", message))
        return Bind(volume)
    if volume.is_kept_for(claim):
        return Bind(volume)
    message = f'volume "{name}" already bound to a different claim.'
    return Remain("Pending", Notice("Warning", "FailedBinding", message))


def _best(claim: PersistentVolumeClaim, picture: Picture) -> PersistentVolume | None:
    """The volume that is kept for the claim, or the free one with the fewest modes, of these the smallest."""
    for volume in picture.kept_for(claim):
        if volume.is_kept_for(claim) and _is_good_for(volume, claim):
            return volume
    storage_class = picture.storage_class(claim.class_name)
    node: Node | None = None
    if storage_class is not None and storage_class.waits:
        node = picture.node(claim.metadata.annotations.get(SELECTED_NODE, ""))
        if node is None:
            return None
    fitting = (
        volume
        for volume in picture.free(claim.class_name)
        if volume.status.phase == "Available" and volume.suits(claim) and reaches(volume, node)
    )
    return min(
        fitting,
        key=lambda one: (len(one.spec.access_modes), one.size, one.metadata.name),
        default=None,
    )


def _is_good_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether a volume kept for the claim can be bound to it: its class and modes are its maker's business."""
    return volume.mismatch(claim) in {
        "",
        "storageClassName does not match",
        "incompatible accessMode",
    }


def reaches(volume: PersistentVolume, node: Node | None) -> bool:
    """Whether the volume can be mounted on the node; no node means any."""
    affinity = volume.spec.node_affinity
    if node is None or affinity is None:
        return True
    required = {"requiredDuringSchedulingIgnoredDuringExecution": affinity.get("required")}
    return RequiredAffinity({}, required).matches(node.metadata.labels, node.metadata.name)


def _wanting(claim: PersistentVolumeClaim, picture: Picture) -> ClaimStep:
    """No volume fits."""
    name = claim.class_name
    if not name:
        message = "no persistent volumes available for this claim and no storage class is set"
        return Remain("Pending", Notice("Normal", "FailedBinding", message))
    found = picture.storage_class(name)
    if found is None:
        message = f'storageclass.storage.k8s.io "{name}" not found'
        return Remain("Pending", Notice("Warning", "ProvisioningFailed", message))
    if found.waits and SELECTED_NODE not in claim.metadata.annotations:
        return Remain("Pending", _waiting(picture.waiting_pods(claim)))
    if found.provisioner.startswith(IN_TREE):
        message = f"no volume plugin matched name: {found.provisioner}"
        return Remain("Pending", Notice("Warning", "ProvisioningFailed", message))
    return Provision(found.provisioner)


def _waiting(pods: Sequence[str]) -> Notice:
    if not pods:
        message = "waiting for first consumer to be created before binding"
        return Notice("Normal", "WaitForFirstConsumer", message)
    noun = "pods" if len(pods) > 1 else "pod"
    message = f"waiting for {noun} {','.join(pods)} to be scheduled"
    return Notice("Normal", "WaitForPodScheduled", message)


# Volumes.


@dataclass(frozen=True, slots=True)
class Enter:
    """The volume is in this phase, for the reason given."""

    phase: str
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class AskClaim:
    """The claim has to finish binding."""


@dataclass(frozen=True, slots=True)
class Unbind:
    """The claim has another volume: this one is free again, or kept for the claim's name only."""

    is_kept: bool


VolumeStep: TypeAlias = Enter | AskClaim | Unbind


def volume_step(volume: PersistentVolume, claim: PersistentVolumeClaim | None) -> VolumeStep:
    """What to do for a volume; `claim` is the one of the name in its claimRef, if there is one."""
    reference = volume.spec.claim_ref
    if reference is None or not reference.uid:
        return Enter("Available")
    if claim is None or claim.metadata.uid != reference.uid:
        return _released(volume)
    if not claim.spec.volume_name:
        return AskClaim()
    if claim.spec.volume_name == volume.metadata.name:
        return Enter("Bound")
    annotations = volume.metadata.annotations
    if PROVISIONED_BY in annotations and volume.spec.persistent_volume_reclaim_policy == "Delete":
        return _released(volume)
    return Unbind(is_kept=BOUND_BY_CONTROLLER not in annotations)


def _released(volume: PersistentVolume) -> Enter:
    """Its claim is gone. A provisioner deletes what it made; nobody here can delete or recycle anything else."""
    if volume.status.phase not in {"Released", "Failed"}:
        return Enter("Released")
    policy = volume.spec.persistent_volume_reclaim_policy
    if policy == "Recycle":
        message = "No recycler plugin found for the volume!"
        return Enter("Failed", Notice("Warning", "VolumeFailedRecycle", message))
    maker = volume.metadata.annotations.get(PROVISIONED_BY, "")
    if policy == "Delete" and (not maker or maker.startswith(IN_TREE)):
        why = f'error getting deleter volume plugin for volume "{volume.metadata.name}"'
        message = f"{why}: no deletable volume plugin matched"
        return Enter("Failed", Notice("Warning", "VolumeFailedDelete", message))
    return Enter(volume.status.phase)
