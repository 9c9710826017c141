"""The autoscaler: feeds `deciding` with what is seen and has its plans carried out.

It looks when something changed (a second after the last unschedulable pod, so that a Job's pods come together:
`crowds`), when a pool that pods wait for may take its next step, and every ten seconds besides, as cluster-autoscaler
does. A look costs as much as there are kinds of nodes and pods. Every
decision is an event on the pool with numbers and the reason; pods are told in cluster-autoscaler's words, the first
few of each kind, because ten thousand equal events help nobody.
"""

from __future__ import annotations

from typing import Final

from argosy.api.nodefit import PodClasses
from argosy.api.objects import Node, ObjectMeta, Pod
from argosy.capacity import explaining
from argosy.capacity.crowds import QUIET_SECONDS, Crowd
from argosy.capacity.daemons import Daemons
from argosy.capacity.deciding import decide
from argosy.capacity.demands import Demands, Group
from argosy.capacity.occupancy import Occupancy
from argosy.capacity.pools import Pools
from argosy.capacity.provisioning import Provisioning
from argosy.capacity.reclaiming import Reclaiming
from argosy.capacity.removing import Removing
from argosy.capacity.requests import Requests
from argosy.capacity.resources import COMPONENT
from argosy.capacity.snapshots import (
    Cause,
    Demand,
    Growth,
    Plan,
    PoolState,
    Removal,
    Snapshot,
    Verdict,
)
from argosy.capacity.surveying import Survey
from argosy.client.resources import NODE_POOLS, NODES, PODS
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import Result
from argosy.control.recorders import EventType
from argosy.control.references import reference

# Pods of one kind that are told of a decision.
_TOLD: Final = 10
_ONLY: Final = "cluster"


