"""How a fleet follows a changed file, and what it leaves alone."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.fleet.founding import member_patch, pool_patch
from argosy.fleet.shapes import MemberShape

TAINT = {"key": "a", "value": "1", "effect": "NoSchedule"}
DRAINED = {"key": "drain", "effect": "NoSchedule"}


def live(shape: MemberShape, labels: Object, *taints: Object) -> Object:
    obj = shape.member_cluster("someone")
    obj["metadata"]["labels"] |= labels
    obj["spec"]["taints"] = [*obj["spec"].get("taints", []), *taints]
    return obj


def test_a_member_that_follows_its_shape_is_left_alone() -> None:
    shape = MemberShape("m", region="eu", labels={"a": "1"}, taints=(TAINT,))
    assert member_patch(live(shape, {"mine": "1"}, DRAINED), shape, [shape]) == {}


def test_labels_and_taints_follow_and_those_of_others_stay() -> None:
    old = MemberShape("m", region="eu", zone="z", labels={"a": "1"}, taints=(TAINT,))
    new = MemberShape("m", region="us", labels={"b": "2"}, heartbeat_seconds=60)
    assert member_patch(live(old, {"mine": "1"}, DRAINED), new, [old]) == {
        "metadata": {"labels": {"region": "us", "b": "2", "a": None, "zone": None}},
        "spec": {"heartbeatPeriodSeconds": 60, "taints": [DRAINED]},
    }


def test_what_people_have_changed_is_set_but_not_taken_back() -> None:
    old = MemberShape("m", labels={"a": "1", "b": "1"})
    new = MemberShape("m", labels={"b": "1"})
    assert member_patch(live(old, {"a": "theirs", "b": "theirs"}), new, [old]) == {
        "metadata": {"labels": {"b": "1"}}
    }


def test_a_start_that_was_cut_short_counts_as_well() -> None:
    first, second = MemberShape("m", labels={"a": "1"}), MemberShape("m", labels={"b": "1"})
    third = MemberShape("m", taints=(TAINT,))
    for there in (first, second):
        (name,) = there.labels
        assert member_patch(live(there, {}), third, [first, second]) == {
            "metadata": {"labels": {name: None}},
            "spec": {"taints": [TAINT]},
        }


def test_a_pool_is_changed_field_by_field() -> None:
    old = {
        "machine": {"cpu": 2, "memory": "8Gi", "gpus": 1},
        "maximum": 3,
        "scaling": {"idleTime": "1m"},
        "stock": 4,
    }
    there = old | {
        "provider": "simulated",
        "machine": {"cpu": 2, "memory": "8Gi", "gpus": 1, "pods": 110},
        "scaling": {"idleTime": "1m", "interval": "10s"},
        "stock": 5,
    }
    assert pool_patch(there, old | {"stock": 5}, [old]) == {}
    assert pool_patch(there, {"machine": {"cpu": 4, "memory": "8Gi"}, "maximum": 3}, [old]) == {
        "machine": {"cpu": 4, "gpus": None},
        "scaling": {"idleTime": None},
    }
