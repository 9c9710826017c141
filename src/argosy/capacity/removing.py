"""Takes idle nodes away without ever killing a pod that was just bound to one.

First a taint keeps the scheduler off. When it has been on the node for a moment, so that every binding decided before
has arrived, the node is looked at again: still without pods it is deleted, only in the state that was seen; with one
it gets its freedom back. The taint is all there is to remember, so a restart goes on where it was.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects import Node, Taint
from argosy.base.errors import Conflict, NotFound
from argosy.capacity.machines import marked_at, with_taint, without_taint
from argosy.capacity.occupancy import LEAVING, Occupancy, Occupied
from argosy.capacity.pools import Pools
from argosy.capacity.resources import COMPONENT, MANAGER
from argosy.client.resources import NODES
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference

# How long a binding decided before the taint was seen may take to arrive.
_SETTLE_SECONDS: Final = 2.0
_WORKERS: Final = 16


class Removing:
    """Removes nodes of one cluster."""

    def __init__(self, assembly: Assembly, occupancy: Occupancy, pools: Pools) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder(COMPONENT)
        self._occupancy = occupancy
        self._pools = pools
        self._wanted: set[str] = set()
        self._queue = assembly.controller("nodepool-removal", self._reconcile, workers=_WORKERS)

    def remove(self, name: str) -> None:
        self._wanted.add(name)
        self._queue.add(name)

    def node_changed(self, old: Node | None, new: Node | None) -> None:
        if new is None:
            assert old is not None
            self._wanted.discard(old.metadata.name)
        elif old is None and _mark(new) is not None:
            # Marked before we were started.
            self._queue.add_after(new.metadata.name, _SETTLE_SECONDS)

    async def _reconcile(self, name: str) -> Result:
        found = self._occupancy.get(name)
        pool = self._pools.get(found.pool) if found is not None else None
        if found is None or pool is None or pool.is_deleting:
            return DONE
        mark = _mark(found.node)
        try:
            if mark is None:
                return await self._begin(found) if name in self._wanted else DONE
            left = marked_at(mark) + _SETTLE_SECONDS - self._clock.time()
            if left > 0:
                return Result(requeue_after=left)
            await self._finish(found)
        except (NotFound, Conflict):
            # Changed since it was seen: look again.
            return Result(requeue_after=1.0)
        return DONE

    async def _begin(self, found: Occupied) -> Result:
        self._wanted.discard(found.node.metadata.name)
        if found.workloads or found.is_leaving:
            return DONE
        # Rounded up: the time to settle is never shorter than it should be.
        taint = Taint(LEAVING, str(int(self._clock.time()) + 1), "NoSchedule")
        await self._patch(found, with_taint(found.node, taint))
        self._tell(found, "marked the node as toBeDeleted/unschedulable")
        return Result(requeue_after=_SETTLE_SECONDS)

    async def _finish(self, found: Occupied) -> None:
        meta = found.node.metadata
        if found.workloads:
            await self._patch(found, without_taint(found.node, LEAVING))
            self._tell(found, "the node stays: a pod was bound to it meanwhile", "ScaleDownFailed")
            return
        await self._client.delete(
            NODES, meta.name, uid=meta.uid, resource_version=meta.resource_version
        )
        self._tell(found, "node removed by cluster autoscaler")

    async def _patch(self, found: Occupied, patch: dict[str, object]) -> None:
        await self._client.patch(NODES, found.node.metadata.name, patch, field_manager=MANAGER)

    def _tell(self, found: Occupied, message: str, reason: str = "ScaleDown") -> None:
        about = reference(NODES, found.node.metadata)
        self._recorder.event(about, "Normal", reason, message)


def _mark(node: Node) -> Taint | None:
    return next((taint for taint in node.spec.taints if taint.key == LEAVING), None)
