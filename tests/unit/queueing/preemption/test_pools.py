"""A search that knows the searches before finds what one finds that knows nothing."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hypothesis import event, given, settings
from hypothesis import strategies as st

from argosy.queueing.cache.holders import BY_RANK
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.preemption.pools import Pools
from argosy.queueing.preemption.preempting import Preemptor
from argosy.queueing.preemption.targets import Target
from argosy.queueing.workloads.infos import Info
from tests.unit.queueing.preemption.scenes import (
    CPU,
    NOW,
    Load,
    Queue,
    Scene,
    assigned,
    holding,
    incoming,
    random_load,
    scene_of,
    state,
)

_seeds = st.integers(0, 2**32 - 1)
_USAGES = {"ns/blue": 1.0, "ns/red": 2.0}


def found(preemptor: Preemptor, asking: Info, snapshot: Snapshot) -> list[tuple[str, str]]:
    targets: list[Target] = preemptor.targets(asking, assigned(asking), snapshot, now=NOW)
    return [(one.info.key, one.reason) for one in targets]


class Turmoil:
    """A snapshot in which workloads come, go and change, and queues are charged for a while."""

    def __init__(self, scene: Scene, chance: Random) -> None:
        self.snapshot, self._chance = scene.snapshot(), chance
        self._number = 0

    def change(self) -> None:
        chance, snapshot = self._chance, self.snapshot
        queue = snapshot.queues[chance.choice("abcde")]
        held = [info for info in queue.workloads.values() if info.key not in snapshot.out]
        match chance.choice(("come", "come", "go", "charge", "out", "back")):
            case "come":
                self._number += 1
                snapshot.add(holding(random_load(chance, f"n{self._number}", queue.name)))
            case "go" if held:
                snapshot.remove(chance.choice(held))
            case "charge":
                queue.node.add({CPU: chance.randint(0, 2)})
            case "out" if held:
                snapshot.take_out(chance.choice(held))
            case "back":
                for info in list(queue.workloads.values()):
                    if info.key in snapshot.out:
                        snapshot.put_back(info)
            case _:
                pass

    def asking(self) -> Info:
        load = random_load(self._chance, "asking", self._chance.choice("abcde"))
        return incoming(replace(load, is_evicted=False, priority=self._chance.randint(0, 4)))


@settings(max_examples=200)
@given(_seeds, st.booleans())
def test_a_search_finds_the_same_whatever_was_searched_before(seed: int, by_usage: bool) -> None:
    chance = Random(seed)
    turmoil = Turmoil(scene_of(chance)[0], chance)
    usage_of = _USAGES.get if by_usage else None
    knowing = Preemptor(usage_of=usage_of)
    for _ in range(12):
        turmoil.change()
        asking = turmoil.asking()
        got = found(knowing, asking, turmoil.snapshot)
        event(f"{len(got)} victims")
        assert got == found(Preemptor(usage_of=usage_of), asking, turmoil.snapshot)


@given(_seeds)
def test_a_pool_is_all_that_is_asked_for_in_order(seed: int) -> None:
    chance = Random(seed)
    turmoil = Turmoil(scene_of(chance)[0], chance)
    pools = Pools()
    for _ in range(8):
        turmoil.change()
        names = chance.sample("abcde", chance.randint(0, 5))
        queues = [turmoil.snapshot.queues[name] for name in names]
        got = pools.in_order("root", queues, NOW)
        asked = [one for one in got if one.info.cluster_queue in names]
        everybody = [one for queue in queues for one in queue.workloads.in_order(NOW)]
        assert asked == sorted(everybody, key=BY_RANK)
        assert list(got) == sorted(got, key=BY_RANK)


def test_who_moved_to_another_queue_is_found_there_alone() -> None:
    """The old place may still be remembered, where nobody is asked for."""
    scene = Scene({name: Queue("root") for name in "abc"}, (Load("w", "b", {"cpu": 1}),))
    snapshot, pools = scene.snapshot(), Pools()
    a, b, c = (snapshot.queues[name] for name in "abc")
    snapshot.add(holding(Load("v", "c", {"cpu": 1})))
    pools.in_order("root", [b, c], NOW)
    snapshot.remove(b.workloads["ns/w"])
    snapshot.add(holding(Load("w", "a", {"cpu": 1})))
    got = pools.in_order("root", [a, c], NOW)
    assert [one.info.key for one in got if one.info.cluster_queue in ("a", "c")] == ["ns/v", "ns/w"]


def test_who_is_out_is_nobodys_victim() -> None:
    scene = Scene({"a": Queue()}, (Load("x", "a", {"cpu": 1}), Load("y", "a", {"cpu": 1})))
    snapshot = scene.snapshot()
    snapshot.queues["a"].node.nominal[0] = snapshot.queues["a"].node.subtree[0] = 2
    asking = incoming(Load("asking", "a", {"cpu": 2}, priority=5))
    before = state(snapshot)
    with snapshot.without([snapshot.queues["a"].workloads["ns/x"]]):
        assert found(Preemptor(), asking, snapshot) == [("ns/y", "InClusterQueue")]
    assert state(snapshot) == before
