"""How far the flavors of a resource group were tried, and whether that still counts.

A search that stopped early goes on after the last flavor tried, next time the workload is looked at. It starts over
when the workload asks for something else, or when more may fit in its ClusterQueue than at that time. In the cycle
right after it goes on regardless: otherwise a ClusterQueue where workloads finish all the time would never get past
its first flavors.
"""

from __future__ import annotations

from typing import Final

from argosy.queueing.workloads.infos import LastAssignment

# A hash that was not worked out says nothing.
_UNKNOWN: Final = ("", "unknown")


def is_outdated(last: LastAssignment, *, scheduling_hash: str, generation: int, cycle: int) -> bool:
    """Whether to start over, given the workload's hash, the ClusterQueue's generation and the cycle."""
    then = last.scheduling_hash
    are_known = then not in _UNKNOWN and scheduling_hash not in _UNKNOWN
    if are_known and then != scheduling_hash:
        return True
    if cycle - last.cycle <= 1:
        return False
    return generation > last.generation
