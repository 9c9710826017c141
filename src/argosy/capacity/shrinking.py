"""Which nodes go: idle ones, long enough, above what was needed at any time within the window.

A pool keeps its minimum, the most machines it needed within the stabilization window, and, within its maximum, its
spare ones. Of those beyond, nodes idle for the idle time go, the longest idle first, a step at a time. So demand that
comes and goes faster than the window moves nothing. A node that does not answer and has nothing on it goes after its
own time, whatever the pool's size: it is replaced where it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable

from argosy.capacity.snapshots import IdleNode, PoolState, Removal, Room


def removals(
    pool: PoolState, untouched: Iterable[Room], need: int, now: float, *, is_growing: bool
) -> list[Removal]:
    limits = pool.limits
    if now < pool.last_down + limits.interval:
        return []
    silent = [node for node in pool.silent if _may_go(node, limits.unready, now)]
    found = []
    if silent:
        chosen = tuple(sorted(silent, key=_longest)[: limits.step_down])
        found.append(Removal(pool.name, chosen, is_silent=True))
    if pool.highest is None or is_growing:
        return found
    needed = max(pool.highest, need)
    # Spare machines are kept within the maximum only, also after it was lowered.
    floor = max(pool.minimum, needed, min(needed + pool.spare, pool.maximum))
    count = min(pool.staying - pool.booting - floor, limits.step_down)
    if count > 0:
        idle: list[IdleNode] = []
        cordoned: list[IdleNode] = []
        for room in untouched:
            ready = [node for node in room.nodes if _may_go(node, limits.idle, now)]
            first = sorted(ready, key=_longest)[: room.count]
            (cordoned if room.is_cordoned else idle).extend(first)
        # Those that nobody may use go before those that somebody could.
        going = sorted(cordoned, key=_longest) + sorted(idle, key=_longest)
        if going:
            found.append(Removal(pool.name, tuple(going[:count])))
    return found


def _may_go(node: IdleNode, after: float, now: float) -> bool:
    return not node.is_protected and now - node.since >= after


def _longest(node: IdleNode) -> tuple[float, str]:
    return node.since, node.name
