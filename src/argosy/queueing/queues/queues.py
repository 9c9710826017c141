"""All that waits: ClusterQueues with their lines, LocalQueues with their workloads, and who is asked next.

Objects come in any order. A workload whose LocalQueue or ClusterQueue is not there yet, or is stopped, is remembered
with the LocalQueue it names and put in line when that appears. What is told of a workload is its newest version: one
that must not wait (it got its quota, was deactivated, has finished) is taken out by being put, and what the scheduler
gives back is requeued as it is now, not as it was popped.

`heads` costs as much as there are ClusterQueues with something to pop; every other call O(log n) in what waits, except
those that move many workloads. Everything is synchronous and takes the time as an argument; `next_time` says when to
call again. Cohort trees are read from the quota forest, so that has to be told of a ClusterQueue or cohort first.
Mirrors Kueue's `queue.Manager`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, ClusterQueueSpec
from argosy.base.selectors.labels import LabelSelector
from argosy.queueing.cache.clusterqueues import namespaces_of
from argosy.queueing.queues.changes import may_fare_differently
from argosy.queueing.queues.consuming import AdmissionFairSharing, local_queue_weight
from argosy.queueing.queues.flushing import Flushes, Trees
from argosy.queueing.queues.ledgers import Ledger
from argosy.queueing.queues.pending import PendingQueue
from argosy.queueing.queues.reasons import Refusal, RequeueReason
from argosy.queueing.queues.second_pass import SecondPasses
from argosy.queueing.queues.tallies import Tally
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.phases import is_admissible


class Queues:
    """Everything that waits for quota. `labels_of` gives a namespace's labels, none for one that is not there."""

    def __init__(
        self,
        trees: Trees,
        labels_of: Callable[[str], Mapping[str, str] | None],
        fair_sharing: AdmissionFairSharing | None = None,
    ) -> None:
        self.second_passes: Final = SecondPasses()
        self.flushes: Final = Flushes(trees)
        self.ledger: Final = Ledger(fair_sharing or AdmissionFairSharing())
        self.fair_sharing: Final = fair_sharing
        self._labels_of = labels_of
        self._queues: dict[str, PendingQueue] = {}
        self._specs: dict[str, ClusterQueueSpec] = {}
        self._selectors: dict[str, LabelSelector] = {}
        # ClusterQueues by LocalQueue, and the other way round.
        self._cluster_queue_of: dict[str, str] = {}
        self._local_queues_of: dict[str, set[str]] = {}
        # Workloads by the LocalQueue they name, whether or not that is there.
        self._waiting: dict[str, dict[str, Info]] = {}
        self._assigned: dict[str, str] = {}
        # ClusterQueues with something to pop.
        self._poppable: set[str] = set()

    # ClusterQueues and LocalQueues.

    def put_cluster_queue(self, queue: ClusterQueue, now: float) -> None:
        """A ClusterQueue is there or has changed."""
        name, spec = queue.metadata.name, queue.spec
        old = self._specs.get(name)
        if old == spec:
            return
        self._specs[name] = spec
        self._selectors[name] = namespaces_of(queue)
        usage_of = self._usage_of(spec)
        if old is None:
            self._queues[name] = PendingQueue(name, spec.queueing_strategy, usage_of)
            for local_queue in sorted(self._local_queues_of.get(name, ())):
                self._line_up(local_queue, now)
        else:
            self._queues[name].strategy = spec.queueing_strategy
            if old.admission_scope != spec.admission_scope:
                self._queues[name].reorder(usage_of)
        self.flushes.request([name], now)

    def drop_cluster_queue(self, name: str) -> None:
        """A ClusterQueue is gone; its workloads wait for it to come back."""
        self._specs.pop(name, None)
        self._selectors.pop(name, None)
        self._queues.pop(name, None)
        self._poppable.discard(name)

    def put_local_queue(self, queue: LocalQueue, now: float) -> None:
        """A LocalQueue is there, runs again, or has changed."""
        key = f"{queue.metadata.namespace}/{queue.metadata.name}"
        target = queue.spec.cluster_queue
        self.ledger.weigh(key, local_queue_weight(queue))
        if self._cluster_queue_of.get(key) == target:
            return
        self._unline(key)
        self._cluster_queue_of[key] = target
        self._local_queues_of.setdefault(target, set()).add(key)
        self._line_up(key, now)

    def drop_local_queue(self, key: str) -> None:
        """A LocalQueue is gone or stopped; its workloads wait for it to come back."""
        self._unline(key)
        self.ledger.unweigh(key)

    # Workloads.

    def put_workload(self, info: Info, now: float) -> Refusal | None:
        """A workload is there or has changed. Returns why it is not in line, if it is not."""
        key, local_queue = info.key, info.local_queue
        if not info.obj.has_quota_reservation:
            self.second_passes.discard(key)
        if not is_admissible(info.obj):
            self._leave(key)
            return Refusal.INADMISSIBLE
        if self._assigned.get(key, local_queue) != local_queue:
            self._leave(key)
            self.ledger.refund(key)
        waiting = self._waiting.setdefault(local_queue, {})
        old = waiting.get(key)
        if old is not None and info.last_assignment is None:
            info.last_assignment = old.last_assignment
        waiting[key] = info
        self._assigned[key] = local_queue
        if local_queue not in self._cluster_queue_of:
            return Refusal.NO_LOCAL_QUEUE
        queue = self._queue_of(local_queue)
        if queue is None:
            return Refusal.NO_CLUSTER_QUEUE
        info.cluster_queue = queue.name
        queue.push_or_update(info, now)
        self._note(queue)
        return None

    def drop_workload(self, key: str) -> None:
        """A workload waits for quota no longer. One that got it may wait for a second pass, and goes on to."""
        self._leave(key)

    def forget_workload(self, key: str) -> None:
        """A workload is deleted."""
        self._leave(key)
        self.second_passes.discard(key)
        self.ledger.refund(key)

    def requeue(
        self, info: Info, reason: RequeueReason, now: float, quota_reason: str = ""
    ) -> bool:
        """Take back a head that was not admitted, in its newest version; not if it must not wait any more.
        `quota_reason` is what its condition will say.
        """
        local_queue = self._assigned.get(info.key)
        if local_queue is None:
            return False
        queue = self._queue_of(local_queue)
        if queue is None:
            return False
        newest = self._waiting[local_queue][info.key]
        newest.last_assignment = info.last_assignment
        found = queue.requeue(
            newest,
            reason,
            now,
            quota_reason=quota_reason,
            is_outdated=may_fare_differently(info, newest),
        )
        self._note(queue)
        return found

    # The scheduler's side.

    def heads(self, now: float, is_active: Callable[[str], bool] | None = None) -> list[Info]:
        """Whom to look at: second passes that are due, then the first in line of every active ClusterQueue, by name."""
        found = self.second_passes.take_due(now)
        for name in sorted(self._poppable):
            if is_active is None or is_active(name):
                queue = self._queues[name]
                info = queue.pop()
                if info is not None:
                    found.append(info)
                self._note(queue)
        return found

    def next_heads(self, is_active: Callable[[str], bool]) -> set[str]:
        """The keys of those that `heads` would take from the lines now."""
        found = (self._queues[name].head for name in self._poppable if is_active(name))
        return {key for key in found if key is not None}

    @property
    def has_heads(self) -> bool:
        """Whether there is anybody to look at."""
        return bool(self._poppable)

    def flush_due(self, now: float) -> int:
        """Put parked workloads back in line where that was asked for a second ago. Returns how many."""
        return self._flush(self.flushes.take_due(now), now)

    def flush(self, cluster_queues: Iterable[str], now: float) -> int:
        """The same at once, for the trees of these ClusterQueues."""
        return self._flush(self.flushes.tree_members(cluster_queues), now)

    @property
    def next_time(self) -> float | None:
        """When `flush_due` or `heads` has something new by the passing of time alone."""
        times = (self.flushes.next_time, self.second_passes.next_time)
        return min((time for time in times if time is not None), default=None)

    # Looking.

    def cluster_queue(self, name: str) -> PendingQueue | None:
        """A ClusterQueue's pending workloads; to be read only."""
        return self._queues.get(name)

    def cluster_queue_of(self, local_queue: str) -> str | None:
        """The ClusterQueue a LocalQueue names; none if there is no such LocalQueue or it is stopped."""
        return self._cluster_queue_of.get(local_queue)

    def waiting(self, local_queue: str) -> Mapping[str, Info]:
        """The workloads that name a LocalQueue, by key."""
        return self._waiting.get(local_queue, {})

    def get(self, key: str) -> Info | None:
        """A workload that waits, whether or not it is in a line."""
        local_queue = self._assigned.get(key)
        return None if local_queue is None else self._waiting[local_queue][key]

    def local_queue_of(self, key: str) -> str | None:
        """The LocalQueue a workload waits in; none if it waits in none or that is not there."""
        local_queue = self._assigned.get(key)
        return local_queue if local_queue in self._cluster_queue_of else None

    def tally(self, local_queue: str) -> Tally:
        """How many workloads of a LocalQueue are active and inadmissible; all are that without a ClusterQueue."""
        queue = self._queue_of(local_queue)
        if queue is None:
            return Tally(0, len(self.waiting(local_queue)))
        return queue.tally(local_queue)

    def bypass_reason(self, key: str) -> str:
        """The reason for a workload's condition if it is parked because an equivalent one failed; else empty."""
        queue = self._queue_of(self._assigned.get(key, ""))
        return "" if queue is None else queue.bypass_reason(key)

    # Within.

    def _queue_of(self, local_queue: str) -> PendingQueue | None:
        return self._queues.get(self._cluster_queue_of.get(local_queue, ""))

    def _usage_of(self, spec: ClusterQueueSpec) -> Callable[[str], float] | None:
        sharing = self.fair_sharing
        is_used = sharing is not None and sharing.is_used_by(spec.admission_scope)
        return self.ledger.usage if is_used else None

    def _line_up(self, local_queue: str, now: float) -> None:
        """Put all workloads of a LocalQueue in line."""
        queue = self._queue_of(local_queue)
        if queue is None:
            return
        for info in self._waiting.get(local_queue, {}).values():
            info.cluster_queue = queue.name
            queue.push_or_update(info, now)
        self._note(queue)

    def _unline(self, local_queue: str) -> None:
        """Take all workloads of a LocalQueue out of line, and the LocalQueue from its ClusterQueue."""
        queue = self._queue_of(local_queue)
        if queue is not None:
            for key in self._waiting.get(local_queue, ()):
                queue.delete(key)
            self._note(queue)
        target = self._cluster_queue_of.pop(local_queue, None)
        if target is not None:
            self._local_queues_of[target].discard(local_queue)

    def _leave(self, key: str) -> None:
        """A workload waits nowhere."""
        local_queue = self._assigned.pop(key, None)
        if local_queue is None:
            return
        waiting = self._waiting[local_queue]
        del waiting[key]
        if not waiting:
            del self._waiting[local_queue]
        queue = self._queue_of(local_queue)
        if queue is not None:
            queue.delete(key)
            self._note(queue)

    def _flush(self, cluster_queues: Iterable[str], now: float) -> int:
        moved = 0
        for name in cluster_queues:
            queue = self._queues.get(name)
            if queue is not None:
                moved += queue.flush(now, partial(self._takes, self._selectors[name]))
                self._note(queue)
        return moved

    def _takes(self, selector: LabelSelector, namespace: str) -> bool:
        labels = self._labels_of(namespace)
        return labels is not None and selector.matches(labels)

    def _note(self, queue: PendingQueue) -> None:
        """Keep the set of ClusterQueues with something to pop."""
        if queue.is_poppable:
            self._poppable.add(queue.name)
        else:
            self._poppable.discard(queue.name)
