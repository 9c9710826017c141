"""The Works of one member on the hub, and their AppliedWorks on the member: read from watches, written through here.

Whoever writes sees what was written at once (`Informer.learn`). A status is patched whole; nobody else writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.works import AppliedWork, AppliedWorkStatus, Work, WorkStatus
from argosy.api.objects.metadata import decoder
from argosy.base.errors import AlreadyExists, NotFound
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import APPLIED_WORKS, WORKS
from argosy.control.assemblies import Assembly
from argosy.control.informers import Selection
from argosy.member.applying.objects import OURS
from argosy.member.applying.statuses import work_status_document

_read_work: Final[Callable[[bytes], Work]] = decoder(Work)
_read_applied: Final[Callable[[bytes], AppliedWork]] = decoder(AppliedWork)


class Views:
    """What a member's agent knows of its Works."""

    def __init__(self, hub: Assembly, member: Assembly, cluster: str) -> None:
        self.namespace: Final = names.member_namespace(cluster)
        self.works: Final = hub.informer(WORKS, Work, Selection(namespace=self.namespace))
        self.applied: Final = member.informer_when_served(APPLIED_WORKS, AppliedWork)
        self._hub = hub.client
        self._member = member.client

    def key(self, name: str) -> Key:
        return Key(self.namespace, name)

    def work(self, key: Key) -> Work | None:
        return self.works.get(*key)

    def has_work(self, name: str) -> bool:
        return self.works.get(self.namespace, name) is not None

    async def applied_work(self, name: str) -> AppliedWork | None:
        if self.applied.is_synced and (found := self.applied.get("", name)) is not None:
            return found
        try:
            raw = await self._member.get(APPLIED_WORKS, name)
        except NotFound:
            return None
        return _read_applied(bytes(raw.body))

    async def ensure_applied_work(self, work: Work, *, is_new: bool) -> AppliedWork:
        """The AppliedWork of a Work, made if it is not there. A new Work is expected to have none."""
        name = work.metadata.name
        if not is_new:
            found = await self.applied_work(name)
            if found is not None:
                return found
        body: Object = {
            "metadata": {"name": name},
            "spec": {"workName": name, "workNamespace": work.metadata.namespace},
        }
        try:
            raw = await self._member.create(APPLIED_WORKS, body, field_manager=OURS)
        except AlreadyExists:
            raw = await self._member.get(APPLIED_WORKS, name)
        self.applied.learn(raw)
        return _read_applied(bytes(raw.body))

    async def set_finalizers(self, work: Work, wanted: Iterable[str]) -> Work:
        """Only if nobody else has changed the Work: they share the list."""
        meta = work.metadata
        finalizers = list(wanted)
        if finalizers == list(meta.finalizers):
            return work
        patch: Object = {
            "metadata": {
                "finalizers": finalizers or None,
                "resourceVersion": meta.resource_version,
            }
        }
        return await self._patch(work, patch)

    async def set_status(self, work: Work, status: WorkStatus) -> Work:
        """The Work as it is then; as it was if there is nothing new to say."""
        if status == work.status:
            return work
        return await self._patch(work, {"status": work_status_document(status)}, "status")

    async def set_applied_status(self, applied: AppliedWork, status: AppliedWorkStatus) -> None:
        if status == applied.status:
            return
        resources = [msgspec.to_builtins(each) for each in status.applied_resources]
        raw = await self._member.patch(
            APPLIED_WORKS,
            applied.metadata.name,
            {"status": {"appliedResources": resources or None}},
            subresource="status",
            field_manager=OURS,
        )
        self.applied.learn(raw)

    async def _patch(self, work: Work, patch: Object, subresource: str = "") -> Work:
        raw = await self._hub.patch(
            WORKS,
            work.metadata.name,
            patch,
            namespace=work.metadata.namespace,
            subresource=subresource,
            field_manager=OURS,
        )
        self.works.learn(raw)
        return _read_work(bytes(raw.body))
