"""Issue a preemption: what to write to the victim, and what to tell about it.

Only victims that are not evicted yet are written; those that are count as done, so issuing again changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from argosy.api.objects.kueue.workloads import PREEMPTED, Workload
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.preemption import wording
from argosy.queueing.preemption.targets import Target
from argosy.queueing.workloads import reasons
from argosy.queueing.workloads.drafts import Happening, StatusDraft, happening
from argosy.queueing.workloads.evicting import Eviction, evict
from argosy.queueing.workloads.infos import Info


@dataclass(slots=True, frozen=True)
class Preemption:
    """The status of a target that has to go, and the events about it and its preemptor."""

    target: Target
    draft: StatusDraft
    eviction: Eviction | None
    events: tuple[tuple[Workload, Happening], ...]


def preemptions(
    preemptor: Info, targets: Iterable[Target], snapshot: Snapshot, now: datetime
) -> Iterator[Preemption]:
    """What is to be written for each target that is not on its way out already."""
    own_path = wording.path(snapshot.queues[preemptor.cluster_queue].node)
    for target in targets:
        victim = target.info.obj
        if victim.is_evicted:
            continue
        its_path = wording.path(snapshot.queues[target.info.cluster_queue].node)
        said = wording.message(preemptor.obj, target.reason, own_path, its_path)
        draft = StatusDraft(victim, now)
        eviction = evict(draft, reasons.PREEMPTED, said, preempted=target.reason)
        told = wording.preempted_event(preemptor, target, said)
        by = wording.preempted_workload_event(preemptor, target)
        events = [
            (victim, happening("Normal", PREEMPTED, told)),
            (preemptor.obj, happening("Normal", "PreemptedWorkload", by)),
        ]
        if eviction is not None:
            events.insert(0, (victim, eviction.told()))
        yield Preemption(target, draft, eviction, tuple(events))
