"""The room there is and the machines added so far, while a plan is made.

A demand is packed onto existing room first, then onto new machines of the pools that take such pods, the cheapest
first: price per hour times machines, then the least waste, then the name. Limits are kept here: never above the
maximum, a step at a time, nothing within the interval or while a provider that had no machines is left alone. Demands
with rules about other pods are put zone by zone (`settling`). Pure apart from its own state; `fork` tries things out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from argosy.capacity.packing import Rooms, is_within, per_machine, refusals
from argosy.capacity.settling import Area, settle
from argosy.capacity.snapshots import (
    Cause,
    Demand,
    Growth,
    PoolState,
    Room,
    Snapshot,
    Stage,
    Verdict,
)

AT_MAXIMUM = "max node group size reached"
COOLING = "in backoff after failed scale-up"
_ANYWHERE: Area = {}


class Growing:
    """What there is and what will be."""

    def __init__(self, snapshot: Snapshot, rooms: Rooms, growths: list[Growth]) -> None:
        self._snapshot = snapshot
        self.rooms = rooms
        self.growths = growths

    def fork(self) -> Growing:
        return Growing(self._snapshot, self.rooms.fork(), list(self.growths))

    def added(self, pool: PoolState) -> int:
        return sum(growth.count for growth in self.growths if growth.pool == pool.name)

    def left(self, pool: PoolState) -> int:
        """How many more machines the pool may have at all."""
        if pool.cooling_until > self._snapshot.now:
            return 0
        return max(0, pool.maximum - pool.machines - self.added(pool))

    def step(self, pool: PoolState) -> int:
        """How many of them now."""
        if self._snapshot.now < pool.last_up + pool.limits.interval:
            return 0
        stepped = sum(
            growth.count
            for growth in self.growths
            if growth.pool == pool.name and growth.cause is not Cause.MINIMUM
        )
        return max(0, min(self.left(pool), pool.limits.step_up - stepped))

    def add(self, pool: PoolState, count: int, cause: Cause, pods: int = 0) -> None:
        if count > 0:
            self.growths.append(Growth(pool.name, count, cause, pods))
            self.rooms.add(Room(pool.template, pool.free, count, Stage.BOOTING, pool.name))

    def place(self, demand: Demand, cause: Cause | None = Cause.PODS) -> Verdict:
        """Pack onto the room there is, then onto new machines of the cheapest pools; only the first without a cause."""
        verdict = Verdict(demand)
        if not demand.bounds:
            self.put(verdict, demand.count, _ANYWHERE, cause)
            return verdict
        held_back = settle(_Ground(self, cause), verdict)
        if verdict.left and cause is not None:
            for pool in self._snapshot.pools:
                area = _area(pool.template.metadata.labels, demand)
                reason = next((why for where, why in held_back if where == area), None)
                if reason is not None:
                    verdict.refusals.setdefault(pool.name, (reason,))
                else:
                    self._offers(verdict, 1, area)
        return verdict

    def put(self, verdict: Verdict, count: int, area: Area, cause: Cause | None) -> int:
        """Place so many of a demand's pods on nodes and machines with the labels of an area. How many found room."""
        demand, before = verdict.demand, verdict.placed
        packed = self.rooms.pack(demand, count, within=area)
        if packed and verdict.grown:
            self._credit(verdict, packed, area)
        verdict.placed += packed
        left = count - packed
        if left and cause is not None:
            for pool in self._offers(verdict, left, area):
                if not left or not self._grow(pool, verdict, left, cause):
                    break
                left = count - (verdict.placed - before)
        return verdict.placed - before

    def areas(self, demand: Demand) -> list[Area]:
        """The labels by which the demand's bounds go, of all nodes and pools that admit its pods."""
        found = [
            room.template for room in self.rooms if room.count and demand.pods.admits(room.template)
        ]
        found += [
            pool.template for pool in self._snapshot.pools if demand.pods.admits(pool.template)
        ]
        areas = {tuple(_area(one.metadata.labels, demand).items()) for one in found}
        return [dict(area) for area in sorted(areas, key=str)]

    def price(self) -> float:
        """What the machines added so far cost an hour."""
        prices = {pool.name: pool.price for pool in self._snapshot.pools}
        return sum(growth.count * prices[growth.pool] for growth in self.growths)

    def _credit(self, verdict: Verdict, pods: int, area: Area) -> None:
        """Say of machines that were just added in an area that more pods of the same demand are why."""
        for number in reversed(range(len(self.growths))):
            growth = self.growths[number]
            pool = next(one for one in self._snapshot.pools if one.name == growth.pool)
            if growth.pool in verdict.grown and is_within(pool.template, area):
                self.growths[number] = replace(growth, pods=growth.pods + pods)
                verdict.helped += pods
                return

    def _offers(self, verdict: Verdict, count: int, area: Area) -> list[PoolState]:
        """The pools whose machines would take such pods, the cheapest first; the others' reasons are noted."""
        offers, demand = [], verdict.demand
        for pool in self._snapshot.pools:
            if not is_within(pool.template, area):
                continue
            reasons = refusals(demand.pods, pool.template, pool.free)
            each = per_machine(demand, pool.free)
            if reasons or each <= 0:
                verdict.refusals[pool.name] = reasons or ("Too many pods",)
                continue
            machines = -(-count // each)
            waste = _waste(demand, count, pool, machines)
            offers.append((machines * pool.price, waste, pool.name, pool))
        return [pool for *_, pool in sorted(offers, key=lambda offer: offer[:3])]

    def _grow(self, pool: PoolState, verdict: Verdict, left: int, cause: Cause) -> bool:
        """Add machines of a pool for `left` pods. Whether to look at the next pool for what is left then."""
        demand, now = verdict.demand, self._snapshot.now
        machines = -(-left // per_machine(demand, pool.free))
        allowed = min(machines, self.left(pool))
        count = allowed if cause is Cause.REQUEST else min(allowed, self.step(pool))
        if count:
            pods = min(left, count * per_machine(demand, pool.free))
            self.add(pool, count, cause, pods)
            helped = self.rooms.pack(demand, pods, pool=pool.name)
            verdict.placed += helped
            verdict.helped += helped
            verdict.grown[pool.name] = verdict.grown.get(pool.name, 0) + count
        if count < allowed:
            verdict.is_waiting = True
            return False
        if allowed < machines:
            is_cooling = pool.cooling_until > now
            verdict.refusals[pool.name] = (COOLING if is_cooling else AT_MAXIMUM,)
        return True


class _Ground:
    """Growing as `settling` sees it."""

    def __init__(self, growing: Growing, cause: Cause | None) -> None:
        self._growing = growing
        self._cause = cause

    def areas(self, demand: Demand) -> list[Area]:
        return self._growing.areas(demand)

    def put(self, verdict: Verdict, count: int, area: Area) -> int:
        return self._growing.put(verdict, count, area, self._cause)

    def worth(self, verdict: Verdict, area: Area) -> tuple[int, float]:
        tried = self._growing.fork()
        # Steps are left out: they say when, not how many.
        cause = None if self._cause is None else Cause.REQUEST
        most = tried.put(Verdict(verdict.demand), verdict.left, area, cause)
        return most, tried.price() - self._growing.price()


def _area(labels: Mapping[str, str], demand: Demand) -> Area:
    return {bound.topology: labels.get(bound.topology) for bound in demand.bounds}


def _waste(demand: Demand, count: int, pool: PoolState, machines: int) -> float:
    """How much of the new machines would stay unused: the sum of shares over all resources."""
    return sum(
        1 - count * demand.pods.requests.get(name, 0) / (machines * amount)
        for name, amount in sorted(pool.free.items())
        if name != "pods" and amount > 0
    )
