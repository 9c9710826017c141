"""Nomination: may this head be admitted at all, and if so with which flavors and at whose cost.

The checks come in Kueue's order; the first that fails is the workload's message. What may be admitted gets an
assignment: all of its pods where they fit or can be made to fit, else, where it allows fewer, as many as that works
for. A slice that replaces another of an elastic job keeps its flavors and asks only for what it needs more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from argosy.api.objects import Namespace
from argosy.base.selectors.labels import nothing
from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.cycles.entries import Entry
from argosy.queueing.flavors.assigning import Assigner
from argosy.queueing.flavors.assignments import Assignment, Mode
from argosy.queueing.flavors.choosing import Nomination
from argosy.queueing.flavors.partial import largest_fit
from argosy.queueing.flavors.progress import is_outdated
from argosy.queueing.flavors.reasons import message
from argosy.queueing.preemption.oracle import SearchingOracle
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.preemption.targets import Target
from argosy.queueing.queues.reasons import RequeueReason
from argosy.queueing.workloads.admissibility import Refusal, refusal
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.limitranges import Summary

REPLACEMENT_FOR: Final = "kueue.x-k8s.io/workload-slice-replacement-for"
_Found = tuple[Assignment, list[Target]]


@dataclass(slots=True, frozen=True)
class Surroundings:
    """What nomination looks at beside the queues: namespaces, and what their LimitRanges say together."""

    namespace: Callable[[str], Namespace | None]
    limits: Callable[[str], Summary]


@dataclass(slots=True, frozen=True)
class Nominator:
    """Nominates heads, by the configuration of this cluster.

    `allows_fewer`: whether a workload may be admitted with fewer pods than it would like.
    """

    assigner: Assigner
    preemptor: Preemptor
    around: Surroundings
    allows_fewer: bool = True

    def nominate(
        self, info: Info, snapshot: Snapshot, *, cycle: int, now: float
    ) -> tuple[Entry, bool]:
        """The entry of a head, and whether it takes part in the cycle; the others only wait, with a reason."""
        queue = snapshot.queues.get(info.cluster_queue)
        entry = Entry(info, queue)
        refused = self._refusal(info, queue, snapshot)
        if refused is not None or queue is None:
            if refused is not None:
                entry.reason, entry.message = refused.reason, refused.message
                entry.requeue_reason = RequeueReason(refused.requeue_reason)
            return entry, False
        last = info.last_assignment
        if last is not None and is_outdated(
            last,
            scheduling_hash=info.scheduling_hash,
            generation=queue.node.generation,
            cycle=cycle,
        ):
            info.last_assignment = None
        entry.assignment, entry.targets = self.assignments(
            info, queue, snapshot, cycle=cycle, now=now
        )
        entry.message = message(entry.assignment)
        info.last_assignment = entry.assignment.last
        return entry, True

    def _refusal(self, info: Info, queue: CachedQueue | None, snapshot: Snapshot) -> Refusal | None:
        namespace = info.obj.metadata.namespace
        return refusal(
            info.obj,
            info.cluster_queue,
            exists=queue is not None or info.cluster_queue in snapshot.inactive,
            is_active=queue is not None,
            namespaces=queue.namespaces if queue is not None else nothing(),
            namespace=self.around.namespace(namespace),
            limits=self.around.limits(namespace),
        )

    def assignments(
        self,
        info: Info,
        queue: CachedQueue,
        snapshot: Snapshot,
        *,
        cycle: int,
        now: float,
        nomination: Nomination | None = None,
    ) -> _Found:
        """The best assignment and whom it needs gone: all pods, or as many as can be had."""
        oracle = SearchingOracle(self.preemptor, snapshot, now)
        replaced = replaced_slice(info, queue, snapshot)

        def attempt(counts: tuple[int, ...] | None) -> _Found:
            found = self.assigner.assign(
                info,
                queue,
                snapshot,
                oracle,
                counts=counts,
                nomination=nomination,
                replaced=replaced,
                cycle=cycle,
            )
            if found.mode is not Mode.PREEMPT:
                return found, []
            return found, oracle.targets(info, found)

        def partly(counts: tuple[int, ...]) -> _Found | None:
            found = attempt(counts)
            return found if found[0].mode is Mode.FIT or found[1] else None

        full = attempt(None)
        if full[0].mode is Mode.FIT or full[1] or not self.allows_fewer:
            return full
        return largest_fit(info.obj.spec.pod_sets, partly) or full


def replaced_slice(info: Info, queue: CachedQueue, snapshot: Snapshot) -> Info | None:
    """The slice that goes when this one is admitted, while it holds quota."""
    key = info.obj.metadata.annotations.get(REPLACEMENT_FOR)
    return queue.workloads.get(key) if key and key not in snapshot.out else None
