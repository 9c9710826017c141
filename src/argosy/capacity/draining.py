"""Empties nodes that have to go although pods run there, as `kubectl drain` does.

Nothing new is scheduled there (a taint), pods are asked to leave by the eviction API, which heeds disruption budgets,
and a node without pods of its own is deleted. Pods that come with every node are left to their controllers. Nothing
is forced: a budget that allows no eviction holds the node until it does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from argosy.api.objects import Pod, Taint
from argosy.base.errors import Conflict, NotFound, TooManyRequests
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

    async def drain(self, nodes: Sequence[Occupied]) -> float:
        """Do the next step for each node; seconds after which to come again."""
        for start in range(0, len(nodes), _AT_ONCE):
            await asyncio.gather(
                *(self._drain_node(node) for node in nodes[start : start + _AT_ONCE])
            )
        return _LOOK_AGAIN_SECONDS if any(node.workloads for node in nodes) else 1.0

    async def _drain_node(self, node: Occupied) -> None:
        name = node.node.metadata.name
        try:
            if not node.is_leaving:
                taint = Taint(LEAVING, str(int(self._clock.time())), "NoSchedule")
                patch = with_taint(node.node, taint)
                await self._client.patch(NODES, name, patch, field_manager=MANAGER)
            elif not node.workloads:
                await self._client.delete(NODES, name, uid=node.node.metadata.uid)
            for pod in node.workload_pods():
                await self._evict(pod)
        except (NotFound, Conflict):
            # Gone or changed meanwhile: the next look sees it.
            return

    async def _evict(self, pod: Pod) -> None:
        meta = pod.metadata
        if meta.deletion_timestamp is not None:
            return
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": meta.name, "namespace": meta.namespace},
        }
        try:
            await self._client.create(
                PODS, body, namespace=meta.namespace, name=meta.name, subresource="eviction"
            )
        except TooManyRequests:
            # A disruption budget: asked again at the next look.
            return
