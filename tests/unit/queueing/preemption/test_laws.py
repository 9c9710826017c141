"""Laws of victims, over random trees, quotas, policies and workloads; and both engines against plain loops."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import assume, event, example, given, settings
from hypothesis import strategies as st

from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.flavors.assignments import Assignment, Possibility
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.preemption.oracle import SearchingOracle
from argosy.queueing.preemption.policies import satisfies
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.preemption.strategies import strategies_of
from argosy.queueing.preemption.targets import IN_CLUSTER_QUEUE, Target
from argosy.queueing.quotas.nodes import Quota
from argosy.queueing.workloads.infos import Info
from tests.unit.queueing.preemption import plain
from tests.unit.queueing.preemption.scenes import (
    CPU,
    NOW,
    Load,
    Queue,
    Scene,
    assigned,
    incoming,
    scene_of,
    scenes,
    state,
)

CLASSICAL = None
SHARINGS = {
    "by default": FairSharing(),
    "final share only": FairSharing(strategies_of(["LessThanOrEqualToFinalShare"])),
    "initial share only": FairSharing(strategies_of(["LessThanInitialShare"])),
    "comparing within nominal quota too": FairSharing(reclaims_nominal=False),
}
_engines = st.sampled_from([CLASSICAL, CLASSICAL, *SHARINGS.values()])


def found(
    fair: FairSharing | None, asking: Load, snapshot: Snapshot, **options: object
) -> list[Target]:
    info = incoming(asking)
    return Preemptor(fair, **options).targets(info, assigned(info), snapshot, now=NOW)  # type: ignore[arg-type]  # options of tests


def fits(snapshot: Snapshot, asking: Load, without: list[Info], *, may_borrow: bool = True) -> bool:
    usage = assigned(incoming(asking)).usage
    node = snapshot.queues[asking.queue].node
    with snapshot.without(without):
        return all(
            value <= node.available(fr) and (may_borrow or not node.is_borrowing(fr, value))
            for fr, value in usage.items()
        )


@settings(max_examples=400)
@example(scene_of(Random(397)))  # Both attempts would do, with other victims.
@example(scene_of(Random(196)))  # A subtree has room by quota, the one above it has not.
@given(scenes())
def test_the_classical_engine_agrees_with_plain_loops(given_scene: tuple[Scene, Load]) -> None:
    scene, asking = given_scene
    got = {(one.info.key, one.reason) for one in found(CLASSICAL, asking, scene.snapshot())}
    event(f"{len(got)} victims")
    assert got == set(plain.classical(scene, asking))


@settings(max_examples=200)
@pytest.mark.parametrize("sharing", SHARINGS.values(), ids=SHARINGS)
@example(given_scene=scene_of(Random(264)))  # The second strategy could take two of a ClusterQueue.
@given(given_scene=scenes())
def test_fair_sharing_agrees_with_plain_loops(
    sharing: FairSharing, given_scene: tuple[Scene, Load]
) -> None:
    scene, asking = given_scene
    got = {(one.info.key, one.reason) for one in found(sharing, asking, scene.snapshot())}
    event(f"{len(got)} victims")
    assert got == set(plain.fair(scene, asking, sharing))


@given(scenes(), _engines)
def test_a_search_leaves_everything_as_it_was(
    given_scene: tuple[Scene, Load], fair: FairSharing | None
) -> None:
    scene, asking = given_scene
    snapshot = scene.snapshot()
    for fr in assigned(incoming(asking)).usage:
        snapshot.queues["a"].node.position(fr)
    want = state(snapshot)
    found(fair, asking, snapshot)
    assert state(snapshot) == want


@given(scenes(), _engines, st.integers(0, 8))
def test_a_search_that_breaks_off_leaves_everything_as_it_was(
    given_scene: tuple[Scene, Load], fair: FairSharing | None, questions: int
) -> None:
    class Boom(Exception):
        pass

    scene, asking = given_scene
    snapshot = scene.snapshot()
    want = state(snapshot)
    left = questions

    def fits_topology(info: Info, assignment: Assignment, state: Snapshot) -> bool:
        nonlocal left
        if left == 0:
            raise Boom
        left -= 1
        # Some of the questions are answered no, so that the search goes on.
        return left % 3 == 0

    try:
        found(fair, asking, snapshot, fits_topology=fits_topology)
    except Boom:
        event("broke off")
    assert state(snapshot) == want


@given(scenes(), _engines)
def test_without_its_victims_the_workload_fits(
    given_scene: tuple[Scene, Load], fair: FairSharing | None
) -> None:
    scene, asking = given_scene
    snapshot = scene.snapshot()
    victims = [one.info for one in found(fair, asking, snapshot)]
    assert not victims or fits(snapshot, asking, victims)


@given(scenes(), _engines)
def test_no_victim_is_superfluous(
    given_scene: tuple[Scene, Load], fair: FairSharing | None
) -> None:
    scene, asking = given_scene
    snapshot = scene.snapshot()
    # A workload that fits anyway still costs the first candidate: nobody asks for victims then.
    assume(not fits(snapshot, asking, []))
    victims = [one.info for one in found(fair, asking, snapshot)]
    # A classical search may have looked for room within the nominal quota.
    is_within = fair is None and fits(snapshot, asking, victims, may_borrow=False)
    for spared in victims:
        rest = [one for one in victims if one is not spared]
        assert not fits(snapshot, asking, rest, may_borrow=not is_within)


@given(scenes(), _engines)
def test_victims_are_such_as_the_policies_allow(
    given_scene: tuple[Scene, Load], fair: FairSharing | None
) -> None:
    scene, asking = given_scene
    snapshot = scene.snapshot()
    usage = assigned(incoming(asking)).usage
    policies = scene.queues["a"]
    for target in found(fair, asking, snapshot):
        queue = target.info.cluster_queue
        assert not usage.keys().isdisjoint(target.info.usage)
        assert (queue == "a") == (target.reason == IN_CLUSTER_QUEUE)
        policy = policies.within if queue == "a" else policies.reclaim
        assert satisfies(policy, incoming(asking), target.info)
        assert queue == "a" or not snapshot.queues[queue].node.is_within_nominal(usage)


@given(scenes(), _engines, st.randoms(use_true_random=False))
def test_the_order_in_which_things_are_stored_does_not_matter(
    given_scene: tuple[Scene, Load], fair: FairSharing | None, chance: Random
) -> None:
    scene, asking = given_scene
    want = [(one.info.key, one.reason) for one in found(fair, asking, scene.snapshot())]
    loads = chance.sample(scene.loads, len(scene.loads))
    queues = dict(chance.sample(list(scene.queues.items()), len(scene.queues)))
    usages = dict(chance.sample(list(asking.requests.items()), len(asking.requests)))
    shuffled = replace(scene, loads=tuple(loads), queues=queues)
    got = found(fair, replace(asking, requests=usages), shuffled.snapshot())
    assert [(one.info.key, one.reason) for one in got] == want


@given(scenes(), _engines)
def test_the_oracle_says_what_a_search_for_that_resource_finds(
    given_scene: tuple[Scene, Load], fair: FairSharing | None
) -> None:
    scene, asking = given_scene
    snapshot = scene.snapshot()
    asking = replace(asking, requests={"cpu": asking.requests["cpu"]})
    queue, value = snapshot.queues["a"], asking.requests["cpu"]
    oracle = SearchingOracle(Preemptor(fair), snapshot, NOW)
    possibility, height = oracle.simulate(queue, incoming(asking), CPU, value)
    targets = found(fair, asking, snapshot)
    reasons = {one.reason for one in targets}
    want = Possibility.PREEMPT if IN_CLUSTER_QUEUE in reasons else Possibility.RECLAIM
    assert possibility == (want if targets else Possibility.NO_CANDIDATES)
    with snapshot.without(one.info for one in targets):
        assert height == queue.node.height_that_fits(CPU, value)[0]


# One flat cohort, one resource, no limits: here the outcome can be foretold.


@st.composite
def flat(draw: st.DrawFn, sizes: st.SearchStrategy[int]) -> tuple[Scene, Load]:
    """Workload `asking` comes to `a` and stays within its nominal quota; others borrow."""
    nominal = draw(st.integers(1, 6))
    size = draw(sizes)
    queues = {"a": Queue("root", {CPU: Quota(nominal)}, draw(st.sampled_from(["Never", "Any"])))}
    for name in "bc":
        queues[name] = Queue("root", {CPU: Quota(draw(st.integers(0, 3)))})
    loads = tuple(
        Load(
            f"w{number}",
            draw(st.sampled_from("bc")),
            {"cpu": size or draw(st.integers(1, 4))},
            draw(st.integers(0, 2)),
        )
        for number in range(draw(st.integers(0, 5)))
    )
    return Scene(queues, loads), Load("asking", "a", {"cpu": draw(st.integers(1, nominal))})


@given(flat(st.just(0)), _engines)
def test_nominal_quota_can_always_be_had_back(
    given_scene: tuple[Scene, Load], fair: FairSharing | None
) -> None:
    scene, asking = given_scene
    assume(fair is None or fair.reclaims_nominal)
    snapshot = scene.snapshot()
    assert fits(snapshot, asking, []) or found(fair, asking, snapshot)


@given(flat(st.integers(1, 3)), _engines)
def test_of_victims_of_one_size_there_are_as_few_as_can_be(
    given_scene: tuple[Scene, Load], fair: FairSharing | None
) -> None:
    """Sizes must be equal: two small workloads of low priority go before a large one that would do alone."""
    scene, asking = given_scene
    assume(fair is None or fair.reclaims_nominal)
    snapshot = scene.snapshot()
    assume(not fits(snapshot, asking, []))
    everybody = [info for queue in snapshot.queues.values() for info in queue.workloads.values()]
    fewest = min(
        count
        for count in range(len(everybody) + 1)
        for some in combinations(everybody, count)
        if fits(snapshot, asking, list(some))
    )
    assert len(found(fair, asking, snapshot)) == fewest
