"""The autoscaler's mind: a snapshot in, a plan out. Pure and deterministic.

In this order: what was promised keeps its room; pools are brought to their minimum; provisioning requests and then
pods, the largest first, are packed onto the room there is, booting machines included, and onto new machines of the
cheapest pool that fits; spare machines are added; and idle nodes that nobody has needed for a whole window go.

Limits. A pool never has more machines than its maximum. It grows by at most a step at a time and not more often than
its interval; what is left then waits for the same pool, because paying more to go faster is not what limits are for.
A pool at its maximum, or one whose provider had no machines a moment ago, is passed over for the next cheapest. The
minimum is an order and waits for nobody. Requests that are all or nothing take no notice of steps: half of a gang is
of no use.

Laws (tests/unit/capacity/test_deciding_laws.py): never above the maximum, never below the minimum, no growth while
everything fits, the cheapest pool that fits is taken, and with constant demand the number of machines comes to rest.
"""

from __future__ import annotations

from argosy.capacity.packing import Rooms, per_machine, refusals
from argosy.capacity.shrinking import removals
from argosy.capacity.snapshots import (
    Cause,
    Demand,
    Growth,
    Plan,
    PoolState,
    Request,
    Room,
    Snapshot,
    Stage,
    Verdict,
)

AT_MAXIMUM = "max node group size reached"
COOLING = "in backoff after failed scale-up"


def decide(snapshot: Snapshot) -> Plan:
    """What to do now. O(demands x (rooms + pools)), whatever the number of pods and nodes."""
    plan = Plan()
    booting = (
        Room(pool.template, pool.free, pool.booting, Stage.BOOTING, pool.name)
        for pool in snapshot.pools
        if pool.booting
    )
    growing = _Growing(snapshot, Rooms((*snapshot.rooms, *booting)), [])
    for demand in snapshot.booked:
        if growing.rooms.pack(demand, demand.count) < demand.count:
            plan.revoked.append(demand.key)
    for pool in snapshot.pools:
        missing = pool.minimum - (pool.machines - pool.leaving)
        growing.add(pool, min(missing, growing.left(pool)), Cause.MINIMUM)
    for request in snapshot.requests:
        growing = _answer(request, growing, plan)
    for demand in sorted(snapshot.demands, key=_largest):
        plan.verdicts.append(growing.place(demand))
    for pool in snapshot.pools:
        idle = sum(room.count for room in growing.rooms.untouched(pool.name))
        growing.add(pool, min(pool.spare - idle, growing.step(pool)), Cause.SPARE)
    plan.growths = growing.growths
    _tell_needs(snapshot, growing, plan)
    for pool in snapshot.pools:
        untouched = growing.rooms.untouched(pool.name)
        is_growing = growing.added(pool) > 0
        plan.removals += removals(
            pool, untouched, plan.needs[pool.name], snapshot.now, is_growing=is_growing
        )
    return plan


class _Growing:
    """The room there is and the machines added so far."""

    def __init__(self, snapshot: Snapshot, rooms: Rooms, growths: list[Growth]) -> None:
        self._snapshot = snapshot
        self.rooms = rooms
        self.growths = growths

    def fork(self) -> _Growing:
        return _Growing(self._snapshot, self.rooms.fork(), list(self.growths))

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

    def place(self, demand: Demand, cause: Cause = Cause.PODS) -> Verdict:
        """Pack onto the room there is, then onto new machines of the cheapest pools."""
        verdict = Verdict(demand)
        verdict.placed = self.rooms.pack(demand, demand.count)
        if verdict.left:
            for pool in self._offers(demand, verdict):
                if not verdict.left or not self._grow(pool, verdict, cause):
                    break
        return verdict

    def _offers(self, demand: Demand, verdict: Verdict) -> list[PoolState]:
        """The pools whose machines would take such pods, the cheapest first; the others' reasons are noted."""
        offers = []
        for pool in self._snapshot.pools:
            reasons = refusals(demand.pods, pool.template, pool.free)
            each = per_machine(demand, pool.free)
            if reasons or each <= 0:
                verdict.refusals[pool.name] = reasons or ("Too many pods",)
                continue
            machines = -(-verdict.left // each)
            waste = _waste(demand, verdict.left, pool, machines)
            offers.append((machines * pool.price, waste, pool.name, pool))
        return [pool for *_, pool in sorted(offers, key=lambda offer: offer[:3])]

    def _grow(self, pool: PoolState, verdict: Verdict, cause: Cause) -> bool:
        """Add machines of a pool. Whether to look at the next pool for what is left."""
        demand, now = verdict.demand, self._snapshot.now
        machines = -(-verdict.left // per_machine(demand, pool.free))
        allowed = min(machines, self.left(pool))
        count = allowed if cause is Cause.REQUEST else min(allowed, self.step(pool))
        if count:
            pods = min(verdict.left, count * per_machine(demand, pool.free))
            self.add(pool, count, cause, pods)
            verdict.placed += self.rooms.pack(demand, pods, pool=pool.name)
            verdict.grown[pool.name] = count
        if count < allowed:
            verdict.is_waiting = True
            return False
        if allowed < machines:
            is_cooling = pool.cooling_until > now
            verdict.refusals[pool.name] = (COOLING if is_cooling else AT_MAXIMUM,)
        return True


def _answer(request: Request, growing: _Growing, plan: Plan) -> _Growing:
    """All of a request or nothing: what was tried for one that fails is forgotten."""
    tried = growing.fork()
    for demand in request.demands:
        if request.may_grow:
            left = tried.place(demand, Cause.REQUEST).left
        else:
            left = demand.count - tried.rooms.pack(demand, demand.count)
        if left:
            plan.found[request.key] = False
            return growing
    plan.found[request.key] = True
    new = tried.growths[len(growing.growths) :]
    plan.grown_for[request.key] = frozenset(growth.pool for growth in new)
    return tried


def _tell_needs(snapshot: Snapshot, growing: _Growing, plan: Plan) -> None:
    for pool in snapshot.pools:
        idle = sum(room.count for room in growing.rooms.untouched(pool.name))
        plan.needs[pool.name] = max(0, pool.staying + growing.added(pool) - idle)
        plan.pending[pool.name] = 0
    for verdict in plan.verdicts:
        for pool in snapshot.pools:
            reasons = verdict.refusals.get(pool.name, ())
            if not refusals(verdict.demand.pods, pool.template, pool.free):
                plan.pending[pool.name] += verdict.demand.count
            if verdict.left and reasons == (AT_MAXIMUM,):
                plan.refused[pool.name] = plan.refused.get(pool.name, 0) + verdict.left


def _waste(demand: Demand, count: int, pool: PoolState, machines: int) -> float:
    """How much of the new machines would stay unused: the sum of shares over all resources."""
    return sum(
        1 - count * demand.pods.requests.get(name, 0) / (machines * amount)
        for name, amount in sorted(pool.free.items())
        if name != "pods" and amount > 0
    )


def _largest(demand: Demand) -> tuple[int, int, int, str]:
    requests = demand.pods.requests
    rare = sum(amount for name, amount in requests.items() if "/" in name)
    return -rare, -requests.get("cpu", 0), -requests.get("memory", 0), demand.key
