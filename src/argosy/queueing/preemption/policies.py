"""Preemption policies: whom a workload may push out, by priority and by who got in line first.

A ClusterQueue names one policy for its own workloads and one for those of others in its cohort. Priorities are the
effective ones. Mirrors `SatisfiesPreemptionPolicy`.
"""

from __future__ import annotations

from typing import Final

from argosy.queueing.workloads.infos import Info

NEVER: Final = "Never"
LOWER_PRIORITY: Final = "LowerPriority"
LOWER_OR_NEWER_EQUAL_PRIORITY: Final = "LowerOrNewerEqualPriority"
ANY: Final = "Any"


def satisfies(policy: str, preemptor: Info, candidate: Info) -> bool:
    """Whether the policy lets `preemptor` push out `candidate`. Policies that are not known let nothing."""
    if policy == ANY:
        return True
    if policy == LOWER_PRIORITY:
        return preemptor.priority > candidate.priority
    if policy == LOWER_OR_NEWER_EQUAL_PRIORITY:
        if preemptor.priority == candidate.priority:
            return preemptor.order_time < candidate.order_time
        return preemptor.priority > candidate.priority
    return False
