"""What becomes of claims and volumes: the cases beside those that a story shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from argosy.api.objects import Node, ObjectMeta, ObjectReference
from argosy.api.objects.storage import (
    ClaimResources,
    ClaimSpec,
    ClaimStatus,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeSpec,
    VolumeStatus,
)
from argosy.base.types import Json, Object
from argosy.workloads.volumes.classes import default_class
from argosy.workloads.volumes.deciding import (
    AskClaim,
    AssignClass,
    Bind,
    ClaimStep,
    Enter,
    Notice,
    Provision,
    Remain,
    Unbind,
    VolumeStep,
    claim_step,
    volume_step,
)

DONE = {"pv.kubernetes.io/bind-completed": "yes"}
SELECTED = {"volume.kubernetes.io/selected-node": "n1"}
OURS = {"pv.kubernetes.io/provisioned-by": "argosy.dev/local"}
BY_US = {"pv.kubernetes.io/bound-by-controller": "yes"}


def claim(
    volume: str = "", *, annotations: dict[str, str] | None = None, uid: str = "u", **spec: Json
) -> PersistentVolumeClaim:
    asked: Object = {
        "volume_name": volume,
        "storage_class_name": "fast",
        "access_modes": ("ReadWriteOnce",),
        "resources": ClaimResources({"storage": "2Gi"}),
        **spec,
    }
    meta = ObjectMeta(name="c", namespace="ns", uid=uid, annotations=annotations or {})
    return PersistentVolumeClaim(meta, ClaimSpec(**asked), ClaimStatus(phase="Pending"))


def volume(
    name: str = "v",
    *,
    owner: str | None = None,
    phase: str = "Available",
    annotations: dict[str, str] | None = None,
    labels: dict[str, str] | None = None,
    **spec: Json,
) -> PersistentVolume:
    """`owner` is the uid of the claim it names; None names nobody."""
    named = ObjectReference(namespace="ns", name="c", uid=owner) if owner is not None else None
    given: Object = {
        "capacity": {"storage": "5Gi"},
        "access_modes": ("ReadWriteOnce",),
        "storage_class_name": "fast",
        "claim_ref": named,
        **spec,
    }
    meta = ObjectMeta(name=name, annotations=annotations or {}, labels=labels or {})
    return PersistentVolume(meta, VolumeSpec(**given), VolumeStatus(phase))


def storage_class(name: str = "fast", **more: Json) -> StorageClass:
    return StorageClass(ObjectMeta(name=name, annotations=more.pop("annotations", {})), **more)


WAITS = storage_class(provisioner="x.dev/y", volume_binding_mode="WaitForFirstConsumer")
AT_ONCE = storage_class(provisioner="x.dev/y")


@dataclass
class Seen:
    """A cluster at one moment."""

    volumes: tuple[PersistentVolume, ...] = ()
    classes: tuple[StorageClass, ...] = ()
    nodes: tuple[str, ...] = ("n1",)
    pods: tuple[str, ...] = field(default=())

    def volume(self, name: str) -> PersistentVolume | None:
        return next((one for one in self.volumes if one.metadata.name == name), None)

    def kept_for(self, claim: PersistentVolumeClaim) -> Sequence[PersistentVolume]:
        return [one for one in self.volumes if one.spec.claim_ref is not None]

    def free(self, class_name: str) -> Sequence[PersistentVolume]:
        return [one for one in self.volumes if one.class_name == class_name]

    def storage_class(self, name: str) -> StorageClass | None:
        return next((one for one in self.classes if one.metadata.name == name), None)

    def default_class(self) -> StorageClass | None:
        return default_class(self.classes)

    def node(self, name: str) -> Node | None:
        labels = {"kubernetes.io/hostname": name}
        return Node(ObjectMeta(name=name, labels=labels)) if name in self.nodes else None

    def waiting_pods(self, claim: PersistentVolumeClaim) -> Sequence[str]:
        return self.pods


def on(node: str) -> Object:
    term = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [term]}]}}


def waiting(text: str) -> Remain:
    return Remain("Pending", Notice("Normal", "WaitForPodScheduled", text))


FAST = volume("fast", labels={"disk": "fast"})
LARGE = volume("large", capacity={"storage": "9Gi"})
FAR, NEAR = volume("far", node_affinity=on("n2")), volume("near", node_affinity=on("n1"))
KEPT = volume("kept", owner="")
DEFAULT = storage_class(
    "usual", annotations={"storageclass.kubernetes.io/is-default-class": "true"}
)

CLAIMS: dict[str, tuple[PersistentVolumeClaim, Seen, ClaimStep]] = {
    "the smallest volume is taken": (claim(), Seen((LARGE, FAST)), Bind(FAST)),
    "a selector rules volumes out": (
        claim(selector={"matchLabels": {"disk": "fast"}}), Seen((volume("a"), FAST)), Bind(FAST)
    ),
    "a volume that is kept for the claim comes first": (claim(), Seen((FAST, KEPT)), Bind(KEPT)),
    "a volume kept for another claim of the name is not taken": (
        claim(), Seen((volume(owner="older"),), (AT_ONCE,)), Provision("x.dev/y"),
    ),
    "a claim that waits does not take free volumes": (
        claim(), Seen((FAST,), (WAITS,), pods=("p",)), waiting("waiting for pod p to be scheduled"),
    ),
    "several pods may be waited for": (
        claim(), Seen((), (WAITS,), pods=("p", "q")), waiting("waiting for pods p,q to be scheduled"),
    ),
    "once its node is known it takes one that reaches it": (
        claim(annotations=SELECTED), Seen((FAR, NEAR), (WAITS,)), Bind(NEAR)
    ),
    "or asks for one": (
        claim(annotations=SELECTED), Seen((FAR,), (WAITS,)), Provision("x.dev/y"),
    ),
    "a volume that is asked for by name and not there is waited for": (
        claim("v"), Seen(), Remain("Pending"),
    ),
    "a volume that is asked for by name is taken": (claim("v"), Seen((volume(),)), Bind(volume())),
    "unless another claim has it": (
        claim("v"),
        Seen((volume(owner="other"),)),
        Remain(
            "Pending",
            Notice("Warning", "FailedBinding", 'volume "v" already bound to a different claim.'),
        ),
    ),
    "a bound claim whose volume forgot it is bound again": (
        claim("v", annotations=DONE), Seen((volume(),)), Bind(volume()),
    ),
    "a bound claim whose volume has another claim is lost": (
        claim("v", annotations=DONE),
        Seen((volume(owner="other"),)),
        Remain(
            "Lost",
            Notice(
                "Warning",
                "ClaimMisbound",
                "Two claims are bound to the same volume, this one is bound incorrectly",
            ),
            is_late=True,
        ),
    ),
    "a claim that names no class gets the default": (
        claim(storage_class_name=None), Seen((), (DEFAULT,)), AssignClass("usual"),
    ),
    "the old annotation names a class, too": (
        claim(
            storage_class_name=None,
            annotations={"volume.beta.kubernetes.io/storage-class": "fast"},
        ),
        Seen((), (DEFAULT, AT_ONCE)),
        Provision("x.dev/y"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("given", "seen", "want"), CLAIMS.values(), ids=CLAIMS.keys())
def test_claims(given: PersistentVolumeClaim, seen: Seen, want: ClaimStep) -> None:
    assert claim_step(given, seen) == want


DELETE: Object = {"persistent_volume_reclaim_policy": "Delete"}
VOLUMES: dict[str, tuple[PersistentVolume, PersistentVolumeClaim | None, VolumeStep]] = {
    "nobody has it": (volume(phase=""), None, Enter("Available")),
    "it is kept for a name": (volume(owner="", phase=""), claim(), Enter("Available")),
    "its claim has it, too": (volume(owner="u"), claim("v"), Enter("Bound")),
    "its claim does not know yet": (volume(owner="u"), claim(), AskClaim()),
    "its claim is gone": (volume(owner="u", phase="Bound"), None, Enter("Released")),
    "a younger claim has the name": (volume(owner="old"), claim(uid="new"), Enter("Released")),
    "released and kept": (volume(owner="u", phase="Released"), None, Enter("Released")),
    "released, for its provisioner to delete": (
        volume(owner="u", phase="Released", annotations=OURS, **DELETE), None, Enter("Released"),
    ),
    "released, and nobody can recycle": (
        volume(owner="u", phase="Released", persistent_volume_reclaim_policy="Recycle"),
        None,
        Enter(
            "Failed",
            Notice("Warning", "VolumeFailedRecycle", "No recycler plugin found for the volume!"),
        ),
    ),
    "its claim took another volume": (volume(owner="u"), claim("w"), Unbind(is_kept=True)),
    "its claim took another, after we had bound it": (
        volume(owner="u", annotations=BY_US), claim("w"), Unbind(is_kept=False)
    ),
    "its claim took another, after it was made for it": (
        volume(owner="u", annotations=OURS, **DELETE), claim("w"), Enter("Released")
    ),
}  # fmt: skip


@pytest.mark.parametrize(("given", "owner", "want"), VOLUMES.values(), ids=VOLUMES.keys())
def test_volumes(
    given: PersistentVolume, owner: PersistentVolumeClaim | None, want: VolumeStep
) -> None:
    assert volume_step(given, owner) == want