class Autoscaler:
    """One cluster's machines."""

    def __init__(self, assembly: Assembly, *, allow_processes: bool = False) -> None:
        self._clock = assembly.clock
        self._period = assembly.upkeep.scan_seconds
        self._recorder = assembly.recorder(COMPONENT)
        classes = PodClasses()
        self._demands = Demands(classes)
        self._crowd = Crowd()
        self._occupancy = Occupancy(assembly.clock, classes)
        daemons = Daemons(assembly, classes)
        self._pools = Pools(
            self._occupancy, assembly.ids, daemons.overhead, allow_processes=allow_processes
        )
        self._queue = assembly.controller("autoscaler", self._look)
        self._provisioning = Provisioning(assembly, self._pools, self._soon)
        self._removing = Removing(assembly, self._occupancy, self._pools)
        self._reclaiming = Reclaiming(assembly, self._occupancy, self._pools)
        self._survey = Survey(assembly, self._occupancy)
        self._requests = Requests(assembly, classes, self._survey, self._soon)
        # What pods of each kind, and pools at their maximum, were told last.
        self._told: dict[str, str] = {}
        self._told_pools: dict[str, str] = {}
        assembly.informer(NODES, Node).add_handler(self._node_changed)
        assembly.informer(PODS, Pod).add_handler(self._pod_changed)
        self._queue.add(_ONLY)

    # What is seen.

    def _soon(self) -> None:
        self._queue.add(_ONLY)

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        self._occupancy.node_changed(old, new)
        self._provisioning.node_changed(old, new)
        self._removing.node_changed(old, new)
        self._reclaiming.node_changed(old, new)
        self._queue.add_after(_ONLY, QUIET_SECONDS)

    def _pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        self._occupancy.pod_changed(old, new)
        self._requests.pod_changed(old, new)
        before = len(self._demands)
        if self._demands.pod_changed(old, new):
            if len(self._demands) > before:
                self._crowd.joined(self._clock.time())
            self._queue.add_after(_ONLY, QUIET_SECONDS)

    # One look.

    async def _look(self, key: str) -> Result:
        now = self._clock.time()
        if (wait := self._crowd.wait(now)) > 0:
            return Result(requeue_after=wait)
        self._survey.renew()
        groups, covered = {}, []
        for group in self._demands.groups():
            if self._requests.covers(group.request):
                covered.append(group)
            else:
                groups[group.key] = group
        snapshot = Snapshot(
            now,
            self._pools.states(now),
            tuple(self._occupancy.rooms()),
            tuple(self._demand(group) for group in groups.values()),
            self._requests.booked(),
            self._requests.open(),
        )
        plan = decide(snapshot)
        self._remember(plan, now)
        states = {pool.name: pool for pool in snapshot.pools}
        self._tell_pods(plan, groups, covered, states)
        self._tell_maximum(plan, states)
        short = self._grow(plan, states, now)
        for removal in plan.removals:
            self._shrink(removal, states[removal.pool], now)
        self._requests.answer(plan, short)
        return Result(requeue_after=QUIET_SECONDS if short else self._next_look(plan, now))

    def _demand(self, group: Group) -> Demand:
        if not group.wishes:
            return group.demand()
        return group.demand(
            self._survey.bounds(group.pods, group.namespace, group.labels, group.wishes)
        )

    def _next_look(self, plan: Plan, now: float) -> float:
        """Seconds until the next look at the latest: those who wait for a pool's next step wait no longer for us."""
        waits = [self._period]
        if any(verdict.is_waiting for verdict in plan.verdicts):
            steps = (pool.last_up + pool.limits.interval - now for pool in self._pools)
            waits += (step for step in steps if step > 0)
        return min(waits)

    def _remember(self, plan: Plan, now: float) -> None:
        for pool in self._pools:
            need = plan.needs.get(pool.name)
            if need is not None:
                pool.needs.note(now, need, pool.window_seconds)
            numbers = plan.pending.get(pool.name, 0), plan.refused.get(pool.name, 0)
            if numbers != (pool.pending, pool.refused):
                pool.pending, pool.refused = numbers
                self._provisioning.look_at(pool.name)

    def _grow(self, plan: Plan, states: dict[str, PoolState], now: float) -> set[str]:
        """Ask providers for machines. The pools whose provider had too few, where others may help."""
        by_pool: dict[str, list[Growth]] = {}
        for growth in plan.growths:
            by_pool.setdefault(growth.pool, []).append(growth)
        short = set()
        for name, growths in by_pool.items():
            pool, state = self._pools.get(name), states[name]
            assert pool is not None
            wanted = sum(growth.count for growth in growths)
            atomic = sum(growth.count for growth in growths if growth.cause is Cause.REQUEST)
            granted = self._pools.grant(pool, wanted, now, atomic=atomic)
            if granted < wanted:
                short.add(name)
                text = explaining.out_of_stock(wanted, granted, pool.cooldown_seconds)
                self._tell_pool(name, "Warning", "StockOut", text)
            if granted:
                pool.last_up = now
                text = explaining.scaled_up(state, growths, granted)
                self._tell_pool(name, "Normal", "ScaledUp", text)
            self._provisioning.look_at(name)
        return short

    def _shrink(self, removal: Removal, state: PoolState, now: float) -> None:
        pool = self._pools.get(removal.pool)
        assert pool is not None
        pool.last_down = now
        for node in removal.nodes:
            self._removing.remove(node.name)
        text = explaining.scaled_down(state, removal.nodes, now, is_silent=removal.is_silent)
        self._tell_pool(removal.pool, "Normal", "ScaledDown", text)
        self._provisioning.look_at(removal.pool)

    # What is said.

    def _tell_pods(
        self,
        plan: Plan,
        groups: dict[str, Group],
        covered: list[Group],
        states: dict[str, PoolState],
    ) -> None:
        sizes = plan.sizes(states)
        most = {name: state.maximum for name, state in states.items()}
        told: dict[str, str] = {}
        for verdict in plan.verdicts:
            key = verdict.demand.key
            text = _text(verdict, sizes, most)
            if text is None:
                continue
            told[key] = text
            if self._told.get(key) != text:
                self._tell_group(groups[key], verdict, text)
        for group in covered:
            told[group.key] = text = explaining.consuming(group.request)
            if self._told.get(group.key) != text:
                self._tell_some(group.some(_TOLD), "NotTriggerScaleUp", text)
        self._told = told

    def _tell_group(self, group: Group, verdict: Verdict, text: str) -> None:
        """Tell the pods concerned: the first in line find room, then come those who get machines, then the others."""
        if verdict.grown:
            some = group.some(min(_TOLD, verdict.helped), after=verdict.placed - verdict.helped)
            self._tell_some(some, "TriggeredScaleUp", text)
        else:
            self._tell_some(group.some(_TOLD, after=verdict.placed), "NotTriggerScaleUp", text)

    def _tell_some(self, pods: list[ObjectMeta], reason: str, text: str) -> None:
        for meta in pods:
            self._recorder.event(reference(PODS, meta), "Normal", reason, text)

    def _tell_maximum(self, plan: Plan, states: dict[str, PoolState]) -> None:
        for name, state in states.items():
            pods = plan.refused.get(name, 0)
            text = explaining.at_maximum(state, pods, plan.added(name)) if pods else ""
            # Said once per time at the maximum, not for every pod that comes or goes.
            if text and not self._told_pools.get(name):
                self._tell_pool(name, "Warning", "AtMaximum", text)
            self._told_pools[name] = text

    def _tell_pool(self, name: str, type_: EventType, reason: str, text: str) -> None:
        pool = self._pools.get(name)
        if pool is not None:
            self._recorder.event(reference(NODE_POOLS, pool.view.metadata), type_, reason, text)


def _text(verdict: Verdict, sizes: dict[str, tuple[int, int]], most: dict[str, int]) -> str | None:
    """What the pods of a demand are told; None while they only have to wait."""
    if verdict.grown:
        return explaining.grown(verdict, sizes, most)
    if verdict.left and not verdict.is_waiting:
        return explaining.not_triggered(verdict)
    return None
