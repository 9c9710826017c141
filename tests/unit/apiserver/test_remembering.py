"""What is remembered of one object never shows in the answer to the next one that is like it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.behaviour.apiserver.asking import MAPS, PODS, Ask, Reply, asking

CONTAINER = {"name": "a", "image": "b"}
LONG = "x" * 60

CRON = {
    "spec": {
        "schedule": "* * * * *",
        "jobTemplate": {
            "spec": {"template": {"spec": {"containers": [CONTAINER], "restartPolicy": "Never"}}}
        },
    }
}


def pod(spec: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    return {"metadata": metadata, "spec": {"containers": [CONTAINER], **(spec or {})}}


SPREAD = {
    "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "matchLabelKeys": ["a"],
    "labelSelector": {"matchLabels": {"a": "b"}},
}  # fmt: skip
EVENTS = "/api/v1/namespaces/ns/events"


def event(**fields: Any) -> dict[str, Any]:
    about = {"kind": "Pod", "name": "a", "namespace": "ns"}
    return {
        "involvedObject": about,
        "reason": "R",
        "message": "m",
        "source": {"component": "c"},
        **fields,
    }


# Pairs of creates: the first may be remembered, the second must be answered as if it came first.
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any], dict[str, str]]] = {
    "two pods": (PODS, pod(), pod(), {}),
    "two config maps": (MAPS, {"data": {"a": "b"}}, {"data": {"a": "b"}}, {}),
    "host names": (PODS, pod({"hostname": "a"}), pod({"hostname": "b"}), {}),
    "a host name after none": (PODS, pod(), pod({"hostname": "b"}), {}),
    "no host name after one": (PODS, pod({"hostname": "b"}), pod(), {}),
    "a bad host name": (PODS, pod({"hostname": "a"}), pod({"hostname": "B_"}), {}),
    "a host name of another type": (PODS, pod({"hostname": "a"}), pod({"hostname": 1}), {}),
    "an empty host name": (PODS, pod({"hostname": "a"}), pod({"hostname": ""}), {}),
    "a spec of another type": (PODS, pod(), {"spec": "x"}, {}),
    "labels that the spec speaks of": (
        PODS,
        pod({"topologySpreadConstraints": [SPREAD]}, labels={"a": "b"}),
        pod({"topologySpreadConstraints": [SPREAD]}, labels={"a": "c"}),
        {},
    ),
    "an annotation that rules read": (
        PODS,
        pod(annotations={"controller.kubernetes.io/pod-deletion-cost": "1"}),
        pod(annotations={"controller.kubernetes.io/pod-deletion-cost": "x"}),
        {},
    ),
    "the index of a pod": (
        PODS,
        pod(annotations={"batch.kubernetes.io/job-completion-index": "1"}),
        pod(annotations={"batch.kubernetes.io/job-completion-index": "2"}),
        {},
    ),
    "too many annotations": (
        PODS,
        pod(annotations={"a": "x" * 4000, "b": "x" * 4000}),
        pod(annotations={"a": "x" * 260_000}),
        {},
    ),
    "two events": (EVENTS, event(), event(message="other"), {}),
    "an event with an empty field": (EVENTS, event(), event(message="", count=0), {}),
    "an event with a series": (EVENTS, event(), event(series={"count": 1}), {}),
    "an event with a series and one without": (EVENTS, event(series={"count": 1}), event(series={}), {}),
    "labels and annotations": (
        PODS, pod(labels={"a": "b"}), pod(labels={"c": "d"}, annotations={"e": "f"}), {},
    ),
    "the same keys with other values": (PODS, pod(labels={"a": "b"}), pod(labels={"a": "c"}), {}),
    "a bad label after a good one": (PODS, pod(labels={"a": "b"}), pod(labels={"a": "-"}), {}),
    "a bad annotation key": (PODS, pod(), pod(annotations={"a b": "c"}), {}),
    "finalizers": (
        MAPS, {"metadata": {"finalizers": ["a/b"]}}, {"metadata": {"finalizers": ["c/d"]}}, {},
    ),
    "owners": (
        PODS,
        pod(ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "u"}]),
        pod(ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "v"}]),
        {},
    ),
    "the same owner twice": (
        PODS,
        pod(),
        pod(ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": "u"}] * 2),
        {},
    ),
    "an unknown field warned of": (PODS, pod({"colour": 1}), pod({"colour": 1}), {}),
    "an unknown field refused": (
        MAPS, {"colour": 1}, {"colour": 1}, {"fieldValidation": "Strict"},
    ),
    "an unknown field in metadata": (
        MAPS, {"data": {"a": "b"}}, {"data": {"a": "b"}, "metadata": {"colour": 1}}, {},
    ),
    "a value of another type": (MAPS, {"data": {"a": 1}}, {"data": {"a": 1}}, {}),
    "metadata of another type": (MAPS, {}, {"metadata": {"labels": 5}}, {}),
    "an invalid pod": (
        PODS, pod({"restartPolicy": "Now"}), pod({"restartPolicy": "Now"}), {},
    ),
    "a warning of the kind's rules": (
        PODS,
        pod({"containers": [CONTAINER | {"env": [{"name": "A"}, {"name": "A"}]}]}),
        pod({"containers": [CONTAINER | {"env": [{"name": "A"}, {"name": "A"}]}]}),
        {},
    ),
    "a name with a dot, which a host name cannot have": (PODS, pod(), pod(name="a.b"), {}),
    "a name too long for the claim of an ephemeral volume": (
        PODS,
        pod({"volumes": [{"name": LONG, "ephemeral": {"volumeClaimTemplate": {
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}}
        }}}]}),
        pod({"volumes": [{"name": LONG, "ephemeral": {"volumeClaimTemplate": {
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1"}}}
        }}}]}, name="a" * 200),
        {},
    ),
    "a name too long for a cron job": (
        "/apis/batch/v1/namespaces/ns/cronjobs", CRON, {**CRON, "metadata": {"name": "c" * 53}}, {},
    ),
    "a name that is none": (MAPS, {}, {"metadata": {"name": "A"}}, {}),
    "a dry run": (PODS, pod(), pod(), {"dryRun": "All"}),
    "another kind": (MAPS, {"data": {"a": "b"}}, {"data": {"a": "b"}, "kind": "Secret"}, {}),
    "managed fields of its own": (
        MAPS,
        {"data": {"a": "b"}},
        {
            "data": {"a": "b"},
            "metadata": {"managedFields": [{
                "manager": "x", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
                "fieldsV1": {"f:data": {"f:a": {}}},
            }]},
        },
        {},
    ),
}  # fmt: skip


def seen(reply: Reply) -> tuple[int, Any, tuple[str, ...]]:
    """An answer without what differs between any two objects."""
    body = dict(reply.body)
    if "metadata" in body:
        body["metadata"] = {
            key: value
            for key, value in body["metadata"].items()
            if key not in {"uid", "resourceVersion", "creationTimestamp"}
        }
    return reply.code, body, reply.warnings


def named(obj: dict[str, Any], name: str) -> dict[str, Any]:
    return {**obj, "metadata": {"name": name, **obj.get("metadata", {})}}


def answers(path: str, *creates: dict[str, Any], **query: str) -> list[Any]:
    """What a fresh cluster says to some creates."""
    got: list[Any] = []

    async def story(ask: Ask) -> None:
        for obj in creates:
            reply = await ask("POST", path, obj, **query)
            got.append(seen(reply))

    asking(story)
    return got


@pytest.mark.parametrize("name", CASES)
def test_the_second_is_answered_as_if_it_came_first(name: str) -> None:
    path, first, second, query = CASES[name]
    want = answers(path, named(second, "two"), **query)[0]
    got = answers(path, named(first, "one"), named(second, "two"), **query)[1]
    assert got == want


def test_an_ignored_field_is_warned_of_the_next_time() -> None:
    got: list[Reply] = []

    async def story(ask: Ask) -> None:
        for name, validation in (("a", "Ignore"), ("b", "Warn"), ("c", "Strict")):
            obj = {"metadata": {"name": name}, "colour": 1}
            got.append(await ask("POST", MAPS, obj, fieldValidation=validation))

    asking(story)
    assert [(reply.code, reply.warnings) for reply in got] == [
        (201, ()),
        (201, ('unknown field "colour"',)),
        (400, ()),
    ]


def test_each_creator_owns_its_own() -> None:
    got: list[Any] = []

    async def story(ask: Ask) -> None:
        for manager in ("x", "y"):
            obj = {"metadata": {"name": manager, "labels": {"a": manager}}, "data": {"a": "b"}}
            got.append((await ask("POST", MAPS, obj, fieldManager=manager)).owners)

    asking(story)
    fields = {
        "f:data": {".": {}, "f:a": {}},
        "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
    }
    assert got == [{"x Update": fields}, {"y Update": fields}]


words = st.sampled_from(["a", "b", "A b", "c.d", ""])
maps = st.dictionaries(words, words, max_size=2)
contents = st.fixed_dictionaries(
    {},
    optional={
        "data": maps,
        "immutable": st.booleans(),
        "colour": words,
        "metadata": st.fixed_dictionaries(
            {}, optional={"labels": maps, "annotations": maps, "generateName": words}
        ),
    },
)


@settings(max_examples=25)
@given(contents, contents, st.sampled_from(["Ignore", "Warn", "Strict"]))
def test_no_history_shows(first: dict[str, Any], second: dict[str, Any], validation: str) -> None:
    query = {"fieldValidation": validation}
    want = answers(MAPS, named(second, "two"), **query)[0]
    got = answers(MAPS, named(first, "one"), named(first, "more"), named(second, "two"), **query)[2]
    assert got == want
