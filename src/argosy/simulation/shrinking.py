"""A scenario on a smaller fleet: fewer clusters, of fewer machines, and as much less to do.

Regions keep their shares as far as they can. Jobs are fewer as clusters are, and smaller as clusters are, so that what
filled the large fleet about fills the small one: `aks-70k` on 8 clusters of 20 machines uses 39 cores of 40.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from argosy.fleet.shapes import MemberShape, PoolShape
from argosy.simulation.plans import Burst, Distribution, Outage, Scenario, Stream


def shrunk(scenario: Scenario, clusters: int, nodes: int | None = None) -> Scenario:
    """The scenario with so many clusters, each pool of so many machines (as many as before, where nobody says). Jobs
    that are spread over more clusters than that are left out.
    """
    chosen = in_turn_by_region(scenario.members)[:clusters]
    size = 1.0
    if nodes is not None:
        size = nodes / max(_minimum(pool) for each in scenario.members for pool in each.pools)
        chosen = [
            replace(each, pools=tuple(_sized(p, nodes) for p in each.pools)) for each in chosen
        ]
    names = {each.name for each in chosen}
    outages = tuple(
        Outage(kept, each.since, each.until, each.what)
        for each in scenario.outages
        if (kept := tuple(name for name in each.clusters if name in names))
    )
    share = len(chosen) / len(scenario.members)
    return replace(
        scenario,
        members=tuple(chosen),
        streams=tuple(
            _shrunk(each, share, size) for each in scenario.streams if each.spread <= len(chosen)
        ),
        outages=outages,
    )


def in_turn_by_region(members: Sequence[MemberShape]) -> list[MemberShape]:
    """The first of every region, then the second of every region."""
    regions: dict[str, list[MemberShape]] = {}
    for each in members:
        regions.setdefault(each.region, []).append(each)
    longest = max(map(len, regions.values()), default=0)
    return [
        found[turn] for turn in range(longest) for found in regions.values() if turn < len(found)
    ]


def _shrunk(stream: Stream, share: float, size: float) -> Stream:
    bursts = tuple(replace(each, size=_fewer(each, share)) for each in stream.arrivals.bursts)
    arrivals = replace(stream.arrivals, bursts=bursts, per_hour=stream.arrivals.per_hour * share)
    return replace(stream, arrivals=arrivals, pods=_smaller(stream.pods, size, stream.spread))


def _fewer(burst: Burst, share: float) -> int:
    return max(1, int(burst.size * share))


def _smaller(pods: Distribution, size: float, spread: int) -> Distribution:
    """In whole pods on every cluster that a job is spread over."""
    values = tuple(max(1, int(each * size / spread)) * spread for each in pods.values)
    return replace(pods, values=values)


def _minimum(pool: PoolShape) -> int:
    return int(str(pool.spec.get("minimum", 0)))


def _sized(pool: PoolShape, nodes: int) -> PoolShape:
    return PoolShape(pool.name, {**pool.spec, "minimum": nodes, "maximum": nodes})
