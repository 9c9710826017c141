"""Runs staged update runs of both kinds: looks, has decided, writes, comes back.

Whatever a run waits for wakes it: a change of one of its placement's bindings, an answer to one of its approval
requests or their disappearance, a change of its own spec. Besides, it is looked at now and then, as upstream does.

What a run has written it reads at its next look, because the answers of writes go into the informers at once. Bindings
are written under the revision they were seen at: the scheduler may be giving them up at the same moment.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.fleet.updateruns import (
    INITIALIZE,
    STOP,
    ApprovalRequest,
    UpdateRun,
    UpdateRunStatus,
    UpdateStrategy,
)
from argosy.api.objects.metadata import V, decoder
from argosy.base.errors import AlreadyExists, NotFound
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.control.reconcilers import DONE, Result
from argosy.placement.picks import Overrides
from argosy.placement.scopes import SCOPES, Scope, scope_of
from argosy.placement.updateruns import initializing
from argosy.placement.updateruns.aborting import Aborted, Unsettled
from argosy.placement.updateruns.decisions import (
    Decision,
    Request,
    Start,
    accepted_conditions,
    request_document,
    rollout_conditions,
)
from argosy.placement.updateruns.executing import executed
from argosy.placement.updateruns.looks import Look
from argosy.placement.updateruns.marking import (
    INITIALIZED,
    SUCCEEDED,
    Moment,
    renewed,
    run_failed,
    status_of,
)
from argosy.placement.updateruns.stopping import stopped
from argosy.placement.updateruns.validating import validated
from argosy.placement.views import Views, parent_of

_WORKERS: Final = 4
# Bindings that are being moved to a new policy are there in a moment.
_UNSETTLED_SECONDS: Final = 5.0
_PLACEMENT: Final = "placement"
_RUN: Final = "run"


class UpdateRuns:
    """`ensure_latest` gives a placement's resource snapshot as of now, made if need be."""

    def __init__(
        self,
        assembly: Assembly,
        views: Views,
        overrides: Overrides,
        ensure_latest: Callable[[Key], Awaitable[ResourceSnapshot]],
    ) -> None:
        self._views = views
        self._clock = assembly.clock
        self._overrides = overrides
        self._ensure_latest = ensure_latest
        self._runs: dict[Scope, Informer[UpdateRun]] = {}
        self._strategies: dict[Scope, Informer[UpdateStrategy]] = {}
        self._approvals: dict[Scope, Informer[ApprovalRequest]] = {}
        self._queue = assembly.controller("updaterun-controller", self._reconcile, workers=_WORKERS)
        for scope in SCOPES:
            runs = assembly.informer(scope.update_runs, UpdateRun)
            approvals = assembly.informer(scope.approval_requests, ApprovalRequest)
            _index(runs, _PLACEMENT, _placement_of)
            _index(approvals, _RUN, _run_of)
            runs.add_handler(self._run_changed)
            approvals.add_handler(self._approval_changed)
            views.all_bindings(scope).add_handler(self._binding_changed)
            self._runs[scope], self._approvals[scope] = runs, approvals
            self._strategies[scope] = assembly.informer(scope.update_strategies, UpdateStrategy)

    # What is worth a look.

    def _run_changed(self, old: UpdateRun | None, new: UpdateRun | None) -> None:
        if new is not None and (old is None or _is_respecified(old, new)):
            self._queue.add(Key(*new.metadata.key))

    def _approval_changed(self, old: ApprovalRequest | None, new: ApprovalRequest | None) -> None:
        request = new or old
        if request is not None and (old is None or new is None or old.status != new.status):
            self._queue.add(Key(request.metadata.namespace, request.spec.parent_stage_rollout))

    def _binding_changed(self, old: Binding | None, new: Binding | None) -> None:
        binding = new or old
        if binding is None:
            return
        placement = parent_of(binding)
        runs = self._runs[scope_of(placement.namespace)]
        for run in runs.by_index(_PLACEMENT, str(placement)):
            if not _is_over(run.status):
                self._queue.add(Key(*run.metadata.key))

    # A look.

    async def _reconcile(self, key: Key) -> Result:
        scope = scope_of(key.namespace)
        run = self._runs[scope].get(*key)
        if run is None:
            return DONE
        if run.metadata.deletion_timestamp is not None:
            await self._remove(scope, run)
            return DONE
        if names.UPDATE_RUN_CLEANUP not in run.metadata.finalizers:
            # The watch, or the answer itself, brings the run back with its finalizer.
            await self._adopt(scope, run)
            return DONE
        if _is_over(run.status):
            return DONE
        status = renewed(run.status, run.metadata.generation)
        look = self._look(scope, run)
        try:
            if status_of(status.conditions, INITIALIZED) != "True":
                return await self._initialize(scope, look)
            return await self._advance(scope, look, status)
        except Unsettled:
            return Result(requeue_after=_UNSETTLED_SECONDS)

    def _look(self, scope: Scope, run: UpdateRun) -> Look:
        namespace, key = run.metadata.namespace, Key(*run.metadata.key)
        placement = Key(namespace, run.spec.placement_name)
        approvals = self._approvals[scope].by_index(_RUN, str(key))
        strategy = run.spec.staged_rollout_strategy_name
        return Look(
            run,
            self._clock.now(),
            placement=self._views.placement(placement),
            strategy=self._strategies[scope].get(namespace, strategy),
            policies=self._views.policy_snapshots(placement),
            bindings=self._views.bindings(placement),
            members=sorted(self._views.members, key=lambda member: member.metadata.name),
            approvals={each.metadata.name: each for each in approvals},
        )

    async def _initialize(self, scope: Scope, look: Look) -> Result:
        status = initializing.planned(look)
        if not status_of(status.conditions, INITIALIZED):
            index = look.run.spec.resource_snapshot_index
            if not index:
                latest = await self._ensure_latest(look.placement_key)
                index = latest.metadata.labels.get(names.RESOURCE_INDEX, "")
            status = initializing.initialized(
                status,
                look,
                index=index,
                snapshots=self._views.resource_snapshots(look.placement_key),
                overrides=self._overrides,
            )
        await self._write_status(scope, look.run, status)
        return DONE if _is_over(status) else Result(requeue_after=0)

    async def _advance(self, scope: Scope, look: Look, status: UpdateRunStatus) -> Result:
        """A step of a run that is initialized; one that is to wait for its start is left alone."""
        if look.run.spec.state == INITIALIZE:
            return DONE
        try:
            position = validated(look, status)
        except Aborted as error:
            decision = Decision(run_failed(status, look.moment, str(error)))
        else:
            decide = stopped if look.run.spec.state == STOP else executed
            decision = decide(look, status, position)
        await self._do(scope, look, decision)
        return DONE if decision.again is None else Result(requeue_after=decision.again)

    # Writing.

    async def _do(self, scope: Scope, look: Look, decision: Decision) -> None:
        for request in decision.requests:
            await self._ask(scope, look.run, request)
        for approval in decision.accepted:
            await self._accept(scope, approval, look.moment)
        for start in decision.starts:
            await self._start(scope, look, start)
        for binding in decision.deletions:
            await self._views.delete(scope.bindings, binding.metadata)
        await self._write_status(scope, look.run, decision.status)

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

    async def _write_status(self, scope: Scope, run: UpdateRun, status: UpdateRunStatus) -> None:
        if status == run.status:
            return
        document: Object = msgspec.to_builtins(status)
        try:
            raw = await self._views.patch_status(scope.update_runs, run.metadata, document)
        except NotFound:
            return
        self._runs[scope].learn(raw)

    # Coming and going.

    async def _adopt(self, scope: Scope, run: UpdateRun) -> None:
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

    async def _remove(self, scope: Scope, run: UpdateRun) -> None:
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


def _is_over(status: UpdateRunStatus) -> bool:
    """A run that has ended, or never began, is left as it is."""
    has_ended = status_of(status.conditions, SUCCEEDED) in {"True", "False"}
    return has_ended or status_of(status.conditions, INITIALIZED) == "False"


def _is_respecified(old: UpdateRun, new: UpdateRun) -> bool:
    before, after = old.metadata, new.metadata
    return (
        before.generation != after.generation
        or before.finalizers != after.finalizers
        or before.deletion_timestamp != after.deletion_timestamp
    )


def _placement_of(run: UpdateRun) -> list[str]:
    return [str(Key(run.metadata.namespace, run.spec.placement_name))]


def _run_of(request: ApprovalRequest) -> list[str]:
    return [str(Key(request.metadata.namespace, request.spec.parent_stage_rollout))]


def _index(informer: Informer[V], name: str, index: Callable[[V], list[str]]) -> None:
    if not informer.has_index(name):
        informer.add_index(name, index)
