"""A target: a workload that would have to go, and why that is fair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from argosy.queueing.workloads.infos import Info

IN_CLUSTER_QUEUE: Final = "InClusterQueue"
IN_COHORT_RECLAMATION: Final = "InCohortReclamation"
IN_COHORT_FAIR_SHARING: Final = "InCohortFairSharing"
IN_COHORT_RECLAIM_WHILE_BORROWING: Final = "InCohortReclaimWhileBorrowing"


@dataclass(slots=True, frozen=True)
class Target:
    """`reason` is the reason of the condition Preempted."""

    info: Info
    reason: str
