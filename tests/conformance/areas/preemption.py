"""Preemption: whom the search names, what is written to them, and the orders and texts a user can see."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.timestamps import parse_time
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.flavors.assignments import (
    Assignment,
    FlavorAssignment,
    Mode,
    PodSetAssignment,
)
from argosy.queueing.preemption import wording
from argosy.queueing.preemption.candidates import OTHER, OWN, merged, ranked
from argosy.queueing.preemption.issuing import preemptions
from argosy.queueing.preemption.policies import satisfies
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.preemption.shares import Shares
from argosy.queueing.preemption.targets import Target
from argosy.queueing.preemption.tournaments import Tournament
from argosy.queueing.quotas.amounts import FlavorResource, Usage
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.writing import written
from tests.conformance.areas import runs
from tests.conformance.building import fair_sharing, infos, key_of, snapshot, view
from tests.conformance.cases import Case
from tests.conformance.comparing import asserted, differences

_MODES = {"NoFit": Mode.NO_FIT, "Preempt": Mode.PREEMPT, "Fit": Mode.FIT}


@runs("preemption", "TestPreemption", "TestHierarchicalPreemptions")
def issued(case: Case) -> list[str]:
    info, targets, state = _searched(case)
    workloads = {key_of(one): copy.deepcopy(one) for one in case.objects.get("workloads") or ()}
    for preemption in preemptions(info, targets, state, datetime.fromtimestamp(_now(case), UTC)):
        workload = workloads[preemption.target.info.key]
        workload["status"] = written(preemption.draft.status)
    got = {
        "preemptedCount": len(targets),
        "workloads": _by_key(workloads.values()),
        "targets": _reasons(targets),
    }
    want = case.expected | {"workloads": _by_key(case.expected.get("workloads") or ())}
    if "targets" in case.observed:
        want["targets"] = _wanted_reasons(case.observed["targets"])
    return asserted(want, got)


@runs(
    "preemption-fair-sharing",
    "TestFairPreemptions",
    "TestFairPreemptionSkipsUnsatisfiableTournament",
)
def fair(case: Case) -> list[str]:
    _, targets, _ = _searched(case)
    want = case.expected | {"targets": _wanted_reasons(case.expected.get("targets"))}
    # How often the strategies were asked is what upstream logs.
    logged = ("firstStrategyEvals", "secondStrategyEvals", "skippedQueues")
    return asserted(want, {"targets": _reasons(targets)}, but=logged)


def _reasons(targets: Iterable[Target]) -> dict[str, str]:
    return {target.info.key: target.reason for target in targets}


def _wanted_reasons(targets: Iterable[dict[str, Any]] | None) -> dict[str, str]:
    return {one["workload"]: one["reason"] for one in targets or ()}


@runs("preemption-candidate-order", "TestCandidatesOrdering")
def order(case: Case) -> list[str]:
    usages: dict[str, float | None] = {}
    queues: dict[str, list[Info]] = {}
    for given in case.input.get("candidates") or ():
        info = infos(case).make(view(Workload, given["workload"]))
        info.cluster_queue = given.get("clusterQueue") or ""
        usages[info.local_queue] = given.get("localQueueFSUsage")
        queues.setdefault(info.cluster_queue, []).append(info)
    is_by_usage = (case.options.get("admissionFairSharing") or {}).get("enabled")
    usage_of = usages.__getitem__ if is_by_usage else None
    own = case.input["preemptorClusterQueue"]
    lists = [
        ranked(members, OWN if queue == own else OTHER, _now(case), usage_of)
        for queue, members in sorted(queues.items())
    ]
    got = [one.info.obj.metadata.name for one in merged(lists)]
    return differences(case.expected, {"candidates": got})


@runs("preemption-misc", "TestSatisfiesPreemptionPolicy")
def policy(case: Case) -> list[str]:
    preemptor, candidate = (
        infos(case).make(view(Workload, case.input[name])) for name in ("preemptor", "candidate")
    )
    got = satisfies(case.input.get("policy") or "", preemptor, candidate)
    return differences(case.expected, {"result": got})


@runs("preemption-misc", "TestMakeClusterQueueOrdering")
def queue_order(case: Case) -> list[str]:
    state = snapshot(case)
    nodes = {
        queue.node: ranked(queue.workloads.values(), OTHER, _now(case))
        for name, queue in state.queues.items()
        if name in (case.input.get("candidateClusterQueues") or ()) and queue.workloads
    }
    own = state.queues[case.input["preemptorClusterQueue"]].node
    tournament = Tournament(own, nodes, Shares())
    actions = iter(case.input.get("actions") or ())
    got = []
    while (node := tournament.next()) is not None:
        got.append(node.name)
        if next(actions, "pop") == "drop":
            tournament.drop(node)
        else:
            tournament.pop(node)
    return differences(case.expected, {"order": got})


@runs("preemption-misc", "TestPreemptionMessage")
def message(case: Case) -> list[str]:
    got = wording.message(
        view(Workload, case.input["preemptor"]),
        *(case.input.get(name) or "" for name in ("reason", "preemptorPath", "preempteePath")),
    )
    return differences(case.expected, {"message": got})


@runs("preemption-misc", "TestPriorityInfo")
def priorities(case: Case) -> list[str]:
    info = infos(case).make(view(Workload, case.input["workload"]))
    got = dict(zip(("effective", "base", "boost"), wording.priorities(info), strict=True))
    return differences(case.expected, got)


def _searched(case: Case) -> tuple[Info, list[Target], Snapshot]:
    """The incoming workload, and whom it would preempt."""
    state = snapshot(case)
    queue = case.input["targetClusterQueue"]
    info = infos(case).make(view(Workload, case.input["incomingWorkload"]), queue)
    info.cluster_queue = queue
    preemptor = Preemptor(fair_sharing(case))
    assignment = _assignment(case.input["assignment"], info)
    return info, preemptor.targets(info, assignment, state, now=_now(case)), state


def _assignment(given: dict[str, Any], info: Info) -> Assignment:
    """The given flavors for what the workload requests."""
    pod_sets, usage = [], Usage()
    for requested, pod_set in zip(info.total_requests, given.get("podSets") or (), strict=False):
        flavors = {
            resource: FlavorAssignment(
                flavor["name"],
                _MODES[flavor["mode"]],
                flavor.get("triedFlavorIdx") or 0,
                flavor.get("borrow") or 0,
            )
            for resource, flavor in (pod_set.get("flavors") or {}).items()
        }
        wanted = requested.scaled_to(pod_set.get("count") or requested.count)
        pod_sets.append(PodSetAssignment(wanted.name, wanted.count, wanted.requests, flavors))
        for resource, flavor in flavors.items():
            key = FlavorResource(flavor.name, resource)
            usage[key] = usage.get(key, 0) + wanted.requests.get(resource, 0)
    return Assignment(pod_sets, given.get("borrowing") or 0, usage)


def _now(case: Case) -> float:
    return parse_time(case.now).timestamp()


def _by_key(workloads: Any) -> dict[str, Any]:
    """Workloads by key, conditions in order of their types."""
    found = {}
    for workload in workloads:
        status = workload.get("status") or {}
        conditions = sorted(status.get("conditions") or (), key=lambda one: one["type"])
        found[key_of(workload)] = workload | {"status": status | {"conditions": conditions}}
    return found
