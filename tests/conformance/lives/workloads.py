"""A look at a Workload: what is written, told, and when it is looked at again."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from argosy.api.objects.core import Namespace
from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue
from argosy.api.objects.kueue.workloads import (
    ADMITTED,
    FINISHED,
    PODS_READY,
    AdmissionCheckState,
    Workload,
)
from argosy.api.objects.limits import LimitRange
from argosy.api.objects.metadata import ObjectMeta, is_true
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.queueing.controllers.finalizers import without
from argosy.queueing.controllers.workloads import selector_of
from argosy.queueing.workloads.checking import checks_for, synced_states
from argosy.queueing.workloads.deciding import decide
from argosy.queueing.workloads.decisions import Decision, LifeRules, PodsReadyRules
from argosy.queueing.workloads.explaining import Surroundings
from argosy.queueing.workloads.limitranges import summarize
from argosy.queueing.workloads.phases import RESOURCE_IN_USE, is_admissible
from argosy.queueing.workloads.writing import written
from tests.conformance.building import view, views
from tests.conformance.comparing import differences, is_empty
from tests.conformance.lives import Line, now_of, without_times

_LIMIT: Final = re.compile(r"backoffLimitCount: (\d+)")
_NANOSECONDS: Final = 1e9
_LONG: Final = timedelta(days=365)


class Stored:
    """A workload as a server keeps it, changed by what is decided. A write fails with `problem`, if there is one."""

    def __init__(self, raw: Object, problem: str = "") -> None:
        self.raw: Object | None = copy.deepcopy(raw)
        self._problem = problem
        self.error = ""

    def carry_out(self, decision: Decision) -> None:
        """Write as the controller does: the status, then metadata and spec, then delete."""
        change = decision.draft.patch()
        metadata = decision.workload.metadata
        steps: list[Callable[[Object], Object | None]] = []
        if change is not None:
            steps.append(lambda raw: apply_merge_patch(raw, change))
        if decision.drops_finalizer:
            kept = list(without(metadata.finalizers))
            steps.append(lambda raw: self._finalized(raw, kept))
        if decision.deactivates:
            steps.append(lambda raw: apply_merge_patch(raw, {"spec": {"active": False}}))
        if decision.deletes:
            steps.append(lambda _: None)
        for step in steps:
            if self._problem:
                self.error = self._problem
                return
            self.raw = step(self.raw) if self.raw is not None else None

    @staticmethod
    def _finalized(raw: Object, finalizers: list[str]) -> Object | None:
        if not finalizers and raw["metadata"].get("deletionTimestamp"):
            return None
        return apply_merge_patch(raw, {"metadata": {"finalizers": finalizers or None}})


def workload(line: Line) -> list[str]:
    case, now = line["case"], now_of(line)
    given = view(Workload, case["workload"])
    decision = decide(given, _surroundings(case, given, now), _rules(line, given, now))
    stored = Stored(case["workload"], _error(case.get("patchErr")))
    stored.carry_out(decision)
    want = _error(case.get("wantError")) or case.get("wantErrorMsg") or ""
    found = [] if want and want in stored.error else differences(want, stored.error, "error")
    found += _workload_differences(case, given, stored.raw)
    if stored.error:
        return found
    seconds = (case.get("wantResult") or {}).get("RequeueAfter") or 0
    got = decision.look_again_seconds or 0.0
    found += differences(seconds / _NANOSECONDS, got, "requeueAfter")
    return found + differences(_wanted_events(case), _events(decision), "events")


def _workload_differences(
    case: Mapping[str, Any], given: Workload, raw: Object | None
) -> list[str]:
    want = case.get("wantWorkloadUseMergePatch") or case.get("wantWorkload")
    if want:
        return differences(_comparable(want), _comparable(raw or {}), "workload")
    # Not told what becomes of it: it is gone if it was told so, else neither held by the finalizer nor in a queue.
    if raw is None:
        return []
    if given.metadata.deletion_timestamp is not None or _is_told(case, "Deleted"):
        return ["workload: want nothing, got one"]
    kept = [RESOURCE_IN_USE] if RESOURCE_IN_USE in raw["metadata"].get("finalizers", ()) else []
    after = view(Workload, raw)
    queued = is_admissible(after) and not case.get("wantWorkloadsInQueue")
    return differences([], kept, "finalizers") + differences(False, queued, "queued")


def _comparable(raw: Object) -> Object:
    """What upstream compares of a workload: conditions in no order, and of times only that they are there."""
    status = raw.get("status") or {}
    spec = {name: value for name, value in (raw.get("spec") or {}).items() if name != "active"}
    return {
        "finalizers": raw["metadata"].get("finalizers") if raw else None,
        "spec": spec | {"active": (raw.get("spec") or {}).get("active", True)},
        "status": without_times(status)
        | {
            "conditions": {
                one["type"]: without_times(one) for one in status.get("conditions") or ()
            }
        },
    }


def _surroundings(case: Mapping[str, Any], given: Workload, now: datetime) -> Surroundings:
    others = [one for one in case.get("additionalObjects") or () if one.get("value")]
    local_queue = (
        view(LocalQueue, _ended(case["lq"], case.get("shouldDeleteLQ"), now))
        if case.get("lq")
        else None
    )
    if local_queue is not None and local_queue.metadata.key != (
        given.metadata.namespace,
        given.spec.queue_name,
    ):
        local_queue = None
    name = local_queue.spec.cluster_queue if local_queue is not None else ""
    queue = (
        view(ClusterQueue, _ended(case["cq"], case.get("shouldDeleteCQ"), now))
        if case.get("cq")
        else None
    )
    if queue is not None and queue.metadata.name != name:
        queue = None
    ranges = views(LimitRange, [one["value"] for one in others if _is(one, "LimitRange")])
    namespaces, selector_error = selector_of(queue)
    return Surroundings(
        now=now,
        local_queue=local_queue,
        cluster_queue_name=name,
        cluster_queue=queue,
        is_active=queue is not None and is_true(queue.status.conditions, "Active"),
        namespaces=namespaces,
        selector_error=selector_error,
        namespace=_namespace(others, given.metadata.namespace),
        limits=summarize(
            one for one in ranges if one.metadata.namespace == given.metadata.namespace
        ),
    )


def _is(other: Mapping[str, Any], kind: str) -> bool:
    return str(other.get("$type", "")).endswith(f".{kind}")


def _namespace(others: Iterable[Mapping[str, Any]], name: str) -> Namespace:
    brought = views(Namespace, [one["value"] for one in others if _is(one, "Namespace")])
    known = {one.metadata.name: one for one in brought}
    return known.get(name) or Namespace(ObjectMeta(name=name))


def _ended(raw: Object, is_ending: object, now: datetime) -> Object:
    if not is_ending:
        return raw
    return apply_merge_patch(raw, {"metadata": {"deletionTimestamp": format_time(now)}})


# The options of the reconciler, which the data does not have.


def _rules(line: Line, given: Workload, now: datetime) -> LifeRules:
    if is_empty(line["case"].get("reconcilerOpts")):
        return LifeRules()
    return LifeRules(_pods_ready(line, given, now), _retention(line["case"], given, now))


def _retention(case: Mapping[str, Any], given: Workload, now: datetime) -> float | None:
    left = ((case.get("wantResult") or {}).get("RequeueAfter") or 0) / _NANOSECONDS
    age = _age(given, FINISHED, now) or timedelta()
    if left:
        return age.total_seconds() + left
    return age.total_seconds() if _is_told(case, "Deleted") else None


def _pods_ready(line: Line, given: Workload, now: datetime) -> PodsReadyRules:
    case = line["case"]
    left = ((case.get("wantResult") or {}).get("RequeueAfter") or 0) / _NANOSECONDS
    is_over = _is_wanted(case, "PodsReadyTimeout") or _is_wanted(case, "RequeuingLimitExceeded")
    rest = 0.0 if is_over else left or _LONG.total_seconds()
    started = (_age(given, ADMITTED, now) or timedelta()).total_seconds()
    failed = (_age(given, PODS_READY, now) or timedelta()).total_seconds()
    named = _LIMIT.search(line["name"])
    limit = int(named.group(1)) if named else None
    if limit is None and _is_wanted(case, "RequeuingLimitExceeded"):
        state = given.status.requeue_state
        limit = (state.count or 0) if state is not None else 0
    return PodsReadyRules(started + rest, failed + rest, limit)


def _is_wanted(case: Mapping[str, Any], reason: str) -> bool:
    """Whether a condition of this reason must come of the look that was not there before."""

    def said(raw: Object | None) -> set[str]:
        conditions = ((raw or {}).get("status") or {}).get("conditions") or ()
        return {one["reason"] for one in conditions if one["status"] == "True"}

    return reason in said(case.get("wantWorkload")) - said(case.get("workload"))


def _age(given: Workload, type_: str, now: datetime) -> timedelta | None:
    found = given.condition(type_)
    if found is None or found.last_transition_time is None:
        return None
    return now - found.last_transition_time


def _is_told(case: Mapping[str, Any], reason: str) -> bool:
    return any(one["Reason"] == reason for one in case.get("wantEvents") or ())


def _wanted_events(case: Mapping[str, Any]) -> list[Any]:
    events = case.get("wantEvents") or ()
    return sorted([one["EventType"], one["Reason"], one["Message"]] for one in events)


def _events(decision: Decision) -> list[Any]:
    return sorted([one.type, one.reason, one.message] for one in decision.happenings)


def _error(given: Mapping[str, Any] | None) -> str:
    return str((given or {}).get("$error", ""))


# Checks.


def synced_checks(line: Line) -> list[str]:
    case = line["case"]
    given = view(Workload, case["wl"])
    names = checks_for(given, view(ClusterQueue, case["cq"]))
    got = synced_states(given.status.admission_checks, names, now_of(line))
    return differences(_states(case.get("wantChecks")), _states(map(written, got)))


def check_states(line: Line) -> list[str]:
    case = line["case"]
    given = tuple(views(AdmissionCheckState, case.get("states")))
    got = synced_states(given, frozenset(case.get("list") or ()), now_of(line))
    found = differences(_states(case.get("wantStates")), _states(map(written, got)))
    return found + differences(case.get("wantChange"), got is not given, "change")


def _states(states: Iterable[Object] | None) -> list[Object]:
    return [without_times(one) for one in states or ()]
