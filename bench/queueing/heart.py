"""The heart alone: 1,000 ClusterQueues in 10 cohorts and up to 50,000 pending workloads, no API.

Rows: classical without preemption, and fair sharing with preemption configured; with 5,000, 20,000 and 50,000 pending.
`all fit`: quota for everybody, so every head is admitted. `crowded`: quota for a fifth; whoever runs finishes when a
cycle admits nobody, which frees its quota for the next. An admission is everything from the head of its queue to the
status that would be written; the cost per admission should not depend on how many wait.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from argosy.api.objects import Namespace, ObjectMeta
from argosy.api.objects.kueue.localqueues import LocalQueue, LocalQueueSpec
from argosy.api.objects.kueue.quotas import (
    ClusterQueue,
    ClusterQueuePreemption,
    ClusterQueueSpec,
    FlavorQuotas,
    ResourceFlavor,
    ResourceGroup,
    ResourceQuota,
)
from argosy.api.objects.kueue.workloads import PodSet, Workload, WorkloadSpec
from argosy.api.objects.metadata import LabelSelector
from argosy.queueing.cache.caches import Cache
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.cycles.nominating import Nominator, Surroundings
from argosy.queueing.cycles.ordering import Classical, Fair
from argosy.queueing.cycles.scheduling import Scheduler
from argosy.queueing.cycles.writes import Kind
from argosy.queueing.flavors.assigning import Assigner
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.preemption.strategies import strategies_of
from argosy.queueing.queues.queues import Queues
from argosy.queueing.workloads.making import Infos
from bench.apiserver.printing import aligned

QUEUES, COHORTS = 1000, 10
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Row:
    name: str
    pending: int
    is_fair: bool
    share: float  # of the workloads that fit at once


def engine(row: Row) -> Engine:
    cache = Cache()
    namespace = Namespace(ObjectMeta(name="ns"))
    queues = Queues(cache.forest, lambda _: {})
    fair = FairSharing(strategies_of(None)) if row.is_fair else None
    nominator = Nominator(
        Assigner(is_fair_sharing=row.is_fair),
        Preemptor(fair),
        Surroundings(lambda _: namespace, lambda _: {}),
    )
    scheduler = Scheduler(nominator, Fair if row.is_fair else Classical)
    found = Engine(cache, queues, scheduler, Infos())
    now = START.timestamp()
    found.put_flavor(ResourceFlavor(ObjectMeta(name="default")), now)
    quota = str(max(1, round(row.pending / QUEUES * row.share)))
    preemption = (
        ClusterQueuePreemption("LowerPriority", "Any") if row.is_fair else ClusterQueuePreemption()
    )
    for number in range(QUEUES):
        spec = ClusterQueueSpec(
            resource_groups=(
                ResourceGroup(("cpu",), (FlavorQuotas("default", (ResourceQuota("cpu", quota),)),)),
            ),
            cohort_name=f"cohort-{number % COHORTS}",
            namespace_selector=LabelSelector(),
            preemption=preemption,
        )
        found.put_cluster_queue(ClusterQueue(ObjectMeta(name=f"cq-{number}"), spec), now)
        local = LocalQueue(
            ObjectMeta(name=f"lq-{number}", namespace="ns"), LocalQueueSpec(f"cq-{number}")
        )
        found.put_local_queue(local, now)
    return found


def workloads(count: int) -> Iterator[Workload]:
    template = {
        "spec": {
            "containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}],
            "restartPolicy": "Never",
        }
    }
    for number in range(count):
        meta = ObjectMeta(
            name=f"w-{number}",
            namespace="ns",
            uid=f"u-{number}",
            creation_timestamp=START + timedelta(seconds=number // 1000),
        )
        spec = WorkloadSpec(
            pod_sets=(PodSet(template=template),),
            queue_name=f"lq-{number % QUEUES}",
            priority=50 + number % 3,
        )
        yield Workload(meta, spec)


def measure(row: Row) -> list[str]:
    heart = engine(row)
    began = time.perf_counter()
    for workload in workloads(row.pending):
        heart.put_workload(workload, START.timestamp())
    queued = time.perf_counter() - began
    gc.collect()
    admitted, running, now = 0, [], START
    began = time.process_time()
    while admitted < row.pending:
        now += timedelta(seconds=2)
        _, writes = heart.cycle(now)
        news = [write.draft.workload for write in writes if write.kind is Kind.ADMIT]
        admitted += len(news)
        running += news
        if not news:
            for workload in running:
                key = f"{workload.metadata.namespace}/{workload.metadata.name}"
                heart.drop_workload(key, now.timestamp())
            running = []
    spent = time.process_time() - began
    return [
        row.name,
        f"{row.pending:,}",
        f"{1e6 * queued / row.pending:.0f} µs",
        f"{heart.cycles:,}",
        f"{spent:.2f} s",
        f"{1e6 * spent / admitted:.0f} µs",
        f"{admitted / spent:,.0f}",
    ]


def main() -> list[list[str]]:
    lines = [["case", "pending", "to queue one", "cycles", "CPU", "per admission", "admissions/s"]]
    for name, is_fair, share in (
        ("no preemption, all fit", False, 1.0),
        ("no preemption, crowded", False, 0.2),
        ("fair sharing, all fit", True, 1.0),
        ("fair sharing, crowded", True, 0.2),
    ):
        for pending in (5_000, 20_000, 50_000):
            lines.append(measure(Row(name, pending, is_fair, share)))
            print("  ".join(lines[-1]), flush=True)
    print()
    print(aligned(lines))
    return lines


if __name__ == "__main__":
    main()
