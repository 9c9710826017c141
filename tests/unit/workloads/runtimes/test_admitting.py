"""A node takes pods that fit, and refuses others in the kubelet's words."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from argosy.api.objects import Node, Pod
from argosy.base.types import Object
from argosy.workloads.runtimes.admitting import Admission, Rejection
from tests.unit.workloads.runtimes.views import node, pod


def asking(requests: dict[str, str], uid: str = "new", **more: Object) -> Pod:
    return pod("sleep", "1", uid=uid, container={"resources": {"requests": requests}}, **more)


def lacks(name: str, requested: int, used: int, capacity: int) -> Rejection:
    text = f"Node didn't have enough resource: {name}, requested: {requested}, used: {used}, capacity: {capacity}"
    return Rejection(f"OutOf{name}", text)


class Case(NamedTuple):
    pod: Pod
    want: Rejection | None
    node: Node = node()
    others: tuple[Pod, ...] = ()


PORT: Object = {"container": {"ports": [{"containerPort": 80, "hostPort": 80, "protocol": "TCP"}]}}
NOT_READY = {"taints": [{"key": "k", "effect": "NoExecute"}]}
CASES: dict[str, Case] = {
    "a pod that asks for nothing": Case(pod("sleep", "1"), None),
    "a pod that fits exactly": Case(asking({"cpu": "4", "memory": "8Gi"}), None),
    "too little cpu": Case(
        asking({"cpu": "1500m"}), lacks("cpu", 1500, 3000, 4000),
        others=(asking({"cpu": "3"}, "other"),),
    ),
    "too little memory": Case(
        asking({"memory": "9Gi"}), lacks("memory", 9 << 30, 0, 8 << 30)
    ),
    "too little of several: the first is told": Case(
        asking({"memory": "9Gi", "cpu": "5"}), lacks("cpu", 5000, 0, 4000)
    ),
    "too many pods": Case(
        pod("sleep", "1"), lacks("pods", 1, 1, 1), node(allocatable={"cpu": "4", "pods": "1"}),
        (pod("sleep", "1", uid="other"),),
    ),
    "an extended resource that is used up": Case(
        asking({"example.com/gpu": "2"}), lacks("example.com/gpu", 2, 0, 1),
        node(allocatable={"cpu": "4", "pods": "9", "example.com/gpu": "1"}),
    ),
    "an extended resource the node does not know": Case(asking({"example.com/gpu": "2"}), None),
    "a selector that does not match": Case(
        pod("sleep", "1", nodeSelector={"zone": "b"}),
        Rejection(
            "NodeAffinity",
            "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
        ),
        node(labels={"zone": "a"}),
    ),
    "a port that is taken": Case(
        pod("sleep", "1", **PORT),
        Rejection(
            "NodePorts",
            "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
        ),
        others=(pod("sleep", "1", uid="other", **PORT),),
    ),
    "a taint that evicts": Case(
        pod("sleep", "1"),
        Rejection(
            "TaintToleration",
            "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
        ),
        node(spec=NOT_READY),
    ),
    "a taint that is tolerated": Case(
        pod("sleep", "1", tolerations=[{"operator": "Exists"}]), None, node(spec=NOT_READY)
    ),
    "a taint that only keeps schedulers away": Case(
        pod("sleep", "1"), None, node(spec={"taints": [{"key": "k", "effect": "NoSchedule"}]})
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_pod_is_admitted_or_not(case: Case) -> None:
    admission = Admission()
    admission.node_changed(case.node)
    for other in case.others:
        assert admission.admit(other) is None
    assert admission.admit(case.pod) == case.want


def test_what_a_pod_had_is_free_when_it_leaves() -> None:
    admission = Admission()
    admission.node_changed(node())
    first = asking({"cpu": "4"}, "first")
    admission.keep(first)
    admission.keep(first)
    assert admission.admit(asking({"cpu": "4"})) == lacks("cpu", 4000, 4000, 4000)
    admission.leave(first)
    admission.leave(first)
    assert admission.admit(asking({"cpu": "4"})) is None


def test_a_node_that_grows_takes_more() -> None:
    admission = Admission()
    admission.node_changed(node())
    assert admission.admit(asking({"cpu": "6"})) is not None
    admission.node_changed(node(allocatable={"cpu": "8", "pods": "9"}))
    assert admission.admit(asking({"cpu": "6"})) is None
    admission.node_gone("n1")
    admission.leave(asking({"cpu": "6"}))
