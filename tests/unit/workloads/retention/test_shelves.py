"""Finished objects go by time and by number, oldest first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.workloads.retention.rules import Rule
from argosy.workloads.retention.shelves import Shelf


def shelf(*times: float) -> Shelf[str]:
    made: Shelf[str] = Shelf()
    for number, when in enumerate(times):
        made.put(f"k{number}", when)
    return made


def test_what_is_too_old_goes_and_the_next_time_is_told() -> None:
    one = shelf(5, 1, 3)
    assert one.take_due(Rule(10, 100), 13) == [("k1", "time"), ("k2", "time")]
    assert one.next_due(Rule(10, 100)) == 15


def test_beyond_the_number_the_oldest_go() -> None:
    one = shelf(5, 1, 3, 4)
    assert one.take_due(Rule(1000, 2), 6) == [("k1", "number"), ("k2", "number")]
    assert len(one) == 2


def test_a_dropped_object_does_not_count() -> None:
    one = shelf(1, 2, 3)
    one.drop("k0")
    assert one.take_due(Rule(1000, 2), 6) == []


def test_an_object_that_finished_again_counts_from_then() -> None:
    one = shelf(1, 2)
    one.put("k0", 9)
    assert one.take_due(Rule(5, 100), 8) == [("k1", "time")]
    assert one.next_due(Rule(5, 100)) == 14


@given(
    st.lists(st.integers(0, 50), max_size=40),
    st.integers(0, 60),
    st.integers(0, 30),
    st.integers(0, 20),
)
def test_what_stays_is_young_enough_few_enough_and_the_youngest(
    times: list[int], now: int, seconds: int, most: int
) -> None:
    one = shelf(*times)
    gone = {key for key, _ in one.take_due(Rule(seconds, most), now)}
    left = [when for number, when in enumerate(times) if f"k{number}" not in gone]
    went = [when for number, when in enumerate(times) if f"k{number}" in gone]
    assert len(left) == len(one) <= most
    assert all(when + seconds > now for when in left)
    assert not left or not went or max(went) <= min(left)
    young = [when for when in times if when + seconds > now]
    assert len(left) == min(len(young), most)
