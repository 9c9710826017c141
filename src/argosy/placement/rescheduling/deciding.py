"""Which bindings of a silent cluster are given up, and when to look again. Pure.

A binding is given up if its placement wants that, if what it brought to the cluster ends there by itself (its agent has
accepted the terms) or never began, if it is not over, and if the scheduler would take another cluster for it now: what
nobody else can have stays where it is, and begins again when the cluster returns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import BOUND, SCHEDULED, Binding
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.reschedules import read_reschedule
from argosy.api.objects.fleet.snapshots import PolicySnapshot
from argosy.api.objects.fleet.works import SentWork
from argosy.placement.outcomes import of_works
from argosy.placement.rescheduling.wishes import after_of
from argosy.placement.scheduling.deciding import decide
from argosy.placement.scheduling.snapshots import Snapshot


class Stake(NamedTuple):
    """A binding that its cluster loses after so many seconds of silence."""

    binding: Binding
    after: float


class Overdue(NamedTuple):
    """Whose time has come, the longest overdue first; `next_look` is in seconds, None if nothing is at stake."""

    due: tuple[Stake, ...]
    next_look: float | None


def terms(
    placement: Placement | None,
    policy: PolicySnapshot | None,
    binding: Binding,
    works: Sequence[SentWork],
) -> float | None:
    """How long its cluster has to be silent until the binding may be given up; None: as things stand, never.

    An agent that has accepted other terms than those of today goes by the ones it knows, so the longer ones count.
    """
    if placement is None or placement.metadata.deletion_timestamp is not None:
        return None
    after = after_of(placement)
    if after is None or policy is None or not _is_held(binding, policy):
        return None
    for work in works:
        agreed = agreement(work)
        if agreed is None:
            return None
        after = max(after, agreed)
    outcome = of_works(works)
    return None if outcome is not None and outcome.status == "True" else after


def agreement(work: SentWork) -> float | None:
    """When the Work's agent ends what it brought, in seconds of silence; None if it does not say so.

    An agent puts its finalizer on a Work before it applies anything, and sees the terms then.
    """
    meta = work.metadata
    wanted = read_reschedule(meta.annotations, names.RESCHEDULE)
    if wanted is None or names.WORK_CLEANUP not in meta.finalizers:
        return wanted
    return read_reschedule(meta.annotations, names.RESCHEDULE_ACCEPTED)


def overdue(stakes: Iterable[Stake], silence: float) -> Overdue:
    """Sort what is at stake on a cluster that has been silent for so many seconds."""
    ordered = sorted(stakes, key=lambda each: (each.after, each.binding.metadata.key))
    due = tuple(each for each in ordered if each.after <= silence)
    rest = [each.after - silence for each in ordered if each.after > silence]
    return Overdue(due, min(rest, default=None))


def is_replaced(snapshot: Snapshot, binding: Binding) -> bool:
    """Whether the scheduler takes one cluster more if the binding is gone. The snapshot knows who is lost."""
    rest = tuple(each for each in snapshot.bindings if each.metadata.name != binding.metadata.name)
    return _picks(replace(snapshot, bindings=rest)) > _picks(snapshot)


def _picks(snapshot: Snapshot) -> int:
    decision = decide(snapshot)
    return len(decision.created) + len(decision.renewed)


def _is_held(binding: Binding, policy: PolicySnapshot) -> bool:
    """Whether it is to stay, as far as the scheduler is concerned."""
    spec = binding.spec
    return (
        binding.metadata.deletion_timestamp is None
        and spec.state in {SCHEDULED, BOUND}
        and spec.scheduling_policy_snapshot_name == policy.metadata.name
    )
