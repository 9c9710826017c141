"""What a rolling update allows: how many may be missing, how many may be too many.

Both are numbers or percentages of the target, rounded up. The target is what the placement wants: as many clusters as
were picked, as were asked for, or as are named.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final, NamedTuple

from argosy.api.objects.fleet.placements import PlacementSpec, RollingUpdateConfig
from argosy.api.objects.fleet.policies import PICK_ALL, PICK_FIXED

_DEFAULT: Final = "25%"
_DEFAULT_PERIOD: Final = 60


class Budget(NamedTuple):
    target: int
    max_unavailable: int
    max_surge: int
    # How long what nobody can track has to be there until it counts as ready.
    untracked: timedelta


def budget_of(spec: PlacementSpec, picked: int) -> Budget:
    """The budget of a placement that has bindings for `picked` clusters."""
    rolling = spec.strategy.rolling_update or RollingUpdateConfig()
    target = _target(spec, picked)
    period = rolling.unavailable_period_seconds
    return Budget(
        target,
        _scaled(rolling.max_unavailable, target),
        _scaled(rolling.max_surge, target),
        timedelta(seconds=_DEFAULT_PERIOD if period is None else period),
    )


def _target(spec: PlacementSpec, picked: int) -> int:
    policy = spec.wanted
    if policy.type == PICK_ALL:
        return picked
    if policy.type == PICK_FIXED:
        return len(policy.cluster_names)
    return policy.number_of_clusters or 0


def _scaled(value: int | str | None, target: int) -> int:
    text = str(_DEFAULT if value is None else value)
    if not text.endswith("%"):
        return int(text)
    return -(-int(text[:-1]) * target // 100)
