"""Decide the entries of a cycle one after the other, each on what the earlier ones have left.

What is decided is charged to the live trees, so that later entries see it, and taken back at the end of the cycle:
whoever applies the decisions counts them for good. Victims stay counted until they are really gone; to see whether an
entry fits they are taken out for a while (`victims`), those of earlier entries and its own. The steps are Kueue's, in
its order.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Final

from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.cycles.admissions import admission_of
from argosy.queueing.cycles.decisions import Admit, Outcome, Preempt
from argosy.queueing.cycles.entries import Entry, Status
from argosy.queueing.cycles.nominating import Nominator
from argosy.queueing.cycles.ordering import Order
from argosy.queueing.cycles.victims import Victims
from argosy.queueing.flavors.assignments import Assignment, Mode
from argosy.queueing.flavors.reasons import message
from argosy.queueing.queues.reasons import RequeueReason
from argosy.queueing.quotas.amounts import FlavorResource, Usage
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.workloads import reasons

_OVERLAP: Final = "Workload has overlapping preemption targets with another workload"
_DEFERRED: Final = f"{_OVERLAP}, but will fit after these preemptions complete"
_NO_LONGER: Final = "Workload no longer fits after processing another workload"
_NOT_READY: Final = "waiting for all admitted workloads to be in PodsReady condition"


@dataclass(slots=True)
class Processing:
    """One cycle's decisions in the making; `finish` takes all charges back.

    `waits_for_pods`: nothing is admitted before the pods of those admitted earlier are ready. `looks_again`: who would
    preempt the victims of an earlier entry is looked at again as if they were gone, else it has to wait.
    """

    snapshot: Snapshot
    nominator: Nominator
    order: Order
    cycle: int
    now: float
    waits_for_pods: bool = False
    looks_again: bool = True
    outcome: Outcome = field(default_factory=Outcome)
    _victims: Victims = field(init=False)
    _charges: list[tuple[Node, Usage]] = field(default_factory=list)
    # Those of the charges that are for entries that wait.
    _promised: list[tuple[Node, Usage]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._victims = Victims(self.snapshot)

    def process(self, entry: Entry) -> None:
        """Decide one entry."""
        queue = entry.queue
        if queue is None:
            raise RuntimeError(f"{entry.info.key} takes part without a ClusterQueue")
        if self.looks_again and self._overlaps(entry, queue):
            self._recompute(entry, queue)
        self._decide(entry, queue)
        if self.order.looks_at_usage:
            self._victims.put_back(queue.node)

    def _decide(self, entry: Entry, queue: CachedQueue) -> None:
        mode = entry.assignment.mode
        if mode is Mode.NO_FIT:
            entry.requeue_reason = RequeueReason.NO_FIT
            entry.reason = entry.assignment.no_fit_reason
        elif mode is Mode.PREEMPT and not entry.targets:
            self._reserve(entry, queue)
        elif mode is Mode.DEFERRED_FIT:
            self._defer(entry, queue)
        elif self._overlaps(entry, queue):
            self._skip(entry, _OVERLAP)
        elif not self._fits(entry, queue):
            self._skip(entry, _NO_LONGER)
        elif mode is Mode.PREEMPT:
            self._preempt(entry, queue)
        elif self.waits_for_pods and not entry.has_quota:
            entry.skip(reasons.WAITING_FOR_PODS_READY, _NOT_READY)
            self.outcome.is_blocked = True
        else:
            self._admit(entry, queue)

    def finish(self) -> None:
        """Leave the trees as they were found."""
        self._victims.put_back()
        for node, usage in reversed(self._charges):
            node.remove(usage)
        self._charges.clear()

    def _overlaps(self, entry: Entry, queue: CachedQueue) -> bool:
        """Whether somebody else's victims are among the targets."""
        victims = self._victims.near(queue.node)
        return any(target.info.key in victims for target in entry.targets)

    def _recompute(self, entry: Entry, queue: CachedQueue) -> None:
        """Look again, as if the victims were gone already, at the same flavors."""
        self._victims.take_out(queue.node)
        entry.assignment, entry.targets = self.nominator.assignments(
            entry.info,
            queue,
            self.snapshot,
            cycle=self.cycle,
            now=self.now,
            nomination=nominated_flavors(entry.assignment),
        )
        entry.message = message(entry.assignment)
        result = "new_targets" if entry.targets else "skipped"
        if entry.assignment.mode is Mode.FIT:
            entry.assignment.set_mode(Mode.DEFERRED_FIT)
            result = "deferred_fit"
        self.outcome.recomputations[queue.name, result] += 1

    def _reserve(self, entry: Entry, queue: CachedQueue) -> None:
        """Nobody to preempt: keep what is free of its share from the others, unless it can always reclaim it."""
        entry.requeue_reason = RequeueReason.PREEMPTION_NO_CANDIDATES
        entry.reason = reasons.WAITING_FOR_QUOTA
        if queue.preemption.reclaim_within_cohort != "Any":
            self._victims.put_back(queue.node)
            self._promise(queue.node, reserved_usage(entry.assignment, queue.node))

    def _defer(self, entry: Entry, queue: CachedQueue) -> None:
        entry.reason, entry.message = reasons.WAITING_FOR_PREEMPTED_WORKLOADS, _DEFERRED
        entry.requeue_reason = RequeueReason.PENDING_PREEMPTION
        self._promise(queue.node, entry.assignment.usage)

    def _skip(self, entry: Entry, why: str) -> None:
        entry.skip(reasons.WAITING_FOR_QUOTA, why)
        if entry.assignment.mode is Mode.PREEMPT:
            self.outcome.skipped_preemptions[entry.info.cluster_queue] += 1

    def _fits(self, entry: Entry, queue: CachedQueue) -> bool:
        usage = entry.assignment.usage
        if not self._victims.near(queue.node) and not entry.targets:
            return has_room(queue.node, usage)
        self._victims.take_out(queue.node)
        with self.snapshot.without(target.info for target in entry.targets):
            fits = has_room(queue.node, usage)
        return fits and (bool(entry.targets) or self._fits_now(queue, usage))

    def _fits_now(self, queue: CachedQueue, usage: Usage) -> bool:
        """Whether there is room while the victims of others are still there and those who wait for it are not.

        Upstream does not ask: what victims hold beyond their preemptor's needs it hands out before it is free.
        """
        self._victims.put_back(queue.node)
        with ExitStack() as undo:
            for node, held in self._promised:
                node.remove(held)
                undo.callback(node.add, held)
            return has_room(queue.node, usage)

    def _preempt(self, entry: Entry, queue: CachedQueue) -> None:
        self._victims.add(queue.node, entry.targets)
        self._promise(queue.node, entry.assignment.usage)
        entry.await_victims(len(entry.targets))
        self.outcome.preempted.append(Preempt(entry, tuple(entry.targets)))

    def _admit(self, entry: Entry, queue: CachedQueue) -> None:
        self._charge(queue.node, entry.assignment.usage)
        entry.status = Status.ASSUMED
        self.outcome.admitted.append(Admit(entry, admission_of(entry.assignment, queue.name)))

    def _promise(self, node: Node, usage: Usage) -> None:
        """Keep something for an entry that cannot be admitted yet."""
        self._promised.append((node, usage))
        self._charge(node, usage)

    def _charge(self, node: Node, usage: Usage) -> None:
        node.add(usage)
        self._charges.append((node, usage))
        self.order.touched(node)


def has_room(node: Node, usage: Mapping[FlavorResource, int]) -> bool:
    return all(value <= node.available(where) for where, value in usage.items())


def reserved_usage(assignment: Assignment, node: Node) -> Usage:
    """What a workload without victims keeps from the others of its cohort for the rest of the cycle."""
    found: Usage = {}
    for where, value in assignment.usage.items():
        place = node.position(where)
        nominal, used, limit = (
            node.nominal[place],
            node.usage[place],
            node.borrowing_limits[place],
        )
        if assignment.borrowing == 0:
            found[where] = max(0, min(value, nominal - used))
        elif limit is None:
            found[where] = value
        else:
            found[where] = min(value, nominal + limit - used)
    return found


def nominated_flavors(assignment: Assignment) -> dict[str, dict[str, str]]:
    """The flavors of an assignment by pod set and resource."""
    return {
        pod_set.name: {resource: one.name for resource, one in pod_set.flavors.items()}
        for pod_set in assignment.pod_sets
    }
