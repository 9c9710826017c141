"""Cohorts above a cohort, ClusterQueue or workload, and what a tree has to give once a cohort of it is deleted."""

from __future__ import annotations

from typing import Any

from argosy.api.objects.kueue.quotas import ClusterQueue
from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.cache.caches import Cache
from tests.conformance import showing
from tests.conformance.areas import runs
from tests.conformance.areas.caches import cache as filled
from tests.conformance.building import view
from tests.conformance.cases import Case
from tests.conformance.comparing import differences

_CYCLE = "cohort has a cycle"


@runs("cohort-tree", "TestAncestors")
def cohorts(case: Case) -> list[str]:
    """A cohort and all above it."""
    forest, name = filled(case).forest, case.input.get("cohortName") or ""
    node = forest.cohort(name)
    is_in_cycle = node is None and name in forest.cohorts()
    names = [one.name for one in node.path()] if node is not None else []
    return differences(case.expected, {"ancestors": names, "error": _CYCLE if is_in_cycle else ""})


@runs("cohort-tree", "TestClusterQueueAncestors")
def cluster_queues(case: Case) -> list[str]:
    """The cohorts above a ClusterQueue, but for the root."""
    cache, queue = filled(case), view(ClusterQueue, case.input["clusterQueue"])
    cache.put_cluster_queue(queue)
    names, error = _above(cache, queue.metadata.name)
    return differences(case.expected, {"ancestors": names[:-1], "error": error})


@runs("cohort-tree", "TestWorkloadAncestors")
def workloads(case: Case) -> list[str]:
    """The cohorts above the ClusterQueue whose quota a workload holds."""
    admission = view(Workload, case.input["workload"]).status.admission
    names, error = _above(filled(case), admission.cluster_queue if admission else "")
    return differences(case.expected, {"ancestors": names, "error": error})


def _above(cache: Cache, queue: str) -> tuple[list[str], str]:
    node = cache.forest.cluster_queue(queue)
    if node is None:
        return [], _CYCLE if cache.forest.is_frozen(queue) else ""
    return [one.name for one in node.path() if one.is_cohort], ""


@runs("cohort-tree", "TestDeleteCohortUpdatesAncestorSubtreeQuota")
def deleting(case: Case) -> list[str]:
    cache = filled(case)
    got = {"subtreeQuotaBefore": _quotas(case, "subtreeQuotaBefore", cache)}
    cache.drop_cohort(case.input["deleteCohort"])
    got["subtreeQuotaAfter"] = _quotas(case, "subtreeQuotaAfter", cache)
    return differences(case.expected, got)


def _quotas(case: Case, key: str, cache: Cache) -> dict[str, Any]:
    """Of the cohorts that are asked for."""
    asked = case.expected.get(key) or {}
    return {name: showing.cohort(cache, name).get("subtreeQuota") for name in asked}
