"""What became of the jobs of a placement, summed up."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.api.objects.fleet.works import (
    FINISHED,
    ManifestCondition,
    SentWork,
    WorkResourceIdentifier,
    WorkStatus,
)
from argosy.api.objects.metadata import Condition
from argosy.placement.outcomes import of_clusters, of_works


def _done(message: str = "3 succeeded, 0 failed, 0 active (manifest 0123456789ab)") -> Condition:
    return Condition(FINISHED, "True", "JobComplete", message)


FAILED = Condition(FINISHED, "True", "JobFailed", "0 succeeded, 4 failed, 0 active: too many")
RUNS = Condition(FINISHED, "False", "JobRunning", "1 succeeded, 0 failed, 2 active")
APPLIED = Condition("Applied", "True", "Applied", "Manifest has been applied successfully")


@dataclass(frozen=True)
class Case:
    """`told` is what members say of each manifest, or clusters each of theirs."""

    told: tuple[Condition, ...]
    want: tuple[str, str, str] | None


WORKS = {
    "no job, nothing to tell": Case((APPLIED,), None),
    "a job that is done is told without its manifest": Case(
        (_done(),), ("True", "JobComplete", "Job j0: 3 succeeded, 0 failed, 0 active")
    ),
    "one that failed says why": Case(
        (FAILED,), ("True", "JobFailed", "Job j0: 0 succeeded, 4 failed, 0 active: too many")
    ),
    "while one runs, nothing is finished": Case(
        (_done(), RUNS),
        (
            "False",
            "JobRunning",
            "1 of 2 job(s) have finished, 0 failed; Job j1: 1 succeeded, 0 failed, 2 active",
        ),
    ),
    "a failure is told first, even while another runs": Case(
        (RUNS, FAILED, APPLIED),
        (
            "False",
            "JobRunning",
            "1 of 2 job(s) have finished, 1 failed; Job j1: 0 succeeded, 4 failed, 0 active: too many",
        ),
    ),
}


def _told(got: Condition | None) -> tuple[str, str, str] | None:
    return (got.status, got.reason, got.message) if got is not None else None


@pytest.mark.parametrize("case", WORKS)
def test_of_works(case: str) -> None:
    manifests = tuple(
        ManifestCondition(WorkResourceIdentifier(n, kind="Job", name=f"j{n}"), (said,))
        for n, said in enumerate(WORKS[case].told)
    )
    work = SentWork(status=WorkStatus(manifest_conditions=manifests))
    assert _told(of_works([work])) == WORKS[case].want


CLUSTERS = {
    "no cluster has anything to tell": Case((), None),
    "one cluster's word is the placement's": Case(
        (_done("all is well"),), ("True", "JobComplete", "all is well")
    ),
    "all have to be done": Case(
        (_done("well"), RUNS),
        (
            "False",
            "JobRunning",
            "1 of 2 cluster(s) have finished, 0 failed; 1 succeeded, 0 failed, 2 active",
        ),
    ),
    "one failure is a failure": Case(
        (_done("well"), FAILED),
        (
            "True",
            "JobFailed",
            "2 of 2 cluster(s) have finished, 1 failed; 0 succeeded, 4 failed, 0 active: too many",
        ),
    ),
}


@pytest.mark.parametrize("case", CLUSTERS)
def test_of_clusters(case: str) -> None:
    assert _told(of_clusters(CLUSTERS[case].told)) == CLUSTERS[case].want
