"""Case Study for ML Platforms: support for dynamic change of nominal and borrow limits.

Quotas change while jobs run. Nobody is restarted for it; what is raised lets those in that wait, at once: in the one
flush that follows a change.
"""

from __future__ import annotations

import pytest

from argosy.api.objects.kueue.quotas import ClusterQueue
from argosy.queueing.queues.flushing import BATCH_SECONDS
from tests.support.plays import Play
from tests.support.queues import GPU, Quota, cluster_queue, cohort
from tests.unit.queueing.talk.slides import (
    FLAVOR,
    evicted,
    fair_play,
    fill,
    gpus,
    jobs,
    usages,
)

TENANTS = ("tenant-1", "tenant-2")


def _tenant(name: str, nominal: int, borrowing: int | None = None) -> ClusterQueue:
    quotas = {FLAVOR: {GPU: Quota(nominal, borrowing)}}
    return cluster_queue(name, quotas, cohort="all", reclaim="Any")


def _tenants() -> Play:
    """10 each; tenant-1 uses its 10 and wants 20 more, tenant-2 uses 2."""
    play = fair_play(_tenant("tenant-1", 10, borrowing=0), _tenant("tenant-2", 10))
    fill(play, {"tenant-1": 10, "tenant-2": 2})
    play.submit(*jobs("tenant-1", 20, first=10))
    play.rest()
    assert usages(play, TENANTS) == {"tenant-1": 10, "tenant-2": 2}
    return play


def test_a_raised_borrowing_limit_lets_waiting_jobs_in_at_once() -> None:
    """After the moment in which changes are gathered; nobody has to end. What may be borrowed is borrowed."""
    play = _tenants()
    before, now = play.admitted(), play.now
    play.put(_tenant("tenant-1", 10, borrowing=5))
    play.rest()
    assert usages(play, TENANTS) == {"tenant-1": 15, "tenant-2": 2}
    assert before < play.admitted()
    assert play.now - now == pytest.approx(BATCH_SECONDS, abs=1e-6)


def test_without_a_limit_all_that_is_idle_is_used() -> None:
    play = _tenants()
    play.put(_tenant("tenant-1", 10))
    play.rest()
    assert usages(play, TENANTS) == {"tenant-1": 18, "tenant-2": 2}
    assert evicted(play) == []


def test_a_raised_nominal_quota_lets_waiting_jobs_in_at_once() -> None:
    play = _tenants()
    before, now = play.admitted(), play.now
    play.put(_tenant("tenant-1", 14, borrowing=0))
    play.rest()
    assert usages(play, TENANTS) == {"tenant-1": 14, "tenant-2": 2}
    assert before < play.admitted()
    assert play.now - now == pytest.approx(BATCH_SECONDS, abs=1e-6)


def test_a_cohorts_raised_quota_is_for_all_below_it() -> None:
    """Five accelerators more for both, of nobody's own."""
    play = _tenants()
    play.put(_tenant("tenant-1", 10), cohort("all", gpus(5)))
    play.rest()
    assert usages(play, TENANTS) == {"tenant-1": 23, "tenant-2": 2}


def test_lowered_quotas_restart_nobody() -> None:
    """All that ran runs on, above what there is now; nobody comes in until enough has ended."""
    play = _tenants()
    before = play.admitted()
    play.put(_tenant("tenant-1", 4, borrowing=0), _tenant("tenant-2", 1))
    play.rest()
    assert play.admitted() == before
    assert evicted(play) == []
    for number in range(6):
        play.delete(f"ns/tenant-1-{number}")
        play.rest()
    assert play.admitted("tenant-1") == {f"tenant-1-{number}" for number in range(6, 10)}
    play.delete("ns/tenant-1-6")
    play.rest()
    assert "tenant-1-10" in play.admitted("tenant-1")


def test_a_lowered_borrowing_limit_restarts_nobody() -> None:
    play = _tenants()
    play.put(_tenant("tenant-1", 10))
    play.rest()
    before = play.admitted()
    play.put(_tenant("tenant-1", 10, borrowing=2))
    play.rest()
    assert play.admitted() == before
    assert usages(play, TENANTS) == {"tenant-1": 18, "tenant-2": 2}
    assert evicted(play) == []


def test_quota_that_moves_to_another_tenant_is_claimed_when_it_is_needed() -> None:
    """10 and 10 become 4 and 16. Tenant-1's ten run on as borrowers, until tenant-2 wants what is its own now."""
    play = _tenants()
    play.put(_tenant("tenant-1", 4), _tenant("tenant-2", 16))
    play.rest()
    assert evicted(play) == []
    assert usages(play, TENANTS) == {"tenant-1": 18, "tenant-2": 2}
    play.submit(*jobs("tenant-2", 14, first=100))
    play.rest()
    assert usages(play, TENANTS) == {"tenant-1": 4, "tenant-2": 16}
