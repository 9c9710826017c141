"""The end of a workload, readiness of its pods, and how long it ran."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import pytest

from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.workloads.finishing import finish, set_pods_ready, total_execution_time
from tests.unit.queueing.workloads.builders import admitted, condition, draft, said, workload

NOT_READY = "Not all pods are ready or succeeded"
LOST = "At least one pod has failed, waiting for recovery"
RUNS = "All pods reached readiness and the workload is running"


def test_the_first_word_on_the_end_stands() -> None:
    changed = draft(admitted())
    assert finish(changed, "Succeeded", "Job finished")
    assert not finish(changed, "Failed", "or not")
    assert said(changed.workload)["Finished"] == "True Succeeded: Job finished"


@dataclass
class Readiness:
    before: Workload
    are_ready: bool
    want: str
    changes: bool = True


READINESS = {
    "pods that start": Readiness(admitted(), False, f"False WaitForStart: {NOT_READY}"),
    "pods that got ready": Readiness(
        admitted(condition("PodsReady", "False", "WaitForStart", NOT_READY)),
        True,
        f"True Started: {RUNS}",
    ),
    "pods that are ready still": Readiness(
        admitted(condition("PodsReady", "True", "Started", RUNS)),
        True,
        f"True Started: {RUNS}",
        changes=False,
    ),
    "a pod that was lost": Readiness(
        admitted(condition("PodsReady", "True", "Started", RUNS)),
        False,
        f"False WaitForRecovery: {LOST}",
    ),
    "a pod that is missed still": Readiness(
        admitted(condition("PodsReady", "False", "WaitForRecovery", LOST)),
        False,
        f"False WaitForRecovery: {LOST}",
        changes=False,
    ),
    "a pod that came back": Readiness(
        admitted(condition("PodsReady", "False", "WaitForRecovery", LOST)),
        True,
        f"True Recovered: {RUNS}",
    ),
    "and is there still": Readiness(
        admitted(condition("PodsReady", "True", "Recovered", RUNS)),
        True,
        f"True Recovered: {RUNS}",
        changes=False,
    ),
}


@pytest.mark.parametrize("case", READINESS.values(), ids=READINESS.keys())
def test_readiness_of_pods(case: Readiness) -> None:
    changed = draft(case.before)
    assert set_pods_ready(changed, are_ready=case.are_ready) is case.changes
    assert said(changed.workload)["PodsReady"] == case.want


@dataclass
class Run:
    workload: Workload
    seconds: float | None


RAN = {
    "one that runs": Run(admitted(seconds_ago=60), None),
    "one that finished": Run(admitted(condition("Finished", seconds_ago=10), seconds_ago=60), 50),
    "one that had run before": Run(
        admitted(
            condition("Finished", seconds_ago=10),
            seconds_ago=60,
            accumulated_past_execution_time_seconds=5,
        ),
        55,
    ),
    "one that never ran": Run(workload(condition("Finished")), None),
}


@pytest.mark.parametrize("case", RAN.values(), ids=RAN.keys())
def test_how_long_a_workload_ran(case: Run) -> None:
    got = total_execution_time(case.workload)
    assert got == (None if case.seconds is None else timedelta(seconds=case.seconds))
