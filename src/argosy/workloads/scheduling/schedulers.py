"""The pod scheduler: informers in, decisions, writes out.

A thin shell around `deciding` and `queueing`. Every event of a pod or node is put into the ledger at once, in O(1);
what may help waiting pods is gathered. The loop wakes whom the changes help, takes a batch of alike pods, decides,
hands the writes over and gives the others a turn. Who was not tried for five minutes is tried again without a change,
should one ever be overlooked. A pod that was given a node counts there from that moment; if the
binding fails it is taken off again and tries anew after its back-off.

Only pods of `default-scheduler` are served. Gated pods are left alone until their last gate is gone; the API says so in
their condition. Pods that name their node are never seen here.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Final

from argosy.api.objects import Node, Pod
from argosy.base.errors import NotFound, StatusError
from argosy.client.resources import NODES
from argosy.control.assemblies import Assembly
from argosy.workloads.pods.caches import pod_informer
from argosy.workloads.scheduling.announcing import SCHEDULER, Announcing, News
from argosy.workloads.scheduling.deciding import Assigned, Candidate, Decider, Refused
from argosy.workloads.scheduling.placements import Placement, placement
from argosy.workloads.scheduling.queueing import SchedulingQueue
from argosy.workloads.scheduling.surroundings import follow_surroundings
from argosy.workloads.scheduling.telling import Telling
from argosy.workloads.scheduling.writing import Outbox, Writes, is_said, quietly

_LOG: Final = logging.getLogger(__name__)
# So many pods are decided before others get a turn: a few milliseconds' worth.
_BATCH: Final = 64
# While pods are ready, those who wait are looked at no more often than this.
_LOOK_SECONDS: Final = 1.0
# How often leftovers are looked for, and after how long a pod is one.
_FLUSH_SECONDS: Final = 30.0
_LEFTOVER_SECONDS: Final = 300.0


class Scheduler:
    """The default scheduler of one cluster."""

    def __init__(self, assembly: Assembly) -> None:
        self._clock = assembly.clock
        self._writes = Writes(assembly.client, assembly.clock)
        self._announcing = Announcing(assembly.client, assembly.clock)
        self._outbox = Outbox()
        self.decider: Final = Decider()
        self.queue: Final = SchedulingQueue()
        self._telling = Telling()
        # Nodes that pods have left or that are not what they were, since the last look at those who wait.
        self._touched: set[str] = set()
        # Those of them that pods have left.
        self._left: set[str] = set()
        self._has_changed = False
        self._looked = float("-inf")
        self._flushed = self._clock.monotonic()
        self._news = asyncio.Event()
        self._attempts = assembly.metrics.counter(
            "scheduler_schedule_attempts_total",
            "Attempts to schedule pods, by result.",
            ("result", "profile"),
        )
        pending = assembly.metrics.gauge(
            "scheduler_pending_pods", "Pods without a node, by what they wait for.", ("queue",)
        )
        pending.follow(("active",), lambda: float(self.queue.ready))
        pending.follow(("unschedulable",), lambda: float(self.queue.waiting()))
        nodes = assembly.informer(NODES, Node)
        self._pods = pod_informer(assembly)
        follow_surroundings(assembly, self.decider, self._surroundings_changed)
        nodes.add_handler(self._node_changed)
        self._pods.add_handler(self._pod_changed)
        assembly.task("scheduler", self._run)
        assembly.task("scheduler-writes", self._outbox.run)
        assembly.task("scheduler-events", self._announcing.run)

    # News.

    def _surroundings_changed(self) -> None:
        self._has_changed = True
        self._news.set()

    def _touch(self, node: str) -> None:
        self._touched.add(node)
        self._surroundings_changed()

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        if new is None:
            if old is not None:
                self.decider.ledger.remove_node(old.metadata.name)
                self._touch(old.metadata.name)
        elif old is None or _matters(old, new):
            self.decider.ledger.put_node(new)
            self._touch(new.metadata.name)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is None:
            if old is not None:
                self._pod_left(old)
        elif new.is_terminal:
            self._pod_left(new)
        elif new.spec.node_name:
            self._pod_placed(new)
        else:
            self._pod_waits(old, new)

    def _pod_left(self, pod: Pod) -> None:
        uid = pod.metadata.uid
        self.queue.remove(uid)
        nominated = self.decider.nominations.pop(uid, None)
        placed = self.decider.ledger.displace(uid)
        if placed is not None:
            self._left.add(placed.node)
        for one in (nominated, placed):
            if one is not None:
                self._touch(one.node)

    def _pod_placed(self, pod: Pod) -> None:
        uid, node = pod.metadata.uid, pod.spec.node_name
        self.queue.remove(uid)
        self._give_up(uid)
        ledger = self.decider.ledger
        new = placement(pod, self.decider.profiles.of(pod), node)
        before = ledger.placements.get(uid)
        if before is not None:
            if _is_same(before, new):
                before.started = new.started
                return
            ledger.displace(uid)
            self._touch(before.node)
        ledger.place(new)
        self._surroundings_changed()

    def _give_up(self, uid: str) -> None:
        """No node is held for the pod any more."""
        held = self.decider.nominations.pop(uid, None)
        if held is not None:
            self._touch(held.node)

    def _pod_waits(self, old: Pod | None, pod: Pod) -> None:
        uid = pod.metadata.uid
        if pod.spec.scheduler_name != SCHEDULER or uid in self.decider.ledger.placements:
            return
        if pod.spec.scheduling_gates or pod.metadata.deletion_timestamp is not None:
            self.queue.remove(uid)
            self._give_up(uid)
            return
        candidate = self.decider.candidate(pod)
        before = old.status.nominated_node_name if old is not None else ""
        if pod.status.nominated_node_name != before:
            held = self.decider.nominations.get(uid)
            if held is not None and held.node != pod.status.nominated_node_name:
                self._give_up(uid)
            self.decider.nominate(candidate)
        self.queue.put(candidate)
        self._news.set()

    # The loop.

    async def _run(self) -> None:
        while True:
            self._news.clear()
            await self._outbox.has_room()
            now = self._clock.monotonic()
            self._wake(now)
            batch = self.queue.pop(_BATCH, self.decider.are_alike, now)
            if batch:
                self._act(batch, now)
            elif not self._tell(now):
                await self._rest(now)
                continue
            await asyncio.sleep(0)

    async def _rest(self, now: float) -> None:
        """Wait for news, or for the next thing that is due without any."""
        due = [self.queue.next_due(), self._telling.next_due()]
        if self._has_changed:
            due.append(self._looked + _LOOK_SECONDS)
        if len(self.queue):
            due.append(self._flushed + _FLUSH_SECONDS)
        first = min((when for when in due if when is not None), default=None)
        try:
            async with asyncio.timeout(None if first is None else max(0.0, first - now)):
                await self._news.wait()
        except TimeoutError:
            return

    def _wake(self, now: float) -> None:
        """Let those try again whom the changes since the last look may help, and leftovers."""
        # The same sums as in `_rest`: a difference may be rounded down, and nothing would ever be due.
        if now >= self._flushed + _FLUSH_SECONDS:
            self._flushed = now
            for group in self.queue.leftovers(now - _LEFTOVER_SECONDS):
                self.queue.wake(group)
        if not self._has_changed or (self.queue.ready and now < self._looked + _LOOK_SECONDS):
            return
        self._looked = now
        touched, self._touched, self._has_changed = self._touched, set(), False
        left, self._left = self._left, set()
        for uid in self.decider.expectant(touched, left):
            self.queue.wake_one(uid, now)
        for group in self.queue.groups:
            if self.decider.helped(
                group.profile, touched, group.objection, is_expectant=group.is_expectant
            ):
                self.queue.wake(group)

    def _tell(self, now: float) -> bool:
        """Tell some of those who wait why they still do; whether there was anybody to tell."""
        told = self._telling.take(_BATCH, now)
        for entry, message in told:
            self._say_unscheduled(entry.candidate.pod, message, None)
        return bool(told)

    def _act(self, batch: list[Candidate], now: float) -> None:
        try:
            decided = self.decider.decide(batch)
        except Exception:  # noqa: BLE001  (one pod nobody expected must not keep others from their nodes)
            self._retry(batch, now)
            return
        self.queue.put_back(batch[len(decided) :])
        for outcome in decided:
            if outcome.released:
                self._touch(outcome.released)
            if isinstance(outcome, Assigned):
                self._has_changed = True
                self._attempts.inc(("scheduled", SCHEDULER))
                uid = outcome.candidate.pod.metadata.uid
                self._outbox.put(uid, partial(self._bind, outcome))
            else:
                self._refuse(outcome, now)

    def _retry(self, batch: list[Candidate], now: float) -> None:
        """Decide a batch that failed one by one; a pod that fails alone waits for its back-off, and it is said."""
        for candidate in batch:
            self.decider.forget(candidate.pod)
        if len(batch) > 1:
            for candidate in batch:
                self._act([candidate], now)
            return
        meta = batch[0].pod.metadata
        _LOG.exception("scheduling %s/%s failed", meta.namespace, meta.name)
        self._attempts.inc(("error", SCHEDULER))
        # It says nothing about others.
        self.queue.refused(meta.uid, now, batch[0].profile, holds_for_all=False)
        message = "the scheduler failed to decide on this pod; its log has the reason"
        self._announcing.say(News(meta, "Warning", "FailedScheduling", "Scheduling", message))

    def _refuse(self, refused: Refused, now: float) -> None:
        pod, message = refused.candidate.pod, refused.diagnosis.message()
        uid, nominated = pod.metadata.uid, refused.nominated
        self._attempts.inc(("unschedulable", SCHEDULER))
        # Who waits for victims says nothing about others, who may find other victims.
        common = self.decider.waits_as(refused.candidate.profile)
        group = self.queue.refused(uid, now, common, holds_for_all=not nominated)
        entry = self.queue.entry(uid)
        if group is None or entry is None:
            return
        keeps = refused.candidate.profile.never_preempts
        if not entry.told or nominated or pod.status.nominated_node_name:
            entry.told = message
            self._say_unscheduled(pod, message, None if keeps else nominated)
        if not nominated:
            group.objection = refused.diagnosis.objection
            self._telling.heard(group, message, now)
        for other in refused.denominated:
            self._denominate(other)
            self._touch(other.node)
        for victim in refused.victims:
            self._outbox.put(victim.uid, partial(self._preempt, victim, pod))

    def _say_unscheduled(self, pod: Pod, message: str, nominated: str | None) -> None:
        """Have it written, unless the pod says so itself."""
        if is_said(pod, message) and nominated in {None, pod.status.nominated_node_name}:
            return
        write = partial(self._writes.say_unscheduled, pod, message, nominated)
        self._outbox.put(pod.metadata.uid, lambda: quietly("condition", write()))
        self._announcing.say(
            News(pod.metadata, "Warning", "FailedScheduling", "Scheduling", message)
        )

    def _denominate(self, other: Placement) -> None:
        """A pod of lower priority has lost the place that was held for it."""
        pod = self._pods.get(other.namespace, other.name)
        if pod is not None and pod.metadata.uid == other.uid:
            write = partial(self._writes.clear_nomination, pod)
            self._outbox.put(other.uid, lambda: quietly("nomination", write()))

    # Writes.

    async def _bind(self, assigned: Assigned) -> None:
        pod, node = assigned.candidate.pod, assigned.node
        meta = pod.metadata
        try:
            for claim in self.decider.volumes.unbound(assigned.candidate.profile):
                await self._writes.select_node(claim, node)
        except StatusError as error:
            self._binding_failed(pod, node, f'running PreBind plugin "VolumeBinding": {error}')
            return
        try:
            await self._writes.bind(pod, node)
        except StatusError as error:
            message = f'running Bind plugin "DefaultBinder": {error}'
            self._binding_failed(pod, node, message, is_gone=isinstance(error, NotFound))
            return
        self.queue.remove(meta.uid)
        self._announcing.say(
            News(
                meta,
                "Normal",
                "Scheduled",
                "Binding",
                f"Successfully assigned {meta.namespace}/{meta.name} to {node}",
            )
        )

    def _binding_failed(self, pod: Pod, node: str, message: str, *, is_gone: bool = False) -> None:
        """Take the pod off the node again, unless an event has shown in the meantime that it is there."""
        uid = pod.metadata.uid
        now = self._pods.get(pod.metadata.namespace, pod.metadata.name)
        if now is not None and now.metadata.uid == uid and now.spec.node_name:
            return
        self.decider.forget(pod)
        self._touch(node)
        if (
            is_gone
            or now is None
            or now.metadata.uid != uid
            or now.metadata.deletion_timestamp is not None
        ):
            self.queue.remove(uid)
            return
        self.queue.failed(uid, self._clock.monotonic())
        # It may have changed while it had a node.
        self.queue.put(self.decider.candidate(now))
        self._attempts.inc(("error", SCHEDULER))
        # No condition: the binding may have been done although its answer was lost.
        self._announcing.say(
            News(now.metadata, "Warning", "FailedScheduling", "Scheduling", message)
        )

    async def _preempt(self, victim: Placement, preemptor: Pod) -> None:
        pod = self._pods.get(victim.namespace, victim.name)
        if pod is None or pod.metadata.uid != victim.uid or pod.metadata.deletion_timestamp:
            return
        try:
            is_done = await self._writes.preempt(pod)
        except StatusError as error:
            _LOG.warning("cannot preempt %s/%s: %s", victim.namespace, victim.name, error)
            self.queue.retry(preemptor.metadata.uid)
            self._news.set()
            return
        if is_done:
            message = f"Preempted by pod {preemptor.metadata.uid} on node {victim.node}"
            self._announcing.say(
                News(pod.metadata, "Normal", "Preempted", "Preempting", message, preemptor.metadata)
            )


def _matters(old: Node, new: Node) -> bool:
    """Whether anything changed that scheduling looks at; heartbeats do not."""
    return (
        old.spec != new.spec
        or old.metadata.labels != new.metadata.labels
        or old.status.allocatable != new.status.allocatable
    )


def _is_same(before: Placement, new: Placement) -> bool:
    return (
        before.node == new.node
        and before.profile is new.profile
        and before.labels == new.labels
        and before.is_deleting == new.is_deleting
        and before.is_preempted == new.is_preempted
    )
