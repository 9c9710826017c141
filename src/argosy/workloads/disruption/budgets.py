"""How many of its pods a PodDisruptionBudget lets go. Pure; mirrors upstream's disruption controller.

A percentage counts against the pods their controllers want, a plain `minAvailable` against the pods there are. A pod
whose eviction was granted is not counted as healthy for two minutes, by which time its deletion must have been seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from argosy.api.objects import Pod, find_condition, is_true
from argosy.api.objects.policy import PodDisruptionBudget
from argosy.base.timestamps import format_time
from argosy.base.types import Object

_DELETION_TIMEOUT: Final = timedelta(minutes=2)


class Counts(NamedTuple):
    """How many pods are expected, and how many of them have to stay healthy."""

    expected: int
    desired_healthy: int


def needs_scale(budget: PodDisruptionBudget) -> bool:
    """Whether the pods' controllers have to be asked how many they want."""
    return budget.spec.max_unavailable is not None or isinstance(budget.spec.min_available, str)


def counts(budget: PodDisruptionBudget, pods: int, scale: int) -> Counts:
    """`scale` is what the controllers of the pods want together."""
    spec = budget.spec
    if spec.max_unavailable is not None:
        return Counts(scale, max(0, scale - _of(spec.max_unavailable, scale)))
    if isinstance(spec.min_available, str):
        return Counts(scale, _of(spec.min_available, scale))
    return Counts(pods, spec.min_available or 0)


def _of(value: int | str, total: int) -> int:
    """A number, or a share of the total, rounded up."""
    return value if isinstance(value, int) else -(-int(value.removesuffix("%")) * total // 100)


def still_disrupted(
    budget: PodDisruptionBudget, pods: Iterable[Pod], now: datetime
) -> tuple[dict[str, datetime], list[Pod]]:
    """Evictions that are still awaited, and pods that should be gone by now and are not."""
    awaited: dict[str, datetime] = {}
    overdue = []
    for pod in pods:
        granted = budget.status.disrupted_pods.get(pod.metadata.name)
        if granted is None or pod.metadata.deletion_timestamp is not None:
            continue
        if granted + _DELETION_TIMEOUT <= now:
            overdue.append(pod)
        else:
            awaited[pod.metadata.name] = granted
    return awaited, overdue


def recheck_seconds(awaited: Mapping[str, datetime], now: datetime) -> float | None:
    """When the first awaited eviction is given up."""
    if not awaited:
        return None
    return (min(awaited.values()) + _DELETION_TIMEOUT - now).total_seconds()


def healthy(pods: Iterable[Pod], awaited: Mapping[str, datetime]) -> int:
    return sum(
        pod.metadata.deletion_timestamp is None
        and pod.metadata.name not in awaited
        and is_true(pod.status.conditions, "Ready")
        for pod in pods
    )


def status_patch(
    budget: PodDisruptionBudget,
    current: int,
    numbers: Counts,
    awaited: Mapping[str, datetime],
    now: datetime,
) -> Object | None:
    """The new status, None when it is what it was."""
    allowed = max(0, current - numbers.desired_healthy) if numbers.expected > 0 else 0
    status, generation = budget.status, budget.metadata.generation
    reason = "SufficientPods" if allowed else "InsufficientPods"
    condition = find_condition(status.conditions, "DisruptionAllowed")
    is_current = (
        status.current_healthy,
        status.desired_healthy,
        status.expected_pods,
        status.disruptions_allowed,
        status.disrupted_pods,
        status.observed_generation,
        condition.reason if condition is not None else "",
    ) == (current, numbers.desired_healthy, numbers.expected, allowed, awaited, generation, reason)
    if is_current:
        return None
    gone = dict.fromkeys(status.disrupted_pods.keys() - awaited.keys())
    return {
        "currentHealthy": current,
        "desiredHealthy": numbers.desired_healthy,
        "expectedPods": numbers.expected,
        "disruptionsAllowed": allowed,
        "disruptedPods": {**gone, **{name: format_time(at) for name, at in awaited.items()}}
        or None,
        "observedGeneration": generation,
        "conditions": conditions(
            budget, "True" if allowed else "False", reason, "", now, generation
        ),
    }


def conditions(
    budget: PodDisruptionBudget,
    status: str,
    reason: str,
    message: str,
    now: datetime,
    generation: int,
) -> list[Object]:
    """The one condition of a budget; its time is that of the last change of its status."""
    before = find_condition(budget.status.conditions, "DisruptionAllowed")
    since = now
    if before is not None and before.status == status and before.last_transition_time is not None:
        since = before.last_transition_time
    condition: Object = {
        "type": "DisruptionAllowed",
        "status": status,
        "reason": reason,
        "message": message,
        "lastTransitionTime": format_time(since),
    }
    if generation:
        condition["observedGeneration"] = generation
    return [condition]
