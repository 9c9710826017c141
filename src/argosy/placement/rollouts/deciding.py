"""One step of a rolling update.

A binding that was given up is to be removed, one that was scheduled is to be bound, a bound one with other
resources or overrides than the latest is to be updated. Removing and updating take something away that is ready, so
they share what may be missing: `(ready - ready and being deleted) - (target - maxUnavailable)`, removals first.
Binding adds something: `target + maxSurge - (bound or given up, and neither failed nor merely reported on)`. What
has failed already has nothing to lose and is updated at once. Everything else waits and is told so. What was given up
with its cluster runs no more and will not be gone before the cluster returns: it counts for nothing.

Lists are in order of names of bindings, so that the same ones go first each time. Properties
(tests/unit/placement/rollouts/test_laws.py): no step leaves fewer ready than the target less maxUnavailable, or makes
more than the target and maxSurge; a state at rest decides nothing; the order of bindings does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import BOUND, SCHEDULED, UNSCHEDULED, Binding
from argosy.api.objects.fleet.placements import PlacementSpec
from argosy.placement.picks import Picked
from argosy.placement.rollouts.budgets import Budget, budget_of
from argosy.placement.rollouts.readiness import has_failed, is_diff_reported, readiness


class Latest(NamedTuple):
    """What bindings are to point to: the master snapshot, and the overrides of each cluster.

    A cluster that nobody knows any more is not there; its binding will be given up and is left alone until then.
    """

    snapshot: str
    overrides: Mapping[str, Picked]


@dataclass(slots=True, frozen=True)
class Step:
    # Bind these to the latest, or update them to it.
    roll: tuple[Binding, ...] = ()
    remove: tuple[Binding, ...] = ()
    # The strategy has no room for these now.
    blocked: tuple[Binding, ...] = ()
    # These have the latest already.
    current: tuple[Binding, ...] = ()
    # How long until something becomes ready by itself that others wait for.
    next_look: timedelta | None = None


@dataclass(slots=True)
class _Count:
    """The bindings of a placement, counted and sorted."""

    ready: int = 0
    # Ready, but on its way out.
    leaving: int = 0
    # May be ready now or later.
    promising: int = 0
    removable: list[Binding] = field(default_factory=list)
    bindable: list[Binding] = field(default_factory=list)
    stale: list[Binding] = field(default_factory=list)
    failed: list[Binding] = field(default_factory=list)
    current: list[Binding] = field(default_factory=list)
    waits: list[timedelta] = field(default_factory=list)


def decide(spec: PlacementSpec, bindings: Iterable[Binding], latest: Latest, now: datetime) -> Step:
    ordered = sorted(bindings, key=lambda each: each.metadata.name)
    budget = budget_of(spec, sum(each.spec.state in {SCHEDULED, BOUND} for each in ordered))
    count = _Count()
    for binding in ordered:
        _classify(binding, count, latest, budget, now)
    return _step(count, budget)


def is_stale(binding: Binding, latest: Latest) -> bool:
    """Whether it points to something else than the latest."""
    spec = binding.spec
    wanted = latest.overrides[spec.target_cluster]
    has = Picked(spec.cluster_resource_override_snapshots, spec.resource_override_snapshots)
    return spec.resource_snapshot_name != latest.snapshot or has != wanted


def _classify(
    binding: Binding, count: _Count, latest: Latest, budget: Budget, now: datetime
) -> None:
    is_going = binding.metadata.deletion_timestamp is not None
    if is_going and names.RESCHEDULED in binding.metadata.annotations:
        return
    state = binding.spec.state
    is_known = binding.spec.target_cluster in latest.overrides
    if state == SCHEDULED:
        if is_known and not is_going:
            count.bindable.append(binding)
        return
    has_fallen = has_failed(binding)
    _count_ready(binding, count, budget, now, is_going=is_going)
    count.promising += not has_fallen and not is_diff_reported(binding)
    if is_going:
        return
    if state == UNSCHEDULED:
        count.removable.append(binding)
    elif not is_known:
        return
    elif not is_stale(binding, latest):
        count.current.append(binding)
    else:
        (count.failed if has_fallen else count.stale).append(binding)


def _count_ready(
    binding: Binding, count: _Count, budget: Budget, now: datetime, *, is_going: bool
) -> None:
    found = readiness(binding, budget.untracked, now)
    count.ready += found.is_ready
    count.leaving += found.is_ready and is_going
    if found.wait is not None:
        count.waits.append(found.wait)


def _step(count: _Count, budget: Budget) -> Step:
    spare = max(0, count.ready - count.leaving - (budget.target - budget.max_unavailable))
    removed = count.removable[:spare]
    updated = count.stale[: spare - len(removed)]
    room = max(0, budget.target + budget.max_surge - count.promising)
    bound = count.bindable[:room]
    blocked = (*count.stale[len(updated) :], *count.bindable[len(bound) :])
    is_waiting = bool(blocked) or len(removed) < len(count.removable)
    return Step(
        roll=(*count.failed, *updated, *bound),
        remove=tuple(removed),
        blocked=blocked,
        current=tuple(count.current),
        next_look=min(count.waits, default=None) if is_waiting else None,
    )
