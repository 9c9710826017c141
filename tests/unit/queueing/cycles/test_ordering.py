"""Who is decided first: by priority, or by age alone where cohorts do not go by priority."""

from __future__ import annotations

import pytest

from argosy.queueing.cycles.entries import Entry
from argosy.queueing.cycles.ordering import Classical, Fair, Seniority, by_age, by_priority, rank
from argosy.queueing.flavors.assignments import Assignment
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.making import Infos
from tests.unit.queueing.workloads.builders import ago, workload


def _entry(name: str, *, priority: int, seconds_ago: int, borrowing: int = 0) -> Entry:
    made = Infos().make(
        workload(
            spec={"priority": priority},
            metadata={"name": name, "creation_timestamp": ago(seconds_ago)},
        ),
        name,
    )
    return Entry(made, assignment=Assignment([], borrowing=borrowing))


_ENTRIES = (
    _entry("urgent", priority=9, seconds_ago=1),
    _entry("old", priority=0, seconds_ago=9),
    _entry("borrower", priority=10, seconds_ago=10, borrowing=1),
)


@pytest.mark.parametrize(
    ("seniority", "want"),
    [(by_priority, ["urgent", "old", "borrower"]), (by_age, ["old", "urgent", "borrower"])],
)
def test_who_does_not_borrow_goes_first_then_the_senior(
    seniority: Seniority, want: list[str]
) -> None:
    assert [entry.info.cluster_queue for entry in Classical(_ENTRIES, seniority)] == want


@pytest.mark.parametrize(
    ("seniority", "want"), [(by_priority, ["urgent", "old"]), (by_age, ["old", "urgent"])]
)
def test_of_equal_shares_the_senior_goes_first(seniority: Seniority, want: list[str]) -> None:
    found = sorted(
        _ENTRIES[:2],
        key=lambda one: rank(one, would_borrow=False, share=(0.5, 0.0), seniority=seniority),
    )
    assert [entry.info.cluster_queue for entry in found] == want


def test_queues_without_a_cohort_do_not_compete() -> None:
    def never(info: Info) -> tuple[int, float]:
        raise AssertionError(info)

    assert len(list(Fair(_ENTRIES, never))) == len(_ENTRIES)
