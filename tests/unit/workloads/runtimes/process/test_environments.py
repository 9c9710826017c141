"""Variables of containers and the downward API."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects import ConfigMap, ObjectMeta, Secret
from argosy.base.types import Object
from argosy.workloads.runtimes.process.environments import (
    Misconfigured,
    Sources,
    Surroundings,
    build,
    command_line,
    expand,
    needed,
)
from argosy.workloads.runtimes.process.fields import pod_field, resource_field
from tests.unit.workloads.runtimes.making import pod

EXPANSIONS = {
    "a variable": ("$(A)", "1"),
    "two in a row": ("$(A)$(B)", "12"),
    "an escaped one": ("$$(A)", "$(A)"),
    "an escape and a variable": ("$$$(A)", "$1"),
    "two dollars": ("$$", "$"),
    "nobody's name": ("$(NOBODY)", "$(NOBODY)"),
    "a shell's way": ("${A} $A", "${A} $A"),
    "no end": ("$(A", "$(A"),
    "nothing at all": ("plain", "plain"),
    "values are not looked at again": ("$(C)", "$(A)"),
}


@pytest.mark.parametrize("case", EXPANSIONS)
def test_expanding(case: str) -> None:
    text, want = EXPANSIONS[case]
    assert expand(text, {"A": "1", "B": "2", "C": "$(A)"}) == want


@given(
    st.text(alphabet=st.characters(exclude_characters="$")), st.dictionaries(st.text(), st.text())
)
def test_text_without_dollars_stays(text: str, env: dict[str, str]) -> None:
    assert expand(text, env) == text


FIELDS = {
    "metadata.name": "p",
    "metadata.namespace": "ns",
    "metadata.uid": "u",
    "metadata.labels['a']": "1",
    "metadata.labels['none']": "",
    "metadata.annotations['note']": "n",
    "metadata.labels": 'a="1"\nb="say \\"x\\""',
    "spec.nodeName": "node",
    "spec.serviceAccountName": "robot",
    "status.hostIP": "10.0.0.1",
    "status.podIP": "10.0.0.2",
    "status.podIPs": "10.0.0.2,fd00::2",
}


@pytest.mark.parametrize("path", FIELDS)
def test_a_field(path: str) -> None:
    got = pod_field(pod(), path, host_ips=["10.0.0.1"], pod_ips=["10.0.0.2", "fd00::2"])
    assert got == FIELDS[path]


def test_a_field_that_is_not_offered() -> None:
    with pytest.raises(ValueError, match=r"unsupported fieldPath: spec\.priority"):
        pod_field(pod(), "spec.priority", host_ips=(), pod_ips=())


RESOURCES: dict[str, tuple[Object, str]] = {
    "processors are rounded up": ({"resource": "limits.cpu"}, "2"),
    "thousandths": ({"resource": "limits.cpu", "divisor": "1m"}, "1500"),
    "memory in bytes": ({"resource": "requests.memory"}, str(64 * 1024 * 1024)),
    "memory in mebibytes": ({"resource": "requests.memory", "divisor": "1Mi"}, "64"),
    "a limit that is not set is the node's": ({"resource": "limits.memory", "divisor": "1Gi"}, "16"),
    "a request that is not set": ({"resource": "requests.cpu"}, "0"),
    "of another container": ({"resource": "limits.cpu", "containerName": "b"}, "3"),
}  # fmt: skip


@pytest.mark.parametrize("case", RESOURCES)
def test_a_resource(case: str) -> None:
    asked, want = RESOURCES[case]
    one = pod(
        {"name": "a", "resources": {"limits": {"cpu": "1500m"}, "requests": {"memory": "64Mi"}}},
        {"name": "b", "resources": {"limits": {"cpu": "3"}}},
    )
    got = resource_field(one, one.spec.containers[0], asked, {"memory": "16Gi"})
    assert got == want


SOURCES = Sources(
    {"map": ConfigMap(ObjectMeta(name="map"), {"K": "v", "L": "w"}), "none": None},
    {"secret": Secret(ObjectMeta(name="secret"), data={"P": b"s"}), "none": None},
)


def made(container: Object) -> dict[str, str]:
    one = pod({"name": "a", **container})
    base = {"PATH": "/bin"}
    return build(one, one.spec.containers[0], base, SOURCES, Surroundings())


def test_everything_together() -> None:
    container: Object = {
        "envFrom": [
            {"configMapRef": {"name": "map"}},
            {"prefix": "X_", "secretRef": {"name": "secret"}},
            {"configMapRef": {"name": "none", "optional": True}},
        ],
        "env": [
            {"name": "L", "value": "changed"},
            {"name": "M", "value": "$(K)-$(L)-$(LATER)"},
            {"name": "LATER", "value": "x"},
            {"name": "S", "valueFrom": {"secretKeyRef": {"name": "secret", "key": "P"}}},
            {"name": "O", "valueFrom": {"configMapKeyRef": {"name": "map", "key": "?", "optional": True}}},
            {"name": "WHO", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        ],
    }  # fmt: skip
    assert made(container) == {
        "PATH": "/bin", "K": "v", "L": "changed", "X_P": "s", "M": "v-changed-$(LATER)", "LATER": "x", "S": "s", "WHO": "p",
    }  # fmt: skip


WRONG: dict[str, tuple[Object, str]] = {
    "a map that is not there": ({"envFrom": [{"configMapRef": {"name": "none"}}]}, 'configmap "none" not found'),
    "a secret that is not there": ({"envFrom": [{"secretRef": {"name": "none"}}]}, 'secret "none" not found'),
    "a key that is not there": (
        {"env": [{"name": "X", "valueFrom": {"configMapKeyRef": {"name": "map", "key": "?"}}}]},
        "couldn't find key ? in ConfigMap ns/map",
    ),
    "a secret's key that is not there": (
        {"env": [{"name": "X", "valueFrom": {"secretKeyRef": {"name": "secret", "key": "?"}}}]},
        "couldn't find key ? in Secret ns/secret",
    ),
    "a source that is not offered": (
        {"env": [{"name": "X", "valueFrom": {"fileKeyRef": {}}}]},
        (
            "env of container a: valueFrom fileKeyRef is not offered here; "
            "use configMapKeyRef, secretKeyRef, fieldRef or resourceFieldRef"
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_it_can_not_be_made_with(case: str) -> None:
    container, want = WRONG[case]
    with pytest.raises(Misconfigured) as got:
        made(container)
    assert str(got.value) == want


def test_what_has_to_be_read() -> None:
    one = pod(
        {
            "name": "a",
            "envFrom": [{"configMapRef": {"name": "m1"}}, {"secretRef": {"name": "s1"}}],
            "env": [
                {"name": "A", "valueFrom": {"configMapKeyRef": {"name": "m2", "key": "k"}}},
                {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s2", "key": "k"}}},
                {"name": "C", "value": "v"},
            ],
        }
    )
    assert needed(one.spec.containers[0]) == ({"m1", "m2"}, {"s1", "s2"})


def test_the_command_line() -> None:
    one = pod({"name": "a", "command": ["run", "$(A)"], "args": ["$$(A)", "$(A)$(B)"]})
    assert command_line(one.spec.containers[0], {"A": "1"}) == ["run", "1", "$(A)", "1$(B)"]
