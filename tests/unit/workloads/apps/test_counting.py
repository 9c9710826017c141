"""What ReplicaSets do about their pods and say of them."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from argosy.api.objects import Condition, ObjectMeta, Pod
from argosy.api.objects.apps import ReplicaSetStatus
from argosy.workloads.apps.availability import is_available, seconds_to_next
from argosy.workloads.apps.replicasets.counting import missing, replica_status
from argosy.workloads.apps.statuses import changes
from tests.unit.workloads.apps.building import NOW, ago, pod, template

FAILED = Condition(
    type="ReplicaFailure",
    status="True",
    reason="FailedCreate",
    message="quota",
    last_transition_time=ago(9),
)
MISSING = {
    "as many as wanted": (3, 3, 0),
    "too few": (1, 3, 2),
    "too many": (5, 3, -2),
    "far too few: in bursts": (0, 5000, 500),
    "far too many: in bursts": (5000, 0, -500),
}


@pytest.mark.parametrize(("active", "wanted", "want"), MISSING.values(), ids=MISSING.keys())
def test_missing(active: int, wanted: int, want: int) -> None:
    assert missing(active, wanted) == want


class Case(NamedTuple):
    active: list[Pod]
    failure: str | None
    old: ReplicaSetStatus
    want: ReplicaSetStatus


LABELS = {"app": "a"}
CASES = {
    "counts": Case(
        [
            pod("a", labels=LABELS, ready_for=60),
            pod("b", labels=LABELS, ready_for=5),
            pod("c", ready=False),
        ],
        None,
        ReplicaSetStatus(),
        ReplicaSetStatus(
            replicas=3,
            fully_labeled_replicas=2,
            ready_replicas=2,
            available_replicas=1,
            terminating_replicas=4,
            observed_generation=7,
        ),
    ),
    "a failure to make pods": Case(
        [],
        "quota",
        ReplicaSetStatus(),
        ReplicaSetStatus(
            terminating_replicas=4,
            observed_generation=7,
            conditions=(
                Condition(
                    type="ReplicaFailure",
                    status="True",
                    reason="FailedCreate",
                    message="quota",
                    last_transition_time=NOW,
                ),
            ),
        ),
    ),
    "a failure that goes on stays as it was": Case(
        [],
        "another",
        ReplicaSetStatus(conditions=(FAILED,)),
        ReplicaSetStatus(terminating_replicas=4, observed_generation=7, conditions=(FAILED,)),
    ),
    "a failure that is over goes": Case(
        [],
        None,
        ReplicaSetStatus(conditions=(FAILED,)),
        ReplicaSetStatus(terminating_replicas=4, observed_generation=7),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_status(case: Case) -> None:
    got = replica_status(
        ObjectMeta(generation=7),
        case.old,
        template(),
        wanted=3,
        min_ready_seconds=30,
        active=case.active,
        terminating=4,
        failure=case.failure,
        now=NOW,
    )
    assert got == case.want


def test_only_changes_are_written() -> None:
    old = ReplicaSetStatus(replicas=3, ready_replicas=1, terminating_replicas=0)
    new = ReplicaSetStatus(replicas=3, ready_replicas=0, conditions=(FAILED,))
    want = {
        "readyReplicas": 0,
        "terminatingReplicas": None,
        "conditions": [
            {
                "type": "ReplicaFailure",
                "status": "True",
                "reason": "FailedCreate",
                "message": "quota",
                "lastTransitionTime": "2026-01-01T11:59:51Z",
            }
        ],
    }
    assert changes(old, new) == want
    assert changes(old, old) == {}


def test_when_the_next_pod_becomes_available() -> None:
    pods = [pod("a", ready_for=5), pod("b", ready_for=20), pod("c", ready_for=99)]
    assert seconds_to_next(pods, 30, NOW) == 10
    assert seconds_to_next(pods, 0, NOW) is None
    assert seconds_to_next([pod("a", ready=False)], 30, NOW) is None


def test_availability_begins_with_the_very_second() -> None:
    assert is_available(pod("a", ready_for=30), 30, NOW)
    assert not is_available(pod("a", ready_for=29.9), 30, NOW)
    assert not is_available(pod("a", ready=False), 0, NOW)
