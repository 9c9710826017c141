"""What Deployments say of their rollouts."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import pytest

from argosy.api.objects import Condition
from argosy.api.objects.apps import (
    Deployment,
    DeploymentCondition,
    DeploymentStatus,
    ReplicaSet,
)
from argosy.workloads.apps.deployments.progress import (
    AVAILABLE,
    PROGRESSING,
    condition_of,
    is_complete,
    paused_conditions,
    rollout_status,
    seconds_to_deadline,
    status_of,
)
from tests.unit.workloads.apps.building import NOW, ago, deployment, replica_set


def _progressing(reason: str, *, status: str = "True", seconds: float = 0.0) -> DeploymentCondition:
    return DeploymentCondition(PROGRESSING, status, ago(seconds), ago(100), reason, "m")


def _status(*conditions: DeploymentCondition, **counts: int) -> DeploymentStatus:
    return DeploymentStatus(observed_generation=1, conditions=conditions, **counts)


def _web(status: DeploymentStatus, replicas: int = 3, deadline: int | None = 60) -> Deployment:
    return deployment(replicas, status=status, progress_deadline_seconds=deadline)


class Case(NamedTuple):
    deployment: Deployment
    new: ReplicaSet | None
    olds: list[ReplicaSet]
    # Status, reason, message and lastTransitionTime of Progressing.
    want: tuple[object, ...] | None


CREATED = _progressing("NewReplicaSetCreated")
CASES = {
    "complete": Case(
        _web(_status(CREATED)),
        replica_set("new", 3),
        [],
        (
            "True",
            "NewReplicaSetAvailable",
            'ReplicaSet "new" has successfully progressed.',
            ago(100),
        ),
    ),
    "a first pod became available": Case(
        _web(_status(CREATED, replicas=3, updated_replicas=3)),
        replica_set("new", 3, available=1),
        [],
        ("True", "ReplicaSetUpdated", 'ReplicaSet "new" is progressing.', ago(100)),
    ),
    "without a new set the Deployment progresses": Case(
        _web(_status(CREATED, replicas=5, ready_replicas=5)),
        None,
        [replica_set("old", 4)],
        ("True", "ReplicaSetUpdated", 'Deployment "web" is progressing.', ago(100)),
    ),
    "no news": Case(
        _web(_status(CREATED, replicas=3, updated_replicas=3)),
        replica_set("new", 3, available=0),
        [],
        ("True", "NewReplicaSetCreated", "m", ago(100)),
    ),
    "too late": Case(
        _web(
            _status(_progressing("ReplicaSetUpdated", seconds=61), replicas=3, updated_replicas=3)
        ),
        replica_set("new", 3, available=0),
        [],
        ("False", "ProgressDeadlineExceeded", 'ReplicaSet "new" has timed out progressing.', NOW),
    ),
    "late, and then it goes on": Case(
        _web(
            _status(
                _progressing("ProgressDeadlineExceeded", status="False"),
                replicas=3,
                updated_replicas=3,
            )
        ),
        replica_set("new", 3, available=1),
        [],
        ("True", "ReplicaSetUpdated", 'ReplicaSet "new" is progressing.', NOW),
    ),
    "complete is never late": Case(
        _web(_status(_progressing("NewReplicaSetAvailable", seconds=999), replicas=3)),
        replica_set("new", 3, available=2),
        [],
        ("True", "NewReplicaSetAvailable", "m", ago(100)),
    ),
    "no deadline, no condition": Case(
        _web(_status(CREATED), deadline=2**31 - 1), replica_set("new", 3), [], None
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_progressing(case: Case) -> None:
    found = condition_of(rollout_status(case.deployment, case.new, case.olds, NOW), PROGRESSING)
    got = found and (found.status, found.reason, found.message, found.last_transition_time)
    assert got == case.want


def test_counts() -> None:
    got = status_of(
        _web(_status()), replica_set("new", 2, available=1), [replica_set("old", 2)], NOW
    )
    want = DeploymentStatus(
        observed_generation=1,
        replicas=4,
        updated_replicas=2,
        ready_replicas=3,
        available_replicas=3,
        unavailable_replicas=1,
        terminating_replicas=0,
        conditions=(
            DeploymentCondition(
                AVAILABLE,
                "True",
                NOW,
                NOW,
                "MinimumReplicasAvailable",
                "Deployment has minimum availability.",
            ),
        ),
    )
    assert got == want


def test_too_few_are_available() -> None:
    found = condition_of(
        status_of(_web(_status()), replica_set("new", 3, available=2), [], NOW), AVAILABLE
    )
    assert found is not None
    want = ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    assert (found.status, found.reason, found.message) == want


def test_failures_of_sets_are_the_deployments() -> None:
    failing = Condition(
        type="ReplicaFailure",
        status="True",
        reason="FailedCreate",
        message="quota",
        last_transition_time=ago(7),
    )
    new = replica_set("new", 3, available=0)
    new = msgspec.structs.replace(
        new, status=msgspec.structs.replace(new.status, conditions=(failing,))
    )
    failed = rollout_status(_web(_status()), new, [], NOW)
    want = DeploymentCondition("ReplicaFailure", "True", ago(7), ago(7), "FailedCreate", "quota")
    assert condition_of(failed, "ReplicaFailure") == want
    mended = rollout_status(_web(failed), replica_set("new", 3), [], NOW)
    assert condition_of(mended, "ReplicaFailure") is None


def test_complete_only_for_the_present_generation() -> None:
    status = _status(replicas=3, updated_replicas=3, available_replicas=3)
    assert is_complete(_web(status), status)
    assert not is_complete(deployment(3, status=status, generation=2), status)
    assert not is_complete(_web(status, replicas=4), status)


def _paused(reason: str, *, paused: bool) -> str | None:
    made = deployment(
        3,
        status=_status(_progressing(reason)) if reason else _status(),
        paused=paused,
        progress_deadline_seconds=60,
    )
    conditions = paused_conditions(made, NOW)
    if conditions is None:
        return None
    (found,) = conditions
    assert found.status == "Unknown"
    return f"{found.reason}: {found.message}"


PAUSES = {
    "paused": ("ReplicaSetUpdated", True, "DeploymentPaused: Deployment is paused"),
    "paused before anything was said": ("", True, "DeploymentPaused: Deployment is paused"),
    "said already": ("DeploymentPaused", True, None),
    "resumed": ("DeploymentPaused", False, "DeploymentResumed: Deployment is resumed"),
    "never paused": ("ReplicaSetUpdated", False, None),
    "a rollout that was late stays so": ("ProgressDeadlineExceeded", True, None),
}


@pytest.mark.parametrize(("reason", "paused", "want"), PAUSES.values(), ids=PAUSES.keys())
def test_pauses(reason: str, want: str | None, *, paused: bool) -> None:
    assert _paused(reason, paused=paused) == want


DEADLINES = {
    "in the middle": (_status(_progressing("ReplicaSetUpdated", seconds=20)), 41.0),
    "passed": (_status(_progressing("ReplicaSetUpdated", seconds=80)), 1.0),
    "said already": (_status(_progressing("ProgressDeadlineExceeded", status="False")), None),
    "nothing said": (_status(), None),
    "complete": (
        _status(
            _progressing("ReplicaSetUpdated", seconds=20),
            replicas=3,
            updated_replicas=3,
            available_replicas=3,
        ),
        None,
    ),
}


@pytest.mark.parametrize(("status", "want"), DEADLINES.values(), ids=DEADLINES.keys())
def test_when_to_look_again(status: DeploymentStatus, want: float | None) -> None:
    assert seconds_to_deadline(_web(status), status, NOW) == want
