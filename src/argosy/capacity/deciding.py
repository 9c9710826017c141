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

from argosy.capacity.growing import AT_MAXIMUM, Growing
from argosy.capacity.packing import Rooms, refusals
from argosy.capacity.shrinking import removals
from argosy.capacity.snapshots import (
    Cause,
    Demand,
    Plan,
    Request,
    Room,
    Snapshot,
    Stage,
)


def decide(snapshot: Snapshot) -> Plan:
    """What to do now. O(demands x (rooms + pools)), whatever the number of pods and nodes."""
    plan = Plan()
    booting = (
        Room(pool.template, pool.free, pool.booting, Stage.BOOTING, pool.name)
        for pool in snapshot.pools
        if pool.booting
    )
    growing = Growing(snapshot, Rooms((*snapshot.rooms, *booting)), [])
    for demand in snapshot.booked:
        if not _keep(demand, growing.rooms, snapshot):
            plan.revoked.append(demand.key)
    for pool in snapshot.pools:
        missing = pool.minimum - (pool.machines - pool.leaving)
        growing.add(pool, min(missing, growing.left(pool)), Cause.MINIMUM)
    for request in snapshot.requests:
        growing = _answer(request, growing, plan)
    for demand in sorted(snapshot.demands, key=_largest):
        plan.verdicts.append(growing.place(demand))
    for pool in snapshot.pools:
        untouched = growing.rooms.untouched(pool.name)
        idle = sum(room.count for room in untouched if not room.is_cordoned)
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


def _keep(demand: Demand, rooms: Rooms, snapshot: Snapshot) -> bool:
    """Keep room for what was promised, on spare machines last: whoever books those has others bought in their place."""
    left = demand.count
    if any(pool.spare for pool in snapshot.pools):
        for name in ("", *(pool.name for pool in snapshot.pools if not pool.spare)):
            left -= rooms.pack(demand, left, pool=name)
    return rooms.pack(demand, left) == left


def _answer(request: Request, growing: Growing, plan: Plan) -> Growing:
    """All of a request or nothing: what was tried for one that fails is forgotten."""
    tried = growing.fork()
    for demand in request.demands:
        if tried.place(demand, Cause.REQUEST if request.may_grow else None).left:
            plan.found[request.key] = False
            return growing
    plan.found[request.key] = True
    new = tried.growths[len(growing.growths) :]
    plan.grown_for[request.key] = frozenset(growth.pool for growth in new)
    return tried


def _tell_needs(snapshot: Snapshot, growing: Growing, plan: Plan) -> None:
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


def _largest(demand: Demand) -> tuple[int, int, int, str]:
    requests = demand.pods.requests
    rare = sum(amount for name, amount in requests.items() if "/" in name)
    return -rare, -requests.get("cpu", 0), -requests.get("memory", 0), demand.key
