"""Deletes claims that asked for it, some time after the last pod that used them has ended.

When the last of a claim's pods ends, the time is written to the claim, because pods go before their claims do; a
new pod that uses the claim takes the mark away again. A claim that no pod has ever used is not completed.
"""

from __future__ import annotations

from datetime import datetime

from argosy.api.objects import Pod
from argosy.api.objects.storage import PersistentVolumeClaim
from argosy.base.errors import NotFound
from argosy.base.timestamps import format_time, parse_time
from argosy.client.objects import Key
from argosy.client.resources import PERSISTENT_VOLUME_CLAIMS
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.workloads.retention.finished import COMPONENT
from argosy.workloads.retention.rules import CLAIM_COMPLETED, CLAIM_TTL, ended_at, is_count
from argosy.workloads.volumes.users import CLAIM, claim_names, users_of_claims


class CompletedClaims:
    """One cluster's claims with a time to live."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder(COMPONENT)
        self._claims = assembly.informer(PERSISTENT_VOLUME_CLAIMS, PersistentVolumeClaim)
        self._pods = users_of_claims(assembly)
        self._queue = assembly.controller("retention-claims", self._reconcile)
        self._claims.add_handler(self._claim_changed)
        self._pods.add_handler(self._pod_changed)

    def _claim_changed(
        self, _: PersistentVolumeClaim | None, new: PersistentVolumeClaim | None
    ) -> None:
        if new is not None and CLAIM_TTL in new.metadata.annotations:
            self._queue.add(Key(*new.metadata.key))

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        pod = new or old
        assert pod is not None
        if old is not None and new is not None and old.is_terminal == new.is_terminal:
            return
        for name in claim_names(pod):
            claim = self._claims.get(pod.metadata.namespace, name)
            if claim is not None and CLAIM_TTL in claim.metadata.annotations:
                self._queue.add(Key(pod.metadata.namespace, name))

    async def _reconcile(self, key: Key) -> Result:
        claim = self._claims.get(*key)
        if claim is None or claim.metadata.deletion_timestamp is not None:
            return DONE
        text = claim.metadata.annotations.get(CLAIM_TTL)
        if text is None:
            return DONE
        if not is_count(text):
            what = f'{CLAIM_TTL}: invalid value "{text}": give seconds, a number such as "3600"'
            about = reference(PERSISTENT_VOLUME_CLAIMS, claim.metadata)
            self._recorder.event(about, "Warning", "InvalidRetention", what)
            return DONE
        completed = await self._mark(claim)
        if completed is None:
            return DONE
        left = completed.timestamp() + int(text) - self._clock.time()
        if left > 0:
            return Result(requeue_after=left)
        await self._delete(claim)
        return DONE

    async def _mark(self, claim: PersistentVolumeClaim) -> datetime | None:
        """When the claim's last pod ended; the claim's annotation is brought up to date."""
        meta = claim.metadata
        noted = meta.annotations.get(CLAIM_COMPLETED)
        pods = self._pods.by_index(CLAIM, f"{meta.namespace}/{meta.name}")
        if any(not pod.is_terminal for pod in pods):
            stamp = None
        elif pods:
            stamp = format_time(max(ended_at(pod) for pod in pods))
        else:
            stamp = noted
        if stamp != noted:
            patch = {"metadata": {"annotations": {CLAIM_COMPLETED: stamp}}}
            await self._client.patch(
                PERSISTENT_VOLUME_CLAIMS, meta.name, patch, namespace=meta.namespace
            )
        return parse_time(stamp) if stamp is not None else None

    async def _delete(self, claim: PersistentVolumeClaim) -> None:
        meta = claim.metadata
        try:
            await self._client.delete(
                PERSISTENT_VOLUME_CLAIMS, meta.name, namespace=meta.namespace, uid=meta.uid
            )
        except NotFound:
            return
