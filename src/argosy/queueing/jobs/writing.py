"""Does what was decided: writes in a row, each on the revision that was looked at or that the write before it left.

A Conflict ends the row and the look is repeated on what is there then. An object that has gone meanwhile ends it too,
and quietly: its going is an event of its own. Who wants to know which writes were really done is told of each.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Final

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.errors import AlreadyExists, NotFound
from argosy.base.types import Object
from argosy.client.protocol import Client, Propagation
from argosy.client.resources import WORKLOADS, Resource
from argosy.control.correlating import Reference
from argosy.control.recorders import EventRecorder
from argosy.queueing.jobs.actions import (
    Action,
    Change,
    CreateWorkload,
    DeleteWorkload,
    DropFinalizer,
    Event,
    LookAgain,
    PatchWorkload,
    Remove,
)
from argosy.queueing.workloads import phases
from argosy.queueing.workloads.drafts import difference

_LOG: Final = logging.getLogger(__name__)
_MANAGER: Final = "kueue-job-controller"


class Writer:
    """One row of writes; `done` hears of every change and every new Workload once it is written."""

    def __init__(
        self,
        client: Client,
        recorder: EventRecorder,
        done: Callable[[Change | CreateWorkload], None] = lambda _: None,
    ) -> None:
        self._client = client
        self._recorder = recorder
        self._done = done
        # What our own writes of this row left, by resource and uid.
        self._revisions: dict[str, str] = {}

    async def perform(self, actions: Iterable[Action]) -> float | None:
        """Do everything; when to look again, if a decision asks for that."""
        again: float | None = None
        try:
            for action in actions:
                if isinstance(action, LookAgain):
                    again = action.seconds
                else:
                    await self._do(action)
        except NotFound as error:
            _LOG.debug("gone before it could be written: %s", error)
        return again

    async def _do(self, action: Action) -> None:
        match action:
            case Change():
                await self._change(action)
            case Remove():
                meta = action.obj["metadata"]
                await self._client.delete(
                    action.resource, meta["name"], namespace=meta["namespace"], uid=meta["uid"]
                )
            case Event():
                self._tell(action)
            case CreateWorkload():
                await self._create(action)
            case PatchWorkload():
                await self._patch_workload(action.workload, dict(action.patch), action.subresource)
            case DropFinalizer():
                await self._drop_finalizer(action.workload)
            case DeleteWorkload():
                await self._delete(action.workload)
            case LookAgain():
                return

    async def _change(self, action: Change) -> None:
        meta = action.before["metadata"]
        patch = difference(action.before, action.after)
        if patch:
            await self._patch(action.resource, meta, patch, action.subresource)
            self._done(action)

    def _tell(self, action: Event) -> None:
        meta, resource = action.obj["metadata"], action.resource
        about = Reference(
            kind=resource.kind,
            name=meta["name"],
            namespace=meta.get("namespace", ""),
            uid=meta.get("uid", ""),
            apiVersion=resource.api_version,
            resourceVersion=meta.get("resourceVersion", ""),
        )
        self._recorder.event(about, action.type, action.reason, action.message)

    async def _create(self, action: CreateWorkload) -> None:
        body = action.body
        namespace = body["metadata"]["namespace"]
        try:
            await self._client.create(WORKLOADS, body, namespace=namespace, field_manager=_MANAGER)
        except AlreadyExists as error:
            _LOG.debug("made before, and not seen yet: %s", error)
            return
        self._done(action)

    async def _drop_finalizer(self, workload: Workload) -> None:
        kept = [each for each in workload.metadata.finalizers if each != phases.RESOURCE_IN_USE]
        await self._patch_workload(workload, {"metadata": {"finalizers": kept}}, "")

    async def _delete(self, workload: Workload) -> None:
        meta = workload.metadata
        try:
            await self._client.delete(
                WORKLOADS,
                meta.name,
                namespace=meta.namespace,
                uid=meta.uid,
                propagation=Propagation.BACKGROUND,
            )
        except NotFound:
            # It had been deleted before, and went with its last finalizer.
            return

    async def _patch_workload(self, workload: Workload, patch: Object, subresource: str) -> None:
        meta = workload.metadata
        known = {
            "name": meta.name,
            "namespace": meta.namespace,
            "uid": meta.uid,
            "resourceVersion": meta.resource_version,
        }
        await self._patch(WORKLOADS, known, patch, subresource)

    async def _patch(
        self, resource: Resource, meta: Object, patch: Object, subresource: str
    ) -> None:
        uid = meta["uid"]
        revision = self._revisions.get(uid, meta["resourceVersion"])
        known = {"uid": uid, "resourceVersion": revision}
        raw = await self._client.patch(
            resource,
            meta["name"],
            {**patch, "metadata": {**patch.get("metadata", {}), **known}},
            namespace=meta["namespace"],
            subresource=subresource,
            field_manager=_MANAGER,
        )
        self._revisions[uid] = raw.revision
