"""What the cache knows after one thing after the other has happened: who is in which queue and cohort, what they use.

Errors that Kueue's calls return are not compared but for those of cycles, which a user meets as a queue that is not
active: here a workload may be told of before its ClusterQueue is, and be dropped twice.
"""

from __future__ import annotations

import re
from typing import Any

from argosy.api.objects.kueue.checks import AdmissionCheck, Topology
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.cache.caches import Cache
from tests.conformance import showing
from tests.conformance.areas import runs
from tests.conformance.building import infos, is_counted, view, views
from tests.conformance.cases import Case
from tests.conformance.comparing import asserted, differences

_OPERATION = re.compile(r"(addOrUpdate|add|update|delete)(\w+)")


class Told:
    """A cache that is told of one thing after the other. The workloads of the API are known from the beginning."""

    def __init__(self, case: Case) -> None:
        self.cache = Cache()
        self._infos = infos(case)
        for workload in views(Workload, case.objects.get("workloads")):
            self._put_workload(workload)

    def do(self, step: dict[str, Any]) -> None:
        found = _OPERATION.fullmatch(step["op"])
        verb, kind = found.groups() if found else ("", "")
        if verb == "delete":
            self._drop(kind, step.get("name") or "")
        else:
            self._put(kind, step.get("object") or {})

    def _put(self, kind: str, obj: dict[str, Any]) -> None:
        cache = self.cache
        match kind:
            case "ResourceFlavor":
                cache.put_flavor(view(ResourceFlavor, obj))
            case "AdmissionCheck":
                cache.put_check(view(AdmissionCheck, obj))
            case "Topology":
                cache.put_topology(view(Topology, obj))
            case "ClusterQueue":
                cache.put_cluster_queue(view(ClusterQueue, obj))
            case "Cohort":
                cache.put_cohort(view(Cohort, obj))
            case "Workload":
                self._put_workload(view(Workload, obj))
            case _:
                raise ValueError(f"nothing here puts a {kind}")

    def _put_workload(self, workload: Workload) -> None:
        info = self._infos.make(workload)
        if is_counted(workload):
            self.cache.add_workload(info)
        else:
            self.cache.remove_workload(info.key)

    def _drop(self, kind: str, name: str) -> None:
        cache = self.cache
        drops = {
            "ResourceFlavor": cache.drop_flavor,
            "AdmissionCheck": cache.drop_check,
            "Topology": cache.drop_topology,
            "ClusterQueue": cache.drop_cluster_queue,
            "Cohort": cache.drop_cohort,
            "Workload": cache.remove_workload,
        }
        drops[kind](name)

    def is_in_cycle(self, step: dict[str, Any]) -> bool:
        """Whether what a step was about is in a cycle of cohorts, or below one."""
        name, forest = step["object"]["metadata"]["name"], self.cache.forest
        if step["op"].endswith("ClusterQueue"):
            return forest.is_frozen(name)
        return step["op"].endswith("Cohort") and forest.cohort(name) is None


def _told(case: Case) -> Cache:
    told = Told(case)
    for step in case.input.get("operations") or ():
        told.do(step)
    return told.cache


@runs("cache-operations", "TestCacheClusterQueueOperations", "TestCacheWorkloadOperations")
def objects(case: Case) -> list[str]:
    cache = _told(case)
    members = {name: showing.cohort(cache, name) for name in cache.forest.cohorts()}
    got = {
        "clusterQueues": sorted(cache.objects),
        "cohortMembers": {name: one["childClusterQueues"] for name, one in members.items()},
    }
    queues = case.expected.get("clusterQueues") or {}
    cohorts = case.expected.get("cohortMembers") or {}
    want = case.expected | {
        "clusterQueues": sorted(queues),
        "cohortMembers": {name: sorted(queues or ()) for name, queues in cohorts.items()},
    }
    found = asserted(want, got, but=("lastOperationFails",)) + _observed(case, cache)
    for name, queue in queues.items():
        if name in cache.objects:
            found += _queue(name, queue, cache)
    return found


def _queue(name: str, want: dict[str, Any], cache: Cache) -> list[str]:
    got = showing.cluster_queue(cache, name)
    found = asserted(showing.comparable(want), got, but=showing.NOT_SHOWN)
    return [f"{name}.{one}" for one in found]


def _observed(case: Case, cache: Cache) -> list[str]:
    """The rest of the state at the end, as far as it is in trees."""
    found = []
    observed = case.observed.get("cache") or {}
    tracks = case.options.get("podsReadyTracking")
    for name, queue in (observed.get("clusterQueues") or {}).items():
        left_out = () if tracks else ("workloadsNotReady",)
        kept = {key: value for key, value in queue.items() if key not in left_out}
        if name in cache.objects and not cache.forest.is_frozen(name):
            found += _queue(name, kept, cache)
    for name, cohort in (observed.get("cohorts") or {}).items():
        got = showing.cohort(cache, name)
        if got:
            found += [f"{name}.{one}" for one in asserted(showing.comparable(cohort), got)]
    return found


@runs("cache-operations", "TestCachePodsReadyForAllAdmittedWorkloads")
def readiness(case: Case) -> list[str]:
    cache = _told(case)
    got = {"allAdmittedWorkloadsReady": not cache.unready}
    return differences(case.expected, got) + _observed(case, cache)


@runs("cache-operations", "TestCohortCycles")
def cycles(case: Case) -> list[str]:
    told, got = Told(case), []
    for step in case.input.get("operations") or ():
        told.do(step)
        got.append(told.is_in_cycle(step))
    return differences(case.expected, {"operationFails": got}) + _observed(case, told.cache)
