"""ClusterResourcePlacementEviction, the wish to leave a cluster, and the budget that may refuse it."""

from __future__ import annotations

from argosy.api.objects.metadata import Condition, ObjectMeta, View


class EvictionSpec(View, frozen=True):
    placement_name: str = ""
    cluster_name: str = ""


class EvictionStatus(View, frozen=True):
    conditions: tuple[Condition, ...] = ()


class PlacementEviction(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: EvictionSpec = EvictionSpec()
    status: EvictionStatus = EvictionStatus()


class DisruptionBudgetSpec(View, frozen=True):
    max_unavailable: int | str | None = None
    min_available: int | str | None = None


class PlacementDisruptionBudget(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: DisruptionBudgetSpec = DisruptionBudgetSpec()
