"""Sets of completion indexes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.workloads.jobs.indexes import NONE, UNKNOWN, completion_index, first_pending, parse
from tests.unit.workloads.jobs.builders import pod

some = st.sets(st.integers(0, 60))


@pytest.mark.parametrize(
    ("text", "completions", "want"),
    [
        ("", 5, ""),
        ("0", 5, "0"),
        ("0,1", 5, "0,1"),
        ("0-2", 5, "0-2"),
        ("0,1,2,4", 5, "0-2,4"),
        ("0-3,5-9", 7, "0-3,5,6"),
        ("3,7", 5, "3"),
        ("x,2,3-y,4", 9, "2,4"),
    ],
)
def test_texts_are_read_and_cut(text: str, completions: int, want: str) -> None:
    assert str(parse(text, completions)) == want


@given(some, some)
def test_sets_behave_as_sets(one: set[int], other: set[int]) -> None:
    mine, its = NONE.with_indexes(one), NONE.with_indexes(other)
    assert mine.total == len(one)
    assert {index for index in range(70) if index in mine} == one
    assert mine.union(its.intervals) == NONE.with_indexes(one | other)
    assert mine.overlap(its) == len(one & other)


@given(some)
def test_what_is_written_is_read_back(indexes: set[int]) -> None:
    want = NONE.with_indexes(indexes)
    assert parse(str(want), 61) == want


@given(some, some, some, st.integers(0, 70), st.integers(0, 60))
def test_pending_indexes_are_the_lowest_free_ones(
    done: set[int], running: set[int], failed: set[int], count: int, completions: int
) -> None:
    got = first_pending(
        count, completions, NONE.with_indexes(done), running, NONE.with_indexes(failed)
    )
    free = [index for index in range(completions) if index not in done | running | failed]
    assert got == free[:count]


@pytest.mark.parametrize(("text", "want"), [("3", 3), ("x", UNKNOWN), ("-4", UNKNOWN)])
def test_a_pod_says_its_index(text: str, want: int) -> None:
    marks = {"batch.kubernetes.io/job-completion-index": text}
    assert completion_index(pod("a", annotations=marks)) == want


def test_a_pod_without_an_index() -> None:
    assert completion_index(pod("a")) == UNKNOWN
