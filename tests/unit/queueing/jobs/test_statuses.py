"""What jobs of each kind say about themselves: ended, ready, active, reclaimable, on hold."""

from __future__ import annotations

import pytest

from argosy.base.types import Json, Object
from argosy.queueing.jobs.integrations.batchjobs import BatchJobs
from argosy.queueing.jobs.integrations.jobsets import JobSets
from argosy.queueing.jobs.integrations.rayjobs import RayJobs
from argosy.queueing.jobs.integrations.rays import RayClusters
from argosy.queueing.jobs.kinds import JobKind, Outcome
from tests.unit.queueing.jobs.builders import TRAINING, job, replicated, template

PYTORCH = TRAINING["PyTorchJob"]
SET = {"replicatedJobs": [replicated("a", 2, template(), parallelism=3, completions=3)]}


def _cond(type_: str, message: str = "") -> Object:
    return {"conditions": [{"type": type_, "status": "True", "message": message}]}


FINISHED: dict[str, tuple[JobKind, Object | None, Outcome | None]] = {
    "a complete Job": (BatchJobs(), _cond("Complete", "m"), Outcome(True, "m")),
    "a failed Job": (BatchJobs(), _cond("Failed", "m"), Outcome(False, "m")),
    "a Job that is going to fail": (BatchJobs(), _cond("FailureTarget"), None),
    "a Job without a status": (BatchJobs(), None, None),
    "a completed JobSet": (JobSets(), _cond("Completed", "m"), Outcome(True, "m")),
    "a failed JobSet": (JobSets(), _cond("Failed", "m"), Outcome(False, "m")),
    "a PyTorchJob that succeeded": (PYTORCH, _cond("Succeeded", "m"), Outcome(True, "m")),
    "a PyTorchJob that runs": (PYTORCH, _cond("Running"), None),
    "a RayCluster never": (RayClusters(), {"state": "failed"}, None),
    "a RayJob that succeeded": (
        RayJobs(),
        {"jobDeploymentStatus": "Complete", "jobStatus": "SUCCEEDED", "message": "m"},
        Outcome(True, "m"),
    ),
    "a RayJob that failed": (
        RayJobs(),
        {"jobDeploymentStatus": "Failed", "jobStatus": "FAILED", "message": "m"},
        Outcome(False, "m"),
    ),
}


@pytest.mark.parametrize(("kind", "status", "want"), FINISHED.values(), ids=FINISHED.keys())
def test_finished(kind: JobKind, status: Object | None, want: Outcome | None) -> None:
    assert kind.finished(job(status=status)) == want


READY: dict[str, tuple[JobKind, Object | None, Object, bool]] = {
    "ready and succeeded pods count": (BatchJobs(), None, {"ready": 1, "succeeded": 1}, True),
    "succeeded pods count before they are counted": (
        BatchJobs(),
        None,
        {"ready": 1, "uncountedTerminatedPods": {"succeeded": ["u"]}},
        True,
    ),
    "a pod is missing": (BatchJobs(), None, {"ready": 1}, False),
    "all replicas of a JobSet": (
        JobSets(),
        SET,
        {"replicatedJobsStatus": [{"name": "a", "ready": 1, "succeeded": 1}]},
        True,
    ),
    "one replica of two": (JobSets(), SET, {"replicatedJobsStatus": [{"name": "a", "ready": 1}]}, False),
    "a RayCluster that is ready": (RayClusters(), None, {"state": "ready"}, True),
    "a RayJob whose cluster is ready": (RayJobs(), None, {"rayClusterStatus": {"state": "ready"}}, True),
    "a PyTorchJob that runs": (PYTORCH, None, _cond("Running"), True),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "spec", "status", "want"), READY.values(), ids=READY.keys())
def test_ready(kind: JobKind, spec: Object | None, status: Object, want: bool) -> None:
    assert kind.are_pods_ready(job(spec, status=status)) is want


RECLAIMABLE: dict[str, tuple[JobKind, Object, Object, Json]] = {
    "more to do than runs at once": (
        BatchJobs(), {"parallelism": 3, "completions": 9}, {"succeeded": 4}, {},
    ),
    "fewer left than run at once": (
        BatchJobs(), {"parallelism": 3, "completions": 5}, {"succeeded": 4}, {"main": 2},
    ),
    "a single pod": (BatchJobs(), {"parallelism": 1}, {"succeeded": 1}, {}),
    "indexes that will not run again, failed ones too": (
        BatchJobs(),
        {"parallelism": 4, "completions": 8, "completionMode": "Indexed"},
        {"succeeded": 5, "completedIndexes": "0-4", "failedIndexes": "4,6"},
        {"main": 2},
    ),
    "replicas that succeeded": (
        JobSets(), SET, {"replicatedJobsStatus": [{"name": "a", "succeeded": 1}]}, {"a": 3},
    ),
    "a kind that does not tell": (RayJobs(), {}, {}, None),
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "spec", "status", "want"), RECLAIMABLE.values(), ids=RECLAIMABLE.keys()
)
def test_reclaimable(kind: JobKind, spec: Object, status: Object, want: Json) -> None:
    assert kind.reclaimable(job({"template": template(), **spec}, status=status)) == want


ACTIVE: dict[str, tuple[JobKind, Object, bool]] = {
    "a Job with pods": (BatchJobs(), {"active": 1}, True),
    "a Job without": (BatchJobs(), {"active": 0}, False),
    "a JobSet with an active Job": (JobSets(), {"replicatedJobsStatus": [{"name": "a", "active": 1}]}, True),
    "a RayJob that is being suspended": (RayJobs(), {"jobDeploymentStatus": "Suspending"}, True),
    "a RayJob that is suspended": (RayJobs(), {"jobDeploymentStatus": "Suspended"}, False),
    "a RayJob that is new": (RayJobs(), {}, False),
    "a PyTorchJob with a master": (PYTORCH, {"replicaStatuses": {"Master": {"active": 1}}}, True),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "status", "want"), ACTIVE.values(), ids=ACTIVE.keys())
def test_active(kind: JobKind, status: Object, want: bool) -> None:
    assert kind.is_active(job(status=status)) is want


def test_a_rayjob_that_is_invalid_is_on_hold_and_one_with_a_cluster_is_not_ours() -> None:
    held = job(status={"jobDeploymentStatus": "ValidationFailed"})
    assert RayJobs().on_hold(held) == "Job is on hold"
    assert RayJobs().is_skipped(job({"clusterSelector": {"ray.io/cluster": "c"}}))


def test_the_priority_of_a_training_job_is_its_policys() -> None:
    policy = {"schedulingPolicy": {"priorityClass": "high"}}
    assert PYTORCH.priority_class(job({"runPolicy": policy})) == "high"
