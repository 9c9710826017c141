"""The persistent volume controller: binds claims to volumes, and sets volumes free or aside when claims go.

`deciding` says what to do; here it is looked up and written. Each write of a binding says which revision it was decided
on: a volume that somebody else took meanwhile is a Conflict, and the claim looks for another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from argosy.api.objects import Node, decoder
from argosy.api.objects.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import (
    NODES,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    STORAGE_CLASSES,
)
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.workloads.volumes.classes import default_class
from argosy.workloads.volumes.deciding import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    OLD_STORAGE_PROVISIONER,
    STORAGE_PROVISIONER,
    AskClaim,
    AssignClass,
    Bind,
    Enter,
    Notice,
    Provision,
    Remain,
    Unbind,
    claim_step,
    volume_step,
)
from argosy.workloads.volumes.users import CLAIM, users_of_claims

# Claims that are not bound, by their class; volumes that nobody has, by their class; volumes by their claim.
_UNBOUND: Final = "unbound"
_FREE: Final = "free"
_CLAIMED: Final = "claimed"


class Storage:
    """Everything a decision about one claim or volume looks at, read from informers."""

    def __init__(self, assembly: Assembly) -> None:
        self.claims: Final = assembly.informer(PERSISTENT_VOLUME_CLAIMS, PersistentVolumeClaim)
        self.volumes: Final = assembly.informer(PERSISTENT_VOLUMES, PersistentVolume)
        self.classes: Final = assembly.informer(STORAGE_CLASSES, StorageClass)
        self._nodes = assembly.informer(NODES, Node)
        self._pods = users_of_claims(assembly)
        self.claims.add_index(_UNBOUND, _unbound)
        self.volumes.add_index(_FREE, _free)
        self.volumes.add_index(_CLAIMED, _claimed)

    def volume(self, name: str) -> PersistentVolume | None:
        return self.volumes.get("", name)

    def kept_for(self, claim: PersistentVolumeClaim) -> Sequence[PersistentVolume]:
        return self.claimed_by(Key(*claim.metadata.key))

    def claimed_by(self, key: Key) -> Sequence[PersistentVolume]:
        return self.volumes.by_index(_CLAIMED, str(key))

    def free(self, class_name: str) -> Sequence[PersistentVolume]:
        return self.volumes.by_index(_FREE, class_name)

    def unbound(self, class_name: str) -> Sequence[PersistentVolumeClaim]:
        return self.claims.by_index(_UNBOUND, class_name)

    def storage_class(self, name: str) -> StorageClass | None:
        return self.classes.get("", name)

    def default_class(self) -> StorageClass | None:
        return default_class(self.classes)

    def node(self, name: str) -> Node | None:
        return self._nodes.get("", name)

    def waiting_pods(self, claim: PersistentVolumeClaim) -> Sequence[str]:
        users = self._pods.by_index(CLAIM, str(Key(*claim.metadata.key)))
        return [
            pod.metadata.name for pod in users if not pod.spec.node_name and not pod.is_terminal
        ]


class Binder:
    """One cluster's claims and volumes."""

    def __init__(self, assembly: Assembly, storage: Storage) -> None:
        self._client = assembly.client
        self._storage = storage
        self._recorder = assembly.recorder("persistentvolume-controller")
        self._claims = assembly.controller("claim-binder", self._sync_claim, workers=5)
        self._volumes = assembly.controller("volume-binder", self._sync_volume, workers=5)
        storage.claims.add_handler(self._claim_changed)
        storage.volumes.add_handler(self._volume_changed)
        storage.classes.add_handler(self._class_changed)

    # What to look at.

    def _claim_changed(
        self, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim | None
    ) -> None:
        claim = new or old
        assert claim is not None
        key = Key(*claim.metadata.key)
        self._claims.add(key)
        for volume in self._storage.claimed_by(key):
            self._volumes.add(volume.metadata.name)

    def _volume_changed(self, old: PersistentVolume | None, new: PersistentVolume | None) -> None:
        volume = new or old
        assert volume is not None
        self._volumes.add(volume.metadata.name)
        if volume.spec.claim_ref is not None:
            self._claims.add(Key(volume.spec.claim_ref.namespace, volume.spec.claim_ref.name))
        elif volume.status.phase == "Available":
            for claim in self._storage.unbound(volume.class_name):
                self._claims.add(Key(*claim.metadata.key))

    def _class_changed(self, _: StorageClass | None, new: StorageClass | None) -> None:
        if new is not None:
            waiting = (*self._storage.unbound(new.metadata.name), *self._storage.unbound(""))
            for claim in waiting:
                self._claims.add(Key(*claim.metadata.key))

    # Claims.

    async def _sync_claim(self, key: Key) -> Result:
        claim = self._storage.claims.get(*key)
        if claim is None:
            return DONE
        step = claim_step(claim, self._storage)
        match step:
            case Bind(volume):
                await self._bind(volume, claim)
            case Remain(phase, notice, is_late):
                await self._remain(claim, phase, notice, is_late=is_late)
            case Provision(provisioner):
                await self._ask(claim, provisioner)
            case AssignClass(name):
                await self._patch_claim(claim, {"spec": {"storageClassName": name}})
        return DONE

    async def _bind(self, volume: PersistentVolume, claim: PersistentVolumeClaim) -> None:
        """Four writes at most; each is left out where it is done already."""
        meta, named = claim.metadata, volume.spec.claim_ref
        if named is None or named.uid != meta.uid:
            about = {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": meta.namespace,
                "name": meta.name, "uid": meta.uid, "resourceVersion": meta.resource_version,
            }  # fmt: skip
            patch: Object = {
                "metadata": {"resourceVersion": volume.metadata.resource_version},
                "spec": {"claimRef": about},
            }
            if named is None:
                patch["metadata"]["annotations"] = {BOUND_BY_CONTROLLER: "yes"}
            await self._client.patch(PERSISTENT_VOLUMES, volume.metadata.name, patch)
        if volume.status.phase != "Bound":
            await self._enter(volume, "Bound")
        annotations = {}
        if claim.spec.volume_name != volume.metadata.name:
            annotations[BOUND_BY_CONTROLLER] = "yes"
        if BIND_COMPLETED not in meta.annotations:
            annotations[BIND_COMPLETED] = "yes"
        if annotations:
            spec = {"volumeName": volume.metadata.name}
            await self._patch_claim(claim, {"metadata": {"annotations": annotations}, "spec": spec})
        await self._show_bound(volume, claim)

    async def _show_bound(self, volume: PersistentVolume, claim: PersistentVolumeClaim) -> None:
        status: Object = {}
        if claim.status.phase != "Bound":
            status = {"phase": "Bound", "capacity": volume.spec.capacity}
            if volume.spec.volume_attributes_class_name:
                name = volume.spec.volume_attributes_class_name
                status["currentVolumeAttributesClassName"] = name
        if claim.status.access_modes != volume.spec.access_modes:
            status["accessModes"] = list(volume.spec.access_modes)
        if status:
            await self._patch_claim_status(claim, status)

    async def _remain(
        self, claim: PersistentVolumeClaim, phase: str, notice: Notice | None, *, is_late: bool
    ) -> None:
        is_new = claim.status.phase != phase
        if is_new or claim.status.access_modes or claim.status.capacity:
            status: Object = {"phase": phase, "accessModes": None, "capacity": None}
            await self._patch_claim_status(claim, status)
        if notice is not None and (is_new or not is_late):
            about = reference(PERSISTENT_VOLUME_CLAIMS, claim.metadata)
            self._recorder.event(about, notice.type, notice.reason, notice.message)

    async def _ask(self, claim: PersistentVolumeClaim, provisioner: str) -> None:
        """Mark the claim for its provisioner, once."""
        if claim.metadata.annotations.get(STORAGE_PROVISIONER) == provisioner:
            return
        marks = {STORAGE_PROVISIONER: provisioner, OLD_STORAGE_PROVISIONER: provisioner}
        await self._patch_claim(claim, {"metadata": {"annotations": marks}})
        message = (
            "Waiting for a volume to be created either by the external provisioner "
            f"'{provisioner}' or manually by the system administrator. If volume creation is "
            "delayed, please verify that the provisioner is running and correctly registered."
        )
        about = reference(PERSISTENT_VOLUME_CLAIMS, claim.metadata)
        self._recorder.event(about, "Normal", "ExternalProvisioning", message)

    async def _patch_claim(self, claim: PersistentVolumeClaim, patch: Object) -> None:
        meta = claim.metadata
        preconditions = {"resourceVersion": meta.resource_version, "uid": meta.uid}
        body = {**patch, "metadata": {**patch.get("metadata", {}), **preconditions}}
        await self._client.patch(
            PERSISTENT_VOLUME_CLAIMS, meta.name, body, namespace=meta.namespace
        )

    async def _patch_claim_status(self, claim: PersistentVolumeClaim, status: Object) -> None:
        meta = claim.metadata
        body = {"metadata": {"uid": meta.uid}, "status": status}
        await self._client.patch(
            PERSISTENT_VOLUME_CLAIMS,
            meta.name,
            body,
            namespace=meta.namespace,
            subresource="status",
        )

    # Volumes.

    async def _sync_volume(self, name: str) -> Result:
        volume = self._storage.volume(name)
        if volume is None:
            return DONE
        claim = await self._claim_of(volume)
        step = volume_step(volume, claim)
        match step:
            case Enter(phase, notice):
                if volume.status.phase != phase:
                    message = notice.message if notice is not None else ""
                    await self._enter(volume, phase, message)
                    if notice is not None:
                        about = reference(PERSISTENT_VOLUMES, volume.metadata)
                        self._recorder.event(about, notice.type, notice.reason, notice.message)
            case AskClaim():
                assert claim is not None
                self._claims.add(Key(*claim.metadata.key))
            case Unbind(is_kept):
                await self._unbind(volume, is_kept=is_kept)
        return DONE

    async def _claim_of(self, volume: PersistentVolume) -> PersistentVolumeClaim | None:
        """The claim the volume names. A volume is set free only when the server says so too: informers may lag."""
        named = volume.spec.claim_ref
        if named is None or not named.uid:
            return None
        found = self._storage.claims.get(named.namespace, named.name)
        if found is not None and found.metadata.uid == named.uid:
            return found
        if volume.status.phase in {"Released", "Failed"}:
            return None
        try:
            raw = await self._client.get(
                PERSISTENT_VOLUME_CLAIMS, named.name, namespace=named.namespace
            )
        except NotFound:
            return None
        live: PersistentVolumeClaim = decoder(PersistentVolumeClaim)(raw.raw)
        return live

    async def _unbind(self, volume: PersistentVolume, *, is_kept: bool) -> None:
        meta = volume.metadata
        patch: Object = {"metadata": {"resourceVersion": meta.resource_version}}
        if is_kept:
            patch["spec"] = {"claimRef": {"uid": None}}
        else:
            patch["metadata"]["annotations"] = {BOUND_BY_CONTROLLER: None}
            patch["spec"] = {"claimRef": None}
        await self._client.patch(PERSISTENT_VOLUMES, meta.name, patch)

    async def _enter(self, volume: PersistentVolume, phase: str, message: str = "") -> None:
        meta = volume.metadata
        status = {"phase": phase, "message": message or None}
        await self._client.patch(
            PERSISTENT_VOLUMES,
            meta.name,
            {"metadata": {"uid": meta.uid}, "status": status},
            subresource="status",
        )


def _unbound(claim: PersistentVolumeClaim) -> Iterable[str]:
    return () if BIND_COMPLETED in claim.metadata.annotations else (claim.class_name,)


def _free(volume: PersistentVolume) -> Iterable[str]:
    return (volume.class_name,) if volume.spec.claim_ref is None else ()


def _claimed(volume: PersistentVolume) -> Iterable[str]:
    named = volume.spec.claim_ref
    return (f"{named.namespace}/{named.name}",) if named is not None else ()
