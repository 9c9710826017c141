"""Workloads and queues for tests of what waits."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from argosy.api.objects.kueue.localqueues import LocalQueue, LocalQueueSpec
from argosy.api.objects.kueue.quotas import (
    AdmissionScope,
    ClusterQueue,
    ClusterQueueSpec,
    FairSharing,
)
from argosy.api.objects.kueue.workloads import (
    Admission,
    AdmissionCheckState,
    PodSetAssignment,
    RequeueState,
    Workload,
    WorkloadSpec,
    WorkloadStatus,
)
from argosy.api.objects.metadata import Condition, LabelSelector, ObjectMeta
from argosy.queueing.queues.consuming import USAGE_BASED, AdmissionFairSharing
from argosy.queueing.queues.queues import Queues
from argosy.queueing.queues.reasons import BEST_EFFORT_FIFO
from argosy.queueing.quotas.forest import Forest
from argosy.queueing.workloads.infos import Info

NOW = 1_000_000.0
EVERYWHERE = LabelSelector()
RESERVED = Condition(type="QuotaReserved", status="True", reason="QuotaReserved")


def workload(
    name: str,
    queue: str = "lq",
    *,
    namespace: str = "ns",
    generation: int = 1,
    active: bool = True,
    annotations: Mapping[str, str] | None = None,
    conditions: Mapping[str, str] | None = None,
    requeue_at: float | None = None,
    status: WorkloadStatus | None = None,
) -> Workload:
    """A workload. Conditions are given as `{"Evicted": "True/Preempted"}`."""
    if status is None:
        status = WorkloadStatus(
            conditions=tuple(
                Condition(type=type_, status=text.partition("/")[0], reason=text.partition("/")[2])
                for type_, text in (conditions or {}).items()
            ),
            requeue_state=(
                None
                if requeue_at is None
                else RequeueState(1, datetime.fromtimestamp(requeue_at, UTC))
            ),
        )
    return Workload(
        ObjectMeta(
            name=name,
            namespace=namespace,
            uid=f"uid-{name}",
            generation=generation,
            annotations=dict(annotations or {}),
        ),
        WorkloadSpec(queue_name=queue, active=active),
        status,
    )


def info(
    name: str,
    queue: str = "lq",
    *,
    priority: int = 0,
    at: float = 0.0,
    shape: str = "",
    obj: Workload | None = None,
    **given: object,
) -> Info:
    """The info of a workload."""
    found = obj or workload(name, queue, **given)  # type: ignore[arg-type]  # passed through
    return Info(found, (), priority=priority, order_time=at, scheduling_hash=shape)


def delayed(name: str, *, check: str = "Ready", conditions: tuple[Condition, ...] = ()) -> Info:
    """A workload whose places are sought when its checks are ready."""
    status = WorkloadStatus(
        conditions=(RESERVED, *conditions),
        admission=Admission("cq", (PodSetAssignment(delayed_topology_request="Pending"),)),
        admission_checks=(AdmissionCheckState("check", check),),
    )
    return info(name, obj=workload(name, status=status))


def cluster_queue(
    name: str,
    *,
    cohort: str = "",
    strategy: str = BEST_EFFORT_FIFO,
    selector: LabelSelector | None = EVERYWHERE,
    is_fair: bool = False,
) -> ClusterQueue:
    return ClusterQueue(
        ObjectMeta(name=name),
        ClusterQueueSpec(
            cohort_name=cohort,
            queueing_strategy=strategy,
            namespace_selector=selector,
            admission_scope=AdmissionScope(USAGE_BASED) if is_fair else None,
        ),
    )


def local_queue(
    name: str, target: str, *, namespace: str = "ns", weight: str | None = None
) -> LocalQueue:
    return LocalQueue(
        ObjectMeta(name=name, namespace=namespace),
        LocalQueueSpec(target, fair_sharing=None if weight is None else FairSharing(weight)),
    )


class Lines:
    """Queues over a forest that is told of ClusterQueues first, as the controllers do."""

    def __init__(self, fair_sharing: AdmissionFairSharing | None = None) -> None:
        self.forest = Forest()
        self.labels: dict[str, dict[str, str]] = {"ns": {}}
        self.queues = Queues(self.forest, self.labels.get, fair_sharing)

    def cluster_queue(self, name: str, *, now: float = NOW, **given: object) -> None:
        queue = cluster_queue(name, **given)  # type: ignore[arg-type]  # passed through
        self.forest.put_cluster_queue(name, {}, cohort=queue.spec.cohort_name, weight=1.0)
        self.queues.put_cluster_queue(queue, now)

    def local_queue(self, name: str, target: str, *, weight: str | None = None) -> None:
        self.queues.put_local_queue(local_queue(name, target, weight=weight), NOW)

    def heads(self, now: float = NOW) -> list[str]:
        return [info.obj.metadata.name for info in self.queues.heads(now)]
