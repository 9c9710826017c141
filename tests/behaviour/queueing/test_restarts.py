"""Controllers die in the middle of admissions and preemptions, and new ones find everything in the objects.

A hundred seeds: whatever happens, never more is reserved than there is; in the end every Job has run, once, and
nothing is held by anybody.
"""

from __future__ import annotations

import pytest

from argosy.base.loops import run_virtual
from argosy.client.resources import CLUSTER_QUEUES, JOBS, LOCAL_QUEUES, PODS, WORKLOADS
from tests.behaviour.queueing.voyages import (
    Amid,
    Cargo,
    Ship,
    Voyage,
    Watchman,
    accounts,
    chart,
    sail,
)

SEEDS = 100
TOGETHER = 10


@pytest.mark.parametrize("first", range(0, SEEDS, TOGETHER))
def test_no_quota_leaks_and_every_job_runs_once_whenever_controllers_die(first: int) -> None:
    seen = [run_virtual(_voyage(chart(seed))) for seed in range(first, first + TOGETHER)]
    assert sum(len(one.evictions) for one in seen) > 0, "nobody was preempted"
    for what in Amid:
        assert sum(one.interruptions[what] for one in seen) > 0, f"nobody died amid {what}"


async def _voyage(voyage: Voyage) -> Watchman:
    """Play it and look at what was and at what is."""
    about = f"seed {voyage.seed}"
    ship = await sail(voyage)
    watchman = ship.watchman
    assert watchman.excesses == [], about
    assert watchman.held == {}, about
    for cargo in voyage.cargo:
        await _has_run_once(ship, cargo, about)
    finished = [_is_true(one, "Finished") for one in await ship.list(WORKLOADS)]
    assert finished == [True] * len(voyage.cargo), about
    for resource in (CLUSTER_QUEUES, LOCAL_QUEUES):
        for queue in await ship.list(resource):
            _is_empty(queue, about)
    assert accounts(ship.engine.cache) == {"cluster queues": {}, "local queues": {}}, about
    return watchman


async def _has_run_once(ship: Ship, cargo: Cargo, about: str) -> None:
    about = f"{about}, {cargo.name}"
    status = (await ship.found(JOBS, cargo.name))["status"]
    holds = [one["type"] for one in status["conditions"] if one["status"] == "True"]
    assert holds.count("Complete") == 1, about
    assert "Failed" not in holds, about
    assert status["succeeded"] == cargo.pods, about
    assert status.get("active", 0) == 0, about
    pods = await ship.list(PODS, f"batch.kubernetes.io/job-name={cargo.name}")
    succeeded = [pod for pod in pods if pod["status"]["phase"] == "Succeeded"]
    assert len(succeeded) <= cargo.pods, f"{about}: work was done twice"


def _is_true(obj: dict, kind: str) -> bool:
    return any(
        one["type"] == kind and one["status"] == "True" for one in obj["status"]["conditions"]
    )


def _is_empty(queue: dict, about: str) -> None:
    status = queue["status"]
    about = f"{about}, {queue['kind']} {queue['metadata']['name']}"
    for count in ("pendingWorkloads", "reservingWorkloads", "admittedWorkloads"):
        assert status.get(count, 0) == 0, f"{about}: {count}"
    for usage in ("flavorsReservation", "flavorsUsage"):
        totals = [one["total"] for flavor in status[usage] for one in flavor["resources"]]
        assert totals, about
        assert set(totals) == {"0"}, f"{about}: {usage}"
