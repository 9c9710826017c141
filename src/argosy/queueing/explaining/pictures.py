"""The scheduler's picture of a cluster, drawn from its API objects: what is used, what waits, and how it would decide.

Whoever can list the objects can see what the scheduler sees, without being it: the cache is the scheduler's own, filled
once, and a workload is looked at by the same nomination. So explanations work for any cluster, whoever schedules there.

Two things are not in objects and are read from what the scheduler left in them. Fair sharing is on where statuses tell
shares. Requests that the configuration transforms are taken from a waiting workload's status, once it was looked at.

Users who may not list all workloads see only some of those that hold quota. The rest is known from the ClusterQueues'
statuses, as amounts that nobody in particular holds (`sees_all` False). Without ClusterQueues nothing can be worked
out, and what conditions say has to do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from argosy.api.objects.core import Namespace
from argosy.api.objects.kueue.checks import AdmissionCheck, Topology
from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.limits import LimitRange, RuntimeClass
from argosy.queueing.cache.caches import Cache
from argosy.queueing.cycles.nominating import Nominator, Surroundings
from argosy.queueing.flavors.assigning import Assigner
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.queues.heaps import rank_of
from argosy.queueing.quotas.amounts import FlavorResource, Usage, amount, amounts
from argosy.queueing.workloads.adjusting import adjusted
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.limitranges import Summary, summarize
from argosy.queueing.workloads.making import Infos
from argosy.queueing.workloads.phases import holds_quota, is_admissible

_INFOS: Final = Infos()


@dataclass(slots=True, frozen=True)
class Objects:
    """What was listed, in any order. `sees_all`: no workload is hidden from whoever listed them; `sees_queues`: nor are
    ClusterQueues.
    """

    cluster_queues: Sequence[ClusterQueue] = ()
    cohorts: Sequence[Cohort] = ()
    flavors: Sequence[ResourceFlavor] = ()
    checks: Sequence[AdmissionCheck] = ()
    topologies: Sequence[Topology] = ()
    local_queues: Sequence[LocalQueue] = ()
    workloads: Sequence[Workload] = ()
    namespaces: Sequence[Namespace] = ()
    limit_ranges: Sequence[LimitRange] = ()
    runtime_classes: Sequence[RuntimeClass] = ()
    sees_all: bool = True
    sees_queues: bool = True


class Picture:
    """What is known of a cluster's queues at one moment."""

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self.sees_all = objects.sees_all
        self.sees_queues = objects.sees_queues
        self.cache = _cache(objects)
        self.local_queues: Mapping[tuple[str, str], LocalQueue] = {
            queue.metadata.key: queue for queue in objects.local_queues
        }
        self.namespaces: Mapping[str, Namespace] = {
            one.metadata.name: one for one in objects.namespaces
        }

    @cached_property
    def is_fair_sharing(self) -> bool:
        """Whether shares are told anywhere: statuses have them only with fair sharing on."""
        owners: Iterable[ClusterQueue | Cohort] = (
            *self.objects.cluster_queues,
            *self.objects.cohorts,
        )
        return any(one.status.fair_sharing is not None for one in owners)

    @cached_property
    def nominator(self) -> Nominator:
        return Nominator(
            Assigner(is_fair_sharing=self.is_fair_sharing),
            Preemptor(FairSharing() if self.is_fair_sharing else None),
            Surroundings(self.namespaces.get, self.limits),
        )

    def limits(self, namespace: str) -> Summary:
        ranges = self.objects.limit_ranges
        return summarize(one for one in ranges if one.metadata.namespace == namespace)

    def cluster_queue_of(self, workload: Workload) -> str:
        """Where a workload waits or holds quota; empty where its LocalQueue is not there."""
        admission = workload.status.admission
        if admission is not None and admission.cluster_queue:
            return admission.cluster_queue
        local = self.local_queues.get((workload.metadata.namespace, workload.spec.queue_name))
        return local.spec.cluster_queue if local is not None else ""

    def waits_in(self, workload: Workload) -> str:
        """The ClusterQueue in whose line a workload stands; empty where it stands in none."""
        if not is_admissible(workload):
            return ""
        local = self.local_queues.get((workload.metadata.namespace, workload.spec.queue_name))
        if local is None or local.metadata.deletion_timestamp is not None:
            return ""
        return local.spec.cluster_queue if local.spec.stop_policy in {"", "None"} else ""

    def line(self, cluster_queue: str) -> list[Info]:
        """What waits in a ClusterQueue, first the first; with its place, not with its requests."""
        waiting = [
            Info(
                workload,
                (),
                cluster_queue=cluster_queue,
                priority=workload.spec.priority or 0,
                order_time=_INFOS.order_time(workload),
            )
            for workload in self.objects.workloads
            if self.waits_in(workload) == cluster_queue
        ]
        return sorted(waiting, key=rank_of)

    @cached_property
    def waiting_counts(self) -> Mapping[str, int]:
        """How many workloads wait, by ClusterQueue."""
        return Counter(self.waits_in(workload) for workload in self.objects.workloads)

    def info(self, workload: Workload) -> Info:
        """A workload with what it asks for."""
        classes = {one.metadata.name: one for one in self.objects.runtime_classes}
        full = adjusted(workload, self.limits(workload.metadata.namespace), classes)
        info = _INFOS.make(full, self.cluster_queue_of(workload))
        told = _told_requests(workload)
        if told and workload.status.admission is None:
            info.total_requests = tuple(
                replace(one, requests=told[one.name]) for one in info.total_requests
            )
        return info


def _cache(objects: Objects) -> Cache:
    cache = Cache()
    for flavor in objects.flavors:
        cache.put_flavor(flavor)
    for check in objects.checks:
        cache.put_check(check)
    for topology in objects.topologies:
        cache.put_topology(topology)
    for cohort in objects.cohorts:
        cache.put_cohort(cohort)
    for queue in objects.cluster_queues:
        cache.put_cluster_queue(queue)
    for workload in objects.workloads:
        if holds_quota(workload) and workload.status.admission is not None:
            cache.add_workload(_INFOS.make(workload))
    if not objects.sees_all:
        for queue in objects.cluster_queues:
            cache.forest.add(queue.metadata.name, _unseen(queue, cache))
    return cache


def _unseen(queue: ClusterQueue, cache: Cache) -> Usage:
    """What a ClusterQueue says is reserved and no visible workload holds."""
    holdings = cache.holdings.get(queue.metadata.name)
    seen = holdings.reserved if holdings is not None else {}
    found: Usage = {}
    for flavor in queue.status.flavors_reservation:
        for resource in flavor.resources:
            where = FlavorResource(flavor.name, resource.name)
            hidden = amount(resource.name, resource.total) - seen.get(where, 0)
            if hidden > 0:
                found[where] = hidden
    return found


def _told_requests(workload: Workload) -> dict[str, dict[str, int]]:
    """The requests of each pod set as the scheduler counted them; none unless it told all of them."""
    told = {one.name: amounts(one.resources) for one in workload.status.resource_requests}
    names = {pod_set.name for pod_set in workload.spec.pod_sets}
    return told if told.keys() == names else {}
