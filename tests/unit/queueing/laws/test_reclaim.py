"""What is due is got: a workload within its queue's nominal quota is admitted whatever others have borrowed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import assume, given

from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.quotas.amounts import FlavorResource
from tests.support.plays import Play
from tests.support.queues import workload
from tests.unit.queueing.laws import models
from tests.unit.queueing.laws.stages import ANYTHING, in_all_modes, long, randoms, stage

RECLAIMING = replace(ANYTHING, reclaim=("Any",), workloads=(4, 12), nominal=(1, 6))


def _left(play: Play, queue: str, flavor: str, resources: list[str]) -> dict[str, int]:
    """What a ClusterQueue has left of its nominal quota, in whole units."""
    place = models.of_play(play)[queue]
    found = {}
    for resource in resources:
        fr = FlavorResource(flavor, resource)
        unit = 1000 if resource == "cpu" else 1
        found[resource] = (place.nominal(fr) - place.usage(fr)) // unit
    return found


@in_all_modes
@long
@given(random=randoms)
def test_a_workload_within_nominal_quota_gets_what_others_borrowed(
    fair: FairSharing | None, random: Random
) -> None:
    drawn = stage(random, RECLAIMING)
    play = drawn.play(fair)
    play.rest()
    queue = random.choice(drawn.queues)
    resources = list(queue.spec.resource_groups[0].covered_resources)
    left = _left(play, queue.metadata.name, "f0", resources)
    assume(min(left.values()) >= 1)
    wanted = {resource: random.randint(1, left[resource]) for resource in resources}
    # First in its line: those ahead of it in its own queue are another matter.
    play.submit(workload("due", queue.metadata.name, wanted, priority=100))
    play.rest()
    assert "due" in play.admitted()
