"""A toy cluster for laws: machines of some pools, pods of one CPU, a first-fit scheduler, and the real decisions.

A tick is ten seconds, as the autoscaler's own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from argosy.capacity.deciding import decide
from argosy.capacity.snapshots import IdleNode, PoolState, Room, Snapshot, Stage
from argosy.capacity.windows import Window
from tests.unit.capacity.builders import demand, machine, node

TICK = 10.0
WINDOW = 300.0


@dataclass
class ToyNode:
    name: str
    pool: str
    cpus: int
    ready_at: float
    pods: int = 0
    idle_since: float = 0.0


@dataclass
class ToyCluster:
    pools: tuple[PoolState, ...]
    boot_seconds: float = 30.0
    now: float = 0.0
    waiting: int = 0
    nodes: list[ToyNode] = field(default_factory=list)
    # Machines after every tick.
    history: list[int] = field(default_factory=list)
    changes: int = 0

    def __post_init__(self) -> None:
        self._windows = {pool.name: Window() for pool in self.pools}
        self._number = 0

    def want(self, pods: int) -> None:
        """Have so many pods, running or waiting."""
        running = sum(one.pods for one in self.nodes)
        self.waiting = max(0, pods - running)
        for one in reversed(self.nodes):
            ended = min(one.pods, max(0, running - pods))
            running -= ended
            one.pods -= ended
            if ended and not one.pods:
                one.idle_since = self.now

    def tick(self) -> None:
        self._schedule()
        plan = decide(self._snapshot())
        for pool in self.pools:
            self._windows[pool.name].note(self.now, plan.needs[pool.name], WINDOW)
        grown: dict[str, float] = {}
        shrunk: dict[str, float] = {}
        for growth in plan.growths:
            grown[growth.pool] = self.now
            for _ in range(growth.count):
                self._buy(growth.pool)
        for removal in plan.removals:
            shrunk[removal.pool] = self.now
            gone = {one.name for one in removal.nodes}
            assert not any(one.pods for one in self.nodes if one.name in gone)
            self.nodes = [one for one in self.nodes if one.name not in gone]
        self.changes += bool(grown) + bool(shrunk)
        self.pools = tuple(
            replace(
                pool,
                last_up=grown.get(pool.name, pool.last_up),
                last_down=shrunk.get(pool.name, pool.last_down),
            )
            for pool in self.pools
        )
        self.history.append(len(self.nodes))
        self.now += TICK

    def counts(self) -> Counter[str]:
        return Counter(one.pool for one in self.nodes)

    def _schedule(self) -> None:
        for one in self.nodes:
            if one.ready_at <= self.now:
                taken = min(one.cpus - one.pods, self.waiting)
                one.pods += taken
                self.waiting -= taken

    def _buy(self, pool: str) -> None:
        cpus = next(one.free["cpu"] // 1000 for one in self.pools if one.name == pool)
        self._number += 1
        ready_at = self.now + self.boot_seconds
        name = f"{pool}-{self._number}"
        self.nodes.append(ToyNode(name, pool, cpus, ready_at, idle_since=ready_at))

    def _snapshot(self) -> Snapshot:
        rooms = []
        booting: Counter[str] = Counter()
        for one in self.nodes:
            if one.ready_at > self.now:
                booting[one.pool] += 1
                continue
            stage = Stage.BUSY if one.pods else Stage.IDLE
            nodes = [] if one.pods else [IdleNode(one.name, one.idle_since)]
            free = machine(str(one.cpus - one.pods))
            rooms.append(Room(node(), free, 1, stage, one.pool, nodes=nodes))
        counts = self.counts()
        pools = tuple(
            replace(
                pool,
                machines=counts[pool.name],
                booting=booting[pool.name],
                highest=self._windows[pool.name].highest(self.now, WINDOW),
            )
            for pool in self.pools
        )
        demands = (demand(self.waiting),) if self.waiting else ()
        return Snapshot(self.now, pools, tuple(rooms), demands)
