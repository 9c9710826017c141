"""What the heart knows of ClusterQueues and cohorts, in the words of the cases.

Left out are what Kueue counts for itself (`allocatableResourceGeneration`: how often a tree was looked at anew) and the
weight of a cohort that nobody describes: it is the root of its tree, and shares have no use for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argosy.api.objects.kueue.quotas import ClusterQueue, ClusterQueuePreemption, FlavorFungibility
from argosy.queueing.cache.caches import Cache
from argosy.queueing.cache.clusterqueues import groups_of, quotas_of, weight_of
from argosy.queueing.cache.holdings import Holdings
from argosy.queueing.cache.readiness import Readiness
from argosy.queueing.quotas.amounts import FlavorResource, printed
from argosy.queueing.quotas.nodes import Node, Quota
from tests.conformance.building import nested

NOT_SHOWN = ("allocatableResourceGeneration", "tasFlavors")


def status_of(judged: Readiness) -> str:
    """In the words of Kueue's cache."""
    if judged.is_terminating:
        return "terminating"
    return "active" if judged.is_active else "pending"


def cluster_queue(cache: Cache, name: str) -> dict[str, Any]:
    """A ClusterQueue in a cache. One whose cohorts are in a cycle has no place in a tree to be shown."""
    queue = cache.objects[name]
    node = cache.forest.cluster_queue(name)
    held = sorted(info.key for info in cache.holders(name))
    return {
        **policies(queue),
        "cohort": queue.spec.cohort_name,
        "status": status_of(cache.readiness(name)),
        "workloads": held,
        "workloadsNotReady": [key for key in held if key in cache.unready],
        "admittedUsage": amounts(nested(cache.holdings.get(name, Holdings()).used)),
        **(tree(node) if node is not None else {}),
    }


def policies(queue: ClusterQueue) -> dict[str, Any]:
    spec = queue.spec
    return {
        "fairWeight": weight_of(spec.fair_sharing.weight if spec.fair_sharing else None),
        "flavorFungibility": _fungibility(spec.flavor_fungibility),
        "preemption": _preemption(spec.preemption),
        "quotas": quotas(quotas_of(spec.resource_groups)),
        "resourceGroups": [
            {"coveredResources": sorted(group.resources), "flavors": list(group.flavors)}
            for group in groups_of(spec.resource_groups)
        ],
    }


def _fungibility(given: FlavorFungibility) -> dict[str, Any]:
    return {
        "whenCanBorrow": given.when_can_borrow,
        "whenCanPreempt": given.when_can_preempt,
        "preference": given.preference,
    }


def _preemption(given: ClusterQueuePreemption) -> dict[str, Any]:
    borrowing = given.borrow_within_cohort
    shown: dict[str, Any] = {
        "reclaimWithinCohort": given.reclaim_within_cohort,
        "withinClusterQueue": given.within_cluster_queue,
    }
    if borrowing is not None and borrowing.policy != "Never":
        shown["borrowWithinCohort"] = {
            "policy": borrowing.policy,
            "maxPriorityThreshold": borrowing.max_priority_threshold,
        }
    return shown


def cohort(cache: Cache, name: str) -> dict[str, Any]:
    """A cohort in a cache; empty if it is in or below a cycle."""
    node = cache.forest.cohort(name)
    if node is None:
        return {}
    return {
        **tree(node),
        "childClusterQueues": [one.name for one in node.children if not one.is_cohort],
        "childCohorts": [one.name for one in node.children if one.is_cohort],
        "parent": node.parent.name if node.parent else "",
        "fairWeight": node.weight if name in cache.cohorts else 0,
        "quotas": quotas(node.quotas),
    }


def tree(node: Node) -> dict[str, Any]:
    """What a node of a quota tree has, and what is used of it."""
    places = node.layout.positions.items()
    return {
        "subtreeQuota": amounts(nested({fr: node.subtree[place] for fr, place in places})),
        "usage": amounts(nested({fr: node.usage[place] for fr, place in places})),
    }


def quotas(given: Mapping[FlavorResource, Quota]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for (flavor, resource), quota in given.items():
        shown = {"nominal": printed(resource, quota.nominal)}
        if quota.borrowing_limit is not None:
            shown["borrowingLimit"] = printed(resource, quota.borrowing_limit)
        if quota.lending_limit is not None:
            shown["lendingLimit"] = printed(resource, quota.lending_limit)
        found.setdefault(flavor, {})[resource] = shown
    return found


def amounts(given: Mapping[str, Mapping[str, str]] | None) -> dict[str, dict[str, str]]:
    """Amounts without those that are zero."""
    kept = {
        flavor: {resource: text for resource, text in resources.items() if text != "0"}
        for flavor, resources in (given or {}).items()
    }
    return {flavor: resources for flavor, resources in kept.items() if resources}


_AMOUNTS = ("usage", "subtreeQuota", "admittedUsage")


def comparable(want: Mapping[str, Any]) -> dict[str, Any]:
    """A ClusterQueue or cohort of a case: no zero amounts, lists that stand for sets in order."""
    found = dict(want)
    for name in _AMOUNTS:
        if name in found:
            found[name] = amounts(found[name])
    for name in ("workloads", "workloadsNotReady", "childClusterQueues", "childCohorts"):
        if name in found:
            found[name] = sorted(found[name] or ())
    if found.get("resourceGroups"):
        found["resourceGroups"] = [
            group | {"coveredResources": sorted(group.get("coveredResources") or ())}
            for group in found["resourceGroups"]
        ]
    return found
