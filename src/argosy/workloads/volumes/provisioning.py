"""The provisioner argosy.dev/local: a volume is a folder on the machine that runs the pod.

It does what an external provisioner does on a real cluster: it makes volumes for claims that are marked with its name,
and deletes them, folder and all, when they are released and their policy says so. A claim whose class waits for its
first pod is served once the scheduler has named the node.

Nodes that Argosy runs (label argosy.dev/runtime) come and go with their pool while their folders stay on the same
machine, so a volume belongs to all nodes of that runtime. A volume for a node with a kubelet of its own belongs to that
node. Without a directory nothing is written to any disk: simulated pods write nothing.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Final

from argosy.api.objects import Node
from argosy.api.objects.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from argosy.api.wellknown import HOSTNAME, RUNTIME
from argosy.base.errors import AlreadyExists, NotFound
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.workloads.volumes.binding import Storage
from argosy.workloads.volumes.classes import LOCAL
from argosy.workloads.volumes.deciding import PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER

# Where volumes would be if they were anywhere.
_NOWHERE: Final = Path("/var/lib/argosy/volumes")
# When a folder that could not be removed is tried again.
_RETRY_SECONDS: Final = 15.0


class LocalProvisioner:
    """Makes and deletes the volumes of one cluster below `directory`."""

    def __init__(self, assembly: Assembly, storage: Storage, directory: Path | None) -> None:
        self._client = assembly.client
        self._storage = storage
        self._directory = directory
        self._recorder = assembly.recorder(LOCAL)
        self._claims = assembly.controller("local-provisioner", self._provision, workers=5)
        self._volumes = assembly.controller("local-deleter", self._delete, workers=2)
        storage.claims.add_handler(self._claim_changed)
        storage.volumes.add_handler(self._volume_changed)

    def _claim_changed(
        self, _: PersistentVolumeClaim | None, new: PersistentVolumeClaim | None
    ) -> None:
        if new is not None and _is_asked(new):
            self._claims.add(Key(*new.metadata.key))

    def _volume_changed(self, old: PersistentVolume | None, new: PersistentVolume | None) -> None:
        volume = new or old
        assert volume is not None
        if _is_ours(volume) and (new is None or new.status.phase == "Released"):
            self._volumes.add(volume.metadata.name)

    async def _provision(self, key: Key) -> Result:
        claim = self._storage.claims.get(*key)
        if claim is None or not _is_asked(claim) or claim.metadata.deletion_timestamp is not None:
            return DONE
        found = self._storage.storage_class(claim.class_name)
        name = f"pvc-{claim.metadata.uid}"
        if found is None or self._storage.volume(name) is not None:
            return DONE
        selected = claim.metadata.annotations.get(SELECTED_NODE, "")
        if found.waits and not selected:
            return DONE
        node = self._storage.node(selected) if selected else None
        if selected and node is None:
            await self._reschedule(claim, selected)
        elif why := _objection(claim):
            self._tell(
                claim, f'failed to provision volume with StorageClass "{claim.class_name}": {why}'
            )
        else:
            await self._make(claim, found, node, name)
        return DONE

    async def _make(
        self, claim: PersistentVolumeClaim, found: StorageClass, node: Node | None, name: str
    ) -> None:
        about = reference(PERSISTENT_VOLUME_CLAIMS, claim.metadata)
        path = (self._directory or _NOWHERE) / name
        message = (
            f'External provisioner is provisioning volume for claim "{Key(*claim.metadata.key)}"'
        )
        self._recorder.event(about, "Normal", "Provisioning", message)
        if self._directory is not None:
            await asyncio.to_thread(_make_folder, path)
        try:
            await self._client.create(PERSISTENT_VOLUMES, volume_for(claim, found, node, path))
        except AlreadyExists:
            return
        message = f"Successfully provisioned volume {name}"
        self._recorder.event(about, "Normal", "ProvisioningSucceeded", message)

    async def _reschedule(self, claim: PersistentVolumeClaim, node: str) -> None:
        """The node that was selected is gone: let the scheduler select another."""
        self._tell(claim, f'failed to get target node: nodes "{node}" not found')
        meta = claim.metadata
        patch = {
            "metadata": {
                "resourceVersion": meta.resource_version,
                "annotations": {SELECTED_NODE: None},
            }
        }
        await self._client.patch(
            PERSISTENT_VOLUME_CLAIMS, meta.name, patch, namespace=meta.namespace
        )

    def _tell(self, claim: PersistentVolumeClaim, message: str) -> None:
        about = reference(PERSISTENT_VOLUME_CLAIMS, claim.metadata)
        self._recorder.event(about, "Warning", "ProvisioningFailed", message)

    async def _delete(self, name: str) -> Result:
        """Remove the folder, then the volume; one that is gone already leaves only its folder."""
        volume = self._storage.volume(name)
        if volume is not None and not (_is_ours(volume) and volume.status.phase == "Released"):
            return DONE
        try:
            if self._directory is not None:
                await asyncio.to_thread(_remove, self._directory / name)
        except OSError as error:
            if volume is not None:
                about = reference(PERSISTENT_VOLUMES, volume.metadata)
                self._recorder.event(about, "Warning", "VolumeFailedDelete", str(error))
            return Result(requeue_after=_RETRY_SECONDS)
        if volume is None:
            return DONE
        try:
            await self._client.delete(PERSISTENT_VOLUMES, name, uid=volume.metadata.uid)
        except NotFound:
            return DONE
        return DONE


def volume_for(
    claim: PersistentVolumeClaim, found: StorageClass, node: Node | None, path: Path
) -> Object:
    """The volume of a claim, already set aside for it."""
    meta = claim.metadata
    spec: Object = {
        "capacity": {"storage": claim.spec.resources.requests.get("storage", "0")},
        "accessModes": list(claim.spec.access_modes),
        "claimRef": {
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": meta.namespace,
            "name": meta.name, "uid": meta.uid, "resourceVersion": meta.resource_version,
        },
        "persistentVolumeReclaimPolicy": found.reclaim_policy,
        "storageClassName": claim.class_name,
        "volumeMode": claim.spec.volume_mode,
        "hostPath": {"path": str(path), "type": "DirectoryOrCreate"},
    }  # fmt: skip
    if found.mount_options:
        spec["mountOptions"] = list(found.mount_options)
    if node is not None:
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [_place(node)]}}
    return {
        "metadata": {"name": path.name, "annotations": {PROVISIONED_BY: LOCAL}},
        "spec": spec,
    }


def _place(node: Node) -> Object:
    """The nodes that reach the folders of this one."""
    labels = node.metadata.labels
    key = RUNTIME if RUNTIME in labels else HOSTNAME
    value = labels.get(key, node.metadata.name)
    return {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}


def _objection(claim: PersistentVolumeClaim) -> str:
    if claim.spec.volume_mode == "Block":
        return f"{LOCAL} does not support block volume provisioning; use volumeMode Filesystem"
    if claim.spec.selector is not None:
        return "claim Selector is not supported"
    if claim.spec.data_source is not None or claim.spec.data_source_ref is not None:
        return f"{LOCAL} makes empty volumes only; remove dataSource and dataSourceRef"
    return ""


def _is_asked(claim: PersistentVolumeClaim) -> bool:
    return (
        claim.metadata.annotations.get(STORAGE_PROVISIONER) == LOCAL and not claim.spec.volume_name
    )


def _is_ours(volume: PersistentVolume) -> bool:
    return (
        volume.metadata.annotations.get(PROVISIONED_BY) == LOCAL
        and volume.spec.persistent_volume_reclaim_policy == "Delete"
    )


def _make_folder(path: Path) -> None:
    """For whatever user the pod runs as."""
    path.mkdir(parents=True, exist_ok=True)
    path.chmod(0o777)


def _remove(folder: Path) -> None:
    """Remove a volume's folder; OSError where something is left of it."""
    if folder.exists():
        shutil.rmtree(folder)
