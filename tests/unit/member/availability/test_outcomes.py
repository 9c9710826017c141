"""How jobs stand, by what they say of themselves."""

from __future__ import annotations

import pytest

from argosy.api.objects.metadata import Condition, ObjectMeta
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
