"""Which pods go first."""

from __future__ import annotations

import random

import pytest

from argosy.api.objects import Pod
from argosy.workloads.apps.replicasets.ranking import DELETION_COST, pods_to_delete
from tests.unit.workloads.apps.building import NOW, pod


def _cost(value: str) -> dict[str, str]:
    return {DELETION_COST: value}


# In each case the first pod goes, the second stays.
CASES: dict[str, tuple[Pod, Pod]] = {
    "one that is not bound": (pod("a", node="", phase="Pending"), pod("b", phase="Pending")),
    "a pending one": (pod("a", phase="Pending"), pod("b", phase="Running", ready=False)),
    "an unknown one": (pod("a", phase="Unknown"), pod("b", ready=False)),
    "one that is not ready": (pod("a", ready=False), pod("b")),
    "the cheaper one": (pod("a", annotations=_cost("-5")), pod("b")),
    "readiness counts more than cost": (
        pod("a", ready=False, annotations=_cost("100")),
        pod("b", annotations=_cost("-100")),
    ),
    "a cost that is none is nothing": (pod("a"), pod("b", annotations=_cost("+5"), ready_for=9000)),
    "one that became ready lately": (pod("a", ready_for=10), pod("b", ready_for=1000)),
    "about as long ready: by uid": (pod("a", ready_for=61), pod("b", ready_for=60)),
    "a younger one of those not ready": (
        pod("a", ready=False, age=10),
        pod("b", ready=False, age=1000),
    ),
}


@pytest.mark.parametrize(("goes", "stays"), CASES.values(), ids=CASES.keys())
def test_of_two_pods_one_goes(goes: Pod, stays: Pod) -> None:
    assert pods_to_delete([stays, goes], [], 1, NOW) == [goes]
    assert pods_to_delete([goes, stays], [], 1, NOW) == [goes]


def test_pods_on_crowded_nodes_go_first() -> None:
    lonely, crowded = pod("a", node="n1"), pod("b", node="n2")
    related = [lonely, crowded, pod("c", node="n2")]
    assert pods_to_delete([lonely, crowded], related, 1, NOW) == [crowded]


def test_all_of_them_are_not_ranked() -> None:
    pods = [pod("b"), pod("a")]
    assert pods_to_delete(pods, [], 2, NOW) == pods


def test_the_order_does_not_depend_on_the_order_they_come_in() -> None:
    source = random.Random(1)
    pods = [
        pod(f"p{number}", ready=number % 3 > 0, ready_for=2.0**number, node=f"n{number % 4}")
        for number in range(20)
    ]
    want = pods_to_delete(pods, pods, 10, NOW)
    source.shuffle(pods)
    assert pods_to_delete(pods, pods, 10, NOW) == want
