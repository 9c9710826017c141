"""How long a job waited and ran and what it cost, from what is known of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from argosy.sdk.jobs import FleetJob, JobState

BORN = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return BORN + timedelta(seconds=seconds)


def test_a_waiting_job_waits_so_far_and_costs_nothing() -> None:
    job = FleetJob("n", "a", "Job", JobState.QUEUED, created=BORN, price_per_hour=3.6)
    assert (job.wait_seconds(at(9)), job.run_seconds(at(9)), job.price(at(9))) == (9, None, None)


def test_a_running_job_costs_so_far_and_an_ended_one_what_it_did() -> None:
    job = FleetJob(
        "n", "a", "Job", JobState.RUNNING, created=BORN, started=at(10), price_per_hour=3600
    )
    assert (job.wait_seconds(at(15)), job.run_seconds(at(15)), job.price(at(15))) == (10, 5, 5)
    ended = FleetJob(
        "n", "a", "Job", JobState.COMPLETE, created=BORN, started=at(10), ended=at(40), price_paid=2
    )
    assert (ended.wait_seconds(at(99)), ended.run_seconds(at(99)), ended.price(at(99))) == (
        10,
        30,
        2,
    )


def test_of_an_ended_job_whose_start_nobody_knows_nobody_knows_the_wait() -> None:
    job = FleetJob("n", "a", "Job", JobState.COMPLETE, created=BORN, ended=at(40))
    assert (job.wait_seconds(at(99)), job.run_seconds(at(99))) == (None, None)
    gone = FleetJob("n", "a", "Job", JobState.CANCELLED, created=BORN, ended=at(40))
    assert gone.wait_seconds(at(99)) == 40
