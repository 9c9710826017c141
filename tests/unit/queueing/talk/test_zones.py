"""Case Study for ML Platforms: resource flavors for co-located nodes, zone by zone, and burst capacity sharing.

The table of the slide on two zones of 20 accelerators: in zone-1 each of four tenants has 25 %, in zone-2 they have 10,
20, 30 and 40 %, burst has nothing; the limit is all, for all.
"""

from __future__ import annotations

import pytest

from tests.support.plays import Play
from tests.support.queues import GPU, cluster_queue
from tests.unit.queueing.talk.slides import evicted, fair_play, jobs, usages

ZONES = {
    "zone-1": {"tenant-1": 5, "tenant-2": 5, "tenant-3": 5, "tenant-4": 5, "burst": 0},
    "zone-2": {"tenant-1": 2, "tenant-2": 4, "tenant-3": 6, "tenant-4": 8, "burst": 0},
}
EVERYBODY = tuple(ZONES["zone-1"])
TENANTS = EVERYBODY[:-1]


def _zones() -> Play:
    quotas = {name: {zone: {GPU: ZONES[zone][name]} for zone in ZONES} for name in EVERYBODY}
    weights = {name: 1 if name == "burst" else 25 for name in EVERYBODY}
    return fair_play(
        *(
            cluster_queue(name, quotas[name], cohort="all", weight=weights[name], reclaim="Any")
            for name in EVERYBODY
        ),
        flavors=ZONES,
    )


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("name", EVERYBODY)
def test_whoever_is_alone_can_fill_a_zone(name: str, zone: str) -> None:
    """Jobs that have to be in one zone; the 21st waits, though the other zone is empty."""
    play = _zones()
    play.submit(*jobs(name, 21, zone=zone))
    play.rest()
    other = next(iter(ZONES.keys() - {zone}))
    assert play.usage(name, GPU, zone) == 20
    assert play.usage(name, GPU, other) == 0


def test_a_job_of_any_zone_goes_where_there_is_room() -> None:
    """Zone after zone, in the order of the flavors; all 40 accelerators are in use."""
    play = _zones()
    play.submit(*jobs("burst", 50))
    play.rest()
    assert [play.usage("burst", GPU, zone) for zone in ZONES] == [20, 20]


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("borrower", EVERYBODY)
def test_all_guarantees_of_a_zone_come_back(borrower: str, zone: str) -> None:
    """One has both zones. The others submit to one of them: each gets its own there, and the other zone is left alone."""
    play = _zones()
    other = next(iter(ZONES.keys() - {zone}))
    play.submit(*jobs(borrower, 20, zone=zone), *jobs(borrower, 20, zone=other))
    play.rest()
    for tenant in TENANTS:
        if tenant != borrower:
            play.submit(*jobs(tenant, ZONES[zone][tenant], zone=zone))
    play.rest()
    assert usages(play, EVERYBODY, zone) == ZONES[zone]
    assert play.usage(borrower, GPU, other) == 20
    assert len(evicted(play)) == 20 - ZONES[zone][borrower]


def test_burst_is_preempted_before_a_tenant_that_borrows() -> None:
    """Tenant-1 and burst both borrow 4 in zone-2; tenant-3 and tenant-4 come back for all 8 of it."""
    play = _zones()
    play.submit(*jobs("tenant-1", 6, zone="zone-2"), *jobs("tenant-2", 4, zone="zone-2"))
    play.rest()
    play.submit(*jobs("burst", 4, zone="zone-2"), *jobs("tenant-4", 6, zone="zone-2"))
    play.rest()
    play.submit(*jobs("tenant-3", 4, zone="zone-2"))
    play.rest()
    assert [name.partition("-")[0] for name in evicted(play)] == ["burst"] * 4
    assert play.usage("tenant-1", GPU, "zone-2") == 6
    play.submit(*jobs("tenant-3", 2, first=50, zone="zone-2"))
    play.submit(*jobs("tenant-4", 2, first=50, zone="zone-2"))
    play.rest()
    assert usages(play, EVERYBODY, "zone-2") == ZONES["zone-2"]


def test_leftovers_of_a_zone_are_bursts() -> None:
    """Three tenants use what is theirs of zone-2, the fourth is away: burst has its 8."""
    play = _zones()
    for tenant in TENANTS[:3]:
        play.submit(*jobs(tenant, ZONES["zone-2"][tenant], zone="zone-2"))
    play.submit(*jobs("burst", 20, zone="zone-2"))
    play.rest()
    assert play.usage("burst", GPU, "zone-2") == 8
    assert evicted(play) == []
