"""Random stages for plays: trees of cohorts, ClusterQueues with quotas, limits, weights and policies, and workloads.

Drawn from a `random.Random`, so that hypothesis can draw and shrink them (`st.randoms`) and a seed can replay them.
Amounts are small, because small ones collide.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort
from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.preemption.strategies import strategies_of
from tests.support.plays import START, Play, Settings
from tests.support.queues import (
    Quota,
    Quotas,
    cluster_queue,
    cohort,
    flavor,
    local_queue,
    workload,
)

FAIR: dict[str, FairSharing | None] = {
    "classical": None,
    "fair, both strategies": FairSharing(),
    "fair, final share": FairSharing(strategies_of(["LessThanOrEqualToFinalShare"])),
    "fair, initial share": FairSharing(strategies_of(["LessThanInitialShare"])),
}
randoms = st.randoms(use_true_random=False)
in_all_modes = pytest.mark.parametrize("fair", FAIR.values(), ids=FAIR)
# Plays take longer than other examples: fewer of them, in each of the modes.
long = settings(max_examples=40)


@dataclass(frozen=True)
class Ranges:
    """What stages are drawn from."""

    levels: int = 3
    queues: tuple[int, int] = (2, 4)
    workloads: tuple[int, int] = (1, 8)
    flavors: int = 2
    resources: int = 2
    nominal: tuple[int, int] = (0, 6)
    request: tuple[int, int] = (1, 6)
    priorities: tuple[int, ...] = (0, 0, 1, 2)
    weights: tuple[float | None, ...] = (None, 0, 0.5, 1, 2, 3)
    has_limits: bool = True
    within: tuple[str, ...] = ("Never", "LowerPriority", "LowerOrNewerEqualPriority")
    reclaim: tuple[str, ...] = ("Never", "LowerPriority", "Any")
    borrow: tuple[str, ...] = ("Never", "LowerPriority")
    strategies: tuple[str, ...] = ("BestEffortFIFO", "StrictFIFO")
    has_fungibility: bool = True


ANYTHING = Ranges()


@dataclass
class Stage:
    """The objects of a play, in the order they were drawn."""

    settings: list[Settings] = field(default_factory=list)
    workloads: list[Workload] = field(default_factory=list)

    def play(self, fair: FairSharing | None, *, seconds: float | None = None) -> Play:
        """A play on these settings, with these workloads submitted."""
        made = Play(*self.settings, fair=fair)
        for one in self.workloads:
            made.submit(one) if seconds is None else made.submit(one, seconds=seconds)
        return made

    @property
    def queues(self) -> list[ClusterQueue]:
        return [one for one in self.settings if isinstance(one, ClusterQueue)]

    @property
    def cohorts(self) -> list[Cohort]:
        return [one for one in self.settings if isinstance(one, Cohort)]


def stage(random: Random, ranges: Ranges = ANYTHING) -> Stage:
    """Draw a stage."""
    made = Stage()
    flavors = [f"f{number}" for number in range(random.randint(1, ranges.flavors))]
    resources = ["cpu", "gpu"][: random.randint(1, ranges.resources)]
    made.settings += map(flavor, flavors)
    parents = _cohorts(made, random, ranges, flavors, resources)
    for number in range(random.randint(*ranges.queues)):
        name = f"q{number}"
        made.settings.append(_queue(name, random, ranges, flavors, resources, parents))
        made.settings.append(local_queue(name))
    names = [queue.metadata.name for queue in made.queues]
    for number in range(random.randint(*ranges.workloads)):
        made.workloads.append(
            random_workload(f"w{number}", random, ranges, names, resources, number)
        )
    return made


def random_workload(
    name: str, random: Random, ranges: Ranges, queues: list[str], resources: list[str], age: int
) -> Workload:
    requests = {resource: random.randint(*ranges.request) for resource in resources}
    return workload(
        name,
        random.choice(queues),
        requests,
        created=START - 100 + age,
        priority=random.choice(ranges.priorities),
    )


def _cohorts(
    made: Stage, random: Random, ranges: Ranges, flavors: list[str], resources: list[str]
) -> list[str]:
    """A root and, where there are levels for it, two organizations, of which the first may have one inside."""
    names = ["root"]
    levels = random.randint(1, ranges.levels)
    for name, parent, level in (("org-a", "root", 2), ("org-b", "root", 2), ("inner", "org-a", 3)):
        if level <= levels:
            quotas = {}
            if random.randint(0, 2) == 0:
                quotas = random_quotas(random, ranges, flavors, resources)
            made.settings.append(
                cohort(name, quotas, parent=parent, weight=random.choice(ranges.weights))
            )
            names.append(name)
    return names


def _queue(
    name: str,
    random: Random,
    ranges: Ranges,
    flavors: list[str],
    resources: list[str],
    parents: list[str],
) -> ClusterQueue:
    more = {}
    if ranges.has_fungibility and len(flavors) > 1:
        more["flavorFungibility"] = {
            "whenCanBorrow": random.choice(["MayStopSearch", "TryNextFlavor"]),
            "whenCanPreempt": random.choice(["TryNextFlavor", "MayStopSearch"]),
        }
    return cluster_queue(
        name,
        random_quotas(random, ranges, flavors, resources),
        cohort=random.choice(parents),
        weight=random.choice(ranges.weights),
        within=random.choice(ranges.within),
        reclaim=random.choice(ranges.reclaim),
        borrow=random.choice(ranges.borrow),
        queueingStrategy=random.choice(ranges.strategies),
        **more,
    )


def random_quotas(
    random: Random, ranges: Ranges, flavors: list[str], resources: list[str]
) -> Quotas:
    return {name: {resource: _quota(random, ranges) for resource in resources} for name in flavors}


def _quota(random: Random, ranges: Ranges) -> Quota:
    nominal = random.randint(*ranges.nominal)
    if not ranges.has_limits:
        return Quota(nominal)
    borrowing = random.choice([None, None, random.randint(0, 4)])
    lending = random.choice([None, None, random.randint(0, nominal)])
    return Quota(nominal, borrowing, lending)
