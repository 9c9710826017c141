"""Putting equal pods onto equal nodes, by counting.

How many pods of a class one node takes is one division per resource, so a room of a thousand nodes and a demand of ten
thousand pods cost as much as one of each. What is packed changes the rooms: nodes that got pods leave their room for
one with less space. Pure apart from that; the result depends on the order of rooms and demands only.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping
from typing import Final

from argosy.api.nodefit import PodClass, Resources, clashes, shortages, untolerated
from argosy.api.objects import Node
from argosy.capacity.snapshots import Demand, Room, Stage

_ORDER: Final = {Stage.BUSY: 0, Stage.IDLE: 1, Stage.BOOTING: 2}
NO_MATCH: Final = "node(s) didn't match Pod's node affinity/selector"


def per_machine(demand: Demand, free: Resources) -> int:
    """How many of these pods fit into `free`."""
    most = free.get("pods", 0)
    if demand.per_node is not None:
        most = min(most, demand.per_node)
    if demand.pods.ports:
        most = min(most, 1)
    for name, amount in demand.pods.requests.items():
        most = min(most, free.get(name, 0) // amount)
        if most <= 0:
            return 0
    return max(0, most)


def refusals(pods: PodClass, template: Node, free: Resources) -> tuple[str, ...]:
    """Why no empty machine like this takes such a pod, in kube-scheduler's words; () when it does."""
    if (taint := untolerated(pods.tolerations, template.spec.taints)) is not None:
        return (f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}",)
    if not pods.required.matches(template.metadata.labels, template.metadata.name):
        return (NO_MATCH,)
    short = shortages(pods.requests, free)
    return tuple(f"Insufficient {name}" for name in short)


def is_within(node: Node, area: Mapping[str, str | None]) -> bool:
    """Whether a node has the labels of an area."""
    labels = node.metadata.labels
    return all(labels.get(key) == value for key, value in area.items())


class Rooms:
    """All the room there is. Fewest changes first: busy nodes, then idle ones, then those that boot."""

    def __init__(self, rooms: tuple[Room, ...]) -> None:
        # Copies, because counts change; the dicts within are replaced, never changed. Always in order.
        self._rooms = sorted((_copy(room) for room in rooms if room.count > 0), key=_first)

    def fork(self) -> Rooms:
        return Rooms(tuple(self._rooms))

    def add(self, room: Room) -> None:
        insort(self._rooms, room, key=_first)

    def __iter__(self) -> Iterator[Room]:
        return iter(self._rooms)

    def pack(
        self,
        demand: Demand,
        count: int,
        *,
        pool: str | None = None,
        within: Mapping[str, str | None] | None = None,
    ) -> int:
        """Place up to `count` of the demand's pods; how many found room. Only on nodes of a pool, or with the labels
        of an area, where one is given.
        """
        left = count
        for room in self._rooms[:]:
            if left <= 0:
                break
            if room.count <= 0 or (pool is not None and room.pool != pool):
                continue
            if demand.is_sociable and room.stage is Stage.BUSY:
                continue
            if within and not is_within(room.template, within):
                continue
            each = per_machine(demand, room.free)
            if each <= 0 or not _admits(demand.pods, room):
                continue
            left -= self._take(room, demand, each, left)
        return count - left

    def untouched(self, pool: str) -> list[Room]:
        """Rooms of a pool's machines that nothing runs on and nothing was packed on."""
        return [
            room
            for room in self._rooms
            if room.pool == pool and room.stage is not Stage.BUSY and room.count > 0
        ]

    def _take(self, room: Room, demand: Demand, each: int, left: int) -> int:
        """Fill nodes of a room one by one: all but the last to the brim."""
        taken = min(left, each * room.count)
        full, rest = divmod(taken, each)
        room.count -= full + bool(rest)
        if full:
            self.add(_filled(room, demand, each, full))
        if rest:
            self.add(_filled(room, demand, rest, 1))
        return taken


def _first(room: Room) -> tuple[int, int, int, str]:
    free = room.free
    return _ORDER[room.stage], free.get("cpu", 0), free.get("memory", 0), room.pool


def _admits(pods: PodClass, room: Room) -> bool:
    return pods.admits(room.template) and not (pods.ports and clashes(pods.ports, room.ports))


def _filled(room: Room, demand: Demand, each: int, count: int) -> Room:
    free = dict(room.free)
    for name, amount in demand.pods.requests.items():
        free[name] = free.get(name, 0) - amount * each
    free["pods"] = free.get("pods", 0) - each
    ports = (*room.ports, *demand.pods.ports)
    return Room(room.template, free, count, Stage.BUSY, room.pool, ports)


def _copy(room: Room) -> Room:
    return Room(room.template, room.free, room.count, room.stage, room.pool, room.ports, room.nodes)
