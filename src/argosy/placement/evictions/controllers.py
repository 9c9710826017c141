"""Decides evictions, one at a time: two at once could each take the last placement that may go.

Everything is read afresh from the cluster, not from what was watched. An eviction is decided once, and a person who
makes a budget and then an eviction expects the budget to count. The binding is deleted only as it was seen.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects.conditions import condition_documents
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.evictions import PlacementDisruptionBudget, PlacementEviction
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.metadata import V, decoder, is_true
from argosy.base.errors import NotFound, StatusError
from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_RESOURCE_BINDINGS,
    CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS,
    CLUSTER_RESOURCE_PLACEMENT_EVICTIONS,
    CLUSTER_RESOURCE_PLACEMENTS,
    Resource,
)
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.placement.evictions.deciding import VALID, decided, is_over
from argosy.placement.metrics import EvictionMetrics
from argosy.placement.views import Views

BUDGETS: Final = CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS
EVICTIONS: Final = CLUSTER_RESOURCE_PLACEMENT_EVICTIONS


class Evictions:
    """Answers every ClusterResourcePlacementEviction."""

    def __init__(self, assembly: Assembly, views: Views) -> None:
        self._views = views
        self._clock = assembly.clock
        self._metrics = EvictionMetrics(assembly.metrics, assembly.clock)
        self._evictions = assembly.informer(EVICTIONS, PlacementEviction)
        self._queue = assembly.controller(
            "clusterresourceplacementeviction-controller", self._reconcile
        )
        self._evictions.add_handler(self._changed)

    def _changed(self, old: PlacementEviction | None, new: PlacementEviction | None) -> None:
        if new is None:
            if old is not None:
                self._metrics.gone(old.metadata.name)
        elif not is_over(new):
            self._queue.add(new.metadata.name)

    async def _reconcile(self, name: str) -> Result:
        eviction = self._evictions.get("", name)
        if eviction is None or is_over(eviction):
            return DONE
        try:
            await self._decide(eviction)
        except StatusError:
            self._metrics.failed(name)
            raise
        return DONE

    async def _decide(self, eviction: PlacementEviction) -> None:
        wanted = eviction.spec.placement_name
        verdict = decided(
            eviction,
            await self._get(CLUSTER_RESOURCE_PLACEMENTS, wanted, Placement),
            await self._bindings(wanted),
            await self._get(BUDGETS, wanted, PlacementDisruptionBudget),
            self._clock.now(),
        )
        if verdict.binding is not None:
            await self._delete(verdict.binding)
        status: Object = {"conditions": condition_documents(verdict.conditions)}
        try:
            raw = await self._views.patch_status(EVICTIONS, eviction.metadata, status)
        except NotFound:
            return
        self._evictions.learn(raw)
        is_valid = is_true(verdict.conditions, VALID)
        self._metrics.decided(eviction.metadata.name, is_valid=is_valid)

    async def _get(self, resource: Resource, name: str, kind: type[V]) -> V | None:
        try:
            raw = await self._views.client.get(resource, name)
        except NotFound:
            return None
        found: V = decoder(kind)(bytes(raw.body))
        return found

    async def _bindings(self, placement: str) -> list[Binding]:
        found = await self._views.client.list_all(
            CLUSTER_RESOURCE_BINDINGS, label_selector=f"{names.PARENT}={placement}"
        )
        return [decoder(Binding)(bytes(raw.body)) for raw in found.items]

    async def _delete(self, binding: Binding) -> None:
        meta = binding.metadata
        try:
            await self._views.client.delete(
                CLUSTER_RESOURCE_BINDINGS,
                meta.name,
                uid=meta.uid,
                resource_version=meta.resource_version,
            )
        except NotFound:
            return
