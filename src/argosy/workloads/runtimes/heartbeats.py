"""Signs of life of the nodes that an agent serves.

Thousands of nodes live and die with one process, so one lease stands for all of them: `argosy-agent` in
kube-node-lease, 40 seconds long, renewed every 10. Nodes name it in the annotation `argosy.dev/heartbeat-lease`. When
the process dies the lease runs out, and all its nodes become NotReady as they would behind a dead switch.

A node that is to vanish alone gets a lease of its own, which is written once and never renewed: from then on the node
lives by that one, and dies by it. When it comes back, its own lease goes.
"""

from __future__ import annotations

import logging
import random
from typing import Final

from argosy.api.objects import Node
from argosy.api.wellknown import AGENT_LEASE, NODE_LEASES
from argosy.base.clock import Clock
from argosy.base.errors import AlreadyExists, NotFound, StatusError
from argosy.base.timestamps import format_micro
from argosy.base.types import Object
from argosy.client.backoffs import Backoff
from argosy.client.protocol import Client
from argosy.client.resources import LEASES

# How often a lease is renewed while it holds: one or two renewals may be lost.
_RENEWALS: Final = 4

_LOG: Final = logging.getLogger(__name__)
_BACKOFF: Final = Backoff(first=0.2, factor=2.0, most=7.0, jitter=0.1)
_MANAGER: Final = "kubelet"


class Heartbeats:
    """The leases of one agent; `identity` is what it calls itself."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        identity: str,
        source: random.Random | None = None,
        *,
        lease_seconds: float = 40.0,
    ) -> None:
        self._client = client
        self._clock = clock
        self._identity = identity
        self._source = source or random.Random()
        self._lease_seconds = lease_seconds

    async def run(self) -> None:
        """Renew the agent's lease until cancelled."""
        failures = 0
        while True:
            try:
                await self._renew()
            except StatusError as error:
                pause = _BACKOFF.delay(failures, self._source)
                _LOG.warning("lease %s: %s; again in %.1f s", AGENT_LEASE, error, pause)
                failures += 1
                await self._clock.sleep(pause)
            else:
                failures = 0
                await self._clock.sleep(self._lease_seconds / _RENEWALS)

    async def _renew(self) -> None:
        spec = self._spec(self._identity)
        try:
            await self._client.patch(
                LEASES, AGENT_LEASE, {"spec": spec}, namespace=NODE_LEASES, field_manager=_MANAGER
            )
        except NotFound:
            lease = {"metadata": {"name": AGENT_LEASE}, "spec": spec}
            await self._client.create(LEASES, lease, namespace=NODE_LEASES, field_manager=_MANAGER)

    async def vanish(self, node: Node) -> None:
        """Give the node a last sign of life, by a lease that nobody will renew."""
        meta = node.metadata
        owner = {"apiVersion": "v1", "kind": "Node", "name": meta.name, "uid": meta.uid}
        lease = {
            "metadata": {"name": meta.name, "ownerReferences": [owner]},
            "spec": self._spec(meta.name),
        }
        try:
            await self._client.create(LEASES, lease, namespace=NODE_LEASES, field_manager=_MANAGER)
        except AlreadyExists:
            # It vanished before this process began; that it did once is enough.
            return

    async def end(self, name: str) -> None:
        """Let a node live by the agent's lease again, also one that is made anew under the name."""
        try:
            await self._client.delete(LEASES, name, namespace=NODE_LEASES)
        except NotFound:
            return

    def _spec(self, holder: str) -> Object:
        return {
            "holderIdentity": holder,
            "leaseDurationSeconds": int(self._lease_seconds),
            "renewTime": format_micro(self._clock.now()),
        }
