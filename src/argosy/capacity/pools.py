"""The pools of a cluster as the autoscaler knows them: what each says, what it has, what is on its way.

A machine that was asked for is first a name in a boot (kept in the pool's status, so that it survives the end of this
process), then a Node that was created and not seen yet, then a Node. Names make the three one set: whatever moment we
are killed in, nothing is counted twice and nothing is bought twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from argosy.api.nodefit import Resources, counted
from argosy.api.objects import Node
from argosy.api.objects.nodepools import NodePool
from argosy.base.durations import parse_duration
from argosy.base.ids import Ids
from argosy.capacity.machines import amounts, template
from argosy.capacity.occupancy import Occupancy, Occupied, idle_node
from argosy.capacity.snapshots import Limits, PoolState
from argosy.capacity.windows import Window

# A node that fell silent a moment ago most often comes back: nobody buys another before.
_RETURN_SECONDS: Final = 60.0
_YEAR_SECONDS: Final = 365 * 24 * 3600.0


@dataclass(slots=True)
class Booting:
    """Machines asked for together. `is_saved`: the pool's status has them."""

    ready_at: float
    names: list[str]
    is_saved: bool = False


@dataclass(slots=True)
class Pool:
    """One pool. What it says comes from the API; all else is ours."""

    view: NodePool
    template: Node
    total: Resources
    limits: Limits
    boot_seconds: float
    window_seconds: float
    cooldown_seconds: float
    boots: list[Booting] = field(default_factory=list)
    # Created and not seen yet.
    made: set[str] = field(default_factory=set)
    needs: Window = field(default_factory=Window)
    last_up: float = float("-inf")
    last_down: float = float("-inf")
    cooling_until: float = float("-inf")
    # Of the last decision: pods that could run here, and those among them that its maximum keeps out.
    pending: int = 0
    refused: int = 0
    # Of the last look at a pool that is being deleted: why pods do not leave.
    stays: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.view.metadata.name

    @property
    def is_deleting(self) -> bool:
        return self.view.metadata.deletion_timestamp is not None


