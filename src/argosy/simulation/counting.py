"""Sees a member from outside, over its API: pods by what their Jobs say of them, machines by what their pools say.

To follow 140,000 pods and 70,000 nodes one by one would cost more than the fleet itself. A Job's status has how many of
its pods are ready, have succeeded and have failed, and is written once for many of them. So each pod is known to begin
and to end, but not which: the one that began first is taken for the one that ends first. Pods that came and went
between two statuses are counted with the time they were to run. What a pod costs is the mean over its member's pools.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from argosy.api.objects.jobs import Job, JobStatus
from argosy.api.objects.jobsets import JobSet
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.nodepools import NodePool
from argosy.base.quantities import NANOS, parse
from argosy.base.types import Object
from argosy.client.resources import JOBS, NODE_POOLS, WORKLOADS
from argosy.control.assemblies import Assembly
from argosy.fleet.shapes import MemberShape
from argosy.simulation.ledgers import Ledger, Record
from argosy.simulation.watching import JOB_SET, Watcher, machine
from argosy.workloads.jobsets.names import JOB_SETS


@dataclass(slots=True)
class _Tally:
    """The pods of one Job that are known: when those began that run, and how many have ended."""

    record: Record
    price: float
    began: deque[float] = field(default_factory=deque)
    succeeded: int = 0
    failed: int = 0


class Counting(Watcher):
    """Of one member."""

    def __init__(self, plan: MemberShape, ledger: Ledger, unit: str) -> None:
        super().__init__(plan, ledger, unit)
        self._tallies: dict[str, _Tally] = {}

    def follow(self, assembly: Assembly) -> None:
        assembly.informer(NODE_POOLS, NodePool).add_handler(self._pool)
        assembly.informer(JOB_SETS, JobSet).add_handler(self._job_set)
        assembly.informer(WORKLOADS, Workload).add_handler(self._workload)
        assembly.informer(JOBS, Job).add_handler(self._counted)

    def close(self) -> None:
        now = self._ledger.now
        for tally in self._tallies.values():
            for since in tally.began:
                tally.record.used += tally.record.units * (now - since)
                tally.record.cost += tally.price * (now - since) / 3600.0

    # Machines.

    def _pool(self, old: NodePool | None, new: NodePool | None) -> None:
        name = (new or old).metadata.name  # type: ignore[union-attr]  # one of them is there
        pool = self._pools.get(name)
        more = _nodes(new) - _nodes(old)
        if not more or pool is None:
            return
        has = machine(pool)
        ledger, cluster = self._ledger, self._cluster
        ledger.add("nodes", cluster, more)
        ledger.add("capacity", cluster, more * has.get(self._unit, 0.0))
        ledger.add("cores", cluster, more * has.get("cpu", 0.0))
        ledger.add("price", cluster, more * float(pool.spec.get("pricePerHour", 0)))

    # Pods.

    def _counted(self, old: Job | None, new: Job | None) -> None:
        self._count(old, new)
        self._job(old, new)

    def _count(self, old: Job | None, new: Job | None) -> None:
        job = new or old
        assert job is not None
        uid = job.metadata.uid
        tally = self._tallies.get(uid)
        if tally is None:
            if new is None or (record := self._record(job)) is None:
                return
            tally = self._tallies[uid] = _Tally(record, self._mean_price(job))
        status = new.status if new is not None else JobStatus(succeeded=tally.succeeded)
        self._take(tally, status)
        if new is None:
            del self._tallies[uid]

    def _take(self, tally: _Tally, status: JobStatus) -> None:
        uncounted = status.uncounted_terminated_pods
        succeeded = status.succeeded + (len(uncounted.succeeded) if uncounted else 0)
        failed = status.failed + (len(uncounted.failed) if uncounted else 0)
        good, bad = max(0, succeeded - tally.succeeded), max(0, failed - tally.failed)
        tally.succeeded = max(tally.succeeded, succeeded)
        tally.failed = max(tally.failed, failed)
        ready, now = status.ready or 0, self._ledger.now
        # Some of those that are ready now may have come in the place of some that ended.
        going = min(len(tally.began), max(good + bad, len(tally.began) - ready))
        for _ in range(going):
            outcome = "Succeeded" if good else "Failed" if bad else "Gone"
            good, bad = good - (outcome == "Succeeded"), bad - (outcome == "Failed")
            seconds = now - tally.began.popleft()
            self._ledger.pod_ended(tally.record, self._cluster, seconds, tally.price, outcome)
        tally.record.pod_failures += bad
        unseen = good * tally.record.seconds
        tally.record.used += unseen * tally.record.units
        tally.record.cost += unseen * tally.price / 3600.0
        for _ in range(ready - len(tally.began)):
            tally.began.append(now)
            self._ledger.pod_began(tally.record, self._cluster)

    def _record(self, job: Job) -> Record | None:
        meta = job.metadata
        name = meta.labels.get(JOB_SET) or meta.name
        return self._ledger.jobs.get((meta.namespace, name))

    def _mean_price(self, job: Job) -> float:
        """What an hour of one of its pods costs, over the pools of the member."""
        containers: list[Object] = job.spec.template.get("spec", {}).get("containers", [])
        wants: dict[str, float] = {}
        for container in containers:
            requests = (container.get("resources") or {}).get("requests") or {}
            for name, text in requests.items():
                wants[name] = wants.get(name, 0.0) + parse(str(text)).nanos / NANOS
        prices = []
        for pool in self._pools.values():
            has = machine(pool)
            share = max((wants[name] / has[name] for name in wants if has.get(name)), default=0.0)
            prices.append(share * float(pool.spec.get("pricePerHour", 0)))
        return sum(prices) / len(prices) if prices else 0.0


def _nodes(pool: NodePool | None) -> int:
    return pool.status.nodes if pool is not None else 0
