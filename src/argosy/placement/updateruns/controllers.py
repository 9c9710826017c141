"""Runs staged update runs of both kinds: looks, has decided, writes, comes back.

Whatever a run waits for wakes it: a change of one of its placement's bindings, an answer to one of its approval
requests or their disappearance, a change of its own spec. Besides, it is looked at now and then, as upstream does.

What a run has written it reads at its next look, because the answers of writes go into the informers at once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

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
from argosy.api.objects.metadata import V
from argosy.client.objects import Key
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.control.reconcilers import DONE, Result
from argosy.placement.metrics import UpdateRunMetrics
from argosy.placement.picks import Overrides
from argosy.placement.scopes import SCOPES, Scope, scope_of
from argosy.placement.updateruns import initializing
from argosy.placement.updateruns.aborting import Aborted, Unsettled, by_user, invalid
from argosy.placement.updateruns.decisions import Decision
from argosy.placement.updateruns.executing import executed
from argosy.placement.updateruns.looks import Look
from argosy.placement.updateruns.marking import (
    INITIALIZED,
    SUCCEEDED,
    renewed,
    run_failed,
    run_not_initialized,
    status_of,
)
from argosy.placement.updateruns.stopping import stopped
from argosy.placement.updateruns.validating import validated
from argosy.placement.updateruns.writing import Writer
from argosy.placement.views import Views, parent_of

_WORKERS: Final = 4
# Bindings that are being moved to a new policy are there in a moment.
_UNSETTLED_SECONDS: Final = 5.0
_PLACEMENT: Final = "placement"
_RUN: Final = "run"


class UpdateRuns:
    """`ensure_latest` gives a placement's resource snapshot as of now, made if need be.

    Where it raises one of `refusals`, the placement cannot have one as it stands, and the run ends; others pass.
    """

    def __init__(
        self,
        assembly: Assembly,
        views: Views,
        overrides: Overrides,
        ensure_latest: Callable[[Key], Awaitable[ResourceSnapshot]],
        *,
        refusals: tuple[type[Exception], ...] = (),
    ) -> None:
        self._views = views
        self._clock = assembly.clock
        self._overrides = overrides
        self._ensure_latest = ensure_latest
        self._refusals = refusals
        self._metrics = UpdateRunMetrics(assembly.metrics, assembly.clock)
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
        self._writer = Writer(views, self._runs, self._approvals)

    # What is worth a look.

    def _run_changed(self, old: UpdateRun | None, new: UpdateRun | None) -> None:
        if new is None:
            if old is not None:
                self._metrics.gone(Key(*old.metadata.key))
        elif old is None or _is_respecified(old, new):
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
            self._metrics.gone(key)
            return DONE
        if run.metadata.deletion_timestamp is not None:
            await self._writer.remove(scope, run)
            self._metrics.gone(key)
            return DONE
        if names.UPDATE_RUN_CLEANUP not in run.metadata.finalizers:
            # The watch, or the answer itself, brings the run back with its finalizer.
            await self._writer.adopt(scope, run)
            return DONE
        if _is_over(run.status):
            self._metrics.stands(run, run.status)
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
            status = await self._with_resources(look, status)
        await self._writer.write_status(scope, look.run, status)
        self._metrics.moved(look.run, status)
        return DONE if _is_over(status) else Result(requeue_after=0)

    async def _with_resources(self, look: Look, status: UpdateRunStatus) -> UpdateRunStatus:
        index = look.run.spec.resource_snapshot_index
        if not index:
            try:
                latest = await self._ensure_latest(look.placement_key)
            except self._refusals as error:
                return run_not_initialized(status, look.moment, str(invalid(by_user(str(error)))))
            index = latest.metadata.labels.get(names.RESOURCE_INDEX, "")
        return initializing.initialized(
            status,
            look,
            index=index,
            snapshots=self._views.resource_snapshots(look.placement_key),
            overrides=self._overrides,
        )

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
        await self._writer.do(scope, look, decision)
        self._metrics.moved(look.run, decision.status)
        return DONE if decision.again is None else Result(requeue_after=decision.again)


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
