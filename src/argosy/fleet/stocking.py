"""Waits until a cluster has the machines it begins with, so that its first word to the hub tells of them.

Otherwise a new member would be called empty until its next heartbeat, and placements that come first would pass it by.
Machines that take time to boot are not waited for, and neither are those that do not come: when no node has come for a
while, the member goes on with what it has.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import Final

from argosy.api.objects import Node
from argosy.api.objects.nodepools import NodePool
from argosy.api.wellknown import NODE_POOL
from argosy.base.durations import parse_duration
from argosy.client.resources import NODE_POOLS, NODES
from argosy.control.assemblies import Assembly

_LOG: Final = logging.getLogger(__name__)
_PATIENCE_SECONDS: Final = 5.0


class Stock:
    """The machines of one cluster, as the informers of its own controllers see them."""

    def __init__(self, assembly: Assembly, cluster: str) -> None:
        self._cluster = cluster
        self._assembly = assembly
        self._pools = assembly.informer(NODE_POOLS, NodePool)
        self._nodes: Counter[str] = Counter()
        self._changed = asyncio.Event()
        assembly.informer(NODES, Node).add_handler(self._node_changed)

    async def complete(self) -> None:
        """Wait until every pool has its least number of machines, or none has come for some seconds."""
        await self._assembly.started()
        while missing := self._missing():
            self._changed.clear()
            try:
                async with asyncio.timeout(_PATIENCE_SECONDS):
                    await self._changed.wait()
            except TimeoutError:
                _LOG.warning(
                    "%s: no node has come for %g s, and it is said to be ready without: %s",
                    self._cluster,
                    _PATIENCE_SECONDS,
                    ", ".join(f"{number} of pool {pool}" for pool, number in missing.items()),
                )
                return

    def _missing(self) -> dict[str, int]:
        found = {pool.metadata.name: self._short(pool) for pool in self._pools}
        return {name: number for name, number in found.items() if number > 0}

    def _short(self, pool: NodePool) -> int:
        """How many machines a pool should have by now and has not."""
        spec = pool.spec
        if (
            parse_duration(spec.boot_time)
            or spec.runtime != "simulated"
            or pool.metadata.deletion_timestamp
        ):
            return 0
        least = spec.minimum if spec.stock is None else min(spec.minimum, spec.stock)
        return least - self._nodes[pool.metadata.name]

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        if (old is None) == (new is None):
            return
        node = new or old
        assert node is not None
        self._nodes[node.metadata.labels.get(NODE_POOL, "")] += 1 if new is not None else -1
        self._changed.set()
