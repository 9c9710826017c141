"""Which of several nodes is taken, and which are ruled out by rules between pods."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from argosy.api.objects import Node, Pod
from argosy.base.selectors.labels import from_object
from argosy.base.types import Object
from argosy.workloads.scheduling.placements import placement
from tests.unit.workloads.scheduling.builders import (
    APP,
    HOST,
    ZONE,
    decide,
    decider,
    node,
    outcome,
    pod,
    preferred,
    required,
    spread,
    term,
)

DISLIKED = {"key": "k", "effect": "PreferNoSchedule"}
TAINT = {"key": "k", "value": "v", "effect": "NoSchedule"}
ZONES = [node("n1", zone="a"), node("n2", zone="b"), node("n3", zone="b")]


def likes(label: str) -> Object:
    preference = {"matchExpressions": [{"key": label, "operator": "Exists"}]}
    terms = [{"weight": 1, "preference": preference}]
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": terms}}


class Case(NamedTuple):
    nodes: list[Node]
    pods: list[Pod]
    asking: list[Pod]
    want: list[str]


CASES = {
    "equal nodes are taken in the order they came": Case(
        [node("n2"), node("n1")], [], [pod("a"), pod("b"), pod("c")], ["n2", "n1", "n2"]
    ),
    "the emptier node is taken": Case(
        [node("n1"), node("n2")], [pod("x", on="n1")], [pod("a")], ["n2"]
    ),
    "pods that ask for nothing do not pile up": Case(
        [node("n1"), node("n2")], [], [pod(name, cpu=0) for name in "abcd"], ["n1", "n2"] * 2
    ),
    "a discouraging taint is avoided": Case(
        [node("n1", cpu=64, taints=[DISLIKED]), node("n2")], [], [pod("a")], ["n2"]
    ),
    "a discouraging taint is taken when there is nothing else": Case(
        [node("n1", taints=[DISLIKED]), node("n2", cpu="500m")], [], [pod("a")], ["n1"]
    ),
    "preferred node affinity": Case(
        [node("n1"), node("n2", labels={"disk": "ssd"})],
        [],
        [pod("a", affinity=likes("disk"))],
        ["n2"],
    ),
    "hard spread alternates between zones": Case(
        ZONES,
        [],
        [pod(name, labels=APP, topologySpreadConstraints=[spread()]) for name in "abcd"],
        ["n1", "n2", "n3", "n1"],
    ),
    "match label keys keep revisions apart": Case(
        [node("n1", zone="a"), node("n2", zone="b")],
        [pod("old", on="n1", labels={**APP, "rev": "1"})],
        [
            pod(
                name,
                labels={**APP, "rev": "2"},
                topologySpreadConstraints=[spread(matchLabelKeys=["rev"])],
                nodeSelector={ZONE: "a"} if name == "a" else {},
            )
            for name in "ab"
        ],
        ["n1", "n2"],
    ),
    "soft spread prefers the emptier zone": Case(
        ZONES,
        [pod("x", on="n2", labels=APP)],
        [
            pod(
                "a",
                labels=APP,
                topologySpreadConstraints=[spread(when="ScheduleAnyway")],
            )
        ],
        ["n1"],
    ),
    "affinity follows its company": Case(
        ZONES,
        [pod("x", on="n3", labels=APP)],
        [pod("a", affinity=required("podAffinity", term(HOST)))],
        ["n3"],
    ),
    "the first of a group may go anywhere, the others follow": Case(
        ZONES,
        [],
        [pod(name, labels=APP, affinity=required("podAffinity", term(HOST))) for name in "ab"],
        ["n1", "n1"],
    ),
    "anti-affinity keeps alike pods apart": Case(
        ZONES,
        [],
        [pod(name, labels=APP, affinity=required("podAntiAffinity", term(HOST))) for name in "abc"],
        ["n1", "n2", "n3"],
    ),
    "anti-affinity looks into the namespaces it names": Case(
        [node("n1"), node("n2")],
        [pod("x", on="n1", labels=APP, namespace="other")],
        [
            pod("a", affinity=required("podAntiAffinity", term(HOST, namespaces=["other"]))),
            pod("b", affinity=required("podAntiAffinity", term(HOST))),
        ],
        ["n2", "n1"],
    ),
    "anti-affinity looks into all namespaces": Case(
        [node("n1"), node("n2")],
        [pod("x", on="n1", labels=APP, namespace="other")],
        [pod("a", affinity=required("podAntiAffinity", term(HOST, namespaceSelector={})))],
        ["n2"],
    ),
    "preferred affinity": Case(
        ZONES,
        [pod("x", on="n3", labels=APP, cpu=0)],
        [pod("a", affinity=preferred("podAffinity", term(HOST), 10))],
        ["n3"],
    ),
    "preferred anti-affinity of a pod that is there already": Case(
        ZONES,
        [pod("x", on="n1", cpu=0, affinity=preferred("podAntiAffinity", term(ZONE), 10))],
        [pod("a", labels=APP)],
        ["n2"],
    ),
    "a nominated node is taken although another is better": Case(
        [node("n1"), node("n2", cpu=64)], [], [pod("a", nominated="n1")], ["n1"]
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_choice(case: Case) -> None:
    got = [outcome(each) for each in decide(decider(case.nodes, case.pods), *case.asking)]
    assert got == case.want


def test_namespaces_are_chosen_by_their_labels() -> None:
    made = decider(
        [node("n1"), node("n2")],
        [
            pod("x", on="n1", labels=APP, namespace="one"),
            pod("y", on="n2", labels=APP, namespace="two"),
        ],
    )
    made.matching.set_namespace("one", {"team": "a"})
    made.matching.set_namespace("two", {"team": "b"})
    selector = {"matchLabels": {"team": "b"}}
    asking = pod("a", affinity=required("podAntiAffinity", term(HOST, namespaceSelector=selector)))
    assert outcome(decide(made, asking)[0]) == "n1"
    made.forget(asking)
    made.matching.set_namespace("one", {"team": "b"})
    made.matching.set_namespace("two", {"team": "a"})
    assert outcome(decide(made, asking)[0]) == "n2"


def test_pods_that_are_being_deleted_do_not_count_for_spread() -> None:
    made = decider([node("n1", zone="a"), node("n2", zone="b", cpu="500m")])
    leaving = pod("x", on="n1", labels=APP)
    placed = placement(leaving, made.profiles.of(leaving), "n1")
    placed.is_deleting = True
    made.ledger.place(placed)
    asking = [pod(n, labels=APP, topologySpreadConstraints=[spread()]) for n in "ab"]
    got = [outcome(each) for each in decide(made, *asking)]
    assert got[0] == "n1"
    assert got[1].startswith(
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod"
    )


def test_pods_of_a_replica_set_or_service_are_spread_by_default() -> None:
    owner = {"kind": "ReplicaSet", "name": "web", "controller": True}
    made = decider([node("n1", zone="a", cpu=16), node("n2", zone="b", cpu=15)])
    made.defaults.put_owner("ReplicaSet", ("ns", "web"), from_object({"matchLabels": APP}))
    asking = [pod(name, cpu="100m", labels=APP, owner=owner) for name in "abcd"]
    assert [outcome(each) for each in decide(made, *asking)] == ["n1", "n2", "n1", "n2"]
    made.defaults.put_owner("ReplicaSet", ("ns", "web"), None)
    made.defaults.put_service(("ns", "web"), APP)
    profile = made.profiles.of(asking[0])
    assert str(made.defaults.selector(profile)) == "app=web"
    made.defaults.put_service(("ns", "web"), {})
    assert made.defaults.selector(profile) is None


def test_index_labels_do_not_make_pods_unlike() -> None:
    made = decider([node("n1")])
    index = "batch.kubernetes.io/job-completion-index"
    one, other = (made.candidate(pod(n, labels={**APP, index: n})) for n in "01")
    assert made.are_alike(one, other)
    rule = required("podAntiAffinity", term(HOST, {index: "1"}))
    one, other = (made.candidate(pod(n, labels={index: n}, affinity=rule)) for n in "01")
    assert not made.are_alike(one, other)
    decide(made, pod("x", affinity=rule))
    one, other = (made.candidate(pod(n, labels={**APP, index: n})) for n in "01")
    assert not made.are_alike(one, other)
