"""An engine's whole state as plain values, to be compared: what is counted where, and who waits where."""

from __future__ import annotations

from typing import Any

from argosy.queueing.cycles.engines import Engine
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.quotas.shares import share_of


def used(engine: Engine) -> dict[str, Any]:
    """What the cache knows: who holds what, and every number of every quota tree."""
    cache = engine.cache
    names = sorted(cache.objects)
    return {
        "holders": {key: info.usage for key, info in sorted(cache.workloads.items())},
        "by queue": {name: sorted(info.key for info in cache.holders(name)) for name in names},
        "holdings": _nonzero(cache.holdings),
        "local holdings": _nonzero(cache.local_holdings),
        "readiness": {name: cache.readiness(name) for name in names},
        "queues": {name: _numbers(cache.forest.cluster_queue(name)) for name in names},
        "cohorts": {
            name: _numbers(cache.forest.cohort(name)) for name in sorted(cache.forest.cohorts())
        },
        "unready": sorted(cache.unready),
    }


def waiting(engine: Engine) -> dict[str, list[str]]:
    """Who waits in which ClusterQueue, in the order they would be asked."""
    found = {}
    for name in sorted(engine.cache.objects):
        queue = engine.queues.cluster_queue(name)
        found[name] = [] if queue is None else [info.key for info in queue.ordered()]
    return found


def places(engine: Engine) -> dict[str, tuple[list[str], list[str]]]:
    """Who is in line and who is parked, by ClusterQueue."""
    found = {}
    for name in sorted(engine.cache.objects):
        queue = engine.queues.cluster_queue(name)
        if queue is not None:
            found[name] = (
                sorted(info.key for info in queue.in_line()),
                sorted(info.key for info in queue.parked()),
            )
    return found


def _nonzero(holdings: dict[str, Any]) -> dict[str, Any]:
    """Queues that hold something; empty accounts of the past are like none."""
    return {
        name: (
            one.reserving,
            one.admitted,
            {fr: value for fr, value in one.reserved.items() if value},
            {fr: value for fr, value in one.used.items() if value},
        )
        for name, one in sorted(holdings.items())
        if one.reserving
    }


def _numbers(node: Node | None) -> object:
    if node is None:
        return None
    numbers = {
        fr: (
            node.nominal[place], node.subtree[place], node.local[place], node.usage[place],
            node.potential[place], node.available_at(place),
        )
        for fr, place in node.layout.positions.items()
    }  # fmt: skip
    known = {fr: values for fr, values in numbers.items() if any(values)}
    parent = node.parent.name if node.parent else None
    return parent, node.height, node.weight, known, share_of(node)
