"""What is counted of workloads' lives, under the names dashboards know."""

from __future__ import annotations

from argosy.api.objects.kueue.workloads import PriorityClassRef
from argosy.base.metrics import Registry
from argosy.queueing.metrics.lives import WorkloadMetrics
from argosy.queueing.workloads.evicting import evict
from argosy.queueing.workloads.reserving import reserve, sync_admitted
from tests.unit.queueing.workloads.builders import (
    ADMISSION,
    NOW,
    admitted,
    ago,
    condition,
    draft,
    with_spec,
    workload,
)

HIGH = PriorityClassRef("kueue.x-k8s.io", "WorkloadPriorityClass", "high")
QUEUE = 'cluster_queue="cq",priority_class="high",replica_role="standalone"'
LOCAL = 'name="lq",namespace="ns",priority_class="high",replica_role="standalone"'


def counted(registry: Registry) -> list[str]:
    """Counts and sums that are there, without buckets."""
    lines = registry.exposition().decode().splitlines()
    return [line for line in lines if not line.startswith("#") and "_bucket" not in line]


def test_reserved_quota_and_admissions_are_counted_with_their_waits() -> None:
    registry = Registry()
    metrics = WorkloadMetrics(registry)
    created = workload(metadata={"creation_timestamp": ago(40)}, spec={"priority_class_ref": HIGH})
    changed = draft(created)
    reserve(changed, ADMISSION)
    metrics.reserved(changed)
    sync_admitted(changed)
    metrics.admitted(changed)
    got = counted(registry)
    for want in (
        f"kueue_quota_reserved_workloads_total{{{QUEUE}}} 1",
        f"kueue_quota_reserved_wait_time_seconds_sum{{{QUEUE}}} 40",
        f"kueue_admitted_workloads_total{{{QUEUE}}} 1",
        f"kueue_admission_wait_time_seconds_sum{{{QUEUE}}} 40",
        f"kueue_admission_checks_wait_time_seconds_sum{{{QUEUE}}} 0",
        f"kueue_local_queue_admitted_workloads_total{{{LOCAL}}} 1",
    ):
        assert want in got


def test_evictions_are_counted_each_time_and_once_per_workload() -> None:
    registry = Registry()
    metrics = WorkloadMetrics(registry)
    changed = draft(
        with_spec(admitted(condition("PodsReady", seconds_ago=30)), priority_class_ref=HIGH)
    )
    for _ in range(2):
        eviction = evict(changed, "PodsReadyTimeout", "slow", "WaitForRecovery")
        assert eviction is not None
        metrics.evicted(changed.workload, eviction)
    why = 'reason="PodsReadyTimeout",underlying_cause="WaitForRecovery"'
    labels = f'cluster_queue="cq",{why},priority_class="high",replica_role="standalone"'
    got = counted(registry)
    assert f"kueue_evicted_workloads_total{{{labels}}} 2" in got
    assert f"kueue_evicted_workloads_once_total{{{labels}}} 1" in got
    ran = f'cluster_queue="cq",{why},replica_role="standalone"'
    assert f"kueue_pods_ready_to_evicted_time_seconds_sum{{{ran}}} 60" in got


def test_what_others_write_is_counted_when_it_is_seen() -> None:
    registry = Registry()
    metrics = WorkloadMetrics(registry)
    runs = with_spec(
        admitted(condition("PodsReady", "False", "WaitForStart"), seconds_ago=50),
        priority_class_ref=HIGH,
    )
    ready = with_spec(
        admitted(condition("PodsReady", "True", "Started", seconds_ago=20), seconds_ago=50),
        priority_class_ref=HIGH,
    )
    done = with_spec(
        admitted(condition("PodsReady"), condition("Finished", seconds_ago=10), seconds_ago=50),
        priority_class_ref=HIGH,
    )
    for old, new in ((runs, runs), (runs, ready), (ready, ready), (ready, done), (done, done)):
        metrics.changed(old, new, NOW)
    got = counted(registry)
    for want in (
        f"kueue_admitted_until_ready_wait_time_seconds_count{{{QUEUE}}} 1",
        f"kueue_admitted_until_ready_wait_time_seconds_sum{{{QUEUE}}} 30",
        f"kueue_finished_workloads_total{{{QUEUE}}} 1",
        f"kueue_execution_time_seconds_sum{{{QUEUE}}} 40",
    ):
        assert want in got


def test_the_time_from_eviction_to_free_quota_is_measured() -> None:
    registry = Registry()
    metrics = WorkloadMetrics(registry)
    evicted = condition("Evicted", "True", "Preempted", seconds_ago=15)
    metrics.changed(admitted(evicted), workload(evicted), NOW)
    labels = 'cluster_queue="cq",reason="Preempted",replica_role="standalone"'
    assert f"kueue_workload_eviction_latency_seconds_sum{{{labels}}} 15" in counted(registry)
