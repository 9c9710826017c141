"""Which revisions there are, and which are forgotten; how soon failed pods are made again."""

from __future__ import annotations

from argosy.api.objects import ObjectMeta
from argosy.api.objects.apps import ControllerRevision, DaemonSet
from argosy.base.clock import VirtualClock
from argosy.base.loops import VirtualLoop
from argosy.workloads.apps.daemonsets.failures import FailedPods
from argosy.workloads.apps.histories import (
    beyond_limit,
    in_order,
    name_of,
    revision_data,
    template_of,
)
from tests.unit.workloads.apps.building import ago, pod, template


def _revision(name: str, number: int, age: float = 0.0) -> ControllerRevision:
    return ControllerRevision(
        ObjectMeta(name=name, creation_timestamp=ago(age)), number, revision_data(template(name))
    )


def test_revisions_are_ordered_by_number_age_and_name() -> None:
    revisions = [_revision("d", 2), _revision("c", 1), _revision("b", 1), _revision("a", 1, 9)]
    assert [each.metadata.name for each in in_order(revisions)] == ["a", "b", "c", "d"]


def test_a_revision_brings_its_template_back() -> None:
    assert template_of(_revision("x", 1)) == template("x")


def test_names_are_cut_to_leave_room_for_the_hash() -> None:
    assert name_of("a" * 300, "123") == "a" * 223 + "-123"


def test_the_oldest_that_nobody_needs_are_forgotten() -> None:
    revisions = [_revision(name, number) for number, name in enumerate("abcde")]
    got = [each.metadata.name for each in beyond_limit(revisions, {"a", "e"}, 1)]
    assert got == ["b", "c"]
    assert beyond_limit(revisions, set(), None) == []


def test_failed_pods_wait_twice_as_long_each_time() -> None:
    loop = VirtualLoop()
    try:
        failures = FailedPods(VirtualClock(loop))
        owner = DaemonSet(ObjectMeta(uid="u"))
        failed = [(pod("a"), "n1")]
        waits = []
        for _ in range(4):
            due, wait = failures.due(owner, failed)
            assert (due, wait) == (failed, None)
            due, wait = failures.due(owner, failed)
            assert due == []
            assert wait is not None
            waits.append(wait)
            loop.run_until_complete(VirtualClock(loop).sleep(wait))
        assert waits == [1, 2, 4, 8]
        other = [(pod("b"), "n2")]
        assert failures.due(owner, other) == (other, None)
    finally:
        loop.close()
