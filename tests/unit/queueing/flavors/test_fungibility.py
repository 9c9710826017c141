"""The order of flavors, and when the search ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.kueue.quotas import FlavorFungibility
from argosy.queueing.flavors.assignments import PreemptionMode
from argosy.queueing.flavors.fungibility import (
    BEST,
    WORST,
    Rank,
    is_preferred,
    should_try_next_flavor,
)

_ranks = st.builds(Rank, st.sampled_from(PreemptionMode), st.integers(0, 3))
_preferences = st.builds(
    FlavorFungibility,
    preference=st.sampled_from(["", "BorrowingOverPreemption", "PreemptionOverBorrowing"]),
)


@given(_ranks, _ranks, _ranks, _preferences)
def test_preference_is_a_strict_weak_order(
    a: Rank, b: Rank, c: Rank, fungibility: FlavorFungibility
) -> None:
    def better(one: Rank, other: Rank) -> bool:
        return is_preferred(one, other, fungibility)

    def alike(one: Rank, other: Rank) -> bool:
        return not better(one, other) and not better(other, one)

    can_fit = [rank for rank in (a, b, c) if rank.mode is not PreemptionMode.NO_FIT]
    assert not better(a, a)
    assert not (better(a, b) and better(b, a))
    if better(a, b) and better(b, c):
        assert better(a, c)
    if alike(a, b) and alike(b, c):
        assert alike(a, c)
    assert all(better(rank, WORST) for rank in can_fit)
    assert not any(better(rank, BEST) for rank in (a, b, c))


@given(_ranks, _ranks, _preferences)
def test_what_has_no_candidates_is_worse_than_what_has(
    a: Rank, b: Rank, fungibility: FlavorFungibility
) -> None:
    hopeless = Rank(PreemptionMode.NO_CANDIDATES, a.borrow)
    if b.mode > PreemptionMode.NO_CANDIDATES:
        assert is_preferred(b, hopeless, fungibility)


ALL = FlavorFungibility(when_can_borrow="TryNextFlavor", when_can_preempt="TryNextFlavor")
NONE = FlavorFungibility(when_can_borrow="MayStopSearch", when_can_preempt="MayStopSearch")
CASES = {
    "what does not fit": (Rank(PreemptionMode.NO_FIT, 0), NONE, True),
    "nobody to preempt": (Rank(PreemptionMode.NO_CANDIDATES, 0), NONE, True),
    "preemption, and that may do": (Rank(PreemptionMode.PREEMPT, 0), NONE, False),
    "preemption, but others come first": (Rank(PreemptionMode.PREEMPT, 0), ALL, True),
    "reclaiming, but others come first": (Rank(PreemptionMode.RECLAIM, 0), ALL, True),
    "reclaiming while borrowing, and both may do": (Rank(PreemptionMode.RECLAIM, 1), NONE, False),
    "preemption that may do, while borrowing that may not": (
        Rank(PreemptionMode.PREEMPT, 1),
        FlavorFungibility(when_can_borrow="TryNextFlavor", when_can_preempt="MayStopSearch"),
        True,
    ),
    "borrowing, and that may do": (Rank(PreemptionMode.FIT, 1), FlavorFungibility(), False),
    "borrowing, but others come first": (Rank(PreemptionMode.FIT, 1), ALL, True),
    "what simply fits": (BEST, ALL, False),
}


@pytest.mark.parametrize(("rank", "fungibility", "want"), CASES.values(), ids=CASES)
def test_search_goes_on_after(rank: Rank, fungibility: FlavorFungibility, want: bool) -> None:
    assert should_try_next_flavor(rank, fungibility) is want
