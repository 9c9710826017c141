"""Issue a preemption: what to write to the victim, and what to tell about it.

Only victims that are not evicted yet are written; those that are count as done, so issuing again changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from argosy.base.types import Object
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.preemption import wording
from argosy.queueing.preemption.targets import Target
from argosy.queueing.workloads.evicting import BY_PREEMPTION, event_reason, evicted
from argosy.queueing.workloads.infos import Info


@dataclass(slots=True, frozen=True)
class Notice:
    """A Normal event about a workload."""

    about: Info
    reason: str
    message: str


@dataclass(slots=True, frozen=True)
class Preemption:
    """`status` is a merge patch of the target's status."""

    target: Target
    status: Object
    notices: tuple[Notice, ...]


def preemptions(
    preemptor: Info, targets: Iterable[Target], snapshot: Snapshot, *, now: float
) -> Iterator[Preemption]:
    """What is to be written for each target that is not on its way out already."""
    own_path = wording.path(snapshot.queues[preemptor.cluster_queue].node)
    for target in targets:
        info = target.info
        if info.obj.is_evicted:
            continue
        its_path = wording.path(snapshot.queues[info.cluster_queue].node)
        said = wording.message(preemptor.obj, target.reason, own_path, its_path)
        yield Preemption(
            target,
            evicted(info.obj, BY_PREEMPTION, said, now=now, preempted=target.reason),
            (
                Notice(info, event_reason(BY_PREEMPTION), said),
                Notice(info, "Preempted", wording.preempted_event(preemptor, target, said)),
                Notice(
                    preemptor,
                    "PreemptedWorkload",
                    wording.preempted_workload_event(preemptor, target),
                ),
            ),
        )
