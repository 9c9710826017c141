"""The patch between what was applied, what is wanted and what is there; and the law that it gets there and then rests."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.patches.failures import PatchFailed
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.api.patches.strategic import apply_strategic_patch
from argosy.api.patches.three_way import three_way_patch
from argosy.api.schema.builtin import builtin_schema, type_name
from argosy.api.schema.structural import ANYTHING
from argosy.base.types import Json, Object

POD = builtin_schema(type_name("", "v1", "Pod"))
DEPLOYMENT = builtin_schema(type_name("apps", "v1", "Deployment"))


def pod(*containers: Object, **meta: Json) -> Object:
    return {"metadata": meta, "spec": {"containers": list(containers)}}


def container(name: str, **more: Json) -> Object:
    return {"name": name, **more}


# original, modified, current, the patch, and the object it makes.
CASES: dict[str, tuple[Object, Object, Object, Object]] = {
    "nothing to do": (pod(container("a")), pod(container("a")), pod(container("a")), {}),
    "what is wanted and not there is set": (
        {}, {"metadata": {"labels": {"a": "1"}}}, {"metadata": {}}, {"metadata": {"labels": {"a": "1"}}}),
    "what differs is set": (
        {}, {"metadata": {"labels": {"a": "1"}}}, {"metadata": {"labels": {"a": "2"}}},
        {"metadata": {"labels": {"a": "1"}}}),
    "what was wanted and is no more goes": (
        {"metadata": {"labels": {"a": "1", "b": "1"}}}, {"metadata": {"labels": {"a": "1"}}},
        {"metadata": {"labels": {"a": "1", "b": "2", "c": "3"}}}, {"metadata": {"labels": {"b": None}}}),
    "what is gone already is not removed again": (
        {"metadata": {"labels": {"b": "1"}}}, {"metadata": {"labels": {}}}, {"metadata": {"labels": {}}}, {}),
    "what others added to a list stays": (
        pod(container("a", image="1")), pod(container("a", image="2")),
        pod(container("a", image="1"), container("x", image="9")),
        {"spec": {"containers": [{"image": "2", "name": "a"}], "$setElementOrder/containers": [{"name": "a"}]}}),
    "an item that is wanted no more goes": (
        pod(container("a"), container("b")), pod(container("a")), pod(container("a"), container("b")),
        {"spec": {"containers": [{"$patch": "delete", "name": "b"}], "$setElementOrder/containers": [{"name": "a"}]}}),
    "an order that is not the wanted one is changed": (
        {}, pod(container("b"), container("a")), pod(container("a"), container("b")),
        {"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}}),
    "values are added and taken": (
        pod(finalizers=["x/a", "x/b"]), pod(finalizers=["x/b", "x/c"]), pod(finalizers=["x/a", "x/b", "y/z"]),
        {"metadata": {"finalizers": ["x/c"], "$deleteFromPrimitiveList/finalizers": ["x/a"],
                      "$setElementOrder/finalizers": ["x/b", "x/c"]}}),
    "an atomic list is replaced": (
        {}, pod(container("a", args=["1", "2"])), pod(container("a", args=["1"])),
        {"spec": {"containers": [{"args": ["1", "2"], "name": "a"}], "$setElementOrder/containers": [{"name": "a"}]}}),
    "keys that repeat make a list whole": (
        {}, pod(container("a", ports=[{"containerPort": 1, "protocol": "TCP"}, {"containerPort": 1, "protocol": "UDP"}])),
        pod(container("a", ports=[{"containerPort": 1, "protocol": "TCP"}])),
        {"spec": {
            "containers": [{
                "ports": [{"$patch": "replace"}, {"containerPort": 1, "protocol": "TCP"},
                          {"containerPort": 1, "protocol": "UDP"}],
                "name": "a"}],
            "$setElementOrder/containers": [{"name": "a"}]}}),
    "null wants nothing": ({}, {"metadata": {"creationTimestamp": None}}, {"metadata": {}}, {}),
    "true is not one": ({}, {"a": True}, {"a": 1}, {"a": True}),
    "another type": ({}, {"a": {"b": 1}}, {"a": [1]}, {"a": {"b": 1}}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_strategic_patch(case: str) -> None:
    original, modified, current, want = CASES[case]
    kept = copy.deepcopy((original, modified, current))
    assert three_way_patch(POD, original, modified, current) == want
    assert (original, modified, current) == kept


def test_a_union_keeps_only_what_is_wanted() -> None:
    current = {
        "spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%"}}}
    }
    modified = {"spec": {"strategy": {"type": "Recreate"}}}
    patch = three_way_patch(DEPLOYMENT, {}, modified, current)
    assert patch == {"spec": {"strategy": {"type": "Recreate", "$retainKeys": ["type"]}}}
    assert apply_strategic_patch(DEPLOYMENT, current, patch) == modified


def test_lists_of_custom_kinds_are_replaced() -> None:
    original, modified = {"spec": {"l": [{"name": "a"}]}}, {"spec": {"l": [{"name": "b"}]}}
    current = {"spec": {"l": [{"name": "a"}, {"name": "x"}], "kept": 1}}
    patch = three_way_patch(ANYTHING, original, modified, current)
    assert patch == {"spec": {"l": [{"name": "b"}]}}


def test_an_item_without_its_key_cannot_be_merged() -> None:
    with pytest.raises(PatchFailed, match="does not contain declared merge key: name"):
        three_way_patch(POD, {}, pod({"image": "x"}), pod(container("a")))
    with pytest.raises(PatchFailed, match="list element types are not identical"):
        three_way_patch(POD, {}, {"spec": {"containers": ["x"]}}, pod(container("a")))


def test_a_record_that_somebody_spoilt_removes_nothing() -> None:
    modified = {"metadata": {"labels": {"a": "1"}}}
    current = {"metadata": {"labels": {"a": "1", "b": "2"}}}
    assert three_way_patch(POD, {"metadata": "spoilt"}, modified, current) == {}


ENVIRONMENT = st.lists(
    st.builds(
        lambda name, value: {"name": name, "value": value},
        st.sampled_from("xyz"),
        st.sampled_from("12"),
    ),
    unique_by=lambda each: each["name"],
    max_size=3,
)
CONTAINERS = st.lists(
    st.builds(
        lambda name, image, env, args: {"name": name, "image": image, "env": env, "args": args},
        st.sampled_from("abc"),
        st.sampled_from("12"),
        ENVIRONMENT,
        st.lists(st.sampled_from("pq"), max_size=2),
    ),
    unique_by=lambda each: each["name"],
    max_size=3,
)
PODS = st.builds(
    lambda containers, labels, finalizers: {
        "metadata": {"labels": labels, "finalizers": finalizers},
        "spec": {"containers": containers},
    },
    CONTAINERS,
    st.dictionaries(st.sampled_from("klm"), st.sampled_from("12"), max_size=3),
    st.lists(st.sampled_from(["f/a", "f/b", "f/c"]), unique=True, max_size=3),
)


@given(PODS, PODS, PODS)
def test_the_patch_gets_there_and_then_there_is_none(
    original: Object, modified: Object, current: Object
) -> None:
    patch = three_way_patch(POD, original, modified, current)
    after = apply_strategic_patch(POD, current, patch)
    assert three_way_patch(POD, modified, modified, after) == {}
    assert _holds(after, modified)
    # What was applied once and is wanted no more has gone; what is somebody else's has stayed.
    labels = after["metadata"]["labels"]
    mine, wanted = original["metadata"]["labels"], modified["metadata"]["labels"]
    theirs = {k: v for k, v in current["metadata"]["labels"].items() if k not in mine}
    assert labels == {**theirs, **wanted}


@given(PODS, PODS, PODS)
def test_the_same_holds_for_merge_patches(
    original: Object, modified: Object, current: Object
) -> None:
    patch = three_way_patch(ANYTHING, original, modified, current)
    after = apply_merge_patch(current, patch)
    assert three_way_patch(ANYTHING, modified, modified, after) == {}
    assert after["spec"] == modified["spec"]


def _holds(after: Json, wanted: Json) -> bool:
    """Whether everything wanted is there: items of lists by name, scalars of lists among others."""
    if isinstance(wanted, dict):
        return isinstance(after, dict) and all(
            key in after and _holds(after[key], value) for key, value in wanted.items()
        )
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        found = {each["name"]: each for each in after}
        return all(_holds(found.get(each["name"]), each) for each in wanted)
    if isinstance(wanted, list):
        return all(each in after for each in wanted)
    return bool(after == wanted)
