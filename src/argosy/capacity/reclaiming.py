"""Acts out what a provider does to spot machines: notice, and then the machine is gone.

A node annotated `argosy.dev/fault: reclaim` gets a taint that keeps new pods away and carries the moment of the
notice. When the pool's noticeSeconds have passed, its pods end the way a kubelet ends them before a shutdown (phase
Failed, condition DisruptionTarget, so that a Job can tell it from a failure of its own; how its containers ended,
nobody knows), and the node is deleted. The pool buys another machine if somebody needs one.
"""

from __future__ import annotations

import asyncio
from typing import Final

from argosy.api.objects import Node, Pod, Taint
from argosy.api.wellknown import FAULT
from argosy.base.errors import Conflict, NotFound
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.capacity.machines import marked_at, with_taint
from argosy.capacity.occupancy import RECLAIMED, Occupancy, Occupied
from argosy.capacity.pools import Pools
from argosy.capacity.resources import COMPONENT, MANAGER
from argosy.client.resources import NODES
from argosy.control.assemblies import Assembly
from argosy.control.disrupting import patch_status, target
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference

_RECLAIM: Final = "reclaim"
# How a kubelet ends pods when its node shuts down.
_CONDITION_REASON: Final = "TerminationByKubelet"
_POD_REASON: Final = "Terminated"
_MESSAGE: Final = "Pod was terminated in response to imminent node shutdown."
_LOST: Final = {
    "exitCode": 137,
    "reason": "ContainerStatusUnknown",
    "message": "The container could not be located when the pod was terminated",
}
_WORKERS: Final = 8


class Reclaiming:
    """Takes back the spot nodes of one cluster."""

    def __init__(self, assembly: Assembly, occupancy: Occupancy, pools: Pools) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder(COMPONENT)
        self._occupancy = occupancy
        self._pools = pools
        self._queue = assembly.controller("nodepool-reclaim", self._reconcile, workers=_WORKERS)

    def node_changed(self, old: Node | None, new: Node | None) -> None:
        if new is not None and new.metadata.annotations.get(FAULT) == _RECLAIM:
            self._queue.add(new.metadata.name)

    async def _reconcile(self, name: str) -> Result:
        found = self._occupancy.get(name)
        pool = self._pools.get(found.pool) if found is not None else None
        if found is None or pool is None:
            return DONE
        if found.node.metadata.annotations.get(FAULT) != _RECLAIM:
            return DONE
        notice = pool.view.spec.notice_seconds
        mark = next((t for t in found.node.spec.taints if t.key == RECLAIMED), None)
        try:
            if mark is None:
                await self._give_notice(found, notice)
                return DONE
            left = marked_at(mark) + notice - self._clock.time()
            if left > 0:
                return Result(requeue_after=left)
            await self._take(found)
        except (NotFound, Conflict):
            return Result(requeue_after=1.0)
        return DONE

    async def _give_notice(self, found: Occupied, seconds: int) -> None:
        taint = Taint(RECLAIMED, str(int(self._clock.time())), "NoSchedule")
        await self._client.patch(
            NODES,
            found.node.metadata.name,
            with_taint(found.node, taint),
            field_manager=MANAGER,
        )
        self._tell(
            found, "ReclaimNotice", f"the provider takes this machine back in {seconds} seconds"
        )

    async def _take(self, found: Occupied) -> None:
        await asyncio.gather(*(self._end(one.pod) for one in found.bound.values()))
        meta = found.node.metadata
        await self._client.delete(NODES, meta.name, uid=meta.uid)
        self._tell(found, "Reclaimed", "the provider took this machine back; its pods were ended")

    async def _end(self, pod: Pod) -> None:
        now = self._clock.time()
        why = target(pod, _CONDITION_REASON, _MESSAGE, now)
        order = [one["type"] for one in why["$setElementOrder/conditions"]]
        said = [*_unready(pod, now), *why["conditions"]]
        why["conditions"] = sorted(said, key=lambda one: order.index(one["type"]))
        status = {**why, **_ended(pod), "reason": _POD_REASON, "message": _MESSAGE}
        await patch_status(self._client, pod, status, phase="Failed", field_manager="kubelet")

    def _tell(self, found: Occupied, reason: str, message: str) -> None:
        about = reference(NODES, found.node.metadata)
        self._recorder.event(about, "Warning", reason, message)


def _ended(pod: Pod) -> Object:
    """What becomes of the containers that have not ended yet."""
    return {
        field: [
            {
                "name": one.name,
                "ready": False,
                "started": False,
                "state": {"running": None, "waiting": None, "terminated": _LOST},
            }
            for one in statuses
            if one.state.terminated is None
        ]
        for field, statuses in (
            ("containerStatuses", pod.status.container_statuses),
            ("initContainerStatuses", pod.status.init_container_statuses),
        )
        if any(one.state.terminated is None for one in statuses)
    }


def _unready(pod: Pod, now: float) -> list[Object]:
    """The conditions that no longer hold, as a kubelet says it of a pod that failed."""
    return [
        {
            "type": one.type,
            "status": "False",
            "reason": "PodFailed",
            "lastTransitionTime": format_time(now),
        }
        for one in pod.status.conditions
        if one.type in {"Ready", "ContainersReady"} and one.status == "True"
    ]
