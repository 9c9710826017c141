"""Writes what was decided about a run: approval requests, bindings, and then the run's own status.

Bindings and answers are written under the revision they were seen at: scheduler and people write the same objects. What
was written goes into the informers at once, so the next look sees it.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.updateruns import ApprovalRequest, UpdateRun, UpdateRunStatus
from argosy.api.objects.metadata import decoder
from argosy.base.errors import AlreadyExists, NotFound
from argosy.base.types import Object
from argosy.control.informers import Informer
from argosy.placement.scopes import Scope
from argosy.placement.updateruns.decisions import (
    Decision,
    Request,
    Start,
    accepted_conditions,
    request_document,
    rollout_conditions,
)
from argosy.placement.updateruns.looks import Look
from argosy.placement.updateruns.marking import Moment
from argosy.placement.views import Views


class Writer:
    """The hands of update runs."""

    def __init__(
        self,
        views: Views,
        runs: Mapping[Scope, Informer[UpdateRun]],
        approvals: Mapping[Scope, Informer[ApprovalRequest]],
    ) -> None:
        self._views = views
        self._runs = runs
        self._approvals = approvals

    async def do(self, scope: Scope, look: Look, decision: Decision) -> None:
        for request in decision.requests:
            await self._ask(scope, look.run, request)
        for approval in decision.accepted:
            await self._accept(scope, approval, look.moment)
        for start in decision.starts:
            await self._start(scope, look, start)
        for binding in decision.deletions:
            await self._views.delete(scope.bindings, binding.metadata)
        await self.write_status(scope, look.run, decision.status)

    async def _ask(self, scope: Scope, run: UpdateRun, request: Request) -> None:
        namespace = run.metadata.namespace
        document = request_document(run, request)
        try:
            raw = await self._views.create(scope.approval_requests, document, namespace)
        except AlreadyExists:
            raw = await self._views.client.get(
                scope.approval_requests, request.name, namespace=namespace or None
            )
        self._approvals[scope].learn(raw)

    async def _accept(self, scope: Scope, approval: ApprovalRequest, moment: Moment) -> None:
        """Under the revision it was seen at: people write the same list."""
        patch: Object = {
            "metadata": {"resourceVersion": approval.metadata.resource_version},
            "status": {"conditions": accepted_conditions(approval, moment)},
        }
        raw = await self._views.patch(
            scope.approval_requests, approval.metadata, patch, subresource="status"
        )
        self._approvals[scope].learn(raw)

    async def _start(self, scope: Scope, look: Look, start: Start) -> None:
        binding = start.binding
        if start.spec is not None:
            patch: Object = {
                "metadata": {"resourceVersion": binding.metadata.resource_version},
                "spec": start.spec,
            }
            raw = await self._views.patch(scope.bindings, binding.metadata, patch)
            binding = decoder(Binding)(bytes(raw.body))
        conditions = rollout_conditions(binding, look.run, look.moment)
        patch = {
            "metadata": {"resourceVersion": binding.metadata.resource_version},
            "status": {"conditions": conditions},
        }
        await self._views.patch(scope.bindings, binding.metadata, patch, subresource="status")

    async def write_status(self, scope: Scope, run: UpdateRun, status: UpdateRunStatus) -> None:
        if status == run.status:
            return
        document: Object = msgspec.to_builtins(status)
        try:
            raw = await self._views.patch_status(scope.update_runs, run.metadata, document)
        except NotFound:
            return
        self._runs[scope].learn(raw)

    async def adopt(self, scope: Scope, run: UpdateRun) -> None:
        """Put the finalizer on. Upstream writes the whole object back, and with it an index that was not given."""
        patch: Object = {
            "metadata": {
                "finalizers": [*run.metadata.finalizers, names.UPDATE_RUN_CLEANUP],
                "resourceVersion": run.metadata.resource_version,
            },
            "spec": {"resourceSnapshotIndex": run.spec.resource_snapshot_index},
        }
        try:
            raw = await self._views.patch(scope.update_runs, run.metadata, patch)
        except NotFound:
            return
        self._runs[scope].learn(raw)

    async def remove(self, scope: Scope, run: UpdateRun) -> None:
        """A run takes its approval requests along; what it has rolled out stays."""
        meta = run.metadata
        if names.UPDATE_RUN_CLEANUP not in meta.finalizers:
            return
        await self._views.client.delete_collection(
            scope.approval_requests,
            namespace=meta.namespace or None,
            label_selector=f"{names.TARGET_UPDATE_RUN}={meta.name}",
        )
        left = [each for each in meta.finalizers if each != names.UPDATE_RUN_CLEANUP]
        await self._views.set_finalizers(scope.update_runs, meta, left)