class Pools:
    """All pools, by name."""

    def __init__(
        self,
        occupancy: Occupancy,
        ids: Ids,
        overhead: Callable[[Node], Resources],
        *,
        allow_processes: bool,
    ) -> None:
        """`overhead` says what a new machine loses to pods that come with it."""
        self._occupancy = occupancy
        self._overhead = overhead
        self._ids = ids
        self._allow_processes = allow_processes
        self._pools: dict[str, Pool] = {}

    def get(self, name: str) -> Pool | None:
        return self._pools.get(name)

    def __iter__(self) -> Iterator[Pool]:
        return iter([self._pools[name] for name in sorted(self._pools)])

    def put(self, view: NodePool) -> Pool:
        """Take in what the API says of a pool. What is on its way is read only once: after that we know better."""
        pool = self._pools.get(view.metadata.name)
        if pool is None or pool.view.metadata.uid != view.metadata.uid:
            pool = self._pools[view.metadata.name] = _read(view)
        elif pool.view.spec != view.spec:
            _reread(pool, view)
        pool.view = view
        return pool

    def forget(self, name: str) -> None:
        self._pools.pop(name, None)

    def is_allowed(self, pool: Pool) -> bool:
        return self._allow_processes or pool.view.spec.runtime != "process"

    def nodes(self, pool: Pool) -> dict[str, Occupied]:
        return self._occupancy.of_pool(pool.name)

    def booting(self, pool: Pool) -> int:
        """Machines that are no nodes yet."""
        nodes = self.nodes(pool)
        names = {name for boot in pool.boots for name in boot.names} | pool.made
        return sum(name not in nodes for name in names)

    def grant(self, pool: Pool, count: int, now: float, *, atomic: int = 0) -> int:
        """Ask the provider for machines; how many it gives. Fewer than asked for is a stock-out: the pool cools down.

        `atomic` of them are for requests that have no use for a part.
        """
        stock = pool.view.spec.stock
        if stock is not None:
            has = max(0, stock - len(self.nodes(pool)) - self.booting(pool))
            if has < count:
                pool.cooling_until = now + pool.cooldown_seconds
                count = min(has, count - atomic)
        if count:
            names = self._new_names(pool, count)
            pool.boots.append(Booting(now + pool.boot_seconds, names))
        return count

    def states(self, now: float) -> tuple[PoolState, ...]:
        """The pools that take part in decisions."""
        return tuple(
            self._state(pool, now)
            for pool in self
            if not pool.is_deleting and self.is_allowed(pool)
        )

    def _state(self, pool: Pool, now: float) -> PoolState:
        spec, nodes = pool.view.spec, self.nodes(pool)
        overhead = self._overhead(pool.template)
        booting = self.booting(pool)
        machines = len(nodes) + booting
        leaving = silent = 0
        quiet = []
        for node in nodes.values():
            if node.is_leaving:
                leaving += 1
            elif node.silent_since is not None and now - node.silent_since < _RETURN_SECONDS:
                booting += 1
            elif not node.is_ready:
                silent += 1
                if not node.workloads:
                    quiet.append(idle_node(node))
        return PoolState(
            name=pool.name,
            template=pool.template,
            free={name: total - overhead.get(name, 0) for name, total in pool.total.items()},
            price=spec.price_per_hour,
            minimum=spec.minimum,
            maximum=spec.maximum,
            spare=spec.over_provision,
            limits=pool.limits,
            machines=machines,
            booting=booting,
            leaving=leaving,
            unready=silent,
            silent=tuple(quiet),
            last_up=pool.last_up,
            last_down=pool.last_down,
            cooling_until=pool.cooling_until,
            highest=pool.needs.highest(now, pool.window_seconds),
        )

    def _new_names(self, pool: Pool, count: int) -> list[str]:
        taken = set(self.nodes(pool)) | pool.made
        taken.update(name for boot in pool.boots for name in boot.names)
        return list(_fresh(pool.name, count, taken, self._ids))


def _fresh(prefix: str, count: int, taken: set[str], ids: Ids) -> Iterable[str]:
    while count:
        name = f"{prefix}-{ids.suffix()}"
        if name not in taken:
            taken.add(name)
            count -= 1
            yield name


def _read(view: NodePool) -> Pool:
    status = view.status
    pool = Pool(view, Node(), {}, Limits(), 0.0, 0.0, 0.0)
    _reread(pool, view)
    pool.boots = [
        Booting(boot.ready_at.timestamp(), list(boot.names), is_saved=True) for boot in status.boots
    ]
    if status.last_scale_up_time is not None:
        pool.last_up = status.last_scale_up_time.timestamp()
    if status.last_scale_down_time is not None:
        pool.last_down = status.last_scale_down_time.timestamp()
    if status.stock_out_until is not None:
        pool.cooling_until = status.stock_out_until.timestamp()
    return pool


def _reread(pool: Pool, view: NodePool) -> None:
    spec, scaling = view.spec, view.spec.scaling
    pool.template = template(view)
    pool.total = counted(amounts(spec.machine))
    pool.boot_seconds = _seconds(spec.boot_time)
    pool.window_seconds = _seconds(scaling.stabilization_window)
    pool.cooldown_seconds = _seconds(scaling.stock_out_cooldown)
    pool.limits = Limits(
        step_up=scaling.max_step_up,
        step_down=scaling.max_step_down,
        interval=_seconds(scaling.interval),
        idle=_seconds(scaling.idle_time),
        unready=_seconds(scaling.unready_time),
    )


def _seconds(text: str) -> float:
    """A duration of at most a year. The API lets no other through, but one object must never be able to end us."""
    try:
        return min(parse_duration(text), _YEAR_SECONDS)
    except ValueError:
        return _YEAR_SECONDS
