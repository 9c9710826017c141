"""Whether all that a Work has brought is over."""

from __future__ import annotations

import pytest

from argosy.api.objects.fleet.works import AppliedResource
from argosy.member.applying.following import are_over
from argosy.member.availability.outcomes import COMPLETE, FAILED, RUNNING, Counts, Outcome


def resource(kind: str, plural: str, group: str = "", name: str = "a") -> AppliedResource:
    return AppliedResource(0, group, "v1", kind, plural, "ns", name)


JOB = resource("Job", "jobs", "batch")
OTHER = resource("Job", "jobs", "batch", "b")
CONFIG = resource("ConfigMap", "configmaps")
WEB = resource("Deployment", "deployments", "apps")
CASES = {
    "nothing has run": ([CONFIG], {}, False),
    "its job has ended": ([JOB], {"a": COMPLETE}, True),
    "its job has failed": ([JOB, CONFIG], {"a": FAILED}, True),
    "its job runs": ([JOB], {"a": RUNNING}, False),
    "one of its jobs runs": ([JOB, OTHER], {"a": COMPLETE, "b": RUNNING}, False),
    "one of its jobs has not begun": ([JOB, OTHER], {"a": COMPLETE}, False),
    "something runs for ever beside its job": ([JOB, WEB], {"a": COMPLETE}, False),
    "a job runs that nobody has written down": ([JOB], {"a": COMPLETE, "b": RUNNING}, False),
}


@pytest.mark.parametrize(("resources", "jobs", "want"), CASES.values(), ids=CASES)
def test_what_is_over(resources: list[AppliedResource], jobs: dict[str, str], want: bool) -> None:
    outcomes = {
        ("batch", "v1", "Job", "ns", name): Outcome(reason, Counts())
        for name, reason in jobs.items()
    }
    assert are_over(resources, outcomes) is want
