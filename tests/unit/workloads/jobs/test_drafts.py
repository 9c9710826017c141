"""From one status to the next."""

from __future__ import annotations

from argosy.workloads.jobs.drafts import condition, draft_of, patch
from tests.unit.workloads.jobs.builders import at, job


def test_a_first_status_is_written_even_if_nothing_counts_yet() -> None:
    fresh = job()
    assert patch(fresh, draft_of(fresh.status)) == {
        "metadata": {"resourceVersion": "7"},
        "status": {"uncountedTerminatedPods": {"succeeded": None, "failed": None}},
    }


def test_nothing_new_is_not_written() -> None:
    known = job({"uncountedTerminatedPods": {}, "active": 3, "startTime": "2026-01-01T00:00:00Z"})
    assert patch(known, draft_of(known.status)) is None


def test_what_changed_is_written_and_zeros_vanish() -> None:
    known = job(
        {
            "active": 2,
            "ready": 1,
            "succeeded": 1,
            "uncountedTerminatedPods": {"succeeded": ["a", "b"]},
        }
    )
    draft = draft_of(known.status)
    draft.active, draft.ready = 0, 0
    draft.count_untracked({"b"})
    draft.uncounted_failed.append("c")
    draft.start_time = at(1.7)
    draft.add_condition(condition("FailureTarget", "True", "Why", "Because", at(2)))
    assert patch(known, draft) == {
        "metadata": {"resourceVersion": "7"},
        "status": {
            "active": None,
            "ready": 0,
            "succeeded": 2,
            "startTime": "2026-01-01T00:00:01Z",
            "uncountedTerminatedPods": {"succeeded": ["b"], "failed": ["c"]},
            "conditions": [
                {
                    "type": "FailureTarget",
                    "status": "True",
                    "reason": "Why",
                    "message": "Because",
                    "lastProbeTime": "2026-01-01T00:00:02Z",
                    "lastTransitionTime": "2026-01-01T00:00:02Z",
                }
            ],
        },
    }


def test_conditions_are_added_changed_or_left() -> None:
    draft = draft_of(job().status)
    resumed = condition("Suspended", "False", "JobResumed", "Job resumed", at(1))
    suspended = condition("Suspended", "True", "JobSuspended", "Job suspended", at(2))
    assert not draft.ensure_condition(resumed)
    assert draft.ensure_condition(suspended)
    assert not draft.ensure_condition(
        condition("Suspended", "True", "JobSuspended", "Job suspended", at(3))
    )
    assert draft.conditions == (suspended,)
    assert draft.ensure_condition(resumed)
    assert draft.conditions == (resumed,)
