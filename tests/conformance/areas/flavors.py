"""Flavor assignment: a workload against a ClusterQueue, with a stub in place of the preemption oracle.

What a case asserts is compared by its rules (`compare`); what was observed of the same run is compared whole, except
for what depends on the order in which Go walks a map: which flavors were looked at when a workload requests resources
of several groups, and the message made of that. Placing pods in topologies is not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from argosy.api.objects.kueue.quotas import FlavorFungibility, ResourceFlavor
from argosy.api.objects.kueue.workloads import PodSet, Workload
from argosy.queueing.cache.clusterqueues import CachedQueue, Group
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.flavors.assigning import BLOCK_UNDECLARED, Assigner
from argosy.queueing.flavors.assignments import (
    Assignment,
    FlavorAssignment,
    Mode,
    PodSetAssignment,
    Possibility,
    PreemptionMode,
)
from argosy.queueing.flavors.fungibility import Rank, is_preferred
from argosy.queueing.flavors.partial import largest_fit
from argosy.queueing.flavors.placing import Topologies
from argosy.queueing.flavors.reasons import MODE_NAMES, POSSIBILITY_NAMES, message
from argosy.queueing.flavors.topologies import Levels
from argosy.queueing.quotas.amounts import FlavorResource, amounts, quantities
from argosy.queueing.workloads.infos import Info, PodSetResources, usage_of
from tests.conformance.areas import runs
from tests.conformance.building import infos, nested, snapshot, usage, view, views
from tests.conformance.cases import Case
from tests.conformance.comparing import asserted, differences

_POSSIBILITIES = {name: possibility for possibility, name in POSSIBILITY_NAMES.items()}
_RANKS = {
    "noFit": PreemptionMode.NO_FIT,
    "noPreemptionCandidates": PreemptionMode.NO_CANDIDATES,
    "preempt": PreemptionMode.PREEMPT,
    "reclaim": PreemptionMode.RECLAIM,
    "fit": PreemptionMode.FIT,
}


class StubOracle:
    """Answers what the case says, `Preempt` without borrowing where it says nothing."""

    def __init__(self, answers: Mapping[str, Mapping[str, Any]] | None) -> None:
        self._answers = answers or {}

    def simulate(
        self, queue: CachedQueue, info: Info, flavor_resource: FlavorResource, value: int
    ) -> tuple[Possibility, int]:
        flavor, resource = flavor_resource
        answer = self._answers.get(flavor, {}).get(resource)
        if answer is None:
            return Possibility.PREEMPT, 0
        name = answer.get("preemptionPossiblity") or "NoCandidates"
        return _POSSIBILITIES[name], answer.get("borrowingAfterSimulation") or 0


@runs(
    "flavor-assignment",
    "TestAssignFlavors",
    "TestAssignFlavorsWithAllowedFlavors",
    "TestAssignFlavors_LeaderWorkerSetTASFlavor",
    "TestDeletedFlavors",
    "TestFlavorScanRecordsLastTriedFlavorIdx",
    "TestHierarchical",
    "TestIsNoFitDueToCapacityAndLimits",
    "TestReclaimBeforePriorityPreemption",
    "TestRecomputeRecordsLastTriedFlavorIdx",
)
def assign(case: Case) -> list[str]:
    got = _assigned(case)
    shown = _shown(got)
    found = []
    for key, want in case.expected.items():
        if key in _ASSERTIONS:
            found += _ASSERTIONS[key](want, got, shown)
        else:
            found += asserted({key: want}, {})
    return found + _observed(case, got, shown)


def _assigned(case: Case) -> Assignment:
    options, given = case.options, case.input
    maker, state = infos(case), snapshot(case)
    for queue, used in (given.get("usage") or {}).items():
        state.queues[queue].node.add(usage(used))
    queue = given["targetClusterQueue"]
    replaced = given.get("replacedWorkloadSlice")
    assigner = Assigner(
        is_fair_sharing=bool((options.get("fairSharing") or {}).get("enabled")),
        quota_check_strategy=options.get("quotaCheckStrategy") or BLOCK_UNDECLARED,
        topology=_topology(case, state),
    )
    return assigner.assign(
        maker.make(view(Workload, given["workload"]), queue),
        state.queues[queue],
        state,
        StubOracle(given.get("preemptionSimulation")),
        nomination=given.get("nominatedFlavors"),
        replaced=None if replaced is None else _info(replaced),
        cycle=given.get("schedulingCycle") or 0,
    )


def _topology(case: Case, state: Snapshot) -> Levels:
    """The levels of every flavor whose topology exists."""
    levels = {
        topology["metadata"]["name"]: [
            level["nodeLabel"] for level in (topology.get("spec") or {}).get("levels") or ()
        ]
        for topology in case.objects.get("topologies") or ()
    }
    flavors: Mapping[str, ResourceFlavor] = state.flavors
    return Levels(
        {
            name: levels[flavor.spec.topology_name]
            for name, flavor in flavors.items()
            if flavor.spec.topology_name in levels
        }
    )


def _info(given: Mapping[str, Any]) -> Info:
    """An info that a case writes down: the object, if any, and its requests."""
    return Info(
        view(Workload, given.get("workload") or {}),
        tuple(
            PodSetResources(
                one.get("name") or "",
                one.get("count") or 0,
                amounts(one.get("requests") or {}),
                one.get("flavors") or {},
            )
            for one in given.get("totalRequests") or ()
        ),
        cluster_queue=given.get("clusterQueue") or "",
    )


def _shown(got: Assignment) -> dict[str, Any]:
    """An assignment in the words of the cases."""
    assert got.last is not None
    return {
        "borrowing": got.borrowing,
        "lastState": {
            "lastTriedFlavorIdx": [dict(resources) for resources in got.last.tried],
            "schedulingCycle": got.last.cycle,
        },
        "noFitReason": got.no_fit_reason,
        "podSets": [_shown_pod_set(pod_set) for pod_set in got.pod_sets],
        "representativeMode": MODE_NAMES[got.mode],
        "usage": {"quota": {"assigned": nested(got.usage)}},
    }


def _shown_pod_set(got: PodSetAssignment) -> dict[str, Any]:
    return {
        "name": got.name,
        "count": got.count,
        "requests": quantities(got.requests),
        "flavors": {
            resource: {
                "name": flavor.name,
                "mode": MODE_NAMES[flavor.mode],
                "triedFlavorIdx": flavor.tried,
                "borrow": flavor.borrow,
            }
            for resource, flavor in got.flavors.items()
        },
        "flavorAssignmentAttempts": [
            {
                "flavor": attempt.flavor,
                "mode": MODE_NAMES[attempt.mode],
                "borrow": attempt.borrow,
                "preemptionPossibility": None
                if attempt.possibility is None
                else POSSIBILITY_NAMES[attempt.possibility],
                "reasons": list(attempt.reasons),
                "noFitReason": attempt.no_fit_reason,
            }
            for attempt in got.attempts
        ],
        "status": {"reasons": sorted(got.reasons), "err": got.error},
    }


def _mode(want: str, got: Assignment, shown: dict[str, Any]) -> list[str]:
    return differences(want, shown["representativeMode"], "representativeMode")


def _no_fit_reason(want: str, got: Assignment, shown: dict[str, Any]) -> list[str]:
    return differences(want, got.no_fit_reason, "noFitReason")


def _by_flavor(want: Mapping[str, str], got: Assignment, shown: dict[str, Any]) -> list[str]:
    """Flavors that were not looked at say nothing."""
    told = {one.flavor: one.no_fit_reason for pod_set in got.pod_sets for one in pod_set.attempts}
    both = want.keys() & told.keys()
    return differences({f: want[f] for f in both}, {f: told[f] for f in both}, "byFlavor")


def _first_flavors(want: Mapping[str, str], got: Assignment, shown: dict[str, Any]) -> list[str]:
    first = got.pod_sets[0].flavors if got.pod_sets else {}
    flavors = {resource: one.name for resource, one in first.items()}
    return differences(want, flavors, "flavorsOfFirstPodSet")


def _pod_set_flavors(want: Any, got: Assignment, shown: dict[str, Any]) -> list[str]:
    found = {one["name"]: one["flavors"] for one in shown["podSets"]}
    return differences(want, found, "podSetFlavors")


def _pod_set_errors(want: Any, got: Assignment, shown: dict[str, Any]) -> list[str]:
    return differences(want, {one.name: one.error for one in got.pod_sets}, "podSetErrors")


def _last_tried(want: int, got: Assignment, shown: dict[str, Any]) -> list[str]:
    """Of the first pod set. Zero is an index, and not the same as none."""
    indexes: list[Mapping[str, int]] = shown["lastState"]["lastTriedFlavorIdx"]
    tried = indexes[0].get("cpu") if indexes else None
    return [] if tried == want else [f"lastTriedFlavorIndexOfCpu: want {want}, got {tried}"]


def _placed(want: bool, got: Assignment, shown: dict[str, Any]) -> list[str]:
    is_placed = any(one.topology_assignment is not None for one in got.pod_sets[:1])
    return differences(want, is_placed, "hasTopologyAssignment")


def _asserted(want: Mapping[str, Any], got: Assignment, shown: dict[str, Any]) -> list[str]:
    """The assignment a test writes down: no progress, no heights of single resources, attempts by their own rule."""
    plain = [_plain(one) for one in want.get("podSets") or ()]
    found = differences(
        {key: want.get(key) for key in ("borrowing", "noFitReason", "usage")} | {"podSets": plain},
        {key: shown[key] for key in ("borrowing", "noFitReason", "usage")}
        | {"podSets": [_plain(one) for one in shown["podSets"]]},
        "assignment",
    )
    for one, other in zip(want.get("podSets") or (), shown["podSets"], strict=False):
        found += _attempts(one, other)
    return found


def _plain(pod_set: Mapping[str, Any]) -> dict[str, Any]:
    left_out = ("flavorAssignmentAttempts", "topologyAssignment")
    kept = {key: value for key, value in pod_set.items() if key not in left_out}
    kept["flavors"] = {
        resource: {key: value for key, value in flavor.items() if key != "borrow"}
        for resource, flavor in (pod_set.get("flavors") or {}).items()
    }
    status = pod_set.get("status") or {}
    kept["status"] = {**status, "reasons": sorted(status.get("reasons") or ())}
    return kept


def _attempts(want: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    """Where a flavor fits, only those that do not and were looked at are compared; else all that the test writes down."""
    wanted = {one["flavor"]: one for one in want.get("flavorAssignmentAttempts") or ()}
    made = {one["flavor"]: one for one in got["flavorAssignmentAttempts"]}
    if any(one["mode"] == "Fit" for one in made.values()):
        compared = [f for f in wanted if f in made and made[f]["mode"] != "Fit"]
    else:
        compared = list(wanted)
    return differences(
        {flavor: wanted[flavor] for flavor in compared},
        {flavor: made.get(flavor) for flavor in compared},
        f"podSets.{got['name']}.attempts",
    )


_ASSERTIONS: dict[str, Callable[[Any, Assignment, dict[str, Any]], list[str]]] = {
    "assignment": _asserted,
    "representativeMode": _mode,
    "noFitReason": _no_fit_reason,
    "noFitReasonByFlavor": _by_flavor,
    "flavorsOfFirstPodSet": _first_flavors,
    "podSetFlavors": _pod_set_flavors,
    "podSetErrors": _pod_set_errors,
    "lastTriedFlavorIndexOfCpu": _last_tried,
    "hasTopologyAssignment": _placed,
}


def _observed(case: Case, got: Assignment, shown: dict[str, Any]) -> list[str]:
    observed = case.observed
    found = []
    if "representativeMode" in observed:
        found += _mode(observed["representativeMode"], got, shown)
    is_fixed = _has_one_order(case, got)
    if observed.get("assignment"):
        found += differences(
            _comparable(observed["assignment"], is_fixed), _comparable(shown, is_fixed), "observed"
        )
    if "message" in observed and is_fixed:
        found += differences(observed["message"], message(got), "observed.message")
    return found


def _has_one_order(case: Case, got: Assignment) -> bool:
    """Whether the order of Go's walk over requests cannot matter: there is one resource group, or there are several that
    share nothing and all of them were searched.
    """
    name = case.input["targetClusterQueue"]
    queue = next(one for one in case.objects["clusterQueues"] if one["metadata"]["name"] == name)
    groups = (queue.get("spec") or {}).get("resourceGroups") or ()
    if len(groups) <= 1:
        return True
    named = [flavor["name"] for group in groups for flavor in group["flavors"]]
    named += [resource for group in groups for resource in group["coveredResources"]]
    is_whole = all(pod_set.flavors for pod_set in got.pod_sets)
    return is_whole and len(named) == len(set(named))


def _comparable(assignment: Mapping[str, Any], is_fixed: bool) -> dict[str, Any]:
    """What is compared of a whole assignment: not the generation, nor what placing adds."""
    left_out = () if is_fixed else ("flavorAssignmentAttempts", "status")
    kept: dict[str, Any] = {
        key: assignment.get(key) for key in ("borrowing", "noFitReason", "representativeMode")
    }
    kept["podSets"] = []
    for pod_set in assignment.get("podSets") or ():
        one = {k: v for k, v in pod_set.items() if k not in (*left_out, "topologyAssignment")}
        if is_fixed:
            status = pod_set.get("status") or {}
            one["status"] = {**status, "reasons": sorted(status.get("reasons") or ())}
        kept["podSets"].append(one)
    kept["usage"] = (assignment.get("usage") or {}).get("quota", {}).get("assigned")
    last = assignment.get("lastState") or {}
    kept["cycle"] = last.get("schedulingCycle")
    kept["tried"] = {
        f"{index}": {resource: f"index {tried}" for resource, tried in resources.items()}
        for index, resources in enumerate(last.get("lastTriedFlavorIdx") or ())
        if resources
    }
    return kept


@runs("flavor-assignment-misc", "TestIsPreferred")
def preferred(case: Case) -> list[str]:
    one, other = (
        Rank(_RANKS[rank["preemptionMode"]], rank.get("borrowingLevel") or 0)
        for rank in (case.input["a"], case.input["b"])
    )
    fungibility = view(FlavorFungibility, case.input.get("flavorFungibility") or {})
    return differences(case.expected, {"preferred": is_preferred(one, other, fungibility)})


@runs("flavor-assignment-misc", "TestAssignment_TotalRequestsFor")
def total_requests(case: Case) -> list[str]:
    """What a workload uses once its pod sets have flavors: of resources without one, nothing."""
    requests = {one.name: one for one in _info(case.input["workload"]).total_requests}
    found = []
    for given in case.input.get("podSetAssignments") or ():
        assigned = _pod_set(given)
        wanted = requests[assigned.name].scaled_to(assigned.count)
        flavors = {resource: one.name for resource, one in assigned.flavors.items()}
        found.append(PodSetResources(wanted.name, wanted.count, wanted.requests, flavors))
    return differences(case.expected, {"totalRequests": nested(usage_of(tuple(found)))})


@runs("flavor-assignment-misc", "TestSearch")
def search(case: Case) -> list[str]:
    limit = case.input.get("countLimit") or 0

    def fits(counts: tuple[int, ...]) -> int | None:
        return sum(counts) if sum(counts) <= limit else None

    count = largest_fit(views(PodSet, case.input.get("podSets")), fits)
    return differences(case.expected, {"count": count or 0, "found": count is not None})


def _pod_set(given: Mapping[str, Any]) -> PodSetAssignment:
    modes = {name: mode for mode, name in MODE_NAMES.items()}
    return PodSetAssignment(
        given.get("name") or "",
        given.get("count") or 0,
        amounts(given.get("requests") or {}),
        {
            resource: FlavorAssignment(
                flavor["name"],
                modes.get(flavor.get("mode") or "", Mode.NO_FIT),
                flavor.get("triedFlavorIdx") or 0,
                flavor.get("borrow") or 0,
            )
            for resource, flavor in (given.get("flavors") or {}).items()
        },
    )


@runs(
    "flavor-assignment-misc",
    "TestWorkloadsTopologyRequests_ElasticJobsValidation",
    "TestWorkloadsTopologyRequests_ErrorBranches",
)
def topology_requests(case: Case) -> list[str]:
    names: list[str] = case.input.get("tasFlavorsOfClusterQueue") or []
    flavor = view(ResourceFlavor, {"spec": {"topologyName": "topology"}})
    groups = (Group(frozenset(("cpu",)), tuple(names)),)
    topologies = Topologies(groups, dict.fromkeys(names, flavor), Levels())
    given = case.input["assignment"]
    assignment = Assignment([_pod_set(one) for one in given["podSets"]])
    requests = topologies.requests(assignment, _info(case.input["workload"]))
    got = {
        "errorOfFirstPodSet": next((one.error for one in assignment.pod_sets), ""),
        "representativeMode": MODE_NAMES[assignment.mode],
        "topologyRequestsBuilt": bool(requests),
    }
    return asserted(case.expected, got)
