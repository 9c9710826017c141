"""The heart's state from a case's objects: queues in their trees, flavors, and the workloads that hold quota."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.metadata import View, decoder
from argosy.queueing.cache.clusterqueues import (
    CachedQueue,
    groups_of,
    namespaces_of,
    quotas_of,
    weight_of,
)
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.quotas.amounts import FlavorResource, Usage, amount, printed
from argosy.queueing.quotas.forest import Forest
from argosy.queueing.workloads.making import Infos
from tests.conformance.cases import Case

V = TypeVar("V", bound=View)


def view(kind: type[V], obj: Mapping[str, Any]) -> V:
    """An object of a case as a typed view."""
    return decoder(kind)(json.dumps(obj).encode())


def views(kind: type[V], objects: Iterable[Mapping[str, Any]] | None) -> list[V]:
    return [view(kind, obj) for obj in objects or ()]


def forest(case: Case) -> Forest:
    """The quota trees of a case's ClusterQueues and cohorts, nothing used."""
    trees = Forest()
    for cohort in views(Cohort, case.objects.get("cohorts")):
        trees.put_cohort(
            cohort.metadata.name,
            quotas_of(cohort.spec.resource_groups),
            parent=cohort.spec.parent_name,
            weight=weight_of(cohort.spec.fair_sharing.weight if cohort.spec.fair_sharing else None),
        )
    for queue in views(ClusterQueue, case.objects.get("clusterQueues")):
        trees.put_cluster_queue(
            queue.metadata.name,
            quotas_of(queue.spec.resource_groups),
            cohort=queue.spec.cohort_name,
            weight=weight_of(queue.spec.fair_sharing.weight if queue.spec.fair_sharing else None),
        )
    return trees


def snapshot(case: Case, infos: Infos | None = None) -> Snapshot:
    """The case's ClusterQueues with the workloads that hold quota in them."""
    trees = forest(case)
    queues = {}
    for queue in views(ClusterQueue, case.objects.get("clusterQueues")):
        name, spec = queue.metadata.name, queue.spec
        node = trees.cluster_queue(name)
        assert node is not None, f"ClusterQueue {name} has cohorts in a cycle"
        queues[name] = CachedQueue(
            name,
            groups_of(spec.resource_groups),
            spec.preemption,
            spec.flavor_fungibility,
            namespaces_of(queue),
            spec.queueing_strategy,
            node,
        )
    flavors = views(ResourceFlavor, case.objects.get("resourceFlavors"))
    found = Snapshot(queues, {flavor.metadata.name: flavor for flavor in flavors})
    maker = infos or Infos()
    for workload in views(Workload, case.objects.get("workloads")):
        if workload.has_quota_reservation and not workload.is_finished:
            found.add(maker.make(workload))
    return found


def usage(given: Mapping[str, Mapping[str, str]] | None) -> Usage:
    """Amounts by flavor and resource, as cases nest them."""
    return {
        FlavorResource(flavor, resource): amount(resource, text)
        for flavor, resources in (given or {}).items()
        for resource, text in resources.items()
    }


def nested(given: Mapping[FlavorResource, int]) -> dict[str, dict[str, str]]:
    """The opposite of `usage`."""
    found: dict[str, dict[str, str]] = {}
    for (flavor, resource), value in given.items():
        found.setdefault(flavor, {})[resource] = printed(resource, value)
    return found
