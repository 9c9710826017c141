"""The rollout controller: one key per placement, of either half.

A look goes in steps, and each step's writes are seen before the next: first every binding gets the placement's
apply strategy, outside of any budget; then, if a cluster still has a binding on its way out beside a new one,
nothing happens until that has gone; then one step of the rolling update is decided and written.

Upstream looks again every so often while something waits. Here everything that a step depends on wakes it up: a
binding that comes, goes, changes or turns ready or failed, resources, overrides that name a placement, the
strategy. Only what becomes ready by the passing of time needs a timer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeVar

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import AVAILABLE, DIFF_REPORTED, Binding
from argosy.api.objects.fleet.overrides import (
    NAMESPACED,
    ClusterResourceOverrideSnapshot,
    PlacementRef,
    ResourceOverrideSnapshot,
)
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.metadata import ObjectMeta, decoder, find_condition
from argosy.client.objects import Key
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.placement.batches import write_each
from argosy.placement.picks import Overrides
from argosy.placement.rollouts.deciding import Latest, Step, decide
from argosy.placement.rollouts.readiness import has_failed
from argosy.placement.rollouts.writing import (
    bound_patch,
    condition_patch,
    needs_strategy,
    strategy_patch,
)
from argosy.placement.scopes import SCOPES, scope_of
from argosy.placement.views import Views, index_of, parent_of

_WORKERS: Final = 10
# How long upstream waits for an old binding to be gone; its end wakes this controller earlier.
_CLEANUP_SECONDS: Final = 5.0

_T = TypeVar("_T")


class Rollouts:
    """Binds, updates and removes bindings of placements that roll by themselves."""

    def __init__(self, assembly: Assembly, views: Views, overrides: Overrides) -> None:
        self._views = views
        self._clock = assembly.clock
        self._overrides = overrides
        self._queue = assembly.controller("rollout_controller", self._reconcile, workers=_WORKERS)
        for scope in SCOPES:
            views.placements(scope).add_handler(self._placement_changed)
            views.resources(scope).add_handler(self._resources_changed)
            views.all_bindings(scope).add_handler(self._binding_changed)
        views.cluster_overrides.add_handler(self._cluster_override_changed)
        views.overrides.add_handler(self._override_changed)

    # What is worth a look.

    def _placement_changed(self, old: Placement | None, new: Placement | None) -> None:
        if old is None or new is None or new.metadata.deletion_timestamp is not None:
            return
        if old.spec.strategy != new.spec.strategy:
            self._queue.add(Key(*new.metadata.key))

    def _resources_changed(
        self, old: ResourceSnapshot | None, new: ResourceSnapshot | None
    ) -> None:
        """New ones, and those that become or cease to be the latest: for a moment there may be none, or two."""
        if new is not None and (old is None or old.metadata.labels != new.metadata.labels):
            self._queue.add(parent_of(new))

    def _binding_changed(self, old: Binding | None, new: Binding | None) -> None:
        some = new or old
        if some is not None and (old is None or new is None or _has_turned(old, new)):
            self._queue.add(parent_of(some))

    def _cluster_override_changed(
        self,
        old: ClusterResourceOverrideSnapshot | None,
        new: ClusterResourceOverrideSnapshot | None,
    ) -> None:
        some = _come_or_gone(old, new)
        placement = some.spec.override_spec.placement if some is not None else None
        if some is not None and placement is not None and _is_latest(some.metadata):
            self._queue.add(Key("", placement.name))

    def _override_changed(
        self, old: ResourceOverrideSnapshot | None, new: ResourceOverrideSnapshot | None
    ) -> None:
        some = _come_or_gone(old, new)
        placement = some.spec.override_spec.placement if some is not None else None
        if some is not None and placement is not None and _is_latest(some.metadata):
            self._queue.add(_named(placement, some.metadata.namespace))

    # A look.

    async def _reconcile(self, key: Key) -> Result:
        placement = self._views.placement(key)
        if placement is None or placement.metadata.deletion_timestamp is not None:
            return DONE
        if placement.spec.is_external:
            return DONE
        await self._sync_strategies(key, placement)
        bindings = self._views.bindings(key)
        if _is_being_replaced(bindings):
            return Result(requeue_after=_CLEANUP_SECONDS)
        latest = self._latest(key, bindings)
        if latest is None:
            return DONE
        step = decide(placement.spec, bindings, latest, self._clock.now())
        await self._write(step, latest)
        if step.next_look is None:
            return DONE
        return Result(requeue_after=step.next_look.total_seconds())

    async def _sync_strategies(self, key: Key, placement: Placement) -> None:
        wanted = placement.spec.apply_strategy
        resource = scope_of(key.namespace).bindings
        await write_each(
            (each for each in self._views.bindings(key) if needs_strategy(each, wanted)),
            lambda each: self._views.patch(resource, each.metadata, strategy_patch(wanted)),
        )

    def _latest(self, key: Key, bindings: Iterable[Binding]) -> Latest | None:
        """What bindings are to point to; None while it is being written."""
        master = self._views.latest_resources(key)
        if master is None:
            return None
        index = index_of(master, names.RESOURCE_INDEX)
        shards = [
            each
            for each in self._views.resource_snapshots(key)
            if index_of(each, names.RESOURCE_INDEX) == index
        ]
        if len(shards) < int(master.metadata.annotations.get(names.NUMBER_OF_SNAPSHOTS, "1")):
            return None
        overrides = {}
        for cluster in {each.spec.target_cluster for each in bindings}:
            member = self._views.members.get("", cluster)
            if member is not None:
                overrides[cluster] = self._overrides(key, shards, member)
        return Latest(master.metadata.name, overrides)

    async def _write(self, step: Step, latest: Latest) -> None:
        """What waits is told first: should a write fail, the next look finds the rest as it was."""
        await write_each(step.blocked, lambda each: self._tell(each, is_started=False))
        await write_each(step.current, lambda each: self._tell(each, is_started=True))
        await write_each(step.roll, lambda each: self._roll(each, latest))
        await write_each(
            step.remove,
            lambda each: self._views.delete(
                scope_of(each.metadata.namespace).bindings, each.metadata
            ),
        )

    async def _roll(self, binding: Binding, latest: Latest) -> None:
        resource = scope_of(binding.metadata.namespace).bindings
        picked = latest.overrides[binding.spec.target_cluster]
        raw = await self._views.patch(
            resource, binding.metadata, bound_patch(binding, latest.snapshot, picked)
        )
        await self._tell(decoder(Binding)(bytes(raw.body)), is_started=True)

    async def _tell(self, binding: Binding, *, is_started: bool) -> None:
        patch = condition_patch(binding, self._clock.now(), is_started=is_started)
        if patch is not None:
            resource = scope_of(binding.metadata.namespace).bindings
            await self._views.patch(resource, binding.metadata, patch, subresource="status")


def _has_turned(old: Binding, new: Binding) -> bool:
    """Whether a step could be decided otherwise now."""
    return (
        old.metadata.generation != new.metadata.generation
        or old.metadata.deletion_timestamp != new.metadata.deletion_timestamp
        or has_failed(old) != has_failed(new)
        or any(
            find_condition(old.status.conditions, each)
            != find_condition(new.status.conditions, each)
            for each in (DIFF_REPORTED, AVAILABLE)
        )
    )


def _is_being_replaced(bindings: Iterable[Binding]) -> bool:
    """Whether a cluster has a binding on its way out and another."""
    going: set[str] = set()
    staying: set[str] = set()
    for binding in bindings:
        is_going = binding.metadata.deletion_timestamp is not None
        (going if is_going else staying).add(binding.spec.target_cluster)
    return bool(going & staying)


def _come_or_gone(old: _T | None, new: _T | None) -> _T | None:
    return new if old is None else old if new is None else None


def _is_latest(meta: ObjectMeta) -> bool:
    return meta.labels.get(names.IS_LATEST) == "true"


def _named(placement: PlacementRef, namespace: str) -> Key:
    return Key(namespace if placement.scope == NAMESPACED else "", placement.name)
