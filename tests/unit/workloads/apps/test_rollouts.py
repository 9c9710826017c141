"""How replicas are spread over sets."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from argosy.api.objects.apps import Deployment, IntOrPercent, ReplicaSet
from argosy.workloads.apps.deployments.rollouts import (
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    grow_new,
    max_surge,
    max_unavailable,
    share,
    shrink_olds,
    was_scaled,
)
from tests.unit.workloads.apps.building import deployment, replica_set


class Fence(NamedTuple):
    replicas: int
    surge: IntOrPercent
    unavailable: IntOrPercent
    want: tuple[int, int]


FENCES = {
    "a quarter of ten: up, and down": Fence(10, "25%", "25%", (3, 2)),
    "a quarter of three": Fence(3, "25%", "25%", (1, 0)),
    "numbers": Fence(10, 4, 3, (4, 3)),
    "nothing at all would never move": Fence(10, 0, 0, (0, 1)),
    "little enough to be nothing": Fence(3, 0, "10%", (0, 1)),
    "no more unavailable than there are": Fence(2, 0, 5, (0, 2)),
    "all may surge": Fence(7, "100%", 0, (7, 0)),
    "no replicas": Fence(0, 1, 1, (1, 0)),
}


@pytest.mark.parametrize("case", FENCES.values(), ids=FENCES.keys())
def test_limits(case: Fence) -> None:
    made = deployment(case.replicas, surge=case.surge, unavailable=case.unavailable)
    got = (max_surge(made), max_unavailable(made))
    assert got == case.want


def test_recreate_knows_no_limits() -> None:
    made = deployment(5, strategy="Recreate")
    assert (max_surge(made), max_unavailable(made)) == (0, 0)


class Step(NamedTuple):
    deployment: Deployment
    new: ReplicaSet
    olds: list[ReplicaSet]
    want_new: int | None
    want_olds: list[tuple[str, int]] = []  # noqa: RUF012


STEPS = {
    "the new set gets what surge leaves": Step(
        deployment(10), replica_set("new", 0), [replica_set("old", 10)], 3
    ),
    "no more than asked for": Step(
        deployment(4, surge=10), replica_set("new", 1), [replica_set("old", 4)], 4
    ),
    "no room: old ones go first": Step(
        deployment(10, surge=0, unavailable=2),
        replica_set("new", 0),
        [replica_set("old", 10)],
        None,
        [("old", 8)],
    ),
    "a set that is too large shrinks at once": Step(
        deployment(3), replica_set("new", 5), [replica_set("old", 1)], 3
    ),
    "new pods that are not available yet hold old ones": Step(
        deployment(10), replica_set("new", 5, available=0), [replica_set("old", 8)], None, []
    ),
    "available new pods let old ones go": Step(
        deployment(10), replica_set("new", 5), [replica_set("old", 8)], None, [("old", 3)]
    ),
    "unhealthy old pods go first, oldest set first": Step(
        deployment(10),
        replica_set("new", 3, available=0),
        [replica_set("b", 5, age=10), replica_set("a", 5, available=3, age=20)],
        None,
        [("a", 3)],
    ),
    "unhealthy ones and then others of one set": Step(
        deployment(4, unavailable=2),
        replica_set("new", 1),
        [replica_set("old", 4, available=3)],
        None,
        [("old", 3), ("old", 1)],
    ),
    "nothing left of old ones": Step(
        deployment(3), replica_set("new", 3), [replica_set("old", 0)], None, []
    ),
}


@pytest.mark.parametrize("case", STEPS.values(), ids=STEPS.keys())
def test_steps_of_a_rolling_update(case: Step) -> None:
    grown = grow_new(case.deployment, case.new, case.olds)
    assert (grown.replicas if grown else None) == case.want_new
    if grown is None:
        got = [
            (each.replica_set.metadata.name, each.replicas)
            for each in shrink_olds(case.deployment, case.new, case.olds)
        ]
        assert got == case.want_olds


class Share(NamedTuple):
    deployment: Deployment
    new: ReplicaSet | None
    olds: list[ReplicaSet]
    want: dict[str, int]


def _made_for(replicas: int, surge: int = 0) -> dict[str, str]:
    return {DESIRED_REPLICAS: str(replicas), MAX_REPLICAS: str(replicas + surge)}


SHARES = {
    "the only active set gets all": Share(
        deployment(5), replica_set("new", 3), [replica_set("old", 0)], {"new": 5}
    ),
    "nothing active: the new one": Share(
        deployment(5), replica_set("new", 0), [replica_set("old", 0)], {"new": 5}
    ),
    "nothing active, no new one: the newest": Share(
        deployment(5), None, [replica_set("b", 0, age=1), replica_set("a", 0, age=9)], {"b": 5}
    ),
    "as it should be": Share(deployment(3), replica_set("new", 3), [], {}),
    "a new set that is complete ends the old ones": Share(
        deployment(3),
        replica_set("new", 3, annotations=_made_for(3)),
        [replica_set("old", 2)],
        {"old": 0},
    ),
    "doubled in proportion": Share(
        deployment(20, surge=0, unavailable=5),
        replica_set("new", 4, available=0, annotations=_made_for(10)),
        [replica_set("old", 6, annotations=_made_for(10))],
        {"old": 12, "new": 8},
    ),
    "what rounding leaves is the largest set's": Share(
        deployment(11, surge=0, unavailable=5),
        replica_set("new", 3, available=0, annotations=_made_for(10), age=1),
        [
            replica_set("a", 4, annotations=_made_for(10), age=3),
            replica_set("b", 3, annotations=_made_for(10), age=2),
        ],
        {"a": 5, "new": 3, "b": 3},
    ),
    "halved in proportion": Share(
        deployment(5, surge=0, unavailable=5),
        replica_set("new", 4, available=0, annotations=_made_for(10)),
        [replica_set("old", 6, annotations=_made_for(10))],
        {"old": 3, "new": 2},
    ),
    "to nothing": Share(
        deployment(0),
        replica_set("new", 4, available=0, annotations=_made_for(10)),
        [replica_set("old", 6, annotations=_made_for(10))],
        {"old": 0, "new": 0},
    ),
    "recreate waits for one set": Share(
        deployment(5, strategy="Recreate"), replica_set("new", 1), [replica_set("old", 2)], {}
    ),
}


@pytest.mark.parametrize("case", SHARES.values(), ids=SHARES.keys())
def test_scaling(case: Share) -> None:
    got = {
        each.replica_set.metadata.name: each.replicas
        for each in share(case.deployment, case.new, case.olds)
    }
    assert got == case.want


SCALED = {
    "made for this size": (replica_set("a", 3, annotations=_made_for(3)), False),
    "made for another": (replica_set("a", 3, annotations=_made_for(5)), True),
    "an empty set does not count": (replica_set("a", 0, annotations=_made_for(5)), False),
    "no annotation": (replica_set("a", 3), False),
    "no number": (replica_set("a", 3, annotations={DESIRED_REPLICAS: "-1"}), False),
}


@pytest.mark.parametrize(("made", "want"), SCALED.values(), ids=SCALED.keys())
def test_a_scaling_is_seen_by_annotations(made: ReplicaSet, *, want: bool) -> None:
    assert was_scaled(deployment(3), [made]) is want
