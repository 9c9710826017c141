"""Node lifecycle: silent nodes become Unknown, conditions become taints, and pods are driven away with care.

Mirrors kube-controller-manager's node lifecycle controller, by deltas instead of passes: a node is looked at when it
changes or when its source of heartbeats falls silent (checked every five seconds, at the price of the silent ones). A
node that is not ready gets a NoSchedule taint at once, its pods are marked not ready, and it waits in its zone's line
for the NoExecute taint (see `zones` for the pace); `evicting` does the rest.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Final

from argosy.api.objects import Lease, Node, Taint, find_condition
from argosy.api.wellknown import NODE_LEASES
from argosy.base.errors import Conflict, NotFound
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.protocol import PatchType
from argosy.client.resources import LEASES, NODES, PODS
from argosy.control.assemblies import Assembly
from argosy.control.disrupting import patch_status
from argosy.control.informers import Selection
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.workloads.nodes.health import (
    execute_taints,
    executing,
    old_labels,
    ready_status,
    schedule_taints,
    silent_conditions,
)
from argosy.workloads.nodes.heartbeats import Heartbeats
from argosy.workloads.nodes.zones import is_counted, rates, zone_of
from argosy.workloads.pods.caches import NODE, pod_informer

# How often silence is looked for while a sign of life holds.
_LOOKS: Final = 8
_LINE_SECONDS: Final = 1.0
_WORKERS: Final = 8


class NodeLifecycle:
    """One cluster's nodes."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder("node-controller")
        self._nodes = assembly.informer(NODES, Node)
        self._pods = pod_informer(assembly)
        self._heartbeats = Heartbeats(assembly.upkeep.node_lease_seconds)
        self._period = assembly.upkeep.node_lease_seconds / _LOOKS
        self._queue = assembly.controller("node-lifecycle", self._reconcile, workers=_WORKERS)
        # Per zone: how many nodes are ready and how many are not.
        self._zones: dict[str, list[int]] = {}
        # Per zone: nodes that wait for their NoExecute taint, and when the next may get it.
        self._lines: dict[str, OrderedDict[str, None]] = {}
        self._next: dict[str, float] = {}
        self._waiting = asyncio.Event()
        leases = assembly.informer(LEASES, Lease, Selection(namespace=NODE_LEASES))
        leases.add_handler(self._lease_changed)
        self._nodes.add_handler(self._node_changed)
        assembly.task("node-lifecycle-silence", self._listen)
        assembly.task("node-lifecycle-lines", self._serve_lines)

    # What is seen.

    def _lease_changed(self, old: Lease | None, new: Lease | None) -> None:
        lease = new or old
        assert lease is not None
        self._heartbeats.lease_changed(lease.metadata.name, new, self._clock.monotonic())

    def _node_changed(self, old: Node | None, new: Node | None) -> None:
        if old is not None:
            self._count(old, -1)
        if new is not None:
            self._count(new, 1)
            self._heartbeats.node_changed(new, self._clock.monotonic())
            self._queue.add(new.metadata.name)
        if old is None and new is not None:
            self._note(new, "RegisteredNode", f"Registered Node {new.metadata.name} in Controller")
        elif new is None and old is not None:
            self._heartbeats.node_gone(old.metadata.name)
            self._leave_line(old)
            self._note(old, "RemovingNode", f"Removing Node {old.metadata.name} from Controller")

    def _count(self, node: Node, change: int) -> None:
        if is_counted(node):
            counts = self._zones.setdefault(zone_of(node), [0, 0])
            counts[ready_status(node) != "True"] += change
            if counts == [0, 0]:
                del self._zones[zone_of(node)]

    def _note(self, node: Node, reason: str, what: str) -> None:
        name = node.metadata.name
        self._recorder.event(
            reference(NODES, node.metadata), "Normal", reason, f"Node {name} event: {what}"
        )

    # Silence.

    async def _listen(self) -> None:
        while True:
            await self._clock.sleep(self._period)
            for name in list(self._heartbeats.silent(self._clock.monotonic())):
                node = self._nodes.get("", name)
                if node is not None and silent_conditions(node, 0) is not None:
                    self._queue.add(name)

    # One node.

    async def _reconcile(self, name: str) -> Result:
        node = self._nodes.get("", name)
        if node is None:
            return DONE
        if labels := old_labels(node):
            await self._patch_labels(node, labels)
            return DONE
        ready = ready_status(node)
        silent = self._heartbeats.silent_seconds(name, self._clock.monotonic())
        known = self._heartbeats
        grace = known.grace_seconds if ready else known.startup_seconds
        conditions = silent_conditions(node, self._clock.time()) if silent > grace else None
        if conditions is not None:
            await self._patch_conditions(node, conditions)
            if ready == "True":
                self._status_event(node)
                await self._mark_pods(name)
            # The node's own event brings it back with the new conditions.
            return DONE
        if (taints := schedule_taints(node)) is not None:
            await self._patch_taints(node, taints)
            return DONE
        return await self._drive_away(node, ready)

    async def _drive_away(self, node: Node, ready: str) -> Result:
        """Put an unready node into line for its NoExecute taint; take the taint from one that is ready."""
        taints = execute_taints(node, ready)
        if ready not in {"False", "Unknown"} or taints is None:
            self._leave_line(node)
        if taints is None:
            return DONE
        if ready == "True" or executing(node):
            # Back again, or from one kind of unready to the other: nobody has to wait for that.
            await self._patch_taints(node, taints)
        else:
            self._lines.setdefault(zone_of(node), OrderedDict())[node.metadata.name] = None
            self._waiting.set()
        return DONE

    def _status_event(self, node: Node) -> None:
        self._recorder.event(
            reference(NODES, node.metadata),
            "Normal",
            "NodeNotReady",
            f"Node {node.metadata.name} status is now: NodeNotReady",
        )

    async def _mark_pods(self, name: str) -> None:
        """Nobody vouches for the pods of a silent node: they are no longer ready."""
        for pod in self._pods.by_index(NODE, name):
            ready = find_condition(pod.status.conditions, "Ready")
            if ready is None or ready.status == "False":
                continue
            condition = {
                "type": "Ready",
                "status": "False",
                "lastTransitionTime": format_time(self._clock.time()),
            }
            await patch_status(self._client, pod, {"conditions": [condition]})
            about = reference(PODS, pod.metadata)
            self._recorder.event(about, "Warning", "NodeNotReady", "Node is not ready")

    # The lines of the zones.

    def _leave_line(self, node: Node) -> None:
        line = self._lines.get(zone_of(node))
        if line is not None:
            line.pop(node.metadata.name, None)

    async def _serve_lines(self) -> None:
        while True:
            await self._waiting.wait()
            pace = rates({zone: (ready, other) for zone, (ready, other) in self._zones.items()})
            now = self._clock.monotonic()
            for zone, line in list(self._lines.items()):
                rate = pace.get(zone, 0.0)
                if line and rate and self._next.get(zone, 0.0) <= now and await self._taint(line):
                    self._next[zone] = now + 1 / rate
                if not line:
                    del self._lines[zone]
            if not self._lines:
                self._waiting.clear()
            else:
                await self._clock.sleep(_LINE_SECONDS)

    async def _taint(self, line: OrderedDict[str, None]) -> bool:
        """Taint the first of a line. Whoever could not be tainted stays in line; False when it is tried again."""
        name = next(iter(line))
        node = self._nodes.get("", name)
        taints = execute_taints(node, ready_status(node)) if node is not None else None
        if node is not None and taints is not None:
            try:
                await self._patch_taints(node, taints)
            except Conflict:
                return False
        line.pop(name, None)
        return True

    # Writing.

    async def _patch_conditions(self, node: Node, conditions: list[Object]) -> None:
        await self._client.patch(
            NODES,
            node.metadata.name,
            {"status": {"conditions": conditions}},
            kind=PatchType.STRATEGIC,
            subresource="status",
        )

    async def _patch_labels(self, node: Node, labels: dict[str, str]) -> None:
        try:
            await self._client.patch(NODES, node.metadata.name, {"metadata": {"labels": labels}})
        except NotFound:
            return

    async def _patch_taints(self, node: Node, taints: tuple[Taint, ...]) -> None:
        """Others taint nodes, too: a change in between is a Conflict, and the node is looked at again."""
        stamp = format_time(self._clock.time())
        known = set(node.spec.taints)
        written = [_taint_object(taint, "" if taint in known else stamp) for taint in taints]
        patch = {
            "metadata": {"resourceVersion": node.metadata.resource_version},
            "spec": {"taints": written},
        }
        try:
            await self._client.patch(NODES, node.metadata.name, patch)
        except NotFound:
            return


def _taint_object(taint: Taint, added: str) -> Object:
    made: Object = {"key": taint.key, "effect": taint.effect}
    if taint.value:
        made["value"] = taint.value
    if taint.time_added is not None:
        made["timeAdded"] = format_time(taint.time_added.timestamp())
    elif added:
        made["timeAdded"] = added
    return made
