"""What of the writes about jobs is measured: new Workloads, and gates that pods lose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Object
from argosy.queueing.jobs import names
from argosy.queueing.jobs.actions import Change, CreateWorkload
from argosy.queueing.jobs.integrations.traits import is_gated
from argosy.queueing.jobs.surroundings import Surroundings
from argosy.queueing.metrics.jobs import JobMetrics

Done: TypeAlias = Callable[[Change | CreateWorkload], None]


def measured(metrics: JobMetrics, kind: str, job: Object | None, around: Surroundings) -> Done:
    """Of a job: how long it waited for its Workload."""

    def done(action: Change | CreateWorkload) -> None:
        if job is not None and isinstance(action, CreateWorkload):
            metrics.created(kind, job, around.now)

    return done


def measured_pods(
    metrics: JobMetrics,
    kind: str,
    pods: Sequence[Object],
    workload: Workload | None,
    around: Surroundings,
    *,
    is_group: bool,
) -> Done:
    """Of pods that are a job: how long they waited for their Workload since the last of them came, and each for its
    gate to go.
    """
    youngest = max(pods, key=lambda pod: str(pod["metadata"]["creationTimestamp"]), default=None)
    created = measured(metrics, kind, youngest, around)

    def done(action: Change | CreateWorkload) -> None:
        created(action)
        if workload is None or not isinstance(action, Change):
            return
        if is_gated(action.before) and not is_gated(action.after):
            metrics.ungated(names.ADMISSION_GATE, workload, around.now, is_group=is_group)

    return done
