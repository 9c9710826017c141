"""Sees what happens on one member, through the informers its own controllers have, and tells the ledger.

Nothing is decoded or listed for it: a handler more per kind is all it costs. It sees a member that is cut off from the
hub as well as any other.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects import Node, Pod
from argosy.api.objects.jobs import Job
from argosy.api.objects.jobsets import JobSet
from argosy.api.objects.kueue.workloads import EVICTED, Workload
from argosy.api.objects.metadata import ObjectMeta, is_true
from argosy.api.wellknown import NODE_POOL
from argosy.base.quantities import NANOS, parse
from argosy.base.types import Object
from argosy.client.resources import JOBS, NODES, WORKLOADS
from argosy.control.assemblies import Assembly
from argosy.fleet.shapes import MemberShape, PoolShape
from argosy.simulation.ledgers import COMPLETE, FAILED, Ledger, Record
from argosy.workloads.jobsets.names import JOB_SETS
from argosy.workloads.pods.caches import pod_informer

_JOB: Final = "batch.kubernetes.io/job-name"
# Jobs with selectors of their own label their pods as their authors know it.
_OLD_JOB: Final = "job-name"
JOB_SET: Final = "jobset.sigs.k8s.io/jobset-name"
GPU: Final = "nvidia.com/gpu"


class Watcher:
    """Of one member. `unit`: the resource that is counted."""

    def __init__(self, plan: MemberShape, ledger: Ledger, unit: str) -> None:
        self._cluster = plan.name
        self._ledger = ledger
        self._unit = unit
        self._pools = {pool.name: pool for pool in plan.pools}
        # Running pods by uid: whose they are, since when, and what an hour costs.
        self._running: dict[str, tuple[Record, float, float]] = {}

    def follow(self, assembly: Assembly) -> None:
        """Be told by the member's own informers; before they run."""
        assembly.informer(JOBS, Job).add_handler(self._job)
        assembly.informer(JOB_SETS, JobSet).add_handler(self._job_set)
        assembly.informer(WORKLOADS, Workload).add_handler(self._workload)
        assembly.informer(NODES, Node).add_handler(self._node)
        pod_informer(assembly).add_handler(self._pod)

    def close(self) -> None:
        """The end of the scenario: what runs has run until now."""
        now = self._ledger.now
        for record, since, price in self._running.values():
            work = record.units * (now - since)
            record.used += work
            record.cost += price * (now - since) / 3600.0

    # Machines.

    def _node(self, old: Node | None, new: Node | None) -> None:
        if old is not None and new is not None:
            if old.status.allocatable == new.status.allocatable:
                return
            self._node(old, None)
            self._node(None, new)
            return
        node = new or old
        assert node is not None
        sign = 1 if new is not None else -1
        pool = self._pools.get(node.metadata.labels.get(NODE_POOL, ""))
        price = float(pool.spec.get("pricePerHour", 0)) if pool is not None else 0.0
        ledger, cluster = self._ledger, self._cluster
        ledger.add("nodes", cluster, sign)
        ledger.add("capacity", cluster, sign * amount(node.status.allocatable, self._unit))
        ledger.add("cores", cluster, sign * amount(node.status.allocatable, "cpu"))
        ledger.add("price", cluster, sign * price)

    # Jobs.

    def _job(self, old: Job | None, new: Job | None) -> None:
        meta = (new or old).metadata  # type: ignore[union-attr]  # one of them is there
        if meta.controller is None:
            self._owner(meta, old, new, "Complete")

    def _job_set(self, old: JobSet | None, new: JobSet | None) -> None:
        meta = (new or old).metadata  # type: ignore[union-attr]  # one of them is there
        self._owner(meta, old, new, "Completed")

    def _owner(
        self, meta: ObjectMeta, old: Job | JobSet | None, new: Job | JobSet | None, good: str
    ) -> None:
        record = self._ledger.jobs.get(meta.key)
        if record is None:
            return
        if old is None:
            self._ledger.placed(record, self._cluster)
        if new is None:
            if old is not None and not old.is_finished:
                self._ledger.gone(record, self._cluster)
            return
        if new.is_finished and not (old is not None and old.is_finished):
            is_good = is_true(new.status.conditions, good)
            self._ledger.ended(record, self._cluster, COMPLETE if is_good else FAILED)

    def _workload(self, old: Workload | None, new: Workload | None) -> None:
        if new is None:
            return
        owner = new.metadata.controller
        record = self._ledger.jobs.get((new.metadata.namespace, owner.name if owner else ""))
        if record is None:
            return
        if new.is_admitted and not (old is not None and old.is_admitted):
            admission = new.status.admission
            flavors = {
                flavor
                for each in (admission.pod_set_assignments if admission else ())
                for flavor in each.flavors.values()
            }
            self._ledger.admitted(record, self._cluster, ",".join(sorted(flavors)))
        if new.is_evicted and not (old is not None and old.is_evicted):
            condition = new.condition(EVICTED)
            reason = condition.reason if condition is not None else ""
            self._ledger.evicted(record, self._cluster, reason)

    # Pods.

    def _pod(self, old: Pod | None, new: Pod | None) -> None:
        phase = new.status.phase if new is not None else "Gone"
        if phase == "Failed" and new is not None and new.metadata.deletion_timestamp is not None:
            # It was ended, for somebody else or with its job; it did not fail.
            phase = "Gone"
        uid = (new or old).metadata.uid  # type: ignore[union-attr]  # one of them is there
        if phase == "Running":
            if uid not in self._running and new is not None:
                self._began(new)
        elif uid in self._running:
            record, since, price = self._running.pop(uid)
            self._ledger.pod_ended(record, self._cluster, self._ledger.now - since, price, phase)

    def _began(self, pod: Pod) -> None:
        labels = pod.metadata.labels
        name = labels.get(JOB_SET) or labels.get(_JOB) or labels.get(_OLD_JOB, "")
        record = self._ledger.jobs.get((pod.metadata.namespace, name))
        if record is None:
            return
        self._running[pod.metadata.uid] = (record, self._ledger.now, self._price(pod))
        self._ledger.pod_began(record, self._cluster)

    def _price(self, pod: Pod) -> float:
        """What an hour of the pod costs: the share of its machine that it keeps others from using."""
        pool = self._pools.get(pod.spec.node_name.rpartition("-")[0])
        if pool is None:
            return 0.0
        wants: dict[str, float] = {}
        for container in pod.spec.containers:
            for name, text in container.resources.requests.items():
                wants[name] = wants.get(name, 0.0) + parse(text).nanos / NANOS
        has = machine(pool)
        share = max((wants[name] / has[name] for name in wants if has.get(name)), default=0.0)
        return share * float(pool.spec.get("pricePerHour", 0))


def amount(quantities: dict[str, str], resource: str) -> float:
    """So much of a resource there is."""
    text = quantities.get(resource)
    return parse(text).nanos / NANOS if text else 0.0


def machine(pool: PoolShape) -> dict[str, float]:
    """What one machine of a pool has."""
    given: Object = pool.spec.get("machine") or {}
    sizes: dict[str, float] = {
        name: parse(str(given[name])).nanos / NANOS for name in ("cpu", "memory") if name in given
    }
    sizes[GPU] = float(given.get("gpus", 0))
    for name, text in (given.get("extendedResources") or {}).items():
        sizes[name] = parse(str(text)).nanos / NANOS
    return sizes
