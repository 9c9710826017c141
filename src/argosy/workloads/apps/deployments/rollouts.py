"""How a Deployment spreads its replicas over its ReplicaSets. Pure arithmetic.

Two promises hold at every step of a rolling update: never more than replicas + maxSurge pods are wanted, and never are
available ones taken away below replicas - maxUnavailable. Each step either adds to the new set or takes from old ones,
so an update ends as soon as new pods become available. When the number of replicas changes in the middle of an update,
the difference is shared out in proportion to the sizes of the sets. Mirrors upstream's rolling.go and the scale
part of sync.go; the laws are tested in tests/unit/workloads/apps/test_rollout_laws.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec

from argosy.api.objects.apps import Deployment, ReplicaSet
from argosy.workloads.apps.shares import scaled

DESIRED_REPLICAS: Final = "deployment.kubernetes.io/desired-replicas"
MAX_REPLICAS: Final = "deployment.kubernetes.io/max-replicas"

_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_MOST: Final = 2**31 - 1


class Scaling(NamedTuple):
    """One ReplicaSet and the size it gets."""

    replica_set: ReplicaSet
    replicas: int


def max_surge(deployment: Deployment) -> int:
    rolling = deployment.spec.strategy.rolling_update
    if not is_rolling(deployment) or rolling is None:
        return 0
    return scaled(rolling.max_surge, deployment.spec.replicas, up=True)


def max_unavailable(deployment: Deployment) -> int:
    """At least 1 where there is no surge either: an update could not move otherwise."""
    spec = deployment.spec
    if not is_rolling(deployment) or not spec.replicas:
        return 0
    rolling = spec.strategy.rolling_update
    count = scaled(rolling.max_unavailable, spec.replicas, up=False) if rolling else 0
    if not count and not max_surge(deployment):
        count = 1
    return min(count, spec.replicas)


def is_rolling(deployment: Deployment) -> bool:
    return deployment.spec.strategy.type == "RollingUpdate"


def total(sets: Iterable[ReplicaSet]) -> int:
    return sum(each.spec.replicas for each in sets)


def oldest_first(sets: Iterable[ReplicaSet]) -> list[ReplicaSet]:
    return sorted(sets, key=_age)


def size_of_new(deployment: Deployment, others: Iterable[ReplicaSet], present: int) -> int:
    """How large the new set may be, which has `present` replicas now."""
    wanted = deployment.spec.replicas
    if not is_rolling(deployment):
        return wanted
    room = wanted + max_surge(deployment) - total(others) - present
    return present + min(room, wanted - present) if room > 0 else present


def grow_new(deployment: Deployment, new: ReplicaSet, olds: Sequence[ReplicaSet]) -> Scaling | None:
    """The next size of the new set; None if it stays."""
    wanted, present = deployment.spec.replicas, new.spec.replicas
    size = wanted if present > wanted else size_of_new(deployment, olds, present)
    return Scaling(new, size) if size != present else None


def shrink_olds(
    deployment: Deployment, new: ReplicaSet, olds: Sequence[ReplicaSet]
) -> list[Scaling]:
    """What old sets give up now: replicas that are not available first, then others, oldest sets first.

    A set may occur twice, with the smaller size last.
    """
    olds = [each for each in oldest_first(olds) if each.spec.replicas]
    if not olds:
        return []
    floor = deployment.spec.replicas - max_unavailable(deployment)
    coming = new.spec.replicas - new.status.available_replicas
    spare = total(olds) + new.spec.replicas - floor - coming
    if spare <= 0:
        return []
    cleaned, olds = _drop_unhealthy(olds, spare)
    available = new.status.available_replicas + sum(old.status.available_replicas for old in olds)
    return cleaned + _take(olds, available - floor)


def share(
    deployment: Deployment, new: ReplicaSet | None, olds: Sequence[ReplicaSet]
) -> list[Scaling]:
    """Sizes after the Deployment was scaled; sets may keep theirs."""
    active = _active_or_latest(new, olds)
    wanted = deployment.spec.replicas
    if active is not None:
        return [Scaling(active, wanted)] if active.spec.replicas != wanted else []
    if new is not None and _is_saturated(deployment, new):
        return [Scaling(old, 0) for old in olds if old.spec.replicas]
    if not is_rolling(deployment):
        return []
    sets = [each for each in (*olds, new) if each is not None and each.spec.replicas]
    allowed = wanted + max_surge(deployment) if wanted else 0
    return _proportions(deployment, sets, allowed - total(sets))


def was_scaled(deployment: Deployment, sets: Iterable[ReplicaSet]) -> bool:
    """Whether an active set still carries another number of replicas than the Deployment wants."""
    return any(
        (desired := annotated(each, DESIRED_REPLICAS)) is not None
        and desired != deployment.spec.replicas
        for each in sets
        if each.spec.replicas
    )


def replica_annotations(deployment: Deployment) -> dict[str, str]:
    """By which a later scaling knows the size that sets were made for."""
    wanted = deployment.spec.replicas
    return {DESIRED_REPLICAS: str(wanted), MAX_REPLICAS: str(wanted + max_surge(deployment))}


def annotated(replica_set: ReplicaSet, name: str) -> int | None:
    """The number in an annotation; None if there is none."""
    text = replica_set.metadata.annotations.get(name, "")
    number = int(text) if text.isascii() and text.isdigit() else None
    return number if number is not None and number <= _MOST else None


def _drop_unhealthy(olds: list[ReplicaSet], most: int) -> tuple[list[Scaling], list[ReplicaSet]]:
    scalings, left = [], []
    for old in olds:
        count = min(most, old.spec.replicas - old.status.available_replicas)
        if count > 0:
            most -= count
            scalings.append(Scaling(old, old.spec.replicas - count))
            old = _resized(old, old.spec.replicas - count)
        left.append(old)
    return scalings, left


def _take(olds: list[ReplicaSet], count: int) -> list[Scaling]:
    scalings = []
    for old in olds:
        taken = min(count, old.spec.replicas)
        if taken > 0:
            count -= taken
            scalings.append(Scaling(old, old.spec.replicas - taken))
    return scalings


def _active_or_latest(new: ReplicaSet | None, olds: Sequence[ReplicaSet]) -> ReplicaSet | None:
    """The only active set, or the newest when none is; None when several are, or there is no set."""
    active = [each for each in (*olds, new) if each is not None and each.spec.replicas]
    if active:
        return active[0] if len(active) == 1 else None
    if new is not None:
        return new
    return oldest_first(olds)[-1] if olds else None


def _is_saturated(deployment: Deployment, new: ReplicaSet) -> bool:
    wanted = deployment.spec.replicas
    return (
        new.spec.replicas == wanted
        and annotated(new, DESIRED_REPLICAS) == wanted
        and new.status.available_replicas == wanted
    )


def _proportions(deployment: Deployment, sets: list[ReplicaSet], missing: int) -> list[Scaling]:
    """Share `missing` replicas (a negative number: take them) by size; what rounding leaves is the largest set's."""
    if missing > 0:
        # Largest first, and of equal ones the newest.
        sets.sort(key=_age, reverse=True)
    else:
        sets.sort(key=_age)
    sets.sort(key=lambda each: -each.spec.replicas)
    sizes, added = [], 0
    for each in sets:
        part = 0
        if missing != added:
            part = _fraction(deployment, each)
            part = min(part, missing - added) if missing > 0 else max(part, missing - added)
        sizes.append(each.spec.replicas + part)
        added += part
    if sizes:
        sizes[0] = max(0, sizes[0] + missing - added)
    return [Scaling(each, size) for each, size in zip(sets, sizes, strict=True)]


def _fraction(deployment: Deployment, replica_set: ReplicaSet) -> int:
    """By how much the set would change if it changed as the whole Deployment did."""
    size, wanted = replica_set.spec.replicas, deployment.spec.replicas
    if not wanted:
        return -size
    before = annotated(replica_set, MAX_REPLICAS) or deployment.status.replicas
    if not before:
        return 0
    new_size = size * (wanted + max_surge(deployment)) / before
    return math.floor(new_size + 0.5) - size


def _resized(replica_set: ReplicaSet, replicas: int) -> ReplicaSet:
    spec = msgspec.structs.replace(replica_set.spec, replicas=replicas)
    return msgspec.structs.replace(replica_set, spec=spec)


def _age(replica_set: ReplicaSet) -> tuple[datetime, str]:
    meta = replica_set.metadata
    return meta.creation_timestamp or _EPOCH, meta.name
