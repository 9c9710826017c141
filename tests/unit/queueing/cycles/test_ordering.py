"""Who is decided first: by priority, or by age alone where cohorts do not go by priority."""

from __future__ import annotations

import pytest

from argosy.api.objects.kueue.quotas import ClusterQueuePreemption, FlavorFungibility
from argosy.base.selectors.labels import nothing
from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.cycles.entries import Entry
from argosy.queueing.cycles.ordering import (
    Borrowing,
    Classical,
    Fair,
    Seniority,
    by_age,
    by_priority,
    by_share_alone,
    rank,
)
from argosy.queueing.flavors.assignments import Assignment
from argosy.queueing.quotas.amounts import FlavorResource
from argosy.queueing.quotas.forest import Forest
from argosy.queueing.quotas.nodes import Quota
from argosy.queueing.quotas.shares import is_borrowing_on
from argosy.queueing.workloads.infos import Info
from argosy.queueing.workloads.making import Infos
from tests.unit.queueing.workloads.builders import ago, workload

CPU, GPU = FlavorResource("f", "cpu"), FlavorResource("f", "gpu")


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


def _sharers() -> list[Entry]:
    """One queue borrows much of what its workload does not ask for, the other would borrow little of what it does."""
    forest = Forest()
    for name in ("much", "little", "lender"):
        forest.put_cluster_queue(name, {CPU: Quota(10), GPU: Quota(10)}, cohort="all")
    forest.add("much", {GPU: 25})
    forest.add("little", {CPU: 10})
    entries = []
    for name in ("much", "little"):
        node = forest.cluster_queue(name)
        assert node is not None
        entry = _entry(name, priority=0, seconds_ago=1)
        entry.queue = CachedQueue(
            name, (), ClusterQueuePreemption(), FlavorFungibility(), nothing(), "", node
        )
        entry.assignment = Assignment([], usage={CPU: 1})
        entries.append(entry)
    return entries


@pytest.mark.parametrize(
    ("borrowing", "want"),
    [(is_borrowing_on, ["much", "little"]), (by_share_alone, ["little", "much"])],
)
def test_who_would_not_borrow_what_it_asks_for_goes_before_smaller_shares(
    borrowing: Borrowing, want: list[str]
) -> None:
    found = Fair(_sharers(), borrowing=borrowing)
    assert [entry.info.cluster_queue for entry in found] == want
