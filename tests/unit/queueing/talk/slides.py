"""The talk "Multitenancy and Fairness at Scale with Kueue: A Case Study", as plays.

What the slides show as YAML is read as it stands there: the v1beta1 names, `cohort` of a ClusterQueue and `parent` of a
Cohort, numbers as quotas, no apiVersion. Only a namespace selector is added, which slides have no room for and without
which a ClusterQueue takes nobody. What they show as tables is built with the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import yaml

from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort
from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Object
from argosy.queueing.conversion import CONVERTERS
from argosy.queueing.conversion.spellings import respell_cohort
from argosy.queueing.cycles.writes import Kind
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.quotas.amounts import FlavorResource
from tests.support.plays import START, Play
from tests.support.queues import (
    GPU,
    Quotas,
    cluster_queue,
    flavor,
    local_queue,
    view,
    workload,
)

FLAVOR = "default-flavor"


def gpus(nominal: int) -> Quotas:
    """A nominal quota as slides draw it: one number."""
    return {FLAVOR: {GPU: nominal}}


def queue(
    name: str, nominal: int, *, cohort: str, weight: float = 1, within: str = "Never"
) -> ClusterQueue:
    """A ClusterQueue of the kind all slides show: it takes back what is its own from anybody."""
    quotas = gpus(nominal)
    return cluster_queue(name, quotas, cohort=cohort, weight=weight, within=within, reclaim="Any")


def fair_play(*settings: ClusterQueue | Cohort, flavors: Iterable[str] = (FLAVOR,)) -> Play:
    """A cluster with fair sharing; every ClusterQueue has a LocalQueue of its name."""
    named = [one.metadata.name for one in settings if isinstance(one, ClusterQueue)]
    made = [flavor(name, {"zone": name}) for name in flavors]
    return Play(*made, *settings, *map(local_queue, named), fair=FairSharing())


def jobs(
    queue: str, count: int, *, first: int = 0, size: int = 1, zone: str = "", priority: int = 0
) -> list[Workload]:
    """So many jobs of one pod each; they are numbered, and come in that order."""
    selector = {"zone": zone} if zone else {}
    return [
        workload(
            f"{queue}-{zone}{number}",
            queue,
            {GPU: size},
            created=START + number,
            selector=selector,
            priority=priority,
        )
        for number in range(first, first + count)
    ]


def usages(play: Play, names: Iterable[str], flavor: str = FLAVOR) -> dict[str, int]:
    """How many accelerators everybody uses."""
    return {name: play.usage(name, GPU, flavor) for name in names}


def quota(play: Play, name: str) -> int:
    """What a ClusterQueue or cohort has, with all that is below it."""
    node = play.node(name)
    return node.subtree[node.position(FlavorResource(FLAVOR, GPU))]


def evicted(play: Play) -> list[str]:
    """Who was preempted, in order."""
    return [key.partition("/")[2] for kind, key in play.told if kind == Kind.PREEMPT]


def fill(play: Play, running: Mapping[str, int]) -> None:
    """Have so many jobs of each queue run. They come one after the other, as they do in a cluster nobody else uses."""
    for name, count in running.items():
        play.submit(*jobs(name, count))
        play.rest()
    assert usages(play, running) == running


def cluster_queue_of(slide: str) -> ClusterQueue:
    """The ClusterQueue of a slide."""
    raw = yaml.safe_load(slide)
    raw["spec"].setdefault("namespaceSelector", {})
    return view(ClusterQueue, _converted(raw))


def cohort_of(slide: str) -> Cohort:
    """The Cohort of a slide."""
    raw, _ = respell_cohort(yaml.safe_load(slide))
    return view(Cohort, _converted(raw))


def _converted(raw: Object) -> Object:
    made = {"apiVersion": "kueue.x-k8s.io/v1beta1", **raw}
    return CONVERTERS[raw["kind"]]["v1beta1", "v1beta2"](made)
