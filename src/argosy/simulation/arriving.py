"""When jobs come, and what each of them is: streams in, jobs in the order of their arrival out.

Every stream draws from a source of its own, made of the seed and its name: a stream that is added or changed leaves the
others as they were. A rate that bends (by the hour, on weekends) is a Poisson process thinned to its rate of the
moment, so it is exact at any bend. Nothing is made before it is asked for: a week of jobs costs no memory.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from argosy.simulation.drawing import draw, mean
from argosy.simulation.plans import Arrivals, Scenario, Stream, Traced

_HOUR: Final = 3600.0
_DAY: Final = 24 * _HOUR
_SATURDAY: Final = 5


@dataclass(slots=True, frozen=True)
class Arrival:
    """One job that somebody submits."""

    at: float
    name: str
    stream: Stream
    seconds: float
    pods: int
    resources: dict[str, str]


def arrivals(scenario: Scenario, seed: int) -> Iterator[Arrival]:
    """All jobs until the horizon, in order; of one moment, in the order of their streams."""
    start = scenario.start.weekday() * _DAY + (
        scenario.start.hour * _HOUR + scenario.start.minute * 60.0
    )
    streams = [
        _of_stream(stream, number, seed, scenario.horizon, start)
        for number, stream in enumerate(scenario.streams)
    ]
    for _at, _number, _turn, arrival in heapq.merge(*streams, key=lambda each: each[:3]):
        yield arrival


def expected(scenario: Scenario) -> float:
    """How many jobs there will be, about."""
    total = 0.0
    for stream in scenario.streams:
        if stream.trace:
            total += sum(each.at < scenario.horizon for each in stream.trace)
            continue
        one = stream.arrivals
        until = min(one.until, scenario.horizon)
        mean_share = (5 + 2 * one.weekend) / 7 if until - one.since > 6 * _DAY else 1.0
        total += one.per_hour * max(0.0, until - one.since) / _HOUR * mean_share
        total += sum(each < scenario.horizon for each in one.at)
        for burst in one.bursts:
            total += math.ceil(max(0.0, until - burst.first) / burst.every) * burst.size
    return total


def expected_pods(scenario: Scenario) -> float:
    """How many pods a job has, about."""
    found = [mean(each.pods) for each in scenario.streams]
    return max(1.0, sum(found) / len(found)) if found else 1.0


def _of_stream(
    stream: Stream, number: int, seed: int, horizon: float, start: float
) -> Iterator[tuple[float, int, int, Arrival]]:
    times = random.Random(f"{seed}/{stream.name}/arrivals")
    shapes = random.Random(f"{seed}/{stream.name}/shapes")
    traced: Iterator[Traced]
    if stream.trace:
        traced = iter(sorted(stream.trace, key=lambda each: each.at))
    else:
        traced = (Traced(at) for at in _times(stream.arrivals, times, horizon, start))
    for turn, one in enumerate(traced):
        if one.at >= horizon:
            return
        # Both are drawn in any case: what a trace says of one job does not change the next.
        seconds, pods = draw(stream.seconds, shapes), draw(stream.pods, shapes)
        arrival = Arrival(
            at=one.at,
            name=one.name or f"{stream.name}-{turn + 1:05d}",
            stream=stream,
            seconds=seconds if one.seconds is None else one.seconds,
            pods=max(1, round(pods)) if one.pods is None else one.pods,
            resources={**stream.resources, **one.resources},
        )
        yield one.at, number, turn, arrival


def _times(of: Arrivals, source: random.Random, horizon: float, start: float) -> Iterator[float]:
    until = min(of.until, horizon)
    parts: list[Iterator[float]] = [iter(sorted(of.at))]
    if of.per_hour > 0:
        parts.append(_poisson(of, random.Random(source.random()), until, start))
    for burst in of.bursts:
        inner = random.Random(source.random())
        parts.append(_burst(burst.first, burst.every, burst.size, burst.spread, until, inner))
    return heapq.merge(*parts)


def _poisson(of: Arrivals, source: random.Random, until: float, start: float) -> Iterator[float]:
    most = of.per_hour / _HOUR * (1 + of.swing) * max(1.0, of.weekend)
    at = of.since
    while True:
        at += source.expovariate(most)
        if at >= until:
            return
        if source.random() * most <= rate(of, at + start):
            yield at


def rate(of: Arrivals, moment: float) -> float:
    """Arrivals a second at a moment of the week, counted from Monday at midnight."""
    hour = moment % _DAY / _HOUR
    bend = 1 + of.swing * math.cos((hour - of.peak_hour) / 24 * math.tau)
    is_weekend = int(moment // _DAY) % 7 >= _SATURDAY
    return of.per_hour / _HOUR * bend * (of.weekend if is_weekend else 1.0)


def _burst(
    first: float, every: float, size: int, spread: float, until: float, source: random.Random
) -> Iterator[float]:
    """Bursts may overlap where they are spread wider than they are apart."""
    waiting: list[float] = []
    at = first
    while at < until:
        for _ in range(size):
            heapq.heappush(waiting, at + (source.uniform(0, spread) if spread else 0.0))
        at += every
        while waiting and (waiting[0] < at or at >= until):
            yield heapq.heappop(waiting)
