"""Puts pods with rules about their neighbors into zones, in the mind of the autoscaler.

The zones are those of the nodes there are and of the pools that could grow. Pods that have to be spread evenly go to
the emptiest zone, a few at a time; pods that have to be together and are nowhere yet go to the zone that takes most of
them, then to the cheapest; a zone that has no room keeps its count and so holds the others back, as it will hold back
the scheduler. So machines come where the scheduler can use them, and all of them in one look. Ties go by label values.
Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from argosy.capacity.neighbors import REASONS, Domains
from argosy.capacity.snapshots import Demand, Verdict

# Thousands of pods are spread in so many rounds at most, each zone taking its part of a round at once.
_ROUNDS: Final = 64

# The labels that bounds go by; None where a node has none.
Area = Mapping[str, str | None]


class Ground(Protocol):
    """Where pods can be put."""

    def areas(self, demand: Demand) -> list[Area]:
        """The combinations of the labels that its bounds go by, of nodes and pools that would take such pods."""

    def put(self, verdict: Verdict, count: int, area: Area) -> int:
        """Place pods on nodes and new machines with these labels. How many found room."""

    def worth(self, verdict: Verdict, area: Area) -> tuple[int, float]:
        """How many of those left an area takes in the end, and at what price."""


def settle(ground: Ground, verdict: Verdict) -> list[tuple[Area, str]]:
    """Place the pods of a demand with bounds. The areas that rules keep from taking more, with the reason."""
    demand = verdict.demand
    areas = ground.areas(demand)
    domains = [Domains(bound) for bound in demand.bounds]
    full: set[int] = set()
    while verdict.left:
        # While all follow, a round may be large; once one holds the others back, every pod counts.
        pace = 1 if full else verdict.left // (_ROUNDS * max(1, len(areas)))
        rooms = {
            number: min(one.room(area, verdict.left, pace=pace) for one in domains)
            for number, area in enumerate(areas)
            if number not in full
        }
        open_ = [number for number, room in rooms.items() if room]
        if not open_:
            break
        chosen = min(open_, key=_next(ground, verdict, areas, domains))
        count = ground.put(verdict, rooms[chosen], areas[chosen])
        for one in domains:
            one.put(areas[chosen], count)
        if count < rooms[chosen]:
            full.add(chosen)
    return [(area, why) for area in areas if (why := _reason(domains, area)) is not None]


def _next(
    ground: Ground, verdict: Verdict, areas: list[Area], domains: list[Domains]
) -> Callable[[int], tuple[float, ...]]:
    if any(one.is_unsettled for one in domains):

        def best(number: int) -> tuple[float, ...]:
            most, price = ground.worth(verdict, areas[number])
            return -most, price, number

        return best

    return lambda number: (sum(one.level(areas[number]) for one in domains), number)


def _reason(domains: list[Domains], area: Area) -> str | None:
    """The rule that keeps one more pod out of an area, in kube-scheduler's words."""
    for one in domains:
        if not one.room(area, 1):
            return REASONS[one.bound.rule]
    return None
