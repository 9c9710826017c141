"""Pod disruption budgets."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.api.objects.metadata import Condition, ObjectMeta, View
from argosy.base.types import Object


class PodDisruptionBudgetSpec(View, frozen=True):
    # A number, or a percentage such as "25%".
    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    selector: Object | None = None
    unhealthy_pod_eviction_policy: str | None = None


class PodDisruptionBudgetStatus(View, frozen=True):
    current_healthy: int = 0
    desired_healthy: int = 0
    expected_pods: int = 0
    disruptions_allowed: int = 0
    # When the eviction of each pod was granted that is not seen to be deleted yet.
    disrupted_pods: dict[str, datetime] = msgspec.field(default_factory=dict)
    observed_generation: int = 0
    conditions: tuple[Condition, ...] = ()


class PodDisruptionBudget(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()
