"""How to prevent capacity usage abuse? A single tenant can use all the idle capacity.

Option 1, a limit per tenant, costs utilization. Option 2, weighted fair sharing of idle capacity without limits: a
tenant may have everything while the others are inactive, and is preempted for fair sharing when they submit.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.support.plays import Play
from tests.support.queues import GPU, Quota, cluster_queue
from tests.unit.queueing.talk.slides import (
    FLAVOR,
    evicted,
    fair_play,
    fill,
    jobs,
    queue,
    usages,
)

TENANTS = ("tenant-1", "tenant-2", "tenant-3", "tenant-4")


def _tenants(*weights: float) -> Play:
    """Four tenants with 10 of 40 accelerators each."""
    named = zip(TENANTS, weights, strict=True)
    return fair_play(*(queue(name, 10, cohort="all", weight=w) for name, w in named))


def test_option_1_a_limit_leaves_capacity_unused() -> None:
    """Tenant-1 may borrow 5: 25 accelerators idle while its jobs wait."""
    limited = {FLAVOR: {GPU: Quota(10, borrowing=5)}}
    play = fair_play(*(cluster_queue(name, limited, cohort="all") for name in TENANTS))
    play.submit(*jobs("tenant-1", 40))
    play.rest()
    assert usages(play, ["tenant-1", "all"]) == {"tenant-1": 15, "all": 15}


def test_option_2_alone_a_tenant_uses_everything() -> None:
    play = _tenants(1, 1, 1, 1)
    fill(play, {"tenant-1": 40})
    assert usages(play, ["all"]) == {"all": 40}
    assert evicted(play) == []


@dataclass(frozen=True)
class Split:
    """Tenants' weights, who submits after tenant-1 has everything, and what all have in the end."""

    weights: tuple[float, float, float, float]
    comes: tuple[str, ...]
    want: tuple[int, int, int, int]


SPLITS = {
    "tenant-2 gets its 10, and half of the 20 that are idle": Split(
        (1, 1, 1, 1), ("tenant-2",), (20, 20, 0, 0)
    ),
    "three times the weight, three times the idle capacity": Split(
        (1, 3, 1, 1), ("tenant-2",), (15, 25, 0, 0)
    ),
    "a tenant of a third of the weight takes less": Split(
        (3, 1, 1, 1), ("tenant-2",), (25, 15, 0, 0)
    ),
    "of three tenants one is away": Split((2, 2, 1, 1), ("tenant-2", "tenant-3"), (14, 14, 12, 0)),
    "with all tenants there, nothing is idle": Split(
        (7, 1, 2, 3), ("tenant-2", "tenant-3", "tenant-4"), (10, 10, 10, 10)
    ),
}


@pytest.mark.parametrize("case", SPLITS.values(), ids=SPLITS.keys())
def test_option_2_a_tenant_is_preempted_down_to_the_fair_split(case: Split) -> None:
    """No job more than it takes is preempted, and those preempted wait without pushing anybody out."""
    play = _tenants(*case.weights)
    fill(play, {"tenant-1": 40})
    for name in case.comes:
        play.submit(*jobs(name, 40))
    play.rest()
    assert usages(play, TENANTS) == dict(zip(TENANTS, case.want, strict=True))
    assert len(evicted(play)) == 40 - case.want[0]
    assert all(name.startswith("tenant-1-") for name in evicted(play))


def test_who_was_preempted_comes_back_when_the_others_leave() -> None:
    """Tenant-2's jobs end; tenant-1 has everything again."""
    play = _tenants(1, 1, 1, 1)
    fill(play, {"tenant-1": 40})
    play.submit(*jobs("tenant-2", 20), seconds=600)
    play.play(300)
    assert usages(play, TENANTS[:2]) == {"tenant-1": 20, "tenant-2": 20}
    play.rest()
    assert usages(play, TENANTS[:2]) == {"tenant-1": 40, "tenant-2": 0}


def test_only_whoever_borrows_pays_for_fair_sharing() -> None:
    """Tenant-3 uses what is its own, tenant-1 the rest, when tenant-2 wants everything."""
    play = _tenants(1, 1, 1, 1)
    fill(play, {"tenant-3": 10, "tenant-1": 30})
    play.submit(*jobs("tenant-2", 40))
    play.rest()
    assert usages(play, TENANTS) == {"tenant-1": 15, "tenant-2": 15, "tenant-3": 10, "tenant-4": 0}
    assert all(name.startswith("tenant-1-") for name in evicted(play))
