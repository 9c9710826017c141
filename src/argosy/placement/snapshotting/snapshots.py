"""Writes down what `policies` and `resources` decided.

Every step can be repeated: whoever is interrupted decides again on what is there.
"""

from __future__ import annotations

from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.base.clock import Clock
from argosy.base.errors import NotFound, ServiceUnavailable
from argosy.client.objects import Key
from argosy.client.resources import Resource
from argosy.placement.scopes import scope_of
from argosy.placement.selecting.selections import Selection
from argosy.placement.selecting.sources import Sources
from argosy.placement.snapshotting.plans import Plan
from argosy.placement.snapshotting.policies import plan_policy
from argosy.placement.snapshotting.resources import NO_DELAYS, Delays, plan_resources
from argosy.placement.views import Views


class Snapshots:
    """The snapshots of all placements."""

    def __init__(self, views: Views, sources: Sources, clock: Clock, delays: Delays) -> None:
        self._views = views
        self._sources = sources
        self._clock = clock
        self._delays = delays

    async def ensure_policy(self, placement: Placement) -> None:
        """Have the latest policy snapshot be that of the placement."""
        key = Key(*placement.metadata.key)
        plan = plan_policy(placement, self._views.policy_snapshots(key))
        await self._write(scope_of(key.namespace).policy_snapshots, key, plan)

    async def ensure_resources(
        self, placement: Placement, selection: Selection, delays: Delays | None = None
    ) -> float | None:
        """Have the latest resource snapshot be that of the selection. If it is too early, returns how long to wait."""
        key = Key(*placement.metadata.key)
        plan = plan_resources(
            placement,
            self._views.resource_snapshots(key),
            selection,
            self._delays if delays is None else delays,
            self._clock.now(),
        )
        await self._write(scope_of(key.namespace).resource_snapshots, key, plan)
        return plan.wait_seconds

    async def ensure_latest(self, key: Key) -> ResourceSnapshot:
        """Select for a placement now, and return the master of what it selects: for update runs, which do not wait.

        Raises InvalidSelectors, NotFound where there is no such placement, ServiceUnavailable if it is too early.
        """
        placement = self._views.placement(key)
        if placement is None:
            raise NotFound(f"placement {key} not found")
        selection = self._sources.select(placement)
        if selection is None:
            raise ServiceUnavailable(f"placement {key}: the hub's objects are not all known yet")
        await self.ensure_resources(placement, selection, NO_DELAYS)
        latest = self._views.latest_resources(key)
        if latest is None:
            raise ServiceUnavailable(f"placement {key}: its resource snapshots are on their way")
        return latest

    async def remove_all(self, key: Key) -> None:
        """Delete every snapshot of a placement."""
        scope = scope_of(key.namespace)
        for policy in self._views.policy_snapshots(key):
            await self._views.delete(scope.policy_snapshots, policy.metadata)
        for resource in self._views.resource_snapshots(key):
            await self._views.delete(scope.resource_snapshots, resource.metadata)

    async def _write(self, resource: Resource, key: Key, plan: Plan) -> None:
        for change in plan.changes:
            try:
                await self._views.patch(resource, change.meta, change.patch)
            except NotFound:
                continue
        for meta in plan.removals:
            await self._views.delete(resource, meta)
        for document in plan.creations:
            await self._views.create(resource, document, key.namespace)
