"""Meters, percentiles, fairness, and the summary of a few jobs."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.fleet.shapes import MemberShape
from argosy.simulation.arriving import Arrival
from argosy.simulation.estimating import Estimate, TooLarge, check
from argosy.simulation.ledgers import COMPLETE, Ledger, Meter
from argosy.simulation.pages import page
from argosy.simulation.plans import Outage, Scenario, Stream
from argosy.simulation.summaries import jain, lines, percentile, span, summarize


class Time:
    now = 0.0


@given(st.lists(st.tuples(st.floats(0, 100), st.integers(-5, 5)), max_size=30))
def test_a_meter_loses_nothing_between_its_slots(changes: list[tuple[float, int]]) -> None:
    meter, total, amount, last = Meter(100.0, 7), 0.0, 0, 0.0
    for at, change in sorted(changes):
        total += amount * (at - last)
        amount, last = amount + change, at
        meter.add(at, change)
    meter.close(100.0)
    total += amount * (100.0 - last)
    assert meter.total == pytest.approx(total, abs=1e-6)
    assert sum(meter.slots) == pytest.approx(total, abs=1e-6)


def test_percentiles_are_waits_that_somebody_had() -> None:
    assert [percentile(range(1, 11), share) for share in (50, 90, 99)] == [5, 9, 10]
    assert percentile([], 50) == 0


def test_fairness_is_one_for_equals_and_one_nth_for_one_alone() -> None:
    assert jain([0.5, 0.5, 0.5]) == pytest.approx(1)
    assert jain([1, 0, 0, 0]) == 0.25
    assert jain([]) == 1


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (2.5, "2.5s"),
        (45, "45s"),
        (95, "1m35s"),
        (720, "12m"),
        (11_400, "3h10m"),
        (532_800, "6d4h"),
    ],
)
def test_spans_are_short(seconds: float, text: str) -> None:
    assert span(seconds) == text


def told() -> tuple[Scenario, Ledger, io.BytesIO]:
    """Two teams: one job runs at once and fails a pod, one waits until the end."""
    sink, time = io.BytesIO(), Time()
    ledger = Ledger(100.0, lambda: time.now, sink)
    ledger.add("capacity", "m<1>", 4)
    first = ledger.submitted(Arrival(0.0, "x", Stream("x", "a"), 10.0, 1, {"cpu": "2"}), 2.0)
    ledger.submitted(Arrival(0.0, "y", Stream("y", "b"), 10.0, 1, {"cpu": "2"}), 2.0)
    ledger.placed(first, "m<1>")
    ledger.pod_began(first, "m<1>")
    time.now = 10.0
    ledger.pod_ended(first, "m<1>", 10.0, 3600.0, "Failed")
    ledger.pod_began(first, "m<1>")
    time.now = 20.0
    ledger.pod_ended(first, "m<1>", 10.0, 3600.0, "Succeeded")
    ledger.ended(first, "m<1>", COMPLETE)
    time.now = 100.0
    ledger.close()
    outage = Outage(("m<1>",), 10.0, 20.0, "r")
    plan = Scenario(
        "s", Path("s"), 100.0, (MemberShape("m<1>", "r"),), (), "A <b>story</b>.", outages=(outage,)
    )
    return plan, ledger, sink


def test_a_summary_counts_use_waste_waits_and_money() -> None:
    plan, ledger, sink = told()
    summary = summarize(plan, ledger, seed=1, until=100.0)
    assert summary["jobs"] == {
        "submitted": 2,
        "complete": 1,
        "failed": 0,
        "running": 0,
        "waiting": 1,
    }
    assert summary["utilization"] == pytest.approx(40 / 400)
    assert summary["unitHours"]["wastedShare"] == 0.5
    assert summary["money"]["jobs"] == 20.0
    assert summary["teams"]["b"]["waitSeconds"]["p50"] == 100.0
    assert summary["fairness"] == 0.5
    assert sum(summary["integrity"].values()) == 0
    events = [json.loads(line)["event"] for line in sink.getvalue().splitlines()]
    assert events == ["submitted", "submitted", "placed", "started", "pod-failed", "ended"]
    assert any("1 waiting" in line for line in lines(summary))


def test_a_page_stands_alone_and_escapes_what_users_wrote() -> None:
    plan, ledger, _ = told()
    text = page(plan, ledger, summarize(plan, ledger, seed=1, until=100.0))
    assert "A &lt;b&gt;story&lt;/b&gt;." in text
    assert "m&lt;1&gt;" in text
    assert "http" not in text
    assert "r dark" in text


def test_what_runs_on_two_clusters_at_once_is_noted() -> None:
    _, ledger, _sink = told()
    record = next(iter(ledger.jobs.values()))
    ledger.pod_began(record, "m1")
    ledger.pod_began(record, "m2")
    assert ledger.counts["overlapped"] == 1


def test_what_does_not_fit_is_refused_before_it_begins(tmp_path: Path) -> None:
    with pytest.raises(
        TooLarge, match=r"of memory are needed for 5 jobs .* shorten it with --until"
    ):
        check(Estimate(5, 1, 1 << 60, 1), tmp_path)
    with pytest.raises(TooLarge, match="of disk are needed"):
        check(Estimate(5, 1, 1, 1 << 60), tmp_path)
    assert check(Estimate(5, 1, 1, 1), tmp_path).warning == ""
