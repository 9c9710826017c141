"""Nomination: may this head be admitted at all, and if so with which flavors and at whose cost.

The checks come in Kueue's order; the first that fails is the workload's message. What may be admitted gets an
assignment: all of its pods where they fit or can be made to fit, else, where it allows fewer, as many as that works
for. A slice that replaces another of an elastic job keeps its flavors and asks only for what it needs more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from argosy.api.objects.kueue.workloads import Workload
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
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.reasons import MISCONFIGURED, PENDING_EVALUATION, SUSPENDED

_FAILED: Final = frozenset({"Retry", "Rejected"})
REPLACEMENT_FOR: Final = "kueue.x-k8s.io/workload-slice-replacement-for"
_Found = tuple[Assignment, list[Target]]


@dataclass(slots=True, frozen=True)
class Surroundings:
    """What nomination looks at beside the queues: a namespace's labels (None if it is not there), and what is wrong
    with a workload's resources (empty if nothing).
    """

    labels_of: Callable[[str], Mapping[str, str] | None]
    problem_of: Callable[[Workload], str]


@dataclass(slots=True, frozen=True)
class Nominator:
    """Nominates heads, by the configuration of this cluster."""

    assigner: Assigner
    preemptor: Preemptor
    around: Surroundings

    def nominate(
        self, info: Info, snapshot: Snapshot, *, cycle: int, now: float
    ) -> tuple[Entry, bool]:
        """The entry of a head, and whether it takes part in the cycle; the others only wait, with a reason."""
        queue = snapshot.queues.get(info.cluster_queue)
        entry = Entry(info, queue)
        refusal = self._refusal(entry, snapshot)
        if refusal is not None or queue is None:
            entry.reason, entry.message = refusal or (MISCONFIGURED, "")
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

    def _refusal(self, entry: Entry, snapshot: Snapshot) -> tuple[str, str] | None:
        info, name = entry.info, entry.info.cluster_queue
        namespace = info.obj.metadata.namespace
        if any(check.state in _FAILED for check in info.obj.status.admission_checks):
            return PENDING_EVALUATION, "The workload has failed admission checks"
        if name in snapshot.inactive:
            return SUSPENDED, f"ClusterQueue {name} is inactive"
        if entry.queue is None:
            return MISCONFIGURED, f"ClusterQueue {name} not found"
        labels = self.around.labels_of(namespace)
        if labels is None:
            text = f'workload namespace "{namespace}" does not exist'
            return MISCONFIGURED, f'{text}: namespaces "{namespace}" not found'
        if not entry.queue.namespaces.matches(labels):
            entry.requeue_reason = RequeueReason.NAMESPACE_MISMATCH
            return MISCONFIGURED, "workload namespace doesn't match ClusterQueue selector"
        problem = self.around.problem_of(info.obj)
        return (MISCONFIGURED, problem) if problem else None

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
        replaced = replaced_slice(info, queue)

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
            return found, self.preemptor.targets(info, found, snapshot, now=now)

        def partly(counts: tuple[int, ...]) -> _Found | None:
            found = attempt(counts)
            return found if found[0].mode is Mode.FIT or found[1] else None

        full = attempt(None)
        if full[0].mode is Mode.FIT or full[1]:
            return full
        return largest_fit(info.obj.spec.pod_sets, partly) or full


def replaced_slice(info: Info, queue: CachedQueue) -> Info | None:
    """The slice that goes when this one is admitted, while it holds quota."""
    key = info.obj.metadata.annotations.get(REPLACEMENT_FOR)
    return queue.workloads.get(key) if key else None
