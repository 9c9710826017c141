"""Admission fair sharing: decay, penalties, and the books of LocalQueues."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.queueing.queues.consuming import (
    AdmissionFairSharing,
    nanos_of,
    nanos_of_amounts,
    quantities_of,
)
from argosy.queueing.queues.ledgers import Ledger
from tests.unit.queueing.queues.builders import NOW

WEEK = 7 * 24 * 3600.0


@pytest.mark.parametrize(
    ("elapsed", "want"), [(0.0, "0"), (10.0, "1"), (20.0, "1500m"), (30.0, "1750m")]
)
def test_consumption_goes_half_the_way_to_usage_in_a_half_life(elapsed: float, want: str) -> None:
    config = AdmissionFairSharing(half_life_seconds=10.0)
    got = config.consumed({}, nanos_of({"cpu": "2"}), elapsed)
    assert got == nanos_of({"cpu": want})


def test_small_steps_of_a_long_half_life_add_up() -> None:
    config = AdmissionFairSharing(half_life_seconds=WEEK)
    consumed, used = {}, nanos_of({"cpu": "2"})
    for _ in range(2016):
        consumed = config.consumed(consumed, used, 300.0)
    assert consumed["cpu"] == pytest.approx(10**9, rel=1e-4)
    assert consumed["cpu"] <= 10**9


def test_a_half_life_of_zero_remembers_and_punishes_nothing() -> None:
    config = AdmissionFairSharing(half_life_seconds=0.0)
    assert config.consumed(nanos_of({"cpu": "9"}), nanos_of({"cpu": "9"}), 60.0) == {}
    assert config.entry_penalty(nanos_of({"cpu": "9"})) == {"cpu": 0}


AMOUNTS = st.dictionaries(st.sampled_from(["cpu", "memory", "gpu"]), st.integers(0, 10**24))


@given(AMOUNTS, AMOUNTS, st.floats(0, 1e7), st.floats(0.1, 1e6))
def test_consumption_lies_between_the_past_and_the_present(
    past: dict[str, int], used: dict[str, int], elapsed: float, half_life: float
) -> None:
    got = AdmissionFairSharing(half_life).consumed(past, used, elapsed)
    for resource, value in got.items():
        before, after = past.get(resource, 0), used.get(resource, 0)
        assert min(before, after) - 2 <= value <= max(before, after)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 10**12)), max_size=20))
def test_refunding_everything_leaves_nothing(pushes: list[tuple[str, int]]) -> None:
    ledger = Ledger(AdmissionFairSharing())
    for workload, amount in pushes:
        ledger.enter("ns/lq", workload, {"cpu": amount}, NOW)
    for workload, _ in pushes:
        ledger.refund(workload)
        ledger.refund(workload)
    assert ledger.usage("ns/lq") == 0.0


def test_a_penalty_counts_until_it_is_settled_and_then_as_consumed() -> None:
    ledger = Ledger(AdmissionFairSharing(half_life_seconds=10.0, sampling_interval_seconds=10.0))
    ledger.charge("ns/lq", "ns/a", nanos_of({"cpu": "8"}), NOW)
    assert ledger.usage("ns/lq") == 4.0
    ledger.settle("ns/lq", "ns/a", nanos_of({"cpu": "8"}), NOW)
    assert ledger.usage("ns/lq") == 4.0
    assert ledger.account("ns/lq").penalties == {}
    ledger.sample("ns/lq", nanos_of({"cpu": "8"}), NOW + 10)
    assert quantities_of(ledger.account("ns/lq").consumed) == {"cpu": "6"}
    ledger.refund("ns/a")
    assert ledger.usage("ns/lq") == 6.0


def test_a_workload_charged_in_another_queue_is_charged_once() -> None:
    ledger = Ledger(AdmissionFairSharing(10.0, 10.0))
    ledger.charge("ns/one", "ns/a", nanos_of({"cpu": "8"}), NOW)
    ledger.charge("ns/two", "ns/a", nanos_of({"cpu": "8"}), NOW)
    assert (ledger.usage("ns/one"), ledger.usage("ns/two")) == (0.0, 4.0)


def test_what_a_status_remembers_is_added_once() -> None:
    ledger = Ledger(AdmissionFairSharing(10.0, 10.0))
    ledger.enter("ns/lq", "ns/a", nanos_of({"cpu": "1"}), NOW)
    for _ in range(2):
        ledger.restore("ns/lq", nanos_of({"cpu": "2", "memory": "1"}), NOW - 5)
    assert ledger.usage("ns/lq") == 4.0


def test_a_deleted_queue_starts_anew() -> None:
    ledger = Ledger(AdmissionFairSharing(10.0, 10.0))
    ledger.weigh("ns/lq", 0.0)
    assert ledger.usage("ns/lq") == math.inf
    ledger.charge("ns/lq", "ns/a", nanos_of({"cpu": "8"}), NOW)
    ledger.drop("ns/lq")
    ledger.refund("ns/a")
    assert ledger.usage("ns/lq") == 0.0


def test_amounts_of_quotas_are_the_quantities_they_stand_for() -> None:
    assert nanos_of_amounts({"cpu": 1500, "memory": 2**30}) == nanos_of(
        {"cpu": "1500m", "memory": "1Gi"}
    )
