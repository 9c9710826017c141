"""Laws of rolling updates, on fleets where bindings become ready, fail and recover in any order."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import PlacementSpec
from argosy.api.objects.metadata import Condition
from argosy.placement.picks import Picked
from argosy.placement.rollouts.deciding import Latest, decide
from argosy.placement.rollouts.writing import condition_patch
from tests.support.placing import NOW, binding

CLUSTERS = tuple("abcdefgh")


@dataclass(frozen=True)
class One:
    """What the test knows of a binding."""

    cluster: str
    state: str
    index: int
    # "ready", "failed" or "" while it is on its way.
    health: str = ""
    deleting: bool = False
    generation: int = 1
    told: tuple[Condition, ...] = ()

    def view(self) -> Binding:
        found = {
            "ready": {"type": "Available", "status": "True", "reason": "AllWorkAreAvailable"},
            "failed": {"type": "Applied", "status": "False", "reason": "NotAllWorkHaveBeenApplied"},
        }.get(self.health)
        conditions = [{**found, "observedGeneration": self.generation}] if found else []
        made = binding(
            self.cluster,
            self.state,
            deleting=self.deleting,
            generation=self.generation,
            resourceSnapshotName=f"web-{self.index}-snapshot" if self.state != "Scheduled" else "",
            conditions=tuple(conditions),
        )
        said = (*made.status.conditions, *self.told)
        return msgspec.structs.replace(
            made, status=msgspec.structs.replace(made.status, conditions=said)
        )

    @property
    def is_there(self) -> bool:
        """Whether its resources are, or may be, on the cluster."""
        return self.state != "Scheduled"


class Fleet:
    """A placement that has what it wants, and what becomes of it."""

    def __init__(self, ones: list[One], unavailable: object, surge: object) -> None:
        self.ones = {each.cluster: each for each in ones}
        self.index = 1
        rolling = {"maxUnavailable": unavailable, "maxSurge": surge}
        self.target = sum(each.state != "Unscheduled" for each in ones)
        policy = {"placementType": "PickN", "numberOfClusters": self.target}
        document = {"policy": policy, "strategy": {"rollingUpdate": rolling}}
        self.spec = msgspec.convert(document, PlacementSpec)

    def share(self, value: object) -> int:
        text = str(value)
        if not text.endswith("%"):
            return int(text)
        part, rest = divmod(int(text[:-1]) * self.target, 100)
        return part + (1 if rest else 0)

    @property
    def floor(self) -> int:
        rolling = self.spec.strategy.rolling_update
        assert rolling is not None
        return self.target - self.share(rolling.max_unavailable)

    @property
    def ceiling(self) -> int:
        rolling = self.spec.strategy.rolling_update
        assert rolling is not None
        return self.target + self.share(rolling.max_surge)

    @property
    def available(self) -> int:
        return sum(
            each.is_there and each.health == "ready" and not each.deleting
            for each in self.ones.values()
        )

    @property
    def there(self) -> int:
        return sum(each.is_there for each in self.ones.values())

    def latest(self) -> Latest:
        return Latest(f"web-{self.index}-snapshot", {name: Picked() for name in CLUSTERS})

    def step(self) -> bool:
        """Decide and carry out; whether anything was done, or had to be told."""
        step = decide(self.spec, [each.view() for each in self.ones.values()], self.latest(), NOW)
        did = bool(step.roll or step.remove)
        for each in step.roll:
            one = self.ones[each.spec.target_cluster]
            self.ones[one.cluster] = replace(
                one, state="Bound", index=self.index, health="", generation=one.generation + 1
            )
        for each in step.remove:
            one = self.ones[each.spec.target_cluster]
            self.ones[one.cluster] = replace(one, deleting=True)
        told = [(each, True) for each in (*step.current, *step.roll)]
        told += [(each, False) for each in step.blocked]
        for each, is_started in told:
            one = self.ones[each.spec.target_cluster]
            patch = condition_patch(one.view(), NOW, is_started=is_started)
            if patch is not None:
                did = True
                found = msgspec.convert(patch["status"]["conditions"], tuple[Condition, ...])
                said = tuple(each for each in found if each.type == "RolloutStarted")
                self.ones[one.cluster] = replace(one, told=said)
        return did


VALUES = st.one_of(st.integers(0, 4), st.sampled_from(["0%", "25%", "30%", "50%", "100%"]))


def ones(*healths: str) -> st.SearchStrategy[list[One]]:
    one = st.builds(
        One,
        cluster=st.sampled_from(CLUSTERS),
        state=st.sampled_from(["Scheduled", "Bound", "Bound", "Unscheduled"]),
        index=st.integers(0, 1),
        health=st.sampled_from(healths),
        deleting=st.booleans(),
    ).map(lambda one: one if one.state == "Unscheduled" else replace(one, deleting=False))
    return st.lists(one, unique_by=lambda each: each.cluster, max_size=len(CLUSTERS))


# What happens outside: a binding becomes ready, fails or goes; new resources come; nothing.
HAPPENINGS = st.lists(
    st.tuples(st.sampled_from(["ready", "failed", "gone", "resources", "step"]), st.integers(0, 7)),
    max_size=30,
)


def _happen(fleet: Fleet, what: str, which: int) -> None:
    if what == "resources":
        fleet.index += 1
        return
    there = [each for each in fleet.ones.values() if each.is_there]
    if not there:
        return
    one = there[which % len(there)]
    if what == "gone":
        if one.deleting:
            del fleet.ones[one.cluster]
        return
    if not one.deleting:
        fleet.ones[one.cluster] = replace(one, health=what)


@given(ones("ready", "failed", ""), VALUES, VALUES, HAPPENINGS)
def test_no_step_takes_more_than_may_be_missing_or_adds_more_than_may_be_there(
    given_ones: list[One], unavailable: object, surge: object, happenings: list[tuple[str, int]]
) -> None:
    fleet = Fleet(given_ones, unavailable, surge)
    for what, which in (("step", 0), *happenings):
        if what != "step":
            _happen(fleet, what, which)
            continue
        available, bound = (
            fleet.available,
            {each.cluster for each in fleet.ones.values() if each.is_there},
        )
        sound = sum(each.is_there and each.health != "failed" for each in fleet.ones.values())
        fleet.step()
        assert fleet.available >= min(available, fleet.floor)
        added = sum(each.is_there and each.cluster not in bound for each in fleet.ones.values())
        assert added == 0 or sound + added <= fleet.ceiling


@given(ones("ready", ""), VALUES, VALUES, HAPPENINGS)
def test_while_nothing_fails_a_rollout_stays_between_floor_and_ceiling(
    given_ones: list[One], unavailable: object, surge: object, happenings: list[tuple[str, int]]
) -> None:
    fleet = Fleet(given_ones, unavailable, surge)
    lowest, highest = min(fleet.available, fleet.floor), max(fleet.there, fleet.ceiling)
    for what, which in happenings:
        if what == "step":
            fleet.step()
        elif what != "failed":
            _happen(fleet, what, which)
        assert lowest <= fleet.available
        assert fleet.there <= highest


@given(ones("ready", ""), st.sampled_from([1, 2, "25%", "100%"]), VALUES)
def test_a_rollout_gets_to_its_end_once_everything_becomes_ready(
    given_ones: list[One], unavailable: object, surge: object
) -> None:
    fleet = Fleet(given_ones, unavailable, surge)
    for _ in range(4 * len(CLUSTERS)):
        fleet.step()
        for one in list(fleet.ones.values()):
            if one.deleting:
                del fleet.ones[one.cluster]
            elif one.is_there:
                fleet.ones[one.cluster] = replace(one, health="ready")
    assert {(each.state, each.index) for each in fleet.ones.values()} <= {("Bound", 1)}
    assert len(fleet.ones) == fleet.target
    assert not fleet.step()


@given(ones("ready", "failed", ""), VALUES, VALUES)
def test_left_alone_a_rollout_comes_to_rest(
    given_ones: list[One], unavailable: object, surge: object
) -> None:
    fleet = Fleet(given_ones, unavailable, surge)
    steps = 0
    while fleet.step():
        steps += 1
        assert steps <= 3 * len(CLUSTERS)
    assert not fleet.step()


@given(ones("ready", "failed", ""), VALUES, VALUES, st.integers())
def test_the_order_of_bindings_does_not_matter(
    given_ones: list[One], unavailable: object, surge: object, seed: int
) -> None:
    fleet = Fleet(given_ones, unavailable, surge)
    bindings = [each.view() for each in fleet.ones.values()]
    want = decide(fleet.spec, bindings, fleet.latest(), NOW)
    random.Random(seed).shuffle(bindings)
    assert decide(fleet.spec, bindings, fleet.latest(), NOW) == want
