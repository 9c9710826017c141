"""The words for decisions: cluster-autoscaler's where it has words, one sentence with numbers and the why where not.

Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from argosy.base.durations import format_duration
from argosy.capacity.snapshots import Cause, Growth, IdleNode, PoolState, Verdict


def triggered(sizes: Iterable[tuple[str, int, int, int]]) -> str:
    """Of pools: name, machines before, machines after, maximum."""
    texts = (f"{{{name} {before}->{after} (max: {most})}}" for name, before, after, most in sizes)
    return f"pod triggered scale-up: [{' '.join(texts)}]"


def not_triggered(verdict: Verdict) -> str:
    """Why no pool can help, each reason with the number of pools it holds for."""
    counts = Counter(reason for reasons in verdict.refusals.values() for reason in reasons)
    texts = [f"{count} {reason}" for reason, count in sorted(counts.items())]
    return f"pod didn't trigger scale-up: {', '.join(texts) or 'there are no node pools'}"


def consuming(request: str) -> str:
    return f"Unschedulable pod didn't trigger scale-up, because it's consuming ProvisioningRequest {request}"


def scaled_up(pool: PoolState, growths: Iterable[Growth], granted: int) -> str:
    """Why a pool grew."""
    after = pool.machines + granted
    counts: dict[Cause, list[int]] = {}
    for growth in growths:
        found = counts.setdefault(growth.cause, [0, 0])
        found[0] += growth.count
        found[1] += growth.pods
    why = "; ".join(_why(pool, cause, *numbers) for cause, numbers in counts.items())
    wanted = sum(found[0] for found in counts.values())
    short = f", {wanted} were asked for" if granted < wanted else ""
    return f"scaled up from {pool.machines} to {after} machines (max: {pool.maximum}){short}: {why}"


def _why(pool: PoolState, cause: Cause, machines: int, pods: int) -> str:
    cost = f"{machines} at {pool.price:g} per hour each"
    match cause:
        case Cause.MINIMUM:
            return f"{machines} for the minimum of {pool.minimum}"
        case Cause.SPARE:
            return f"{machines} to keep {pool.spare} spare"
        case Cause.REQUEST:
            return f"{pods} pods of a ProvisioningRequest, {cost}"
        case Cause.PODS:
            return f"{pods} unschedulable pods, {cost}, the cheapest that fits"


def scaled_down(pool: PoolState, nodes: Iterable[IdleNode], now: float, *, is_silent: bool) -> str:
    gone = tuple(nodes)
    since = max(node.since for node in gone)
    why = "not ready" if is_silent else "idle"
    names = ", ".join(node.name for node in gone[:3]) + (", ..." if len(gone) > 3 else "")
    return (
        f"scaling down from {pool.machines} to {pool.machines - len(gone)} machines (min: {pool.minimum}), {why} "
        f"for at least {format_duration(float(int(now - since)))}: {names}"
    )


def out_of_stock(wanted: int, granted: int, cooldown: float) -> str:
    return (
        f"the provider gave {granted} of {wanted} machines; it is asked again after {format_duration(cooldown)}, until "
        "then other pools are used"
    )


def at_maximum(pool: PoolState, pods: int, added: int) -> str:
    return (
        f"{pods} unschedulable pods would fit, but there are {pool.machines + added} of at most {pool.maximum} "
        "machines; raise spec.maximum to run them"
    )


def grown(verdict: Verdict, sizes: Mapping[str, tuple[int, int]], most: Mapping[str, int]) -> str:
    """The message for the pods of a demand that made pools grow."""
    return triggered(
        (name, sizes[name][0], sizes[name][1], most[name]) for name in sorted(verdict.grown)
    )
