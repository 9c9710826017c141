"""What a StatefulSet does next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec
import pytest

from argosy.api.objects import ObjectMeta, Pod
from argosy.api.objects.apps import (
    RollingUpdateStatefulSet,
    StatefulSet,
    StatefulSetOrdinals,
    StatefulSetSpec,
    StatefulSetStatus,
    StatefulSetUpdateStrategy,
)
from argosy.workloads.apps.histories import REVISION_LABEL
from argosy.workloads.apps.statefulsets.ordering import (
    POD_NAME,
    Claims,
    Do,
    Plan,
    Revisions,
    ordinal_of,
    plan,
)
from tests.unit.workloads.apps.building import NOW, pod

OWNED = Claims(is_held=lambda _: False, are_owned=lambda _: True)
SAME = Revisions("old", "old")
UPDATE = Revisions("old", "new")


def _set(replicas: int, *, parallel: bool = False, start: int = 0, **spec: object) -> StatefulSet:
    return StatefulSet(
        ObjectMeta(name="db", namespace="ns", uid="uid-db", generation=2),
        StatefulSetSpec(
            replicas=replicas,
            pod_management_policy="Parallel" if parallel else "OrderedReady",
            ordinals=StatefulSetOrdinals(start) if start else None,
            **spec,  # type: ignore[arg-type]  # tests name fields
        ),
    )


def _rolling(partition: int = 0, most: int | None = None) -> StatefulSetUpdateStrategy:
    return StatefulSetUpdateStrategy("RollingUpdate", RollingUpdateStatefulSet(partition, most))


def _pod(ordinal: int, revision: str = "old", **more: object) -> Pod:
    name = f"db-{ordinal}"
    labels = {POD_NAME: name, REVISION_LABEL: revision}
    return pod(name, labels=labels, **more)  # type: ignore[arg-type]  # tests name fields


def _steps(made: Plan) -> list[str]:
    return [f"{step.do.name.lower()} {step.ordinal}" for phase in made.phases for step in phase]


class Case(NamedTuple):
    owner: StatefulSet
    pods: list[Pod]
    want: list[str]
    revisions: Revisions = SAME
    claims: Claims = OWNED


CASES = {
    "the first comes alone": Case(_set(3), [], ["create 0"]),
    "all come at once": Case(_set(3, parallel=True), [], ["create 0", "create 1", "create 2"]),
    "the second waits for the first": Case(_set(3), [_pod(0, phase="Pending")], ["claim 0"]),
    "the second waits until the first is ready": Case(_set(3), [_pod(0, ready=False)], []),
    "and available": Case(_set(3, min_ready_seconds=90), [_pod(0)], []),
    "then it comes": Case(_set(3, min_ready_seconds=60), [_pod(0)], ["create 1"]),
    "a gap is filled first": Case(_set(3), [_pod(0), _pod(2)], ["create 1"]),
    "ordinals may begin anywhere": Case(_set(1, start=5), [], ["create 5"]),
    "below the start they are given up": Case(
        _set(2, start=1, parallel=True), [_pod(0), _pod(1), _pod(2)], ["delete 0"]
    ),
    "one that ended is replaced": Case(_set(2), [_pod(0, phase="Failed")], ["delete 0"]),
    "one that ended and goes is waited for": Case(
        _set(2), [_pod(0, phase="Succeeded", leaving=True)], []
    ),
    "the highest goes first, alone": Case(_set(1), [_pod(0), _pod(1), _pod(2)], ["delete 2"]),
    "one that goes is waited for": Case(_set(1), [_pod(0), _pod(1), _pod(2, leaving=True)], []),
    "all go at once": Case(
        _set(1, parallel=True), [_pod(0), _pod(1), _pod(2, leaving=True)], ["delete 1"]
    ),
    "an unhealthy pod holds the others": Case(
        _set(0), [_pod(0), _pod(1, ready=False), _pod(2)], ["delete 2"]
    ),
    "an unhealthy pod that is not the first waits for the first": Case(
        _set(0), [_pod(0, ready=False), _pod(1, ready=False)], []
    ),
    "the first unhealthy pod may go itself": Case(
        _set(0), [_pod(0), _pod(1, ready=False)], ["delete 1"]
    ),
    "no scale-down before the others are up": Case(_set(1), [_pod(0, ready=False), _pod(1)], []),
    "an update takes the highest": Case(_set(3), [_pod(0), _pod(1), _pod(2)], ["delete 2"], UPDATE),
    "and the next when that one is up": Case(
        _set(3), [_pod(0), _pod(1), _pod(2, "new")], ["delete 1"], UPDATE
    ),
    "not before": Case(
        _set(3, parallel=True), [_pod(0), _pod(1), _pod(2, "new", ready=False)], [], UPDATE
    ),
    "down to the partition": Case(
        _set(3, update_strategy=_rolling(2)), [_pod(0), _pod(1), _pod(2, "new")], [], UPDATE
    ),
    "two at a time": Case(
        _set(3, parallel=True, update_strategy=_rolling(most=2)),
        [_pod(0), _pod(1), _pod(2)],
        ["delete 2", "delete 1"],
        UPDATE,
    ),
    "two at a time, one of which is down": Case(
        _set(3, parallel=True, update_strategy=_rolling(most=2)),
        [_pod(0, ready=False), _pod(1), _pod(2)],
        ["delete 2"],
        UPDATE,
    ),
    "one that ended is not updated besides": Case(
        _set(1, parallel=True), [_pod(0, phase="Failed")], ["delete 0"], UPDATE
    ),
    "never by itself": Case(
        _set(1, update_strategy=StatefulSetUpdateStrategy("OnDelete")), [_pod(0)], [], UPDATE
    ),
    "stale claims are waited for": Case(
        _set(1), [], [], SAME, Claims(lambda _: True, lambda _: True)
    ),
    "claims get their owners": Case(
        _set(1), [_pod(0)], ["repair 0"], SAME, Claims(lambda _: False, lambda _: False)
    ),
    "claims of pods that go, too": Case(
        _set(0),
        [_pod(0)],
        ["release 0", "delete 0"],
        SAME,
        Claims(lambda _: False, lambda _: False),
    ),
    "an adopted pod gets its labels": Case(_set(1), [pod("db-0")], ["repair 0"], Revisions("", "")),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_next_steps(case: Case) -> None:
    assert _steps(plan(case.owner, case.pods, case.revisions, case.claims, NOW)) == case.want


def test_a_set_that_goes_does_nothing() -> None:
    leaving = ObjectMeta(name="db", namespace="ns", deletion_timestamp=NOW)
    owner = msgspec.structs.replace(_set(3), metadata=leaving)
    assert plan(owner, [_pod(0)], SAME, OWNED, NOW).phases == ()


def _made_of(owner: StatefulSet, pods: Iterable[Pod] = ()) -> list[str]:
    made = plan(owner, list(pods), UPDATE, OWNED, NOW)
    return [step.revision for phase in made.phases for step in phase if step.do is Do.CREATE]


def test_missing_pods_below_the_partition_are_of_the_current_revision() -> None:
    assert _made_of(_set(3, parallel=True, update_strategy=_rolling(2))) == ["old", "old", "new"]


def test_missing_pods_are_of_the_new_revision_when_deleted_by_hand() -> None:
    owner = _set(2, parallel=True, update_strategy=StatefulSetUpdateStrategy("OnDelete"))
    assert _made_of(owner) == ["new", "new"]


def test_status_in_the_middle_of_an_update() -> None:
    pods = [_pod(0), _pod(1, ready=False), _pod(2, "new", leaving=True)]
    got = plan(_set(3, parallel=True), pods, UPDATE, OWNED, NOW).status
    want = StatefulSetStatus(
        observed_generation=2,
        replicas=3,
        ready_replicas=2,
        available_replicas=2,
        current_replicas=2,
        current_revision="old",
        update_revision="new",
    )
    assert got == want


def test_a_pod_that_is_updated_now_is_no_current_one() -> None:
    got = plan(_set(2), [_pod(0), _pod(1)], UPDATE, OWNED, NOW).status
    assert (got.current_replicas, got.updated_replicas) == (1, 0)


def test_once_all_are_updated_the_revision_is_the_current_one() -> None:
    got = plan(_set(1), [_pod(0, "new")], UPDATE, OWNED, NOW).status
    assert (got.current_revision, got.current_replicas, got.updated_replicas) == ("new", 1, 1)


ORDINALS = {
    "db-0": 0,
    "db-12": 12,
    "db": -1,
    "db-x": -1,
    "dbx-1": -1,
    "db-1-2": -1,
    "db-99999999999": -1,
}


@pytest.mark.parametrize(("name", "want"), ORDINALS.items())
def test_ordinals(name: str, want: int) -> None:
    assert ordinal_of(_set(1), name) == want
