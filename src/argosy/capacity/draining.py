"""Empties nodes that have to go although pods run there, as `kubectl drain` does.

Nothing new is scheduled there (a taint), pods are asked to leave by the eviction API, which heeds disruption budgets,
and a node without pods of its own is deleted. Pods that come with every node are left to their controllers. Nothing
is forced: a budget that allows no eviction holds the node until it does, and whoever waits is told which pod it is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from argosy.api.objects import Pod, Taint
from argosy.base.errors import Conflict, InternalError, NotFound, TooManyRequests
from argosy.capacity.machines import with_taint
from argosy.capacity.occupancy import LEAVING, Occupied
from argosy.capacity.resources import MANAGER
from argosy.client.resources import NODES, PODS
from argosy.control.assemblies import Assembly

_AT_ONCE: Final = 200
_LOOK_AGAIN_SECONDS: Final = 5.0


class Draining:
    """Drains nodes of one cluster."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock

    async def drain(self, nodes: Sequence[Occupied]) -> tuple[float, list[str]]:
        """Do the next step for each node; seconds after which to come again, and which pods may not leave, and why."""
        stays: list[str] = []
        for start in range(0, len(nodes), _AT_ONCE):
            found = await asyncio.gather(
                *(self._drain_node(node) for node in nodes[start : start + _AT_ONCE])
            )
            stays += (one for of_node in found for one in of_node)
        return _LOOK_AGAIN_SECONDS if any(node.workloads for node in nodes) else 1.0, stays

    async def _drain_node(self, node: Occupied) -> list[str]:
        name = node.node.metadata.name
        stays: list[str] = []
        try:
            if not node.is_leaving:
                taint = Taint(LEAVING, str(int(self._clock.time())), "NoSchedule")
                patch = with_taint(node.node, taint)
                await self._client.patch(NODES, name, patch, field_manager=MANAGER)
            elif not node.workloads:
                await self._client.delete(NODES, name, uid=node.node.metadata.uid)
            stays = [
                f"pod {pod.metadata.namespace}/{pod.metadata.name} stays on {name}: {why}"
                for pod in node.workload_pods()
                if (why := await self._evict(pod)) is not None
            ]
        except (NotFound, Conflict):
            # Gone or changed meanwhile: the next look sees it.
            return stays
        return stays

    async def _evict(self, pod: Pod) -> str | None:
        """Ask a pod to leave; why it may not."""
        meta = pod.metadata
        if meta.deletion_timestamp is not None:
            return None
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": meta.name, "namespace": meta.namespace},
        }
        try:
            await self._client.create(
                PODS, body, namespace=meta.namespace, name=meta.name, subresource="eviction"
            )
        except NotFound:
            return None
        except (TooManyRequests, InternalError) as refusal:
            # A disruption budget, or more than one of them: asked again at the next look.
            return str(refusal)
        return None
