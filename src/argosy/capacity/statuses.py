"""The status of a NodePool: its numbers, what is booting, and conditions that say what is wrong and what to do.

Pure: what is known in, the whole status out. Transition times of conditions that did not turn are kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from argosy.api.objects import Condition, find_condition
from argosy.api.objects.nodepools import NodePool
from argosy.base.timestamps import format_time
from argosy.base.types import Object


class Numbers(NamedTuple):
    """What a pool has. Times are seconds since the epoch, None for never."""

    nodes: int = 0
    ready: int = 0
    booting: int = 0
    pending: int = 0
    # Pods that the maximum keeps out.
    refused: int = 0
    # Nodes of a shape the pool no longer has.
    outdated: int = 0
    boots: tuple[tuple[float, tuple[str, ...]], ...] = ()
    last_up: float | None = None
    last_down: float | None = None
    cooling_until: float | None = None
    is_allowed: bool = True
    # Why pods of a pool that is being deleted do not leave, a sentence each.
    stays: tuple[str, ...] = ()


def compose(pool: NodePool, numbers: Numbers, now: float) -> Object:
    """The whole status; a merge patch of it also removes what is no longer so (null)."""
    machines = numbers.nodes + numbers.booting
    conditions = (_ready(pool, numbers), _at_maximum(pool, numbers), _stock_out(pool, numbers, now))
    return {
        "observedGeneration": pool.metadata.generation,
        "nodes": numbers.nodes,
        "ready": numbers.ready,
        "booting": numbers.booting,
        "boots": [
            {"readyAt": _ceiled(ready_at), "names": list(names)}
            for ready_at, names in numbers.boots
        ]
        or None,
        "pending": numbers.pending,
        "outdated": numbers.outdated,
        # A machine is paid for from the moment it is asked for.
        "costPerHour": round(machines * pool.spec.price_per_hour, 6),
        "lastScaleUpTime": _time(numbers.last_up),
        "lastScaleDownTime": _time(numbers.last_down),
        "stockOutUntil": _time(numbers.cooling_until),
        "conditions": _timed(conditions, pool, now),
    }


def _ready(pool: NodePool, numbers: Numbers) -> Condition:
    spec = pool.spec
    if pool.metadata.deletion_timestamp is not None:
        more = len(numbers.stays) - 1
        text = "".join(f"; {one}" for one in numbers.stays[:1])
        text += f" ({more} more)" if more > 0 else ""
        message = f"the pool is being deleted and {numbers.nodes} nodes are left{text}"
        return Condition("Ready", "False", "Draining", message)
    if not numbers.is_allowed:
        return Condition(
            "Ready",
            "False",
            "ProcessRuntimeNotAllowed",
            f'NodePool "{pool.metadata.name}": spec.runtime: "process" runs the containers\' commands on the host of '
            "this cluster, which was not allowed at its start; start it with --allow-processes, or choose the runtime "
            '"simulated".',
        )
    if numbers.ready < spec.minimum:
        reason = "StockOut" if numbers.cooling_until is not None else "NodesBooting"
        message = f"{numbers.ready} of at least {spec.minimum} nodes are ready, {numbers.booting} machines boot"
        return Condition("Ready", "False", reason, message)
    message = f"{numbers.ready} nodes are ready"
    if numbers.outdated:
        message += (
            f"; {numbers.outdated} of {numbers.nodes} keep the machine shape they were made with, because a change of "
            "spec.machine is for new nodes only"
        )
    return Condition("Ready", "True", "NodesReady", message)


def _at_maximum(pool: NodePool, numbers: Numbers) -> Condition:
    machines, maximum = numbers.nodes + numbers.booting, pool.spec.maximum
    if numbers.refused:
        message = (
            f"{numbers.refused} pods would fit, but the pool has its maximum of {maximum} machines; raise spec.maximum "
            "to run them"
        )
        return Condition("AtMaximum", "True", "MaximumReached", message)
    status = "True" if machines >= maximum else "False"
    reason = "MaximumReached" if machines >= maximum else "BelowMaximum"
    return Condition("AtMaximum", status, reason, f"{machines} of at most {maximum} machines")


def _stock_out(pool: NodePool, numbers: Numbers, now: float) -> Condition:
    if numbers.cooling_until is not None and numbers.cooling_until > now:
        return Condition(
            "StockOut",
            "True",
            "ProviderOutOfStock",
            f"provider {pool.spec.provider} had fewer machines than asked for; it is asked again after "
            f"{_time(numbers.cooling_until)}",
        )
    return Condition(
        "StockOut", "False", "InStock", "the provider gave every machine it was asked for"
    )


def _timed(conditions: Iterable[Condition], pool: NodePool, now: float) -> list[Object]:
    timed = []
    for one in conditions:
        last = find_condition(pool.status.conditions, one.type)
        since = now
        if last is not None and last.status == one.status and last.last_transition_time is not None:
            since = last.last_transition_time.timestamp()
        timed.append(
            {
                "type": one.type,
                "status": one.status,
                "reason": one.reason,
                "message": one.message,
                "observedGeneration": pool.metadata.generation,
                "lastTransitionTime": format_time(since),
            }
        )
    return timed


def _time(when: float | None) -> str | None:
    return None if when is None else format_time(when)


def _ceiled(when: float) -> str:
    """Never earlier than the moment itself."""
    return format_time(-(-when // 1))
