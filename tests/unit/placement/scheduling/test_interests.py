"""Which placements want to know of clusters, and which changes of clusters are worth knowing."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import PolicySnapshot
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.placement.scheduling.interests import Interests, is_worth_a_look
from tests.support.placing import NOW, agent, member, pick_n, policy_snapshot, taint


def _placement(
    policy: Object | None, status: str = "", *, observed: int = 2, namespace: str = ""
) -> Placement:
    kind = "ResourcePlacement" if namespace else "ClusterResourcePlacement"
    condition = {"type": f"{kind}Scheduled", "status": status, "observedGeneration": observed}
    document = {
        "metadata": {"name": "web", "namespace": namespace, "generation": 2},
        "spec": {} if policy is None else {"policy": policy},
        "status": {"conditions": [condition] if status else []},
    }
    return msgspec.convert(document, Placement)


def _policy(status: str, *, observed: int = 2) -> PolicySnapshot:
    condition = {"type": "Scheduled", "status": status, "observedGeneration": 1}
    return policy_snapshot(
        pick_n(1), {"observedCRPGeneration": observed, "conditions": [condition]}
    )


FIXED = {"placementType": "PickFixed", "clusterNames": ["a"]}
INTERESTS = {
    "no policy": (_placement(None, "True"), None, True),
    "all": (_placement({"placementType": "PickAll"}, "True"), None, True),
    "n, as long as nobody has said a word": (_placement(pick_n(1)), None, True),
    "n, without enough": (_placement(pick_n(1), "False"), None, True),
    "n, with enough": (_placement(pick_n(1), "True"), None, False),
    "n, with enough of before": (_placement(pick_n(1), "True", observed=1), None, True),
    "n of a namespace, with enough": (_placement(pick_n(1), "True", namespace="ns"), None, False),
    "fixed, without enough": (_placement(FIXED, "False"), None, True),
    "fixed, with enough": (_placement(FIXED, "True"), None, False),
    "n, with enough by its snapshot": (_placement(pick_n(1)), _policy("True"), False),
    "n, with enough by its snapshot of before": (_placement(pick_n(1)), _policy("True", observed=1), True),
    "n, without enough by its snapshot": (_placement(pick_n(1)), _policy("False"), True),
}  # fmt: skip


@pytest.mark.parametrize(("placement", "policy", "want"), INTERESTS.values(), ids=INTERESTS.keys())
def test_a_placement_is_interested(
    placement: Placement, policy: PolicySnapshot | None, want: bool
) -> None:
    key = Key(*placement.metadata.key)
    interests = Interests()
    interests.put(key, placement, policy)
    assert (key in interests) is want


def test_interests_follow_what_becomes_of_placements() -> None:
    interests = Interests()
    keys = [Key("ns", "b"), Key("", "a"), Key("", "c")]
    for key in keys:
        interests.put(key, _placement(pick_n(1)), None)
    assert list(interests) == sorted(keys)
    interests.put(keys[0], None, None)
    interests.put(keys[1], _placement(pick_n(1), "True"), None)
    assert list(interests) == [keys[2]]


PLAIN = member(
    "c",
    labels={"a": "1"},
    taints=[taint("x", "1")],
    properties={"p": "1"},
    available={"cpu": "1"},
    namespaces={"n": ""},
)


def _plain(**changes: Object) -> MemberCluster:
    same: Object = {
        "labels": {"a": "1"},
        "taints": [taint("x", "1")],
        "properties": {"p": "1"},
        "available": {"cpu": "1"},
        "namespaces": {"n": ""},
    }
    return member("c", **{**same, **changes})


SILENT = agent(silent=timedelta(minutes=6))
CHANGES = {
    "nothing": (PLAIN, _plain(), False),
    "a heartbeat": (_plain(agent=agent(silent=timedelta(minutes=1))), PLAIN, False),
    "a label": (PLAIN, _plain(labels={"a": "2"}), True),
    "another label": (PLAIN, _plain(labels={"a": "1", "b": "1"}), True),
    "a taint that has gone": (PLAIN, _plain(taints=[]), True),
    "a taint with another value": (PLAIN, _plain(taints=[taint("x", "2")]), True),
    "one more taint": (PLAIN, _plain(taints=[taint("x", "1"), taint("y")]), False),
    "a property": (PLAIN, _plain(properties={"p": "2"}), True),
    "one more property": (PLAIN, _plain(properties={"p": "1", "q": "1"}), True),
    "a namespace": (PLAIN, _plain(namespaces={}), True),
    "available resources": (PLAIN, _plain(available={"cpu": "2"}), True),
    "capacity": (PLAIN, _plain(usage={"capacity": {"cpu": "2"}}), True),
    "allocatable resources": (PLAIN, _plain(usage={"allocatable": {"cpu": "2"}}), True),
    "silence": (PLAIN, _plain(agent=SILENT), False),
    "a word after silence": (_plain(agent=SILENT), PLAIN, True),
    "joining": (_plain(agent=agent(joined="False")), PLAIN, True),
    "anything while it is leaving": (PLAIN, _plain(labels={}, leaving=True), False),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "want"), CHANGES.values(), ids=CHANGES.keys())
def test_a_change_of_a_cluster_is_worth_a_look(
    old: MemberCluster, new: MemberCluster, want: bool
) -> None:
    assert is_worth_a_look(old, new, NOW) is want
