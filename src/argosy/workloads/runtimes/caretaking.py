"""Keeps the nodes of an agent presented and alive, and plays those that have vanished.

Every change of a served node is looked at (`look`), which costs nothing while the node says what it should. Else the
node gets attention, in a queue of its own with retries: it is given what it lacks, silenced, or brought back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argosy.api.objects import Node
from argosy.api.wellknown import FAULT
from argosy.base.errors import NotFound
from argosy.client.protocol import PatchType
from argosy.client.resources import NODES
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.workloads.runtimes import presenting
from argosy.workloads.runtimes.heartbeats import Heartbeats
from argosy.workloads.runtimes.reporting import MANAGER

_VANISH: Final = "vanish"


class Caretaker:
    """`served` gives a node that is served, by name; `returned` hears of one that was silent and is not any more."""

    def __init__(
        self,
        assembly: Assembly,
        identity: str,
        served: Callable[[str], Node | None],
        returned: Callable[[str], None],
    ) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._served = served
        self._returned = returned
        self._heartbeats = Heartbeats(
            assembly.client,
            assembly.clock,
            identity,
            assembly.source,
            lease_seconds=assembly.upkeep.node_lease_seconds,
        )
        self._silent: set[str] = set()
        # Nodes that have a lease of their own.
        self._leased: set[str] = set()
        self._attention = assembly.controller("agent-nodes", self._attend, workers=20)
        assembly.task("agent-heartbeats", self._heartbeats.run)

    def is_silent(self, name: str) -> bool:
        """Whether a node has vanished."""
        return name in self._silent

    def look(self, node: Node) -> None:
        """A node that is served has appeared or changed."""
        name = node.metadata.name
        if node.metadata.annotations.get(FAULT) == _VANISH:
            if name not in self._silent:
                self._silent.add(name)
                self._attention.add(name)
        elif name in self._silent or not presenting.is_presented(node):
            self._attention.add(name)

    def gone(self, name: str) -> None:
        """A node is not served any more."""
        self._silent.discard(name)
        if name in self._leased:
            self._attention.add(name)

    async def _attend(self, name: str) -> Result:
        """Silence a node, bring it back, or present it."""
        node = self._served(name)
        if node is not None and node.metadata.annotations.get(FAULT) == _VANISH:
            self._leased.add(name)
            await self._heartbeats.vanish(node)
            return DONE
        # A node that is given up may have a lease from a time before this process.
        if name in self._leased or (node is not None and not presenting.is_ready(node)):
            await self._heartbeats.end(name)
            self._leased.discard(name)
        if node is None:
            return DONE
        if name in self._silent:
            self._silent.discard(name)
            self._returned(name)
        await self._present(node)
        return DONE

    async def _present(self, node: Node) -> None:
        client, name = self._client, node.metadata.name
        try:
            if (patch := presenting.metadata_patch(node)) is not None:
                await client.patch(NODES, name, patch, field_manager=MANAGER)
            patch = presenting.status_patch(node, self._clock.now())
            if patch is not None:
                await client.patch(
                    NODES,
                    name,
                    patch,
                    kind=PatchType.STRATEGIC,
                    subresource="status",
                    field_manager=MANAGER,
                )
        except NotFound:
            return
