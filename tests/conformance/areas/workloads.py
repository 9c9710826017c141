"""The Workload as a domain object: requests, checks, conditions, requeue state, numbers of pods."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from argosy.api.objects.kueue.quotas import ClusterQueue
from argosy.api.objects.kueue.workloads import (
    Admission,
    AdmissionCheckState,
    PodSet,
    ReclaimablePod,
    Workload,
    WorkloadStatus,
)
from argosy.api.objects.limits import LimitRange, RuntimeClass
from argosy.base.durations import parse_duration
from argosy.base.timestamps import format_time, parse_time
from argosy.queueing.conversion.topologies import unpacked
from argosy.queueing.quotas.amounts import amounts, printed
from argosy.queueing.workloads.adjusting import adjusted
from argosy.queueing.workloads.admissibility import outside_ranges, over_limits
from argosy.queueing.workloads.checking import checks_for, retry_time
from argosy.queueing.workloads.counting import (
    has_fewer,
    limited_reclaimable,
    pod_set_counts,
    same_reclaimable,
    with_counts,
)
from argosy.queueing.workloads.dispatching import awaits_nomination
from argosy.queueing.workloads.drafts import StatusDraft
from argosy.queueing.workloads.finishing import total_execution_time
from argosy.queueing.workloads.infos import PodSetResources, usage_of
from argosy.queueing.workloads.limitranges import summarize
from argosy.queueing.workloads.making import Infos
from argosy.queueing.workloads.phases import asks_for_topology
from argosy.queueing.workloads.priorities import is_reprioritized
from argosy.queueing.workloads.requeuing import set_requeue_state
from argosy.queueing.workloads.reserving import propagate_requests, reserve, sync_admitted
from argosy.queueing.workloads.writing import written
from tests.conformance.areas import runs
from tests.conformance.building import infos, nested, transformations, view, views
from tests.conformance.cases import Case
from tests.conformance.comparing import differences


def workload(case: Case, name: str = "workload") -> Workload:
    return workload_of(case.input.get(name))


def workload_of(raw: Mapping[str, Any] | None) -> Workload:
    return view(Workload, raw or {})


def draft(case: Case, given: Workload) -> StatusDraft:
    return StatusDraft(given, parse_time(case.now))


# Requests.


@runs("workload", "TestNewInfo")
def made(case: Case) -> list[str]:
    options = case.input.get("infoOptions") or {}
    maker = infos(
        case,
        excluded_prefixes=tuple(options.get("excludedResourcePrefixes") or ()),
        transformations=transformations(options.get("resourceTransformations")),
    )
    given = workload(case)
    info = maker.make(given)
    got = {
        "clusterQueue": info.cluster_queue,
        "totalRequests": [_pod_set(one, given) for one in info.total_requests],
    }
    return differences(case.expected, {"info": got})


def _pod_set(one: PodSetResources, given: Workload) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": one.name,
        "count": one.count,
        "requests": {name: printed(name, value) for name, value in one.requests.items()},
        "flavors": dict(one.flavors),
        "delayedTopologyRequest": one.delayed_topology_request,
    }
    if one.topology_assignment is not None:
        pod_set = next(pods for pods in given.spec.pod_sets if pods.name == one.name)
        each = Infos().pod_requests(pod_set)
        shown["topologyRequest"] = {
            "levels": one.topology_assignment["levels"],
            "domainRequests": [
                {
                    "values": list(values),
                    "count": count,
                    "singlePodRequests": {
                        name: printed(name, value) for name, value in each.items()
                    },
                }
                for values, count in unpacked(one.topology_assignment)
            ],
        }
    return shown


@runs("workload", "TestResourceUsage")
def usage(case: Case) -> list[str]:
    requests = _total_requests(case)
    unassigned: dict[str, int] = {}
    for one in requests:
        for resource in one.requests.keys() - one.flavors.keys():
            unassigned[resource] = unassigned.get(resource, 0) + one.requests[resource]
    got = {
        "assigned": nested(usage_of(requests)),
        "unassigned": {name: printed(name, value) for name, value in unassigned.items()},
    }
    return differences(case.expected, {"result": got})


def _total_requests(case: Case) -> tuple[PodSetResources, ...]:
    return tuple(
        PodSetResources(
            one.get("name") or "",
            one.get("count") or 0,
            amounts(one.get("requests") or {}),
            one.get("flavors") or {},
        )
        for one in (case.input.get("info") or {}).get("totalRequests") or ()
    )


@runs("workload", "TestAdjustResources")
def adjustments(case: Case) -> list[str]:
    summary = summarize(views(LimitRange, case.input.get("limitRanges")))
    classes = {
        one.metadata.name: one for one in views(RuntimeClass, case.input.get("runtimeClasses"))
    }
    got = adjusted(workload(case), summary, classes)
    want = {"workload": _pod_sets(workload_of(case.expected["workload"]))}
    return differences(case.expected | want, {"workload": _pod_sets(got)})


def _pod_sets(given: Workload) -> list[dict[str, Any]]:
    return [written(pod_set) for pod_set in given.spec.pod_sets]


@runs("workload", "TestValidateResources")
def requests_within_limits(case: Case) -> list[str]:
    given = workload_of((case.input.get("workloadInfo") or {}).get("workload"))
    got = [str(error) for error in over_limits(given.spec.pod_sets)]
    return differences(case.expected, {"error": got})


@runs("workload", "TestValidateLimitRange")
def requests_within_ranges(case: Case) -> list[str]:
    given = workload(case)
    one = case.input.get("limitRange")
    ranges = [
        limit
        for limit in views(LimitRange, [one] if one else [])
        if limit.metadata.namespace == given.metadata.namespace
    ]
    got = [str(error) for error in outside_ranges(given.spec.pod_sets, summarize(ranges))]
    return differences(case.expected, {"error": got})


@runs("workload", "TestPropagateResourceRequests")
def propagated(case: Case) -> list[str]:
    status = draft(case, workload(case))
    requests = _total_requests(case)
    got = propagate_requests(status, requests)
    problems = differences(case.expected, {"result": got})
    shown = {one.name: amounts(one.resources) for one in status.status.resource_requests}
    return problems + differences({one.name: one.requests for one in requests}, shown)


@runs("workload", "TestIsExplicitlyRequestingTAS")
def topology_requests(case: Case) -> list[str]:
    pod_sets = views(PodSet, case.input.get("podSets"))
    return differences(case.expected, {"result": asks_for_topology(*pod_sets)})


# Numbers of pods.


@runs("workload", "TestApplyPodSetCounts")
def applied_counts(case: Case) -> list[str]:
    got = with_counts(workload(case), case.input.get("counts") or {})
    want = {"result": _pod_sets(workload_of(case.expected["result"]))}
    return differences(case.expected | want, {"result": _pod_sets(got)})


@runs("workload", "TestExtractPodSetCounts")
def counts(case: Case) -> list[str]:
    got = pod_set_counts(views(PodSet, case.input.get("podSets")))
    return differences(case.expected, {"result": got})


@runs("workload", "TestExtractPodSetCountsFromWorkload")
def counts_of_workload(case: Case) -> list[str]:
    got = pod_set_counts(workload(case).spec.pod_sets)
    return differences(case.expected, {"result": got})


@runs("workload", "TestPodSetsCounts_HasFewerReplicasThan")
def fewer(case: Case) -> list[str]:
    got = has_fewer(case.input.get("counts") or {}, case.input.get("other") or {})
    return differences(case.expected, {"result": got})


@runs("workload", "TestReclaimablePodsAreEqual")
def equal_reclaimable(case: Case) -> list[str]:
    one = views(ReclaimablePod, case.input.get("a"))
    other = views(ReclaimablePod, case.input.get("b"))
    return differences(case.expected, {"result": same_reclaimable(one, other)})


@runs("workload", "TestLimitReclaimablePodsToPodSetSizes")
def limited(case: Case) -> list[str]:
    given = views(ReclaimablePod, case.input.get("reclaimablePods"))
    got = [written(one) for one in limited_reclaimable(workload(case), given)]
    return differences(case.expected, {"result": got})


# Checks.


@runs("workload", "TestAdmissionChecksForWorkload", "TestFilterChecksForAdmission")
def checks(case: Case) -> list[str]:
    queue = view(ClusterQueue, case.input["clusterQueue"])
    got = sorted(checks_for(workload(case), queue))
    want = {"admissionChecks": sorted(case.expected.get("admissionChecks") or ())}
    return differences(case.expected | want, {"admissionChecks": got})


@runs("workload", "TestGetMaxRetryTime")
def retry_times(case: Case) -> list[str]:
    states = views(AdmissionCheckState, case.input.get("checkStates"))
    return differences(case.expected, {"retryTime": _text(retry_time(states))})


def _text(when: datetime | None) -> str:
    return format_time(when) if when is not None else ""


# Conditions.


@runs("workload", "TestSyncAdmittedCondition")
def admitted(case: Case) -> list[str]:
    given = case.input
    status = view(
        WorkloadStatus,
        {
            "conditions": given.get("conditions") or [],
            "admissionChecks": given.get("checkStates") or [],
            "admission": given.get("admission"),
            "accumulatedPastExecutionTimeSeconds": given.get("pastAdmittedTime") or None,
        },
    )
    metadata = {"generation": given.get("workloadGeneration") or 0}
    changed = draft(case, view(Workload, {"metadata": metadata, "status": written(status)}))
    got = {
        "change": sync_admitted(changed),
        "conditions": _plain(case, _conditions(changed.status)),
        "admittedTime": changed.status.accumulated_past_execution_time_seconds,
    }
    want = case.expected | {"conditions": _plain(case, case.expected.get("conditions") or ())}
    # Upstream's test looks at the time only where it names one.
    if not want.get("admittedTime"):
        del got["admittedTime"]
    return differences(want, got)


def _conditions(status: WorkloadStatus) -> list[dict[str, Any]]:
    return [written(one) for one in status.conditions]


def _plain(case: Case, conditions: Any) -> list[dict[str, Any]]:
    """Conditions by type, without the fields that upstream does not compare."""
    ignored = (case.compare.get("conditions") or {}).get("ignored") or ()
    plain = [
        {name: value for name, value in one.items() if name not in ignored} for one in conditions
    ]
    return sorted(plain, key=lambda one: one["type"])


@runs("workload", "TestSetQuotaReservation")
def reserved(case: Case) -> list[str]:
    changed = draft(case, workload(case))
    reserve(changed, view(Admission, case.input["admission"]))
    want = written(workload_of(case.expected["result"]).status)
    return differences(
        case.expected | {"result": _by_type(want)}, {"result": _by_type(written(changed.status))}
    )


def _by_type(status: dict[str, Any]) -> dict[str, Any]:
    conditions = sorted(status.get("conditions") or (), key=lambda one: one["type"])
    return status | {"conditions": conditions}


@runs("workload", "TestSetRequeueState")
def requeue_states(case: Case) -> list[str]:
    changed = draft(case, workload(case))
    until = parse_time(case.input["waitUntil"])
    updated = set_requeue_state(changed, until, count=bool(case.input.get("incrementCount")))
    state = changed.status.requeue_state
    assert state is not None
    got = {"count": state.count, "requeueAt": _text(state.requeue_at), "updated": updated}
    return differences(case.expected, got)


@runs("workload", "TestTotalExecutionTime")
def execution_times(case: Case) -> list[str]:
    found = total_execution_time(workload(case))
    text = case.expected.get("result")
    want = case.expected | {"result": parse_duration(text) if text else None}
    return differences(want, {"result": found and found.total_seconds()})


@runs("workload", "TestWorkloadPriorityClassChanged")
def priority_changes(case: Case) -> list[str]:
    got = is_reprioritized(workload(case, "oldWorkload"), workload(case, "newWorkload"))
    return differences(case.expected, {"changed": got})


@runs("workload", "TestShouldSkipClusterNomination")
def nominations(case: Case) -> list[str]:
    given = case.input.get("admissionCheckState")
    check = view(AdmissionCheckState, given) if given else None
    is_elastic = bool(case.input.get("isElastic"))
    got = not awaits_nomination(workload(case), check, is_elastic=is_elastic)
    return differences(case.expected, {"result": got})
