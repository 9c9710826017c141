"""Which rule of a failure policy decides, and what it says."""

from __future__ import annotations

import pytest

from argosy.api.objects import Job
from argosy.base.types import Object
from argosy.workloads.jobsets.children import sort_children
from argosy.workloads.jobsets.policies import apply_failure_policy
from argosy.workloads.jobsets.statuses import Draft, Happening
from tests.unit.workloads.jobsets.builders import at, job, jobset, replicated

FAIL: Object = {"name": "f", "action": "FailJobSet"}
RESTART: Object = {"name": "r", "action": "RestartJobSet"}
IGNORE: Object = {"name": "i", "action": "RestartJobSetAndIgnoreMaxRestarts"}

EARLY = job("a", state="Failed", when=1, reason="PodFailurePolicy", message="exit code 42")
LATE = job("b", state="Failed", when=2)

# Rules, failed Jobs, the action and the Job that the message names.
CASES: dict[str, tuple[list[Object], list[Job], str, str]] = {
    "no rule means restart": ([], [EARLY], "RestartJobSet", "js-a-0"),
    "the job that failed first is named": ([], [LATE, EARLY], "RestartJobSet", "js-a-0"),
    "the first rule that matches decides": ([FAIL, IGNORE], [EARLY], "FailJobSet", "js-a-0"),
    "a rule for another target does not match": (
        [FAIL | {"targetReplicatedJobs": ["b"]}, IGNORE],
        [EARLY],
        "RestartJobSetAndIgnoreMaxRestarts",
        "js-a-0",
    ),
    "an earlier rule wins over an earlier failure": (
        [FAIL | {"targetReplicatedJobs": ["b"]}, IGNORE],
        [EARLY, LATE],
        "FailJobSet",
        "js-b-0",
    ),
    "a rule for another reason does not match": (
        [FAIL | {"onJobFailureReasons": ["DeadlineExceeded"]}],
        [EARLY],
        "RestartJobSet",
        "js-a-0",
    ),
    "a rule for the reason matches": (
        [FAIL | {"onJobFailureReasons": ["DeadlineExceeded", "PodFailurePolicy"]}],
        [EARLY],
        "FailJobSet",
        "js-a-0",
    ),
    "a pattern may match anywhere in the message": (
        [FAIL | {"onJobFailureMessagePatterns": ["nothing", "code [0-9]+"]}],
        [EARLY],
        "FailJobSet",
        "js-a-0",
    ),
    "a pattern that is none matches nothing": (
        [FAIL | {"onJobFailureMessagePatterns": ["("]}],
        [EARLY],
        "RestartJobSet",
        "js-a-0",
    ),
    "a job of nobody knows what matches no rule": (
        [FAIL],
        [job("", state="Failed")],
        "RestartJobSet",
        "js--0",
    ),
}


@pytest.mark.parametrize(("rules", "jobs", "action", "named"), CASES.values(), ids=CASES.keys())
def test_action(rules: list[Object], jobs: list[Job], action: str, named: str) -> None:
    known = jobset(
        replicated("a"), replicated("b"), failurePolicy={"maxRestarts": 3, "rules": rules}
    )
    draft = Draft(known.status, at(9))
    apply_failure_policy(known, sort_children(known, jobs), draft)
    message = f"applying {action} failure policy action (first failed job: {named})"
    want = Happening("Warning", f"{action}FailurePolicyAction", message)
    assert draft.happenings == [want]
    is_failure = action == "FailJobSet"
    got = (
        draft.status.terminal_state,
        draft.status.restarts,
        draft.status.restarts_count_towards_max,
    )
    counts = int(action == "RestartJobSet")
    assert got == ("Failed" if is_failure else "", int(not is_failure), counts)
