"""What is to be done about a JobSet, case by case."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from argosy.api.objects import Job
from argosy.api.objects.jobsets import JobSet
from argosy.base.types import Object
from argosy.workloads.jobsets.deciding import MOST_PER_LOOK, decide, is_ours
from tests.unit.workloads.jobsets.builders import at, job, jobset, replicated, stamp

READY: Object = {"ready": 1, "active": 1}
IN_ORDER: Object = {"startupPolicyOrder": "InOrder"}
DELETED: Object = {"deletionTimestamp": stamp(0)}


def ended(type_: str, when: float = 0) -> Object:
    condition = {"type": type_, "status": "True", "lastTransitionTime": stamp(when)}
    return {"conditions": [condition]}


def policy(*rules: Object, restarts: int = 1, strategy: str = "Recreate") -> Object:
    return {"maxRestarts": restarts, "restartStrategy": strategy, "rules": list(rules)}


@dataclass
class Case:
    jobset: JobSet
    jobs: list[Job] = field(default_factory=list)
    creates: list[str] = field(default_factory=list)
    deletes: list[str] = field(default_factory=list)
    suspends: list[str] = field(default_factory=list)
    resumes: list[str] = field(default_factory=list)
    # Reasons of events, which are those of conditions too.
    tells: list[str] = field(default_factory=list)
    has_service: bool = False
    expires: bool = False
    look_again: float | None = None


CASES = {
    "a new jobset gets its service and all jobs": Case(
        jobset(replicated("a", 2), replicated("b")),
        creates=["js-a-0", "js-a-1", "js-b-0"],
        has_service=True,
    ),
    "without host names there is no service": Case(
        jobset(replicated("a"), network={"enableDNSHostnames": False}), creates=["js-a-0"]
    ),
    "only jobs that are missing are made": Case(
        jobset(replicated("a", 3)), [job("a/1")], creates=["js-a-0", "js-a-2"], has_service=True
    ),
    "jobs of an earlier attempt go, and keep their names until they are gone": Case(
        jobset(replicated("a", 2), status={"restarts": 1}),
        [job("a/0", attempt="0", state="Failed")],
        creates=["js-a-1"],
        deletes=["js-a-0"],
        has_service=True,
    ),
    "a job that is being deleted is not deleted again": Case(
        jobset(replicated("a"), status={"restarts": 1}),
        [job("a", attempt="0", metadata={"deletionTimestamp": stamp(0), "labels": {}})],
        has_service=True,
    ),
    "a job whose attempt nobody can read goes": Case(
        jobset(replicated("a")),
        [job("a", attempt="x")],
        deletes=["js-a-0"],
        has_service=True,
    ),
    "blocking recreate makes nothing while anything of the last attempt is left": Case(
        jobset(
            replicated("a", 2),
            status={"restarts": 1},
            failurePolicy=policy(strategy="BlockingRecreate"),
        ),
        [job("a/0", attempt="0")],
        deletes=["js-a-0"],
        has_service=True,
    ),
    "blocking recreate goes on when the last attempt is gone": Case(
        jobset(
            replicated("a", 2),
            status={"restarts": 1},
            failurePolicy=policy(strategy="BlockingRecreate"),
        ),
        [job("a/0", attempt="1")],
        creates=["js-a-1"],
        has_service=True,
    ),
    "a failed job without a policy is the end": Case(
        jobset(replicated("a", 2)), [job("a", state="Failed")], tells=["FailedJobs"]
    ),
    "a failed job with restarts left begins the next attempt and makes nothing yet": Case(
        jobset(replicated("a", 2), failurePolicy=policy()),
        [job("a", state="Failed")],
        tells=["RestartJobSetFailurePolicyAction"],
    ),
    "a failed job without restarts left is the end": Case(
        jobset(
            replicated("a"),
            failurePolicy=policy(),
            status={"restarts": 1, "restartsCountTowardsMax": 1},
        ),
        [job("a", attempt="1", state="Failed")],
        tells=["ReachedMaxRestarts"],
    ),
    "all jobs have succeeded": Case(
        jobset(replicated("a"), replicated("b")),
        [job("a", state="Complete"), job("b", state="Complete")],
        tells=["AllJobsCompleted"],
    ),
    "some jobs have succeeded, the others run on": Case(
        jobset(replicated("a"), replicated("b")),
        [job("a", state="Complete"), job("b")],
        has_service=True,
    ),
    "any success is enough": Case(
        jobset(replicated("a"), replicated("b"), successPolicy={"operator": "Any"}),
        [job("a", state="Complete"), job("b")],
        tells=["AllJobsCompleted"],
    ),
    "the success of a job that is no target does not count": Case(
        jobset(
            replicated("a"),
            replicated("b"),
            successPolicy={"operator": "Any", "targetReplicatedJobs": ["b"]},
        ),
        [job("a", state="Complete"), job("b")],
        has_service=True,
    ),
    "all jobs of the targets are enough": Case(
        jobset(
            replicated("a", 2),
            replicated("b"),
            successPolicy={"operator": "All", "targetReplicatedJobs": ["a"]},
        ),
        [job("a/0", state="Complete"), job("a/1", state="Complete"), job("b")],
        tells=["AllJobsCompleted"],
    ),
    "a failure outweighs successes": Case(
        jobset(replicated("a"), replicated("b"), successPolicy={"operator": "Any"}),
        [job("a", state="Complete"), job("b", state="Failed")],
        tells=["FailedJobs"],
    ),
    "a completed jobset loses what still runs, keeps what has ended": Case(
        jobset(replicated("a"), replicated("b"), status=ended("Completed")),
        [job("a", state="Complete"), job("b")],
        deletes=["js-b-0"],
    ),
    "a failed jobset does nothing about failed jobs": Case(
        jobset(replicated("a"), failurePolicy=policy(), status=ended("Failed")),
        [job("a", state="Failed")],
    ),
    "a finished jobset is kept for its time": Case(
        jobset(replicated("a"), status=ended("Completed", 60), ttlSecondsAfterFinished=100),
        look_again=60.0,
    ),
    "a finished jobset goes when its time is over": Case(
        jobset(replicated("a"), status=ended("Failed", 0), ttlSecondsAfterFinished=100),
        expires=True,
    ),
    "time does not run for a jobset that runs": Case(
        jobset(replicated("a"), ttlSecondsAfterFinished=0), [job("a")], has_service=True
    ),
    "a suspended jobset makes its jobs, and suspends those that run": Case(
        jobset(replicated("a", 2), suspend=True),
        [job("a/0")],
        creates=["js-a-1"],
        suspends=["js-a-0"],
        tells=["SuspendedJobs"],
        has_service=True,
    ),
    "a resumed jobset resumes its jobs": Case(
        jobset(replicated("a"), status=ended("Suspended")),
        [job("a", suspend=True)],
        resumes=["js-a-0"],
        tells=["ResumeJobs"],
        has_service=True,
    ),
    "in order only the first is made": Case(
        jobset(replicated("a"), replicated("b"), startupPolicy=IN_ORDER),
        creates=["js-a-0"],
        tells=["InOrderStartupPolicyInProgress"],
        has_service=True,
    ),
    "in order the second waits for the first to be ready": Case(
        jobset(replicated("a"), replicated("b"), startupPolicy=IN_ORDER),
        [job("a", status={"active": 1})],
        tells=["InOrderStartupPolicyInProgress"],
        has_service=True,
    ),
    "in order the second follows when the first is ready": Case(
        jobset(replicated("a"), replicated("b"), startupPolicy=IN_ORDER),
        [job("a", status=READY)],
        creates=["js-b-0"],
        tells=["InOrderStartupPolicyInProgress"],
        has_service=True,
    ),
    "in order is over when the last is ready": Case(
        jobset(replicated("a"), replicated("b"), startupPolicy=IN_ORDER),
        [job("a", state="Complete"), job("b", status=READY)],
        tells=["InOrderStartupPolicyCompleted"],
        has_service=True,
    ),
    "in order while suspended all are made": Case(
        jobset(replicated("a"), replicated("b"), startupPolicy=IN_ORDER, suspend=True),
        creates=["js-a-0", "js-b-0"],
        tells=["SuspendedJobs"],
        has_service=True,
    ),
    "in order only the first is resumed": Case(
        jobset(replicated("a"), replicated("b"), startupPolicy=IN_ORDER),
        [job("a", suspend=True), job("b", suspend=True)],
        resumes=["js-a-0"],
        tells=["InOrderStartupPolicyInProgress"],
        has_service=True,
    ),
    "a dependent waits until what it depends on is ready": Case(
        jobset(replicated("a"), replicated("b", dependsOn=[{"name": "a", "status": "Ready"}])),
        [job("a")],
        has_service=True,
    ),
    "a dependent follows when what it depends on is ready": Case(
        jobset(replicated("a"), replicated("b", dependsOn=[{"name": "a", "status": "Ready"}])),
        [job("a", status=READY)],
        creates=["js-b-0"],
        has_service=True,
    ),
    "ready is not enough for complete": Case(
        jobset(replicated("a"), replicated("b", dependsOn=[{"name": "a", "status": "Complete"}])),
        [job("a", status=READY)],
        has_service=True,
    ),
    "a dependent follows when what it depends on is complete": Case(
        jobset(replicated("a"), replicated("b", dependsOn=[{"name": "a", "status": "Complete"}])),
        [job("a", state="Complete")],
        creates=["js-b-0"],
        has_service=True,
    ),
    "others do not wait for a dependent that waits": Case(
        jobset(
            replicated("a"),
            replicated("b", dependsOn=[{"name": "a", "status": "Complete"}]),
            replicated("c"),
        ),
        creates=["js-a-0", "js-c-0"],
        has_service=True,
    ),
    "a suspended dependent is resumed only when its turn comes": Case(
        jobset(replicated("a"), replicated("b", dependsOn=[{"name": "a", "status": "Ready"}])),
        [job("a", suspend=True), job("b", suspend=True)],
        resumes=["js-a-0"],
        has_service=True,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_decision(case: Case) -> None:
    got = decide(case.jobset, case.jobs, at(100))
    found = Case(
        case.jobset,
        case.jobs,
        creates=[made["metadata"]["name"] for made in got.creations],
        deletes=[job.metadata.name for job in got.deletions],
        suspends=[job.metadata.name for job in got.suspensions],
        resumes=[resumption.job.metadata.name for resumption in got.resumptions],
        tells=[happening.reason for happening in got.draft.happenings],
        has_service=got.service is not None,
        expires=got.is_expired,
        look_again=got.look_again_seconds,
    )
    assert found == case


def test_a_decision_does_not_depend_on_the_order_of_jobs() -> None:
    known = jobset(replicated("a", 3), failurePolicy=policy())
    jobs = [job("a/0"), job("a/1", state="Failed", when=5), job("a/2", state="Failed", when=5)]
    first, second = (decide(known, some, at(9)).draft for some in (jobs, jobs[::-1]))
    assert first == second
    assert first.happenings[0].message.endswith("(first failed job: js-a-1)")


@pytest.mark.parametrize(
    ("known", "want"),
    [
        (jobset(), True),
        (jobset(managedBy="jobset.sigs.k8s.io/jobset-controller"), True),
        (jobset(managedBy="acme.io/elsewhere"), False),
        (jobset(metadata=DELETED), False),
    ],
)
def test_whose_jobset_it_is(known: JobSet, want: bool) -> None:
    assert is_ours(known) is want


def test_more_jobs_than_anybody_can_make_are_made_in_parts() -> None:
    known = jobset(replicated("a", 2), replicated("b", 2**31 - 1))
    first = [body["metadata"]["name"] for body in decide(known, [], at(9)).creations]
    assert first[:3] == ["js-a-0", "js-a-1", "js-b-0"]
    assert len(first) == MOST_PER_LOOK
    made = [job(f"a/{index}") for index in range(2)] + [job(f"b/{index}") for index in range(998)]
    following = [body["metadata"]["name"] for body in decide(known, made, at(9)).creations]
    assert following[0] == "js-b-998"
    assert len(following) == MOST_PER_LOOK
