"""The ephemeral volume controller: makes the claims of pods' generic ephemeral volumes, which go with their pod."""

from __future__ import annotations

from argosy.api.objects import Pod
from argosy.api.objects.storage import PersistentVolumeClaim
from argosy.base.errors import AlreadyExists, StatusError
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import PERSISTENT_VOLUME_CLAIMS, PODS
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.workloads.pods.templates import owner_reference
from argosy.workloads.volumes.users import CLAIM, claim_name, users_of_claims


class EphemeralVolumes:
    """One cluster's pods with ephemeral volumes."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._recorder = assembly.recorder("ephemeral_volume")
        self._pods = users_of_claims(assembly)
        self._claims = assembly.informer(PERSISTENT_VOLUME_CLAIMS, PersistentVolumeClaim)
        self._queue = assembly.controller("ephemeral-volume", self._reconcile)
        self._pods.add_handler(self._pod_changed)
        self._claims.add_handler(self._claim_changed)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if old is None and new is not None and any("ephemeral" in one for one in new.spec.volumes):
            self._queue.add(Key(*new.metadata.key))

    def _claim_changed(
        self, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim | None
    ) -> None:
        if old is None or new is not None:
            return
        # A claim that somebody deleted is made again while its pod is there.
        for pod in self._pods.by_index(CLAIM, str(Key(*old.metadata.key))):
            self._queue.add(Key(*pod.metadata.key))

    async def _reconcile(self, key: Key) -> Result:
        pod = self._pods.get(*key)
        if pod is None or pod.metadata.deletion_timestamp is not None:
            return DONE
        for volume in pod.spec.volumes:
            if "ephemeral" in volume:
                await self._make(pod, volume)
        return DONE

    async def _make(self, pod: Pod, volume: Object) -> None:
        namespace, name = pod.metadata.namespace, claim_name(pod, volume)
        found = self._claims.get(namespace, name)
        if found is not None:
            owner = found.metadata.controller
            if owner is None or owner.uid != pod.metadata.uid:
                who = f"pod {namespace}/{pod.metadata.name} (pod is not owner)"
                self._tell(pod, volume, f"PVC {namespace}/{name} was not created for {who}")
            return
        template = volume["ephemeral"]["volumeClaimTemplate"]
        meta: Object = {"name": name, "ownerReferences": [owner_reference(PODS, pod.metadata)]}
        given = template.get("metadata") or {}
        meta |= {part: given[part] for part in ("labels", "annotations") if given.get(part)}
        body = {"metadata": meta, "spec": template["spec"]}
        try:
            await self._client.create(PERSISTENT_VOLUME_CLAIMS, body, namespace=namespace)
        except AlreadyExists:
            raise
        except StatusError as error:
            self._tell(pod, volume, f"create PVC {name}: {error}")
            raise

    def _tell(self, pod: Pod, volume: Object, why: str) -> None:
        about = reference(PODS, pod.metadata)
        message = f"ephemeral volume {volume['name']}: {why}"
        self._recorder.event(about, "Warning", "FailedBinding", message)
