"""Strategic merge patch on built-in kinds; results and texts as a real kube-apiserver (v1.35) gives them."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.patches.strategic import apply_strategic_patch
from argosy.api.schema.builtin import builtin_schema
from argosy.base.errors import StatusError
from argosy.base.types import Json, Object

SCHEMA = builtin_schema("io.k8s.api.core.v1.Pod")
DEPLOYMENT = builtin_schema("io.k8s.api.apps.v1.Deployment")


def pod(*containers: Object, **spec: Json) -> Object:
    return {"metadata": {"name": "p"}, "spec": {"containers": list(containers), **spec}}


def named(*names: str) -> list[Object]:
    return [{"name": name} for name in names]


A: Object = {"name": "a", "image": "i", "args": ["x", "y"], "env": [{"name": "E", "value": "1"}]}
B: Object = {"name": "b", "image": "i"}
C: Object = {"name": "c", "image": "i"}


@dataclass(frozen=True)
class Case:
    patch: Object
    want: Object
    original: Object


def of(patch: Json, want: Object, original: Object | None = None) -> Case:
    return Case({"spec": patch}, want, original if original is not None else pod(A, B, C))


VOLUMES = pod(A, volumes=[{"name": "v", "emptyDir": {}}, {"name": "w", "emptyDir": {}}])
FINALIZED: Object = {"metadata": {"finalizers": ["a", "b", "c"], "labels": {"x": "y"}}}

CASES: dict[str, Case] = {
    "an item is merged by its key, and goes before what the server had behind it": of(
        {"containers": [{"name": "b", "image": "n"}]}, pod(A, {"name": "b", "image": "n"}, C)
    ),
    "a new item goes first when the patch has it first": of(
        {"containers": [{"name": "n"}, {"name": "b", "tty": True}]},
        pod({"name": "n"}, A, {**B, "tty": True}, C),
    ),
    "the patch's order wins": of(
        {"containers": [{"name": "c"}, {"name": "a"}]}, pod(B, C, A)
    ),
    "an item is deleted": of({"containers": [{"name": "b", "$patch": "delete"}]}, pod(A, C)),
    "an item that is not there is deleted without a word": of(
        {"containers": [{"name": "z", "$patch": "delete"}]}, pod(A, B, C)
    ),
    "a list is replaced": of({"containers": [{"$patch": "replace"}, {"name": "n"}]}, pod({"name": "n"})),
    "lists within items merge by their own keys": of(
        {"containers": [{"name": "a", "env": [{"name": "F", "value": "2"}]}]},
        pod({**A, "env": [{"name": "F", "value": "2"}, {"name": "E", "value": "1"}]}, B, C),
    ),
    "a list without a merge strategy is replaced": of(
        {"containers": [{"name": "a", "args": ["z"]}]}, pod({**A, "args": ["z"]}, B, C)
    ),
    "null removes": of(
        {"containers": [{"name": "a", "args": None, "tty": None}]},
        pod({"name": "a", "image": "i", "env": A["env"]}, B, C),
    ),
    "nulls of a new item are left out": of(
        {"containers": [{"name": "n", "image": None}]}, pod({"name": "n"}, A, B, C)
    ),
    "the order is set": of(
        {"$setElementOrder/containers": named("c", "a", "b")}, pod(C, A, B)
    ),
    "items outside the set order keep their place": of(
        {"$setElementOrder/containers": named("c", "n", "a"), "containers": [{"name": "n"}]},
        pod(B, C, {"name": "n"}, A),
    ),
    "the order of a new list is set": of(
        {"$setElementOrder/volumes": named("w", "v"), "volumes": named("w", "v")},
        pod(A, volumes=named("w", "v")),
        pod(A),
    ),
    "the order of an absent list is nobody's": of(
        {"$setElementOrder/volumes": named("w", "v")}, pod(A), pod(A)
    ),
    "only retained keys stay": of(
        {"volumes": [{"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/"}}]},
        pod(A, volumes=[{"name": "v", "hostPath": {"path": "/"}}, {"name": "w", "emptyDir": {}}]),
        VOLUMES,
    ),
    "a map is replaced": of(
        {"securityContext": {"$patch": "replace", "runAsUser": 2}},
        pod(A, securityContext={"runAsUser": 2}),
        pod(A, securityContext={"fsGroup": 1}),
    ),
    "a map is emptied": of(
        {"securityContext": {"$patch": "delete"}},
        pod(A, securityContext={}),
        pod(A, securityContext={"fsGroup": 1}),
    ),
    "a directive for what is not there is no value": of(
        {"securityContext": {"$patch": "delete"}}, pod(A), pod(A)
    ),
    "directives and nulls below a new value are dropped": of(
        {"volumes": [{"name": "v", "emptyDir": {"medium": None}}, {"name": "w", "$patch": "delete"}]},
        pod(A, volumes=[{"name": "v", "emptyDir": {}}]),
        pod(A),
    ),
    "a value of another type is replaced": of({"volumes": {"a": 1}}, pod(A, volumes={"a": 1}), VOLUMES),
    "unknown fields merge as plain objects": of(
        {"bogus": {"a": {"b": 1}}}, pod(A, bogus={"a": {"b": 1, "c": 2}}), pod(A, bogus={"a": {"c": 2}})
    ),
    "scalars unite in the patch's order": Case(
        {"metadata": {"finalizers": ["d", "b"]}},
        {"metadata": {"finalizers": ["d", "a", "b", "c"], "labels": {"x": "y"}}},
        FINALIZED,
    ),
    "scalars are deleted": Case(
        {"metadata": {"$deleteFromPrimitiveList/finalizers": ["b", "z"]}},
        {"metadata": {"finalizers": ["a", "c"], "labels": {"x": "y"}}},
        FINALIZED,
    ),
    "scalars are deleted and put in order": Case(
        {
            "metadata": {
                "$deleteFromPrimitiveList/finalizers": ["b"],
                "$setElementOrder/finalizers": ["c", "a"],
            }
        },
        {"metadata": {"finalizers": ["c", "a"], "labels": {"x": "y"}}},
        FINALIZED,
    ),
    "map keys merge": Case(
        {"metadata": {"labels": {"x": None, "z": "1"}}},
        {"metadata": {"finalizers": ["a", "b", "c"], "labels": {"z": "1"}}},
        FINALIZED,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_patched(case: Case) -> None:
    original, patch = copy.deepcopy(case.original), copy.deepcopy(case.patch)
    got = apply_strategic_patch(SCHEMA, original, patch)
    assert got == case.want
    assert (original, patch) == (case.original, case.patch)


def test_strategies_of_a_field_win_over_those_of_its_type() -> None:
    original: Object = {
        "spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}
    }
    patch = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}
    got = apply_strategic_patch(DEPLOYMENT, original, patch)
    assert got == {"spec": {"strategy": {"type": "Recreate"}}}


def test_null_is_a_patch_without_content() -> None:
    original = pod(A)
    assert apply_strategic_patch(SCHEMA, original, None) is original


REFUSED: dict[str, tuple[Json, int, str]] = {
    "a list": ([1], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"),
    "an unknown directive": (
        {"spec": {"$patch": "frob"}}, 400, "unknown patch type: frob in map: map[$patch:frob]",
    ),
    "an unknown directive of an item": (
        {"spec": {"containers": [{"name": "a", "$patch": "frob"}]}},
        400,
        "unknown patch type: frob in map: map[$patch:frob name:a]",
    ),
    "merge of a list": (
        {"spec": {"containers": [{"name": "a", "$patch": "merge"}]}},
        400,
        "merging lists cannot yet be specified in the patch",
    ),
    "an item without its key": (
        {"spec": {"containers": [{"image": "z"}]}},
        400,
        "map: map[image:z] does not contain declared merge key: name",
    ),
    "a deletion without its key": (
        {"spec": {"containers": [{"image": "z", "$patch": "delete"}]}},
        400,
        "map: map[$patch:delete image:z] does not contain declared merge key: name",
    ),
    "a key that is no scalar": (
        {"spec": {"containers": [{"name": {}}]}},
        400,
        "merge key name of map[name:map[]] must be a string, a number or a boolean",
    ),
    "items of two types": (
        {"metadata": {"finalizers": [1, "x"]}},
        400,
        "list element types are not identical: [[f] [1 x]]",
    ),
    "lists of lists": ({"metadata": {"finalizers": [["x"]]}}, 400, "list element types are not identical: [[f] [[x]]]"),
    "an order that is no list": (
        {"spec": {"$setElementOrder/containers": "x"}},
        400,
        "expected a []interface {}, but received a string",
    ),
    "an order of a list that is removed": (
        {"spec": {"$setElementOrder/containers": named("a"), "containers": None}},
        400,
        "expected a []interface {}, but received a %!s(<nil>)",
    ),
    "an order of no list": (
        {"spec": {"$setElementOrder": [1]}}, 400, "invalid patch format of setElementOrder list",
    ),
    "an order of an unknown field": (
        {"spec": {"$setElementOrder/nope": []}},
        400,
        'unable to find api field in struct PodSpec for the json field "nope"',
    ),
    "an order of scalars for items": (
        {"spec": {"$setElementOrder/containers": ["x"]}}, 400, "value for key 0 is not a map",
    ),
    "an order without an item of the patch": (
        {"metadata": {"finalizers": ["q", "f"], "$setElementOrder/finalizers": ["f", "q"]}},
        400,
        "The order in patch list:\n[q f]\n doesn't match $setElementOrder list:\n[f q]\n",
    ),
    "a deletion from no list": (
        {"metadata": {"$deleteFromPrimitiveList": ["x"]}}, 400, "invalid patch format of primitive list",
    ),
    "retained keys that are no list": (
        {"spec": {"$retainKeys": "x"}}, 400, "invalid patch format of retainKeys",
    ),
    "a key that is set but not retained": (
        {"spec": {"$retainKeys": ["x"], "y": 1}}, 400, "invalid patch format of retainKeys",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("patch", "code", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(patch: Json, code: int, message: str) -> None:
    original = {**pod(A), "metadata": {"finalizers": ["f"]}}
    with pytest.raises(StatusError) as caught:
        apply_strategic_patch(SCHEMA, original, patch)
    assert (caught.value.code, caught.value.message) == (code, message)


NAMES = st.lists(st.sampled_from("abcdef"), unique=True, max_size=6)
ITEMS = NAMES.flatmap(
    lambda names: st.tuples(
        *(st.fixed_dictionaries({"name": st.just(n)}, optional={"image": st.sampled_from("xyz")}) for n in names)
    ).map(list)
)  # fmt: skip


def diff(old: list[Object], new: list[Object]) -> Object:
    """The strategic merge patch from one list of containers to another, as kubectl makes it."""
    kept = {item["name"] for item in new}
    before = {item["name"]: item for item in old}
    changes = []
    for item in new:
        was = before.get(item["name"], {})
        changes.append({**dict.fromkeys(was.keys() - item.keys()), **item})
    gone = [{"name": n, "$patch": "delete"} for n in before if n not in kept]
    return {
        "$setElementOrder/containers": [{"name": item["name"]} for item in new],
        "containers": changes + gone,
    }


@given(ITEMS, ITEMS.filter(bool))
def test_the_difference_of_two_lists_takes_one_to_the_other(
    old: list[Object], new: list[Object]
) -> None:
    got = apply_strategic_patch(SCHEMA, pod(*old), {"spec": diff(old, new)})
    assert got == pod(*new)


@given(ITEMS, ITEMS)
def test_a_patch_twice_is_the_patch_once(old: list[Object], patch: list[Object]) -> None:
    once = apply_strategic_patch(SCHEMA, pod(*old), {"spec": {"containers": patch}})
    assert apply_strategic_patch(SCHEMA, once, {"spec": {"containers": patch}}) == once
