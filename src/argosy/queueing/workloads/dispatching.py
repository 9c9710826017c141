"""For which workloads clusters are looked for: those whose check of dispatching to others (MultiKueue) is open.

A workload that runs on a cluster keeps it: while it is evicted there its check is open again, and other clusters
are nominated only once it has left. An elastic one is the exception, because its next slice is dispatched while the
one before still runs.
"""

from __future__ import annotations

from argosy.api.objects.kueue.workloads import AdmissionCheckState, Workload
from argosy.queueing.workloads.reasons import CHECK_PENDING


def awaits_nomination(
    workload: Workload, check: AdmissionCheckState | None, *, is_elastic: bool = False
) -> bool:
    """Whether clusters are to be nominated for a workload, by the state of its check; none: it has no such check."""
    if check is None or check.state != CHECK_PENDING:
        return False
    return is_elastic or not workload.status.cluster_name
