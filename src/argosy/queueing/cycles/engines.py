"""The heart as one piece: objects are put in as they change, cycles come out as statuses to write. No I/O.

The state is kept by deltas: `cache` knows what is used, `queues` what waits. A decision counts at once, before it is
written: the workload is assumed (`assuming`) until the object that was written is seen. A write that failed is taken
back by putting the object that is really there.

What frees quota, or may make somebody fit, asks for a flush of the parked workloads of the tree it is in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

from argosy.api.objects.kueue.checks import AdmissionCheck, Topology
from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.cache.caches import Cache
from argosy.queueing.cache.readiness import flavors_of
from argosy.queueing.cycles.assuming import Assumptions
from argosy.queueing.cycles.decisions import Outcome
from argosy.queueing.cycles.entries import Entry, Status
from argosy.queueing.cycles.resting import Rest
from argosy.queueing.cycles.scheduling import Scheduler
from argosy.queueing.cycles.writes import Kind, Write, admitting, replacing, waiting
from argosy.queueing.preemption.issuing import preemptions
from argosy.queueing.queues.changes import is_from_outside, may_fare_differently
from argosy.queueing.queues.consuming import is_penalized, nanos_of_amounts
from argosy.queueing.queues.queues import Queues
from argosy.queueing.queues.reasons import RequeueReason
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.making import Infos
from argosy.queueing.workloads.phases import holds_quota
from argosy.queueing.workloads.priorities import is_reprioritized

# Statuses that are told by the scheduler; those of admitted workloads are told when they are written.
_TOLD: Final = frozenset({Status.NOT_NOMINATED, Status.SKIPPED})
_MICROSECOND: Final = 1e-6
# Writes that count before they are written.
_ASSUMED: Final = frozenset({Kind.ADMIT, Kind.PREEMPT})


class Engine:
    """Cache, queues and scheduler of a cluster."""

    def __init__(
        self,
        cache: Cache,
        queues: Queues,
        scheduler: Scheduler,
        infos: Infos,
        adjust: Callable[[Workload], Workload] = lambda workload: workload,
    ) -> None:
        self.cache: Final = cache
        self.queues: Final = queues
        self._scheduler: Final = scheduler
        self._rounds: Final = scheduler.nominator.preemptor.rounds
        self._infos: Final = infos
        self._adjust: Final = adjust
        self._assumed: Final = Assumptions()
        self.cycles = 0
        self._rest: Final = Rest()

    # Workloads.

    def put_workload(self, workload: Workload, now: float) -> None:
        """A workload is there or has changed."""
        if self._assumed.is_news(workload):
            self._put_workload(workload, now)

    def _put_workload(self, workload: Workload, now: float) -> None:
        info = self._infos.make(self._adjust(workload))
        waiting = self.queues.get(info.key)
        old = waiting or self.cache.workloads.get(info.key)
        if old is None or is_from_outside(old, info):
            self._heard_from_outside(old or info)
        # What is said of a workload that waits is no news, or every cycle would be followed by another one.
        if waiting is None or may_fare_differently(waiting, info) or holds_quota(workload):
            self._rest.is_disturbed = True
        if holds_quota(workload):
            self._hold(info, now)
            self.queues.second_passes.offer(info, now)
        else:
            self._release(info.key, now)
            self.queues.put_workload(info, now)

    def _heard_from_outside(self, info: Info) -> None:
        queue = info.cluster_queue or self.queues.cluster_queue_of(info.local_queue) or ""
        node = self.cache.forest.cluster_queue(queue)
        if node is not None:
            self._rounds.forget(node.root.name)

    def drop_workload(self, key: str, now: float) -> None:
        """A workload is gone."""
        self._rest.is_disturbed = True
        self._assumed.forget(key)
        old = self.queues.get(key) or self.cache.workloads.get(key)
        if old is not None:
            self._heard_from_outside(old)
        self._release(key, now)
        self.queues.forget_workload(key)

    def written(self, write: Write, revision: int, now: float) -> None:
        """A decision is in the API, at this revision."""
        if write.kind in _ASSUMED:
            self._count(self._assumed.written(write.draft.workload, revision), now)

    def failed(self, write: Write, actual: Workload | None, now: float) -> None:
        """A decision could not be written; this is the object as it is known, if it is there."""
        workload = write.draft.workload
        if write.kind not in _ASSUMED:
            return
        if write.kind is Kind.ADMIT:
            self.queues.ledger.refund(write.key)
        if actual is None:
            self.drop_workload(write.key, now)
        else:
            self._count(self._assumed.failed(workload, actual), now)

    def _count(self, news: Workload | None, now: float) -> None:
        if news is not None:
            self._put_workload(news, now)

    def _hold(self, info: Info, now: float) -> None:
        old = self.cache.workloads.get(info.key)
        self.cache.add_workload(info)
        self.queues.drop_workload(info.key)
        if old is not None and (
            old.usage != info.usage
            or is_reprioritized(old.obj, info.obj, boosts=self._infos.boosts)
        ):
            self.queues.flushes.request([info.cluster_queue], now)

    def _release(self, key: str, now: float) -> None:
        old = self.cache.remove_workload(key)
        if old is not None:
            self.queues.flushes.request([old.cluster_queue], now)

    # Everything else.

    def put_cluster_queue(self, queue: ClusterQueue, now: float) -> None:
        if self.cache.put_cluster_queue(queue):
            self._resettle()
            self.queues.put_cluster_queue(queue, now)

    def drop_cluster_queue(self, name: str, now: float) -> None:
        self._resettle()
        self.cache.drop_cluster_queue(name)
        self.queues.drop_cluster_queue(name)
        self.queues.flushes.request(self.cache.objects, now)

    def put_cohort(self, cohort: Cohort, now: float) -> None:
        if self.cache.put_cohort(cohort):
            self._resettle()
            self.queues.flushes.request_cohort(cohort.metadata.name, now)

    def drop_cohort(self, name: str, now: float) -> None:
        self._resettle()
        self.cache.drop_cohort(name)
        self.queues.flushes.request_cohort(name, now)

    def put_local_queue(self, queue: LocalQueue, now: float) -> None:
        """A LocalQueue is there; one that is stopped or going takes no part."""
        key = f"{queue.metadata.namespace}/{queue.metadata.name}"
        target = self.queues.cluster_queue_of(key)
        if queue.metadata.deletion_timestamp is None and queue.spec.stop_policy in ("", "None"):
            self.queues.put_local_queue(queue, now)
        else:
            self.queues.drop_local_queue(key)
        self._rest.is_disturbed = True
        if self.queues.cluster_queue_of(key) != target:
            self._resettle()

    def drop_local_queue(self, key: str, _now: float) -> None:
        self._resettle()
        self.queues.drop_local_queue(key)

    def put_flavor(self, flavor: ResourceFlavor, now: float) -> None:
        self._resettle()
        self.cache.put_flavor(flavor)
        self._flush_users(lambda queue: flavor.metadata.name in flavors_of(queue), now)

    def drop_flavor(self, name: str, _now: float) -> None:
        self._resettle()
        self.cache.drop_flavor(name)

    def put_check(self, check: AdmissionCheck, now: float) -> None:
        self._resettle()
        self.cache.put_check(check)
        name = check.metadata.name
        self._flush_users(lambda queue: name in _checks_of(queue), now)

    def drop_check(self, name: str, _now: float) -> None:
        self._resettle()
        self.cache.drop_check(name)

    def put_topology(self, topology: Topology, now: float) -> None:
        self.cache.put_topology(topology)
        self.flush_all(now)

    def drop_topology(self, name: str, _now: float) -> None:
        self._resettle()
        self.cache.drop_topology(name)

    def flush_all(self, now: float) -> None:
        """Anybody may fit now: a namespace has other labels, say."""
        self._resettle()
        self.queues.flushes.request(self.cache.objects, now)

    def _resettle(self) -> None:
        """Something that everybody depends on is different from now on."""
        self._rest.is_disturbed = True
        self._rounds.forget_all()

    def _flush_users(self, uses: Callable[[ClusterQueue], bool], now: float) -> None:
        users = [name for name, queue in self.cache.objects.items() if uses(queue)]
        self.queues.flushes.request(users, now)

    # Deciding.

    def has_work(self, now: float) -> bool:
        """Whether a cycle may decide something: there are heads, not only such as were just looked at in vain."""
        due = self.queues.next_time
        if due is not None and due <= now:
            return True
        return self.queues.has_heads and not self._rest.is_due

    def cycle(self, now: datetime) -> tuple[Outcome, list[Write]]:
        """Decide about the heads of all queues. What is decided counts from here on, and is to be written."""
        # A date is cut to microseconds: what is due within this one is due now, as `has_work` has said.
        time = now.timestamp() + _MICROSECOND
        self.queues.flush_due(time)
        snapshot = self.cache.snapshot()
        heads = self.queues.heads(time, lambda name: name in snapshot.queues)
        self.cycles += 1
        self._rest.begin()
        outcome = self._scheduler.cycle(
            heads, snapshot, number=self.cycles, now=time, all_ready=not self.cache.unready
        )
        decided = [*self._admitted(outcome, now), *self._preempted(outcome, now)]
        waiting = self.take_back(outcome.requeued, now)
        if decided:
            self._rest.decide()
        else:
            self._rest.look(
                {entry.info.key: entry.info.last_assignment for entry in outcome.requeued},
                self.queues.next_heads(lambda name: name in snapshot.queues),
            )
        return outcome, decided + waiting

    def _admitted(self, outcome: Outcome, now: datetime) -> Iterable[Write]:
        for decision in outcome.admitted:
            info = decision.entry.info
            queue = self.cache.objects[info.cluster_queue]
            write = admitting(decision, queue, now)
            self._assume(write, now)
            self._penalize(info, queue, now.timestamp())
            yield write
            replaced = decision.entry.assignment.replaced
            if replaced is not None:
                yield replacing(replaced.obj, info.obj, now)

    def _preempted(self, outcome: Outcome, now: datetime) -> Iterable[Write]:
        """The victims have to go, each as soon as what was decided about it before is seen to be written."""
        snapshot = self.cache.snapshot()
        for decision in outcome.preempted:
            preemptor = decision.entry.info
            targets = [one for one in decision.targets if one.info.key not in self._assumed]
            for preemption in preemptions(preemptor, targets, snapshot, now):
                write = Write(
                    Kind.PREEMPT,
                    preemption.draft,
                    preemption.events,
                    eviction=preemption.eviction,
                    preempting_queue=preemptor.cluster_queue,
                )
                self._assume(write, now)
                tree = snapshot.queues[preemptor.cluster_queue].node.root.name
                self._rounds.count(tree, preemptor.key, preemption.target.info.key)
                yield write

    def take_back(self, entries: Iterable[Entry], now: datetime) -> list[Write]:
        """Put heads that were not admitted where they belong, and say why."""
        writes = []
        for entry in entries:
            is_generic = entry.requeue_reason is RequeueReason.GENERIC
            if entry.status is not Status.NOT_NOMINATED and is_generic:
                entry.requeue_reason = RequeueReason.FAILED_AFTER_NOMINATION
            self.queues.requeue(
                entry.info, entry.requeue_reason, now.timestamp(), quota_reason=entry.reason
            )
            write = waiting(entry, entry.info.obj, now) if entry.status in _TOLD else None
            if write is not None:
                writes.append(write)
        return writes

    def _assume(self, write: Write, now: datetime) -> None:
        info = self._infos.make(write.draft.workload)
        self._assumed.decide(write.draft.workload)
        self._hold(info, now.timestamp())

    def _penalize(self, info: Info, queue: ClusterQueue, now: float) -> None:
        """With admission fair sharing, an admission counts at once, before usage shows it."""
        if is_penalized(info.obj, queue.spec.admission_scope, self.queues.fair_sharing):
            self.queues.ledger.charge(
                info.local_queue, info.key, nanos_of_amounts(_total(info)), now
            )


def _checks_of(queue: ClusterQueue) -> Iterable[str]:
    return (rule.name for rule in queue.spec.admission_checks_strategy.admission_checks)


def _total(info: Info) -> dict[str, int]:
    total: dict[str, int] = {}
    for pod_set in info.total_requests:
        for resource, value in pod_set.requests.items():
            total[resource] = total.get(resource, 0) + value
    return total
