"""What is said about a pod without a node. The texts were read off kube-scheduler v1.35.4."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from argosy.api.objects import Node, Pod
from argosy.base.types import Object
from tests.unit.workloads.scheduling.builders import (
    APP,
    HOST,
    ZONE,
    decide,
    decider,
    node,
    outcome,
    pod,
    required,
    spread,
    term,
)

TAINT = {"key": "k", "value": "v", "effect": "NoSchedule"}
NOT_HELPFUL = "no new claims to deallocate, preemption: 0/{n} nodes are available: {n} Preemption is not helpful for scheduling."
NO_VICTIMS = "no new claims to deallocate, preemption: 0/{n} nodes are available: {n} No preemption victims found for incoming pod."


def named(*terms: list[str]) -> Object:
    """Node affinity to any of these, each of which asks for all of its names."""
    selected = [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [n]} for n in names]}
        for names in terms
    ]
    required_ = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": selected}}
    return {"nodeAffinity": required_}


class Case(NamedTuple):
    nodes: list[Node]
    pods: list[Pod]
    asking: Pod
    want: str


CASES = {
    "no node at all": Case([], [], pod("a"), "no nodes available to schedule pods"),
    "larger than any node": Case(
        [node("n1"), node("n2")],
        [],
        pod("a", cpu=100),
        f"0/2 nodes are available: 2 Insufficient cpu. {NOT_HELPFUL.format(n=2)}",
    ),
    "a node of two names": Case(
        [node("n1"), node("n2")],
        [],
        pod("a", affinity=named(["n1", "n2"])),
        "0/2 nodes are available: pod affinity terms conflict. not found",
    ),
    "a node of two names, or one that is not there": Case(
        [node("n1"), node("n2")],
        [],
        pod("a", affinity=named(["n1", "n2"], ["n3"])),
        "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. "
        f"{NOT_HELPFUL.format(n=2)}",
    ),
    "full, and everybody is as important": Case(
        [node("n1", cpu=1)],
        [pod("b", on="n1")],
        pod("a"),
        f"0/1 nodes are available: 1 Insufficient cpu. {NO_VICTIMS.format(n=1)}",
    ),
    "several resources, each counted": Case(
        [node("n1", cpu=1, memory="1Gi", pods=1), node("n2", cpu=1)],
        [pod("b", on="n1"), pod("c", on="n2")],
        pod("a", requests={"memory": "2Gi"}),
        "0/2 nodes are available: 1 Insufficient memory, 1 Too many pods, 2 Insufficient cpu. no new claims to "
        "deallocate, preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, "
        "1 Preemption is not helpful for scheduling.",
    ),
    "an extended resource nobody has": Case(
        [node("n1")],
        [],
        pod("a", requests={"nvidia.com/gpu": "1"}),
        f"0/1 nodes are available: 1 Insufficient nvidia.com/gpu. {NOT_HELPFUL.format(n=1)}",
    ),
    "taints, cordons and selectors, each node under its first": Case(
        [node("n1", taints=[TAINT], cordoned=True), node("n2", taints=[TAINT]), node("n3")],
        [],
        pod("a", nodeSelector={"x": "y"}),
        "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, "
        "1 node(s) had untolerated taint(s), "
        f"1 node(s) were unschedulable. {NOT_HELPFUL.format(n=3)}",
    ),
    "a pod tied to one node by name": Case(
        [node("n1", cpu=1), node("n2")],
        [],
        pod(
            "a",
            cpu=2,
            affinity={
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [
                            {
                                "matchFields": [
                                    {"key": "metadata.name", "operator": "In", "values": ["n1"]}
                                ]
                            }
                        ]
                    }
                }
            },
        ),
        "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. "
        f"{NOT_HELPFUL.format(n=2)}",
    ),
    "host ports are taken": Case(
        [node("n1")],
        [pod("b", on="n1", ports=[80])],
        pod("a", ports=[80]),
        "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports. "
        f"{NO_VICTIMS.format(n=1)}",
    ),
    "too uneven, or without the label": Case(
        [node("n1", zone="a"), node("n2", zone="b", cpu=1), node("n3")],
        [pod("b", on="n1", labels=APP), pod("c", on="n2")],
        pod("a", labels=APP, topologySpreadConstraints=[spread()]),
        "0/3 nodes are available: 1 Insufficient cpu, "
        "1 node(s) didn't match pod topology spread constraints, "
        "1 node(s) didn't match pod topology spread constraints (missing required label). "
        "no new claims to deallocate, preemption: 0/3 nodes are available: "
        "1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
    ),
    "no company": Case(
        [node("n1", zone="a")],
        [],
        pod("a", affinity=required("podAffinity", term())),
        f"0/1 nodes are available: 1 node(s) didn't match pod affinity rules. {NOT_HELPFUL.format(n=1)}",
    ),
    "bad company": Case(
        [node("n1")],
        [pod("b", on="n1", labels=APP)],
        pod("a", affinity=required("podAntiAffinity", term(HOST))),
        f"0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules. {NO_VICTIMS.format(n=1)}",
    ),
    "not welcome": Case(
        [node("n1")],
        [pod("b", on="n1", affinity=required("podAntiAffinity", term(HOST)))],
        pod("a", labels=APP),
        "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. "
        f"{NO_VICTIMS.format(n=1)}",
    ),
    "a claim that is not there": Case(
        [node("n1")],
        [],
        pod("a", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "nope"}}]),
        '0/1 nodes are available: persistentvolumeclaim "nope" not found. not found',
    ),
    "a pod that preempts nobody": Case(
        [node("n1", cpu=1)],
        [pod("b", on="n1")],
        pod("a", priority=5, preemptionPolicy="Never"),
        "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, "
        "preemption: not eligible due to preemptionPolicy=Never.",
    ),
    "room will be made": Case(
        [node("n1", cpu=1)],
        [pod("b", on="n1")],
        pod("a", priority=5),
        "0/1 nodes are available: 1 Insufficient cpu.",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_message(case: Case) -> None:
    (got,) = decide(decider(case.nodes, case.pods), case.asking)
    assert outcome(got) == case.want


def test_each_reason_keeps_its_nodes() -> None:
    made = decider([node("n1", taints=[TAINT]), node("n2", zone="a"), node("n3", taints=[TAINT])])
    (got,) = decide(made, pod("a", nodeSelector={ZONE: "b"}))
    refused = {
        reason: [made.ledger.name(row) for row in rows]
        for reason, rows in got.diagnosis.refused.items()  # type: ignore[union-attr]
    }
    assert refused == {
        "node(s) had untolerated taint(s)": ["n1", "n3"],
        "node(s) didn't match Pod's node affinity/selector": ["n2"],
    }
    assert got.diagnosis.plugins == {"TaintToleration", "NodeAffinity"}  # type: ignore[union-attr]
