"""Counters and conditions of a JobSet."""

from __future__ import annotations

import pytest

from argosy.api.objects import Job
from argosy.api.objects.jobsets import ReplicatedJobStatus
from argosy.workloads.jobsets.children import sort_children
from argosy.workloads.jobsets.statuses import Draft, counted, written
from tests.unit.workloads.jobsets.builders import at, job, jobset, replicated, stamp

# A Job, and what it counts as.
COUNTS: dict[str, tuple[Job, dict[str, int]]] = {
    "a job without pods counts as nothing": (job("a"), {}),
    "a job with a pod is active": (job("a", status={"active": 1}), {"active": 1}),
    "all pods ready": (
        job("a", parallelism=2, status={"active": 2, "ready": 2}),
        {"active": 1, "ready": 1},
    ),
    "one of two pods ready": (
        job("a", parallelism=2, status={"active": 2, "ready": 1}),
        {"active": 1},
    ),
    "a succeeded pod is as good as a ready one": (
        job("a", parallelism=2, status={"active": 1, "ready": 1, "succeeded": 1}),
        {"active": 1, "ready": 1},
    ),
    "fewer completions than may run at once": (
        job("a", parallelism=5, completions=1, status={"active": 1, "ready": 1}),
        {"active": 1, "ready": 1},
    ),
    "a suspended job": (job("a", suspend=True), {"suspended": 1}),
    "a job that succeeded": (job("a", state="Complete", status={"succeeded": 1}), {"succeeded": 1}),
    "a job that failed": (job("a", state="Failed"), {"failed": 1}),
    "a job of an earlier attempt does not count": (job("a", attempt="0"), {}),
    "a job of no replicated job does not count": (job("z", status={"active": 1}), {}),
}


@pytest.mark.parametrize(("known", "want"), COUNTS.values(), ids=COUNTS.keys())
def test_counts(known: Job, want: dict[str, int]) -> None:
    restarts = 1 if known is COUNTS["a job of an earlier attempt does not count"][0] else 0
    parent = jobset(replicated("a"), status={"restarts": restarts})
    got = counted(parent, sort_children(parent, [known]))
    assert got == (ReplicatedJobStatus("a", **want),)


def test_counts_come_in_falling_order_of_names() -> None:
    parent = jobset(replicated("b"), replicated("c"), replicated("a"))
    got = [status.name for status in counted(parent, sort_children(parent, []))]
    assert got == ["c", "b", "a"]


def test_equal_counts_are_no_change() -> None:
    draft = Draft(jobset(replicated("a")).status, at(0))
    counts = (ReplicatedJobStatus("a", active=1),)
    draft.count(counts)
    assert draft.is_changed
    again = Draft(draft.status, at(1))
    again.count(counts)
    assert not again.is_changed


def test_a_condition_is_set_once_and_keeps_its_time() -> None:
    draft = Draft(jobset().status, at(0))
    draft.suspend()
    again = Draft(draft.status, at(5))
    again.suspend()
    assert (again.is_changed, again.happenings) == (False, [])
    assert again.status == draft.status


def test_a_condition_that_never_was_true_is_not_added_as_false() -> None:
    draft = Draft(jobset().status, at(0))
    draft.resume()
    assert (draft.is_changed, draft.happenings) == (False, [])


def test_of_the_startup_conditions_one_is_true_and_the_other_keeps_its_time() -> None:
    draft = Draft(jobset().status, at(0))
    draft.start_in_order()
    draft.now = at(5)
    draft.started_in_order()
    want = [
        ("StartupPolicyInProgress", "False", at(0)),
        ("StartupPolicyCompleted", "True", at(5)),
    ]
    got = [(c.type, c.status, c.last_transition_time) for c in draft.status.conditions]
    assert got == want


def test_what_is_written() -> None:
    draft = Draft(jobset().status, at(0))
    draft.count((ReplicatedJobStatus("a", failed=1),))
    draft.fail("FailedJobs", "because")
    assert written(draft.status) == {
        "conditions": [
            {
                "type": "Failed",
                "status": "True",
                "reason": "FailedJobs",
                "message": "because",
                "lastTransitionTime": stamp(0),
            }
        ],
        "restarts": 0,
        "restartsCountTowardsMax": None,
        "terminalState": "Failed",
        "replicatedJobsStatus": [
            {"name": "a", "ready": 0, "succeeded": 0, "failed": 1, "active": 0, "suspended": 0}
        ],
    }
