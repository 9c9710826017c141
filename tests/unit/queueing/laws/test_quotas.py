"""Nobody gets more than quotas and limits allow, at any node and at any moment, whatever is submitted and evicted."""

from __future__ import annotations

from random import Random

from hypothesis import given

from argosy.queueing.preemption.fair import FairSharing
from tests.support.plays import Play
from tests.support.queues import Quota, cluster_queue, flavor, local_queue, workload
from tests.unit.queueing.laws import models
from tests.unit.queueing.laws.stages import in_all_modes, long, randoms, stage


@in_all_modes
@long
@given(random=randoms)
def test_usage_stays_within_quota_and_limits_at_every_node(
    fair: FairSharing | None, random: Random
) -> None:
    """A lending limit is part of it: what a node keeps to itself is no burden its parent could have lent to others."""
    play = stage(random).play(fair, seconds=random.choice([None, 3.0, 10.0]))

    def judge() -> None:
        assert models.overdrawn(models.of_play(play)) == []

    play.watch = judge
    play.rest()
    judge()


@in_all_modes
@long
@given(random=randoms)
def test_the_engine_counts_what_the_objects_say(fair: FairSharing | None, random: Random) -> None:
    play = stage(random).play(fair, seconds=random.choice([None, 5.0]))
    play.rest()
    for name, place in models.of_play(play).items():
        node = play.node(name)
        for fr in node.layout.flavor_resources:
            position = node.position(fr)
            want = place.subtree(fr), place.usage(fr)
            assert (node.subtree[position], node.usage[position]) == want
            # What a node does not lend is there for it: free, or used inside.
            kept = place.subtree(fr) - place.lent(fr)
            assert node.available_at(position) >= kept - place.usage(fr)


def test_what_a_victim_still_holds_is_not_handed_out() -> None:
    """Its preemptor needs less than it frees; by upstream's rules another one gets the rest while the victim runs."""
    quotas = {"a": Quota(2), "b": Quota(6, borrowing=0), "c": Quota(0)}
    play = Play(
        flavor("default"),
        *(
            cluster_queue(name, {"default": {"gpu": quota}}, cohort="all", within="LowerPriority")
            for name, quota in quotas.items()
        ),
        *map(local_queue, quotas),
    )
    play.submit(workload("victim", "b", {"gpu": 5}))
    play.rest()
    play.submit(
        workload("preemptor", "b", {"gpu": 2}, priority=1),
        workload("first", "a", {"gpu": 2}),
        workload("second", "c", {"gpu": 2}),
    )
    outcome = play.cycle()
    assert [one.entry.info.key for one in outcome.preempted] == ["ns/preemptor"]
    assert [one.entry.info.key for one in outcome.admitted] == ["ns/first"]
    play.rest()
    assert play.admitted() == {"preemptor", "first", "second"}
