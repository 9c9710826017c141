"""What the cache knows of queues: whether they are active, what their workloads use."""

from __future__ import annotations

from typing import Any

from argosy.api.objects.kueue.checks import AdmissionCheck, Topology
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.cache.caches import Cache
from argosy.queueing.cache.clusterqueues import namespaces_of
from argosy.queueing.cache.holdings import Holdings, flavors_usage
from tests.conformance.areas import runs
from tests.conformance.building import infos, is_counted, key_of, view, views
from tests.conformance.cases import Case
from tests.conformance.comparing import asserted, differences
from tests.conformance.showing import status_of


def cache(case: Case) -> Cache:
    """A cache of all the objects of a case, with the workloads that hold quota."""
    found = Cache()
    objects = case.objects
    for flavor in views(ResourceFlavor, objects.get("resourceFlavors")):
        found.put_flavor(flavor)
    for check in views(AdmissionCheck, objects.get("admissionChecks")):
        found.put_check(check)
    for topology in views(Topology, objects.get("topologies")):
        found.put_topology(topology)
    for queue in views(ClusterQueue, objects.get("clusterQueues")):
        found.put_cluster_queue(queue)
    for cohort in views(Cohort, objects.get("cohorts")):
        found.put_cohort(cohort)
    maker = infos(case)
    for workload in views(Workload, objects.get("workloads")):
        if is_counted(workload):
            found.add_workload(maker.make(workload))
    return found


def _terminating(obj: dict[str, Any]) -> dict[str, Any]:
    metadata = obj["metadata"] | {"deletionTimestamp": "2026-01-01T00:00:00Z"}
    return obj | {"metadata": metadata}


@runs("clusterqueue-status", "TestClusterQueueReadiness")
def readiness(case: Case) -> list[str]:
    found = cache(case)
    name = case.input["clusterQueueName"]
    if case.input.get("terminate"):
        for obj in case.objects.get("clusterQueues") or ():
            if obj["metadata"]["name"] == name:
                found.put_cluster_queue(view(ClusterQueue, _terminating(obj)))
    judged = found.readiness(name)
    got = {
        "active": judged.is_active,
        "message": judged.message,
        "reason": judged.reason,
        "status": str(judged.is_active),
        "terminating": judged.is_terminating,
    }
    return differences(case.expected, got)


@runs("clusterqueue-status", "TestClusterQueueReadinessWithTAS")
def readiness_with_topologies(case: Case) -> list[str]:
    found = cache(case)
    for key in ("clusterQueue", "updatedClusterQueue"):
        if case.input.get(key):
            found.put_cluster_queue(view(ClusterQueue, case.input[key]))
    judged = found.readiness(case.input["clusterQueue"]["metadata"]["name"])
    got = {"reason": judged.reason, "message": judged.message}
    # Upstream's table has a status that it neither fills in nor looks at.
    return asserted(case.expected, got, but=("status",))


@runs("clusterqueue-status", "TestClusterQueueUpdate")
def updating(case: Case) -> list[str]:
    found = cache(case)
    found.put_cluster_queue(view(ClusterQueue, case.input["clusterQueue"]))
    name = case.input["clusterQueue"]["metadata"]["name"]
    found.readiness(name)
    found.put_cluster_queue(view(ClusterQueue, case.input["newClusterQueue"]))
    node = found.forest.cluster_queue(name)
    assert node is not None
    return differences(case.expected, {"lastAssignmentGeneration": node.generation})


@runs(
    "clusterqueue-status",
    "TestClusterQueueUpdateWithAdmissionCheck",
    "TestClusterQueueUpdateWithFlavors",
)
def updating_references(case: Case) -> list[str]:
    found = cache(case)
    for name, check in (case.input.get("admissionChecks") or {}).items():
        active = {"type": "Active", "status": str(bool(check.get("active")))}
        obj = {
            "metadata": {"name": name},
            "spec": {"controllerName": check.get("controller", "")},
            "status": {"conditions": [active]},
        }
        found.put_check(view(AdmissionCheck, obj))
    for name, flavor in (case.input.get("flavors") or {}).items():
        found.put_flavor(view(ResourceFlavor, {"metadata": {"name": name}} | (flavor or {})))
    obj = case.input["clusterQueue"]
    was = case.input.get("cqStatus") or case.input.get("curStatus")
    found.put_cluster_queue(view(ClusterQueue, _terminating(obj) if was == "terminating" else obj))
    judged = found.readiness(obj["metadata"]["name"])
    got = {"message": judged.message, "reason": judged.reason, "status": status_of(judged)}
    return asserted(case.expected, got)


@runs("clusterqueue-status", "TestMatchingClusterQueues")
def matching(case: Case) -> list[str]:
    """Which ClusterQueues take workloads from a namespace, active or not."""
    labels = case.input.get("namespaceLabels") or {}
    queues = views(ClusterQueue, case.objects.get("clusterQueues"))
    got = sorted(one.metadata.name for one in queues if namespaces_of(one).matches(labels))
    want = case.expected | {"clusterQueues": sorted(case.expected.get("clusterQueues") or ())}
    return differences(want, {"clusterQueues": got})


@runs("quota-usage", "TestClusterQueueUsage")
def queue_usage(case: Case) -> list[str]:
    found = cache(case)
    queue = view(ClusterQueue, case.input["clusterQueue"])
    found.put_cluster_queue(queue)
    holdings = found.holdings.get(queue.metadata.name, Holdings())
    groups, in_cohort = queue.spec.resource_groups, bool(queue.spec.cohort_name)
    got = {
        "admittedWorkloads": holdings.admitted,
        "reservingWorkloads": holdings.reserving,
        "reservedResources": flavors_usage(
            groups, holdings.reserved, with_borrowed=True, in_cohort=in_cohort
        ),
        "usedResources": flavors_usage(
            groups, holdings.used, with_borrowed=True, in_cohort=in_cohort
        ),
    }
    return differences(case.expected, got)


@runs("quota-usage", "TestLocalQueueUsage")
def local_usage(case: Case) -> list[str]:
    """What the one LocalQueue of a case uses; nothing while there is no ClusterQueue."""
    found = cache(case)
    if not case.input.get("clusterQueue"):
        return differences(case.expected, {"usage": []})
    queue = view(ClusterQueue, case.input["clusterQueue"])
    found.put_cluster_queue(queue)
    (local_queue,) = case.objects["localQueues"]
    holdings = found.local_holdings.get(key_of(local_queue), Holdings())
    groups = queue.spec.resource_groups
    got = flavors_usage(groups, holdings.reserved, with_borrowed=False)
    return differences(case.expected, {"usage": got})
