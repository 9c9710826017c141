"""How jobs stand, by what they say of themselves."""

from __future__ import annotations

import msgspec
import pytest

from argosy.api.objects.fleet.outcomes import (
    Ran,
    is_partial,
    ran,
    readable,
    started_at,
    with_outcome,
)
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.base.timestamps import format_time, parse_time
from argosy.base.types import Json, Object
from argosy.client.resources import CONFIG_MAPS, JOBS, Resource
from argosy.member.availability.outcomes import (
    JOB_SETS,
    RAY_JOBS,
    RunObject,
    Spec,
    has_finished,
    outcome_of,
)

HASH = "0123456789abcdef" * 4
META = ObjectMeta(generation=2, uid="u", annotations={"kubernetes-fleet.io/spec-hash": HASH})


def ended(type_: str, **more: str) -> list[Object]:
    return [{"type": type_, "status": "True", **more}]


CASES: dict[str, tuple[Resource, bool, dict[str, Json], str]] = {
    "a Job that waits in a queue has nothing to tell": (
        JOBS, True, {"conditions": ended("Suspended"), "ready": 0}, ""),
    "a Job whose pods wait for nodes has nothing to tell": (JOBS, False, {"active": 3, "ready": 0}, ""),
    "a Job that runs": (
        JOBS, False, {"active": 3, "ready": 1}, "False JobRunning 0 succeeded, 0 failed, 3 active"),
    "a Job that was stopped in the middle": (
        JOBS, True, {"succeeded": 2}, "False JobSuspended 2 succeeded, 0 failed, 0 active"),
    "a Job that is done": (
        JOBS, False, {"succeeded": 3, "conditions": ended("Complete", reason="CompletionsReached")},
        "True JobComplete 3 succeeded, 0 failed, 0 active (manifest 0123456789ab)"),
    "a Job that failed": (
        JOBS, False, {"failed": 4, "conditions": ended("Failed", reason="DeadlineExceeded", message="too late")},
        "True JobFailed 0 succeeded, 4 failed, 0 active: DeadlineExceeded: too late (manifest 0123456789ab)"),
    "a Job that failed before a pod ran": (
        JOBS, False, {"conditions": ended("Failed", reason="DeadlineExceeded")},
        "True JobFailed 0 succeeded, 0 failed, 0 active: DeadlineExceeded (manifest 0123456789ab)"),
    "a RayJob that starts": (RAY_JOBS, False, {"jobDeploymentStatus": "Initializing"}, ""),
    "a RayJob that runs": (
        RAY_JOBS, False,
        {"jobDeploymentStatus": "Running", "jobStatus": "RUNNING", "rayClusterStatus": {"readyWorkerReplicas": 4}},
        "False JobRunning 0 succeeded, 0 failed, 4 active"),
    "a RayJob that is done": (
        RAY_JOBS, False, {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED", "succeeded": 1},
        "True JobComplete 1 succeeded, 0 failed, 0 active (manifest 0123456789ab)"),
    "a RayJob that failed": (
        RAY_JOBS, False, {"jobDeploymentStatus": "Failed", "reason": "AppFailed", "message": "boom"},
        "True JobFailed 0 succeeded, 1 failed, 0 active: AppFailed: boom (manifest 0123456789ab)"),
    "a JobSet that runs": (
        JOB_SETS, False, {"replicatedJobsStatus": [{"name": "a", "active": 2, "ready": 1}, {"name": "b", "failed": 1}]},
        "False JobRunning 0 succeeded, 1 failed, 2 active"),
    "a JobSet that is done": (
        JOB_SETS, False, {"conditions": ended("Completed"), "replicatedJobsStatus": [{"succeeded": 2}]},
        "True JobComplete 2 succeeded, 0 failed, 0 active (manifest 0123456789ab)"),
    "what is no job": (CONFIG_MAPS, False, {"conditions": ended("Complete")}, ""),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_a_job_tells(case: str) -> None:
    resource, suspend, status, want = CASES[case]
    outcome = outcome_of(resource, RunObject(META, Spec(suspend), status))
    if outcome is None:
        assert want == ""
        return
    got = outcome.condition
    assert f"{got.status} {got.reason} {got.message}" == want
    assert (got.type, got.observed_generation) == ("Finished", 2)
    assert has_finished((got,), HASH) == outcome.is_finished


def test_a_job_of_another_manifest_has_not_finished() -> None:
    told = Condition(
        type="Finished",
        status="True",
        message="1 succeeded, 0 failed, 0 active (manifest 0123456789ab)",
    )
    assert has_finished((told,), HASH)
    assert not has_finished((told,), "f" * 64)
    assert not has_finished((), HASH)
    assert not has_finished((Condition(type="Finished", status="True", message="by hand"),), HASH)


BEGAN, OVER = "2026-01-01T01:00:00Z", "2026-01-01T02:30:00Z"


def stamped(type_: str, status: str = "True", when: str = OVER) -> list[Object]:
    return [{"type": type_, "status": status, "lastTransitionTime": when}]


# What a job says, and the times of its condition: of its status, and when it began.
TIMES: dict[str, tuple[Resource, dict[str, Json], tuple[str, str]]] = {
    "a Job runs since its start": (JOBS, {"ready": 1, "startTime": BEGAN}, (BEGAN, BEGAN)),
    "a Job that its queue has stopped has no start": (JOBS, {"succeeded": 1}, ("", "")),
    "a Job ends when it completes": (
        JOBS, {"startTime": BEGAN, "completionTime": OVER, "conditions": stamped("Complete", when=BEGAN)},
        (OVER, BEGAN)),
    "a Job that failed says when in its condition": (
        JOBS, {"startTime": BEGAN, "conditions": stamped("Failed")}, (OVER, BEGAN)),
    "a Job that says no times": (JOBS, {"conditions": ended("Complete")}, ("", "")),
    "a Job whose time is none": (JOBS, {"ready": 1, "startTime": "noon"}, ("", "")),
    "a JobSet begins when it is made": (
        JOB_SETS, {"conditions": stamped("Completed")}, (OVER, "2026-01-01T00:00:00Z")),
    "a JobSet that was suspended begins when it is resumed": (
        JOB_SETS, {"conditions": [*stamped("Suspended", "False", BEGAN), *stamped("Failed")]}, (OVER, BEGAN)),
    "a JobSet that is suspended has no start": (
        JOB_SETS, {"replicatedJobsStatus": [{"ready": 1}], "conditions": stamped("Suspended")}, ("", "")),
    "a RayJob says both": (
        RAY_JOBS, {"jobStatus": "SUCCEEDED", "startTime": BEGAN, "endTime": OVER}, (OVER, BEGAN)),
    "a RayJob that runs": (RAY_JOBS, {"jobDeploymentStatus": "Running", "startTime": BEGAN}, (BEGAN, BEGAN)),
}  # fmt: skip


@pytest.mark.parametrize("case", TIMES)
def test_when_a_job_began_and_ended(case: str) -> None:
    resource, status, want = TIMES[case]
    meta = msgspec.structs.replace(META, creation_timestamp=parse_time("2026-01-01T00:00:00Z"))
    outcome = outcome_of(resource, RunObject(meta, Spec(), status))
    assert outcome is not None
    condition = outcome.condition
    got = (condition.last_transition_time, started_at(condition))
    assert tuple(format_time(each) if each is not None else "" for each in got) == want


def test_what_is_for_machines_is_not_for_people() -> None:
    told = f"1 succeeded, 0 failed, 0 active{Ran(HASH, parse_time(BEGAN))}"
    assert told.endswith(f" (manifest 0123456789ab, started {BEGAN})")
    assert readable(told) == "1 succeeded, 0 failed, 0 active"
    assert readable("as it is (manifest)") == "as it is (manifest)"
    assert ran(told) == Ran(HASH[:12], parse_time(BEGAN))
    assert ran("done (manifest 0123456789ab)") == Ran(HASH[:12])
    assert ran("done (manifest 0123456789ab, started 2026-99-01T00:00:00Z)") == Ran(HASH[:12])


def test_a_job_that_runs_again_began_anew() -> None:
    first, now = Condition("Finished", "False", "JobRunning"), parse_time(OVER)
    before = with_outcome(
        (), msgspec.structs.replace(first, last_transition_time=parse_time(BEGAN)), now
    )
    assert before[0].last_transition_time == parse_time(BEGAN)
    # While it is stopped nothing is new; then it says when it was started again.
    assert with_outcome(before, first, now) == before
    later = msgspec.structs.replace(first, last_transition_time=now)
    assert with_outcome(before, later, now)[0].last_transition_time == now


PARTS: dict[str, tuple[Spec, Object, bool]] = {
    "pods that wait for nodes": (Spec(False, 4, 4), {"active": 4, "ready": 3}, True),
    "pods that are not made yet": (Spec(False, 4, 4), {"active": 2, "ready": 2}, True),
    "all of them run": (Spec(False, 4, 4), {"active": 4, "ready": 4}, False),
    "fewer are needed at the end": (Spec(False, 4, 9), {"active": 2, "ready": 2, "succeeded": 7}, False),
    "ends that are not counted yet": (
        Spec(False, 4, 4), {"active": 1, "ready": 1, "uncountedTerminatedPods": {"succeeded": ["a", "b", "c"]}}, False),
    "pods that agree on the end": (Spec(False, 4), {"active": 2, "ready": 2, "succeeded": 1}, False),
    "pods that agree on the end, before it": (Spec(False, 4), {"active": 4, "ready": 2}, True),
    "one that is stopped": (Spec(True, 4, 4), {"ready": 0, "failed": 1}, False),
    "one that failed": (
        Spec(False, 4, 4), {"ready": 0, "failed": 1, "conditions": ended("Failed")}, False),
    "nobody counts those that are ready": (Spec(False, 4, 4), {"active": 4, "succeeded": 1}, False),
}  # fmt: skip


@pytest.mark.parametrize("case", PARTS)
def test_whether_all_pods_of_a_job_run(case: str) -> None:
    spec, status, want = PARTS[case]
    outcome = outcome_of(JOBS, RunObject(META, spec, status))
    assert outcome is not None
    assert is_partial(outcome.condition) == want
    assert outcome.counts.is_partial == want
