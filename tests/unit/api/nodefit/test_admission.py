"""Which nodes let a pod in: selectors, affinity, taints, ports, and classes of alike pods."""

from __future__ import annotations

import gc
from typing import NamedTuple

import pytest

from argosy.api.nodefit import (
    PodClass,
    PodClasses,
    clashes,
    host_ports,
    intolerable_preferences,
)
from argosy.api.objects import Node
from argosy.base.types import Object
from tests.unit.api.nodefit.views import asks, node, pod

LABELED = node("n1", labels={"zone": "a", "gpus": "8"})
TAINTED = node("n1", {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]})
NOT_READY = node("n1", {"taints": [{"key": "k", "effect": "NoExecute"}]})
DISCOURAGED = node("n1", {"taints": [{"key": "k", "effect": "PreferNoSchedule"}]})
CORDONED = node("n1", {"unschedulable": True})


def required(*terms: Object) -> Object:
    selector = {"nodeSelectorTerms": list(terms)}
    affinity = {"requiredDuringSchedulingIgnoredDuringExecution": selector}
    return {"affinity": {"nodeAffinity": affinity}}


def label(key: str, operator: str, *values: str) -> Object:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def name(operator: str, value: str) -> Object:
    field = {"key": "metadata.name", "operator": operator, "values": [value]}
    return {"matchFields": [field]}


def tolerating(**toleration: str) -> Object:
    return {"tolerations": [toleration]}


class Case(NamedTuple):
    spec: Object
    node: Node
    want: bool


CASES = {
    "a plain pod goes anywhere": Case({}, LABELED, True),
    "the node selector holds": Case({"nodeSelector": {"zone": "a"}}, LABELED, True),
    "the node selector does not hold": Case({"nodeSelector": {"zone": "b"}}, LABELED, False),
    "In holds": Case(required(label("zone", "In", "a", "b")), LABELED, True),
    "NotIn does not": Case(required(label("zone", "NotIn", "a")), LABELED, False),
    "NotIn holds without the label": Case(required(label("x", "NotIn", "a")), LABELED, True),
    "Exists holds": Case(required(label("zone", "Exists")), LABELED, True),
    "DoesNotExist does not": Case(required(label("zone", "DoesNotExist")), LABELED, False),
    "Gt compares numbers": Case(required(label("gpus", "Gt", "7")), LABELED, True),
    "Gt is strict": Case(required(label("gpus", "Gt", "8")), LABELED, False),
    "Lt needs a number": Case(required(label("zone", "Lt", "7")), LABELED, False),
    "one of several terms is enough": Case(
        required(label("zone", "In", "b"), label("gpus", "Exists")), LABELED, True
    ),
    "an empty term matches nothing": Case(required({}), LABELED, False),
    "the selector and the affinity both have to hold": Case(
        {"nodeSelector": {"zone": "b"}, **required(label("gpus", "Exists"))}, LABELED, False
    ),
    "a field names the node": Case(required(name("In", "n1")), LABELED, True),
    "a field names another": Case(required(name("In", "n2")), LABELED, False),
    "a field excludes the node": Case(required(name("NotIn", "n1")), LABELED, False),
    "an operator nobody knows matches nothing": Case(
        required(label("zone", "Near", "a")), LABELED, False
    ),
    "a taint refuses": Case({}, TAINTED, False),
    "an equal toleration lets in": Case(tolerating(key="k", value="v"), TAINTED, True),
    "another value does not": Case(tolerating(key="k", value="w"), TAINTED, False),
    "Exists tolerates any value": Case(tolerating(key="k", operator="Exists"), TAINTED, True),
    "Exists without a key tolerates everything": Case(tolerating(operator="Exists"), TAINTED, True),
    "another effect does not": Case(
        tolerating(key="k", operator="Exists", effect="NoExecute"), TAINTED, False
    ),
    "comparisons tolerate nothing": Case(
        tolerating(key="k", operator="Gt", value="1"), TAINTED, False
    ),
    "NoExecute refuses too": Case({}, NOT_READY, False),
    "PreferNoSchedule does not refuse": Case({}, DISCOURAGED, True),
    "a cordoned node refuses": Case({}, CORDONED, False),
    "the cordon's taint may be tolerated": Case(
        tolerating(key="node.kubernetes.io/unschedulable", operator="Exists"), CORDONED, True
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_admits(case: Case) -> None:
    assert PodClass(pod(case.spec).spec).admits(case.node) is case.want


def test_preferred_terms_add_their_weights() -> None:
    terms = [
        {"weight": 5, "preference": label("zone", "In", "a")},
        {"weight": 7, "preference": label("zone", "In", "b")},
        {"weight": 11, "preference": name("In", "n1")},
        {"weight": 13, "preference": {}},
    ]
    affinity = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": terms}}
    got = PodClass(pod({"affinity": affinity}).spec).preferred
    assert got.score({"zone": "a"}, "n1") == 16
    assert not PodClass(pod().spec).preferred


def test_preferences_of_taints_are_counted() -> None:
    assert intolerable_preferences((), DISCOURAGED.spec.taints) == 1
    tolerant = pod(tolerating(operator="Exists")).spec.tolerations
    assert intolerable_preferences(tolerant, DISCOURAGED.spec.taints) == 0


def test_terms_that_all_name_a_node_give_their_names() -> None:
    pinned = PodClass(pod(required(name("In", "n1"), name("In", "n2"))).spec).required
    assert pinned.names == {"n1", "n2"}
    assert (
        PodClass(pod(required(name("In", "n1"), label("a", "Exists"))).spec).required.names is None
    )
    assert PodClass(pod().spec).required.names is None


PORTS = {
    "the same port everywhere": (("", "TCP"), ("", "TCP"), True),
    "another protocol": (("", "TCP"), ("", "UDP"), False),
    "one address is part of all": (("10.0.0.1", "TCP"), ("", "TCP"), True),
    "different addresses": (("10.0.0.1", "TCP"), ("10.0.0.2", "TCP"), False),
}


@pytest.mark.parametrize(("one", "other", "want"), PORTS.values(), ids=PORTS.keys())
def test_ports(one: tuple[str, str], other: tuple[str, str], want: bool) -> None:
    def ports(ip: str, protocol: str) -> Object:
        port = {"containerPort": 1, "hostPort": 80, "hostIP": ip, "protocol": protocol}
        return {"containers": [{"ports": [port, {"containerPort": 2}]}]}

    wanted, used = (host_ports(pod(ports(*each)).spec) for each in (one, other))
    assert clashes(wanted, used) is want


def test_init_containers_hold_ports_only_when_they_stay() -> None:
    container = {"ports": [{"containerPort": 1, "hostPort": 80}]}
    assert host_ports(pod({"initContainers": [container]}).spec) == ()
    sidecar = {**container, "restartPolicy": "Always"}
    assert len(host_ports(pod({"initContainers": [sidecar]}).spec)) == 1


def test_alike_pods_share_a_class_that_goes_with_them() -> None:
    classes = PodClasses()
    one = classes.of(pod({"containers": [asks(cpu="1")], "hostname": "a"}, name="a"))
    other = classes.of(pod({"containers": [asks(cpu="1")], "nodeName": "n"}, name="b"))
    bigger = classes.of(pod({"containers": [asks(cpu="2")]}))
    assert one is other
    assert bigger is not one
    assert one.affinity_key == bigger.affinity_key
    assert len(classes) == 2
    del one, other, bigger
    gc.collect()
    assert len(classes) == 0
