"""Gives pools their nodes: machines that have booted become Node objects, and nodes follow what their pool says.

One pool at a time is looked at: boots are written to its status before anything is made of them, those that are due
become Nodes (a few hundred creates at once, so thousands take seconds), labels and taints that the pool changed roll
out to its nodes, and the status says what there is. A deleted pool gets rid of its nodes first (`draining`). How many
machines there should be is decided elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final

from argosy.api.objects import Node
from argosy.api.objects.nodepools import NodePool
from argosy.api.wellknown import NODE_POOL
from argosy.base.errors import AlreadyExists, Conflict, NotFound, StatusError
from argosy.base.types import Object
from argosy.capacity.draining import Draining
from argosy.capacity.machines import (
    address_for,
    applied,
    applied_to,
    node_object,
    shape_of,
    update_patch,
)
from argosy.capacity.pools import Pool, Pools
from argosy.capacity.resources import COMPONENT, MANAGER
from argosy.capacity.statuses import Numbers, compose
from argosy.client.resources import NODE_POOLS, NODES
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference

FINALIZER: Final = "argosy.dev/nodes"
_AT_ONCE: Final = 200
_WORKERS: Final = 4
# Thousands of nodes come and go within seconds; their pool's numbers need not follow each of them.
_STATUS_SECONDS: Final = 1.0


class Provisioning:
    """Makes and keeps the nodes of all pools."""

    def __init__(self, assembly: Assembly, pools: Pools, changed: Callable[[], None]) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._pools = pools
        self._changed = changed
        self._recorder = assembly.recorder(COMPONENT)
        self._draining = Draining(assembly)
        self._addresses: dict[str, str] = {}
        self._written: dict[str, tuple[float, Object]] = {}
        self._queue = assembly.controller("nodepool", self._reconcile, workers=_WORKERS)
        assembly.informer(NODE_POOLS, NodePool).add_handler(self._pool_changed)

    def look_at(self, pool: str) -> None:
        """Something about the pool was decided."""
        self._queue.add(pool)

    def node_changed(self, old: Node | None, new: Node | None) -> None:
        """A node came, went or changed."""
        node = new or old
        assert node is not None
        if new is not None and old is None:
            for address in new.status.addresses:
                self._addresses[address.address] = new.metadata.name
        elif new is None:
            for address in node.status.addresses:
                self._addresses.pop(address.address, None)
        pool = self._pools.get(node.metadata.labels.get(NODE_POOL, ""))
        if pool is not None:
            pool.made.discard(node.metadata.name)
            self._queue.add_after(pool.name, _STATUS_SECONDS / 2)

    def _pool_changed(self, old: NodePool | None, new: NodePool | None) -> None:
        if new is None:
            assert old is not None
            self._pools.forget(old.metadata.name)
            self._written.pop(old.metadata.name, None)
        else:
            self._pools.put(new)
            is_news = old is None or old.metadata.generation != new.metadata.generation
            if not is_news and old is not None:
                is_news = old.metadata.deletion_timestamp != new.metadata.deletion_timestamp
            if not is_news:
                return
            self._queue.add(new.metadata.name)
        self._changed()

    async def _reconcile(self, name: str) -> Result:
        pool = self._pools.get(name)
        if pool is None:
            return DONE
        if pool.is_deleting:
            return await self._delete(pool)
        if FINALIZER not in pool.view.metadata.finalizers:
            await self._set_finalizers(pool, (*pool.view.metadata.finalizers, FINALIZER))
        await self._save_boots(pool)
        if self._pools.is_allowed(pool):
            await self._boot(pool)
            await self._roll(pool)
        wait = await self._tell(pool)
        now = self._clock.time()
        moments = [boot.ready_at for boot in pool.boots]
        if pool.cooling_until > now:
            moments.append(pool.cooling_until)
        waits = [max(0.0, moment - now) for moment in moments]
        if wait is not None:
            waits.append(wait)
        return Result(requeue_after=min(waits, default=None))

    # Machines.

    async def _save_boots(self, pool: Pool) -> None:
        """Have the status remember what is on its way before it can arrive."""
        now = self._clock.time()
        if any(not boot.is_saved and boot.ready_at > now for boot in pool.boots):
            await self._write(pool)

    async def _boot(self, pool: Pool) -> None:
        """Make nodes of the machines that are due."""
        now = self._clock.time()
        due = [boot for boot in pool.boots if boot.ready_at <= now]
        if not due:
            return
        nodes = self._pools.nodes(pool)
        names = [name for boot in due for name in boot.names if name not in nodes]
        await _at_once(self._create(pool, name) for name in names)
        pool.boots = [boot for boot in pool.boots if boot not in due]
        self._changed()

    async def _create(self, pool: Pool, name: str) -> None:
        address = address_for(name, self._addresses)
        self._addresses[address] = name
        body = node_object(pool.view, name, address, self._clock.time())
        pool.made.add(name)
        try:
            await self._client.create(NODES, body, field_manager=MANAGER)
        except StatusError as error:
            pool.made.discard(name)
            # We made it and were killed before we could say so.
            if not isinstance(error, AlreadyExists):
                raise

    async def _roll(self, pool: Pool) -> None:
        """Carry labels, taints and price of the pool over to its nodes."""
        wanted = applied(pool.view)
        patches = [
            self._patch(one.node, patch)
            for one in self._pools.nodes(pool).values()
            if (patch := update_patch(pool.view, wanted, one.node)) is not None
        ]
        await _at_once(patches)

    async def _patch(self, node: Node, patch: Object) -> None:
        try:
            await self._client.patch(NODES, node.metadata.name, patch, field_manager=MANAGER)
        except (NotFound, Conflict):
            # Gone, or changed by somebody: its own event brings the pool back here.
            return

    # The pool.

    async def _delete(self, pool: Pool) -> Result:
        pool.boots.clear()
        nodes = self._pools.nodes(pool)
        if nodes or self._pools.booting(pool):
            wait, stays = await self._draining.drain(list(nodes.values()))
            if stays and not pool.stays:
                about = reference(NODE_POOLS, pool.view.metadata)
                self._recorder.event(about, "Warning", "DrainBlocked", stays[0])
            pool.stays = tuple(sorted(stays))
            await self._tell(pool)
            return Result(requeue_after=wait)
        if FINALIZER in pool.view.metadata.finalizers:
            left = tuple(one for one in pool.view.metadata.finalizers if one != FINALIZER)
            await self._set_finalizers(pool, left)
        return DONE

    async def _set_finalizers(self, pool: Pool, finalizers: tuple[str, ...]) -> None:
        meta = {
            "finalizers": list(finalizers) or None,
            "resourceVersion": pool.view.metadata.resource_version,
        }
        try:
            await self._client.patch(
                NODE_POOLS, pool.name, {"metadata": meta}, field_manager=MANAGER
            )
        except NotFound:
            return

    async def _tell(self, pool: Pool) -> float | None:
        """Write the status if it is news; not more often than once a second. Seconds until it may be written."""
        status = self._status(pool)
        written = self._written.get(pool.name)
        if written is not None and written[1] == status:
            return None
        if written is not None:
            wait = written[0] + _STATUS_SECONDS - self._clock.monotonic()
            if wait > 0:
                return wait
        await self._write(pool)
        return None

    async def _write(self, pool: Pool) -> None:
        status = self._status(pool)
        told = list(pool.boots)
        try:
            await self._client.patch(
                NODE_POOLS,
                pool.name,
                {"status": status},
                subresource="status",
                field_manager=MANAGER,
            )
        except NotFound:
            return
        for boot in told:
            boot.is_saved = True
        self._written[pool.name] = (self._clock.monotonic(), status)

    def _status(self, pool: Pool) -> Object:
        nodes, now, shape = self._pools.nodes(pool), self._clock.time(), shape_of(pool.view)
        numbers = Numbers(
            nodes=len(nodes),
            ready=sum(one.is_ready for one in nodes.values()),
            booting=self._pools.booting(pool),
            pending=pool.pending,
            refused=pool.refused,
            outdated=sum(applied_to(one.node).shape not in {"", shape} for one in nodes.values()),
            boots=tuple((boot.ready_at, tuple(boot.names)) for boot in pool.boots),
            last_up=_known(pool.last_up),
            last_down=_known(pool.last_down),
            cooling_until=pool.cooling_until if pool.cooling_until > now else None,
            is_allowed=self._pools.is_allowed(pool),
            stays=pool.stays,
        )
        return compose(pool.view, numbers, now)


def _known(when: float) -> float | None:
    return None if when == float("-inf") else when


async def _at_once(work: Iterable[Awaitable[None]]) -> None:
    """Await all of it, a few hundred at a time."""
    batch: list[Awaitable[None]] = []
    for one in work:
        batch.append(one)
        if len(batch) == _AT_ONCE:
            await asyncio.gather(*batch)
            batch = []
    if batch:
        await asyncio.gather(*batch)
