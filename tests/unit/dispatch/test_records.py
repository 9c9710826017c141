"""What is remembered of a job, and what is not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.api.objects.history import JobOutcome, JobRecord
from argosy.api.prices import Prices
from argosy.dispatch.kinds import HubJob
from argosy.dispatch.records import record_of
from argosy.dispatch.standings import Run, Standing, without_earlier
from tests.unit.dispatch.builders import REF, at, ended, hub_job, record, running

PRICES = {"m1": Prices(1.0), "m2": Prices(2.0), "free": Prices()}


@dataclass
class Case:
    runs: tuple[Run, ...]
    want: JobOutcome | None
    job: HubJob = hub_job()  # noqa: RUF009  (frozen)
    decided: bool = True
    gone: bool = False
    price: float | None = None
    message: str = ""


CASES = {
    "a job nobody has placed is not told of": Case((), None),
    "nor if it is deleted": Case((), None, gone=True),
    "a job that runs has not ended": Case((running("m1", 10),), None),
    "nor one that has not begun": Case((Run("m1"),), None),
    "one that ended well": Case(
        (ended("m1", 10, 3610),), JobOutcome.COMPLETE, price=4.0, message="said"
    ),
    "one that failed": Case(
        (ended("m1", 10, 3610, well=False),), JobOutcome.FAILED, price=4.0, message="said"
    ),
    "one of two that runs": Case((ended("m1", 10, 20), running("m2", 10)), None),
    "two that ended cost both": Case(
        (ended("m1", 10, 3610), ended("m2", 10, 1810)),
        JobOutcome.COMPLETE,
        price=8.0,
        message="m1: said",
    ),
    "one that failed among two is told first": Case(
        (ended("m1", 10, 20), ended("m2", 10, 1810, well=False)),
        JobOutcome.FAILED,
        price=4.011111,
        message="m2: said",
    ),
    "a placement that wants another cluster": Case((ended("m1", 10, 20),), None, decided=False),
    "deleted while it ran": Case(
        (running("m1", 3600),),
        JobOutcome.CANCELLED,
        gone=True,
        price=4.0,
        message="it was deleted before its end; 1 active",
    ),
    "being deleted while it ran": Case(
        (running("m1", 10),),
        JobOutcome.CANCELLED,
        hub_job(deleted=3610),
        price=4.0,
        message="it was deleted before its end; 1 active",
    ),
    "deleted before it ran": Case(
        (Run("m1"),), JobOutcome.CANCELLED, gone=True, message="it was deleted before it ran"
    ),
    "deleted after its end": Case(
        (ended("m1", 10, 3610),), JobOutcome.COMPLETE, gone=True, price=4.0, message="said"
    ),
    "a cluster without a price": Case(
        (ended("free", 10, 3610), ended("m1", 10, 20)), JobOutcome.COMPLETE, message="free: said"
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_record(case: Case) -> None:
    standing = Standing("rp/p", case.runs, case.decided)
    got = record_of(REF, case.job, standing, PRICES.__getitem__, at(7200), is_gone=case.gone)
    if case.want is None:
        assert got is None
        return
    assert got is not None
    assert (got.outcome, got.price, got.message) == (case.want, case.price, case.message)
    assert (got.pods, got.cpu, got.memory, got.placement) == (2, "4", "2Gi", "rp/p")


EARLIER = {
    "nobody before": (None, 0, ended("m1", 10, 20), False),
    "the run of the one before": (record("a", 20, started=10), 25, ended("m1", 10, 20), True),
    "on a cluster it was not on": (record("a", 20, started=5), 25, ended("m2", 10, 21), False),
    "that began before the other ended": (
        record("a", 20, started=5),
        25,
        ended("m1", 10, 20),
        True,
    ),
    "that began after": (record("a", 20, started=10), 25, ended("m1", 30, 40), False),
    "of one cancelled, by its beginning": (
        record("a", 20, started=10, outcome=JobOutcome.CANCELLED),
        25,
        ended("m1", 10, 40),
        True,
    ),
    "after one cancelled, whatever the hub's clock says": (
        record("a", 50, started=10, outcome=JobOutcome.CANCELLED),
        50,
        ended("m1", 45, 60),
        False,
    ),
    "ended long before it was created": (None, 1000, ended("m1", 10, 20), True),
    "ended before it was created, by clocks that differ": (None, 60, ended("m1", 10, 20), False),
}


@pytest.mark.parametrize(("previous", "created", "run", "want"), EARLIER.values(), ids=EARLIER)
def test_a_run_of_the_job_before_does_not_count(
    previous: JobRecord | None, created: float, run: Run, want: bool
) -> None:
    got = without_earlier(Standing("rp/p", (run,), True), at(created), previous)
    assert (got.runs[0].outcome is None) is want
