"""Claims, volumes and storage classes, as far as scheduling, binding and provisioning look at them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from argosy.api.objects.metadata import ObjectMeta, ObjectReference, Quantities, View
from argosy.base.quantities import Quantity, parse
from argosy.base.selectors.labels import from_object
from argosy.base.types import Object

# How claims and volumes named their class before there was a field for it.
_OLD_CLASS: Final = "volume.beta.kubernetes.io/storage-class"


class ClaimResources(View, frozen=True):
    requests: Quantities = msgspec.field(default_factory=dict)


class ClaimSpec(View, frozen=True):
    volume_name: str = ""
    storage_class_name: str | None = None
    access_modes: tuple[str, ...] = ()
    resources: ClaimResources = ClaimResources()
    selector: Object | None = None
    volume_mode: str = "Filesystem"
    volume_attributes_class_name: str = ""
    data_source: Object | None = None
    data_source_ref: Object | None = None


class ClaimStatus(View, frozen=True):
    phase: str = ""
    access_modes: tuple[str, ...] = ()
    capacity: Quantities = msgspec.field(default_factory=dict)
    current_volume_attributes_class_name: str = ""


class PersistentVolumeClaim(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ClaimSpec = ClaimSpec()
    status: ClaimStatus = ClaimStatus()

    @property
    def is_bound(self) -> bool:
        return bool(self.spec.volume_name) and (
            self.status.phase == "Bound"
            or "pv.kubernetes.io/bind-completed" in self.metadata.annotations
        )

    @property
    def class_name(self) -> str:
        """The class it asks for; empty for volumes without a class."""
        old = self.metadata.annotations.get(_OLD_CLASS)
        return old if old is not None else self.spec.storage_class_name or ""

    @property
    def names_class(self) -> bool:
        """Whether it says which class it wants, be it none."""
        return _OLD_CLASS in self.metadata.annotations or self.spec.storage_class_name is not None


class VolumeSpec(View, frozen=True):
    capacity: Quantities = msgspec.field(default_factory=dict)
    access_modes: tuple[str, ...] = ()
    storage_class_name: str = ""
    node_affinity: Object | None = None
    claim_ref: ObjectReference | None = None
    persistent_volume_reclaim_policy: str = "Retain"
    volume_mode: str = "Filesystem"
    volume_attributes_class_name: str = ""


class VolumeStatus(View, frozen=True):
    phase: str = ""


class PersistentVolume(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: VolumeSpec = VolumeSpec()
    status: VolumeStatus = VolumeStatus()

    @property
    def class_name(self) -> str:
        return self.metadata.annotations.get(_OLD_CLASS) or self.spec.storage_class_name

    def mismatch(self, claim: PersistentVolumeClaim) -> str:
        """Why the claim cannot have this volume, whoever has it now; empty if it can."""
        if self.metadata.deletion_timestamp is not None:
            return f'the volume is marked for deletion "{self.metadata.name}"'
        if self.size < parse(claim.spec.resources.requests.get("storage", "0")):
            return "requested PV is too small"
        if self.class_name != claim.class_name:
            return "storageClassName does not match"
        if self.spec.volume_attributes_class_name != claim.spec.volume_attributes_class_name:
            return "volumeAttributesClassName does not match"
        if self.spec.volume_mode != claim.spec.volume_mode:
            return "incompatible volumeMode"
        if not set(claim.spec.access_modes) <= set(self.spec.access_modes):
            return "incompatible accessMode"
        return ""

    def suits(self, claim: PersistentVolumeClaim) -> bool:
        """Whether an unbound claim could have this volume."""
        if self.spec.claim_ref is not None or self.mismatch(claim):
            return False
        selector = claim.spec.selector
        return selector is None or from_object(selector).matches(self.metadata.labels)

    def is_kept_for(self, claim: PersistentVolumeClaim) -> bool:
        """Whether the volume is bound to the claim, or set aside for it by its name."""
        reference = self.spec.claim_ref
        return (
            reference is not None
            and (reference.namespace, reference.name) == claim.metadata.key
            and reference.uid in {"", claim.metadata.uid}
        )

    @property
    def size(self) -> Quantity:
        return parse(self.spec.capacity.get("storage", "0"))


class StorageClass(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    provisioner: str = ""
    reclaim_policy: str = "Delete"
    volume_binding_mode: str = "Immediate"
    mount_options: tuple[str, ...] = ()
    allowed_topologies: tuple[Object, ...] = ()

    def allows(self, labels: Mapping[str, str]) -> bool:
        """Whether volumes can be made for a node with these labels: one of the topologies holds, if there are any."""
        return not self.allowed_topologies or any(
            bool(expressions := term.get("matchLabelExpressions") or ())
            and all(labels.get(one["key"]) in (one.get("values") or ()) for one in expressions)
            for term in self.allowed_topologies
        )

    @property
    def waits(self) -> bool:
        """Whether claims are bound only when a pod needs them."""
        return self.volume_binding_mode == "WaitForFirstConsumer"
