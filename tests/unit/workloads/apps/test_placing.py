"""Where pods of DaemonSets belong, and how they are replaced."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import pytest

from argosy.api.objects import Node, NodeSpec, ObjectMeta, Pod, PodSpec, Taint
from argosy.api.objects.apps import (
    DaemonSet,
    DaemonSetSpec,
    DaemonSetStatus,
    DaemonSetUpdateStrategy,
    IntOrPercent,
    RollingUpdateDaemonSet,
)
from argosy.base.types import Object
from argosy.workloads.apps.daemonsets.placing import (
    Eligibility,
    Fit,
    by_node,
    daemon_pod,
    daemon_status,
    pinned,
    place,
)
from argosy.workloads.apps.daemonsets.rolling import roll
from argosy.workloads.apps.histories import REVISION_LABEL
from tests.unit.workloads.apps.building import NOW, pod

RUNS, STAYS, LEAVES = Fit(True, True), Fit(False, True), Fit(False, False)
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def _node(labels: dict[str, str] | None = None, *taints: tuple[str, str]) -> Node:
    made = tuple(Taint(key=key, effect=effect) for key, effect in taints)
    return Node(ObjectMeta(name="n", labels=labels or {}), NodeSpec(taints=made))


def _affinity(key: str) -> Object:
    terms = [{"matchExpressions": [{"key": key, "operator": "Exists"}]}]
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}


FITS: dict[str, tuple[Object, Node, Fit]] = {
    "anywhere": ({}, _node(), RUNS),
    "another node by name": ({"nodeName": "m"}, _node(), LEAVES),
    "this node by name": ({"nodeName": "n"}, _node(), RUNS),
    "a label it asks for": ({"nodeSelector": {"gpu": "yes"}}, _node({"gpu": "yes"}), RUNS),
    "a label that is missing": ({"nodeSelector": {"gpu": "yes"}}, _node(), LEAVES),
    "an affinity that does not match": ({"affinity": _affinity("gpu")}, _node(), LEAVES),
    "a taint keeps it away, one that is there stays": (
        {},
        _node(None, ("x", "NoSchedule")),
        STAYS,
    ),
    "a taint drives it away": ({}, _node(None, ("x", "NoExecute")), LEAVES),
    "a tolerated taint": (
        {"tolerations": [{"key": "x", "operator": "Exists"}]},
        _node(None, ("x", "NoExecute")),
        RUNS,
    ),
    "what befalls nodes is tolerated": (
        {},
        _node(
            None,
            ("node.kubernetes.io/not-ready", "NoExecute"),
            ("node.kubernetes.io/unschedulable", "NoSchedule"),
            ("node.kubernetes.io/disk-pressure", "NoSchedule"),
        ),
        RUNS,
    ),
    "without a network only pods that need none": (
        {},
        _node(None, ("node.kubernetes.io/network-unavailable", "NoSchedule")),
        STAYS,
    ),
    "pods of the host's network need none": (
        {"hostNetwork": True},
        _node(None, ("node.kubernetes.io/network-unavailable", "NoSchedule")),
        RUNS,
    ),
}


@pytest.mark.parametrize(("spec", "node", "want"), FITS.values(), ids=FITS.keys())
def test_eligibility(spec: Object, node: Node, want: Fit) -> None:
    assert Eligibility({"spec": spec}).of(node) == want


def _set(
    surge: IntOrPercent | None = None, unavailable: IntOrPercent | None = 1, ready: int = 0
) -> DaemonSet:
    strategy = DaemonSetUpdateStrategy("RollingUpdate", RollingUpdateDaemonSet(unavailable, surge))
    return DaemonSet(
        ObjectMeta(name="agent", namespace="ns", generation=3),
        DaemonSetSpec(update_strategy=strategy, min_ready_seconds=ready),
    )


def _pod(name: str, node: str, revision: str = "old", **more: object) -> Pod:
    return pod(name, node=node, labels={REVISION_LABEL: revision}, **more)  # type: ignore[arg-type]  # tests name fields


class Place(NamedTuple):
    owner: DaemonSet
    fits: dict[str, Fit]
    pods: list[Pod]
    nodes: list[str] = []  # noqa: RUF012
    delete: list[str] = []  # noqa: RUF012
    ended: list[str] = []  # noqa: RUF012


PLACES = {
    "one each": Place(_set(), {"a": RUNS, "b": RUNS, "c": STAYS}, [_pod("1", "a")], ["b"]),
    "not where it does not belong": Place(_set(), {"a": LEAVES}, [_pod("1", "a")], [], ["1"]),
    "where it stays it stays": Place(_set(), {"a": STAYS}, [_pod("1", "a")]),
    "one that goes is waited for": Place(_set(), {"a": RUNS}, [_pod("1", "a", leaving=True)]),
    "of two the younger goes": Place(
        _set(), {"a": RUNS}, [_pod("1", "a", age=5), _pod("2", "a", age=9)], [], ["1"]
    ),
    "one that ended is reported": Place(
        _set(), {"a": RUNS}, [_pod("1", "a", phase="Failed")], [], [], ["1"]
    ),
    "a bound pod on a node that is gone is others' care": Place(_set(), {}, [_pod("1", "a")]),
    "with surge, old and new stand side by side": Place(
        _set(1, 0), {"a": RUNS}, [_pod("1", "a"), _pod("2", "a", "new", ready=False)]
    ),
    "until the new one is available": Place(
        _set(1, 0), {"a": RUNS}, [_pod("1", "a"), _pod("2", "a", "new")], [], ["1"]
    ),
    "or the old one is not ready": Place(
        _set(1, 0),
        {"a": RUNS},
        [_pod("1", "a", ready=False), _pod("2", "a", "new", ready=False)],
        [],
        ["1"],
    ),
    "with surge, one that goes is not waited for": Place(
        _set(1, 0), {"a": RUNS}, [_pod("1", "a", leaving=True)], ["a"]
    ),
}


@pytest.mark.parametrize("case", PLACES.values(), ids=PLACES.keys())
def test_placing(case: Place) -> None:
    got = place(case.owner, case.fits, by_node(case.pods), "new", NOW)
    assert got.nodes == case.nodes
    assert [each.metadata.name for each in got.delete] == case.delete
    assert [each.metadata.name for each, _ in (*got.failed, *got.succeeded)] == case.ended


def test_an_unbound_pod_of_a_node_that_is_gone_goes() -> None:
    owner = _set()
    body = pinned(daemon_pod(owner, "new"), "gone")
    made = pod("1", node="", phase="Pending")
    stranded = Pod(made.metadata, msgspec.convert(body["spec"], PodSpec), made.status)
    assert by_node([stranded]) == {"gone": [stranded]}
    assert place(owner, {}, by_node([stranded]), "new", NOW).delete == [stranded]


class Roll(NamedTuple):
    owner: DaemonSet
    fits: dict[str, Fit]
    pods: list[Pod]
    delete: list[str] = []  # noqa: RUF012
    nodes: list[str] = []  # noqa: RUF012


THREE = {"a": RUNS, "b": RUNS, "c": RUNS}
OLD = [_pod("1", "a"), _pod("2", "b"), _pod("3", "c")]
ROLLS = {
    "one at a time": Roll(_set(), THREE, OLD, ["1"]),
    "two at a time": Roll(_set(None, 2), THREE, OLD, ["1", "2"]),
    "a share, rounded up": Roll(_set(None, "34%"), THREE, OLD, ["1", "2"]),
    "not while one is down": Roll(
        _set(), THREE, [_pod("1", "a", "new", ready=False), _pod("2", "b"), _pod("3", "c")]
    ),
    "one that is down anyway goes": Roll(
        _set(), THREE, [_pod("1", "a"), _pod("2", "b", ready=False), _pod("3", "c")], ["2"]
    ),
    "not while a node has none": Roll(_set(), THREE, [_pod("1", "a"), _pod("2", "b")]),
    "nothing to do": Roll(_set(), {"a": RUNS}, [_pod("1", "a", "new")]),
    "a second pod on one node": Roll(_set(1, 0), THREE, OLD, [], ["a"]),
    "the old one goes when the new one is up": Roll(
        _set(1, 0), THREE, [*OLD, _pod("4", "a", "new")], ["1"], ["b"]
    ),
    "not before, and no other": Roll(_set(1, 0), THREE, [*OLD, _pod("4", "a", "new", ready=False)]),
    "a node with a pod that is down gets one in any case": Roll(
        _set(1, 0),
        THREE,
        [_pod("1", "a"), _pod("2", "b", ready=False), _pod("3", "c")],
        [],
        ["b", "a"],
    ),
    "one that does not belong there is not replaced": Roll(
        _set(1, 0), {"a": STAYS, "b": RUNS}, [_pod("1", "a"), _pod("2", "b", "new")], ["1"]
    ),
}


@pytest.mark.parametrize("case", ROLLS.values(), ids=ROLLS.keys())
def test_rolling(case: Roll) -> None:
    got = roll(case.owner, case.fits, by_node(case.pods), "new", NOW)
    assert ([each.metadata.name for each in got.delete], got.nodes) == (case.delete, case.nodes)


def test_status() -> None:
    fits = {"a": RUNS, "b": RUNS, "c": RUNS, "d": STAYS}
    pods = [
        _pod("1", "a", "new"),
        _pod("2", "b", ready=False),
        _pod("3", "d"),
        _pod("4", "c", ready_for=5),
    ]
    got = daemon_status(_set(ready=30), fits, by_node(pods), "new", NOW, is_observed=True)
    want = DaemonSetStatus(
        current_number_scheduled=3,
        number_misscheduled=1,
        desired_number_scheduled=3,
        number_ready=2,
        observed_generation=3,
        updated_number_scheduled=1,
        number_available=1,
        number_unavailable=2,
    )
    assert got == want


def test_a_pod_is_pinned_to_its_node_and_nothing_else() -> None:
    template = {
        "metadata": {"labels": {"app": "a"}},
        "spec": {
            "affinity": {**_affinity("gpu"), "podAffinity": {"x": 1}},
            "tolerations": [
                {
                    "key": "node.kubernetes.io/not-ready",
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": 5,
                }
            ],
        },
    }
    owner = DaemonSet(
        ObjectMeta(
            name="agent",
            namespace="ns",
            annotations={"deprecated.daemonset.template.generation": "7"},
        ),
        DaemonSetSpec(template=template),
    )
    got = pinned(daemon_pod(owner, "abc"), "n1")
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]
    assert got["spec"]["affinity"] == {
        "nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}},
        "podAffinity": {"x": 1},
    }
    assert got["metadata"]["labels"] == {
        "app": "a",
        "controller-revision-hash": "abc",
        "pod-template-generation": "7",
    }
    assert [each["key"].partition("/")[2] for each in got["spec"]["tolerations"]] == [
        "not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable",
    ]  # fmt: skip
    assert "tolerationSeconds" not in got["spec"]["tolerations"][0]
