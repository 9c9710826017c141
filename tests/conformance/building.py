"""The heart's state from a case's objects: queues in their trees, flavors, and the workloads that hold quota.

What a case says of the configuration (its options, and the gates that may be set here) becomes the arguments of the
heart's parts in this one place, so that every area honors all of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.metadata import View, decoder
from argosy.base.durations import parse_duration
from argosy.queueing.cache.clusterqueues import (
    CachedQueue,
    groups_of,
    namespaces_of,
    quotas_of,
    weight_of,
)
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.preemption.strategies import strategies_of
from argosy.queueing.queues.consuming import AdmissionFairSharing
from argosy.queueing.quotas.amounts import UNLIMITED, FlavorResource, Usage, amount, printed
from argosy.queueing.quotas.forest import Forest
from argosy.queueing.workloads.making import Infos
from argosy.queueing.workloads.transforming import Transformation
from tests.conformance.cases import Case

V = TypeVar("V", bound=View)
_UNLIMITED = "unlimited"


def view(kind: type[V], obj: Mapping[str, Any]) -> V:
    """An object of a case as a typed view. No API server has given it its defaults."""
    read: V = decoder(kind)(json.dumps(_named(obj) if kind is Workload else obj).encode())
    return read


def _named(workload: Mapping[str, Any]) -> Mapping[str, Any]:
    """A workload whose pod sets have the empty name where they have none."""
    spec, status = workload.get("spec") or {}, workload.get("status") or {}
    admission = status.get("admission")
    return {
        **workload,
        "spec": spec | _with_names(spec, "podSets"),
        "status": status
        | (
            {"admission": admission | _with_names(admission, "podSetAssignments")}
            if admission
            else {}
        ),
    }


def _with_names(part: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {name: [{"name": ""} | one for one in part[name]]} if part.get(name) else {}


def views(kind: type[V], objects: Iterable[Mapping[str, Any]] | None) -> list[V]:
    return [view(kind, obj) for obj in objects or ()]


def key_of(obj: Mapping[str, Any]) -> str:
    """Namespace and name of an object."""
    metadata = obj.get("metadata") or {}
    return f"{metadata.get('namespace') or ''}/{metadata.get('name') or ''}"


# The configuration.


def infos(case: Case, **options: Any) -> Infos:
    """Makes infos of workloads as the case's configuration says."""
    gates = case.gates
    given: dict[str, Any] = {
        "excluded_prefixes": tuple(case.options.get("excludedResourcePrefixes") or ()),
        "transformations": transformations(case.options.get("resourceTransformations")),
        "boosts": gates.get("PriorityBoost", False),
        "reclaims": gates.get("ReclaimablePods", True),
        "by_priority": gates.get("PrioritySortingWithinCohort", True),
        "variants": gates.get("ConcurrentAdmission", False),
        "compares": gates.get("SchedulingEquivalenceHashing", True),
    }
    return Infos(**given | options)


def transformations(given: Any) -> dict[str, Transformation]:
    """Rules in a list, or by the resource they are for."""
    rules = given.values() if isinstance(given, dict) else given or ()
    return {
        rule["input"]: Transformation(
            rule.get("outputs") or {},
            rule.get("strategy") or "Retain",
            rule.get("multiplyBy") or "",
        )
        for rule in rules
    }


def fair_sharing(case: Case) -> FairSharing | None:
    given = case.options.get("fairSharing") or {}
    if not given.get("enabled"):
        return None
    return FairSharing(
        strategies_of(given.get("preemptionStrategies")),
        case.gates.get("FairSharingPreemptWithinNominal", True),
    )


def admission_fair_sharing(
    case: Case, config: Mapping[str, Any] | None
) -> AdmissionFairSharing | None:
    if config is None or case.gates.get("AdmissionFairSharing") is False:
        return None
    return AdmissionFairSharing(
        parse_duration(config.get("usageHalfLifeTime") or "0s"),
        parse_duration(config.get("usageSamplingInterval") or "5m"),
        config.get("resourceWeights") or {},
    )


# The state.


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


def is_counted(workload: Workload) -> bool:
    """Whether Kueue's cache takes the workload for one that holds quota."""
    return workload.has_quota_reservation and not workload.is_finished


def snapshot(case: Case) -> Snapshot:
    """The case's ClusterQueues with the workloads that hold quota in them."""
    trees = forest(case)
    queues = {}
    for queue in views(ClusterQueue, case.objects.get("clusterQueues")):
        name, spec = queue.metadata.name, queue.spec
        node = trees.cluster_queue(name)
        if node is None:  # Its cohorts are in a cycle; no snapshot has it.
            continue
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
    maker = infos(case)
    for workload in views(Workload, case.objects.get("workloads")):
        info = maker.make(workload)
        if is_counted(workload) and info.cluster_queue in queues:
            found.add(info)
    return found


# Amounts.


def usage(given: Mapping[str, Mapping[str, str]] | None) -> Usage:
    """Amounts by flavor and resource, as cases nest them."""
    return {
        FlavorResource(flavor, resource): UNLIMITED
        if text == _UNLIMITED
        else amount(resource, text)
        for flavor, resources in (given or {}).items()
        for resource, text in (resources or {}).items()
    }


def nested(given: Mapping[FlavorResource, int]) -> dict[str, dict[str, str]]:
    """The opposite of `usage`."""
    found: dict[str, dict[str, str]] = {}
    for (flavor, resource), value in given.items():
        # What is left of an unlimited amount is unlimited, too.
        text = _UNLIMITED if value > 0.9 * UNLIMITED else printed(resource, value)
        found.setdefault(flavor, {})[resource] = text
    return found
