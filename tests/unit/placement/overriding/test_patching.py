"""JSON patches of overrides, with evanphx's words for what does not fit."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.base.types import Json, Object
from argosy.placement.overriding.patching import Operation, PatchFailed, patched

DOCUMENT: Object = {"data": {"a": "1", "b/c": "2"}, "list": ["x", "y", {"z": 1}], "none": None}

CHANGES: dict[str, tuple[Operation, str, Json]] = {
    "add a key": (Operation("add", "/data/n", 5), "data", {"a": "1", "b/c": "2", "n": 5}),
    "add over a key": (Operation("add", "/data/a", [1]), "data", {"a": [1], "b/c": "2"}),
    "add to the end of a list": (Operation("add", "/list/-", 0), "list", ["x", "y", {"z": 1}, 0]),
    "add within a list": (Operation("add", "/list/1", 0), "list", ["x", 0, "y", {"z": 1}]),
    "add behind the last": (Operation("add", "/list/3", 0), "list", ["x", "y", {"z": 1}, 0]),
    "add counted from the end": (Operation("add", "/list/-1", 0), "list", ["x", "y", {"z": 1}, 0]),
    "add nothing is null": (Operation("add", "/none"), "none", None),
    "add below a list": (
        Operation("add", "/list/2/q", 2),
        "list",
        ["x", "y", {"z": 1, "q": 2}],
    ),
    "an escaped key": (Operation("replace", "/data/b~1c", "3"), "data", {"a": "1", "b/c": "3"}),
    "remove a key": (Operation("remove", "/data/a"), "data", {"b/c": "2"}),
    "remove from a list": (Operation("remove", "/list/0"), "list", ["y", {"z": 1}]),
    "remove counted from the end": (Operation("remove", "/list/-1"), "list", ["x", "y"]),
    "replace a key": (Operation("replace", "/data/a", "9"), "data", {"a": "9", "b/c": "2"}),
    "replace null": (Operation("replace", "/none", 1), "none", 1),
    "replace in a list": (Operation("replace", "/list/-3", 0), "list", [0, "y", {"z": 1}]),
    "what is before the first slash is ignored": (
        Operation("add", "what/data/n", 5),
        "data",
        {"a": "1", "b/c": "2", "n": 5},
    ),
}


@pytest.mark.parametrize(("operation", "at", "want"), CHANGES.values(), ids=CHANGES)
def test_a_change(operation: Operation, at: str, want: Json) -> None:
    assert patched(deepcopy(DOCUMENT), operation)[at] == want


FAILURES = {
    "add where the way is missing": (
        Operation("add", "/nope/n"),
        'add operation does not apply: doc is missing path: "/nope/n": missing value',
    ),
    "add below a text": (
        Operation("add", "/data/a/n"),
        'add operation does not apply: doc is missing path: "/data/a/n": missing value',
    ),
    "add below null": (
        Operation("add", "/none/n"),
        'add operation does not apply: doc is missing path: "/none/n": missing value',
    ),
    "add without a slash": (
        Operation("add", "data"),
        'add operation does not apply: doc is missing path: "data": missing value',
    ),
    "add below an item that is not there": (
        Operation("add", "/list/7/n"),
        'add operation does not apply: doc is missing path: "/list/7/n": missing value',
    ),
    "add at no index": (
        Operation("add", "/list/x"),
        (
            "error in add for path: '/list/x': value was not a proper array index: 'x': "
            'strconv.Atoi: parsing "x": invalid syntax'
        ),
    ),
    "add too far": (
        Operation("add", "/list/4"),
        "error in add for path: '/list/4': Unable to access invalid index: 4: invalid index referenced",
    ),
    "add too far from the end": (
        Operation("add", "/list/-5"),
        "error in add for path: '/list/-5': Unable to access invalid index: -5: invalid index referenced",
    ),
    "remove where the way is missing": (
        Operation("remove", "/nope/n"),
        'remove operation does not apply: doc is missing path: "/nope/n": missing value',
    ),
    "remove what is not there": (
        Operation("remove", "/data/n"),
        "error in remove for path: '/data/n': unable to remove nonexistent key: n: missing value",
    ),
    "remove everything": (
        Operation("remove", ""),
        "error in remove for path: '': unable to remove nonexistent key: : missing value",
    ),
    "remove no index": (
        Operation("remove", "/list/-"),
        "error in remove for path: '/list/-': strconv.Atoi: parsing \"-\": invalid syntax",
    ),
    "remove too far": (
        Operation("remove", "/list/3"),
        "error in remove for path: '/list/3': Unable to access invalid index: 3: invalid index referenced",
    ),
    "replace where the way is missing": (
        Operation("replace", "/data/nope/deeper"),
        "replace operation does not apply: doc is missing path: /data/nope/deeper: missing value",
    ),
    "replace what is not there": (
        Operation("replace", "/data/n"),
        "replace operation does not apply: doc is missing key: /data/n: missing value",
    ),
    "replace an item that is not there": (
        Operation("replace", "/list/3"),
        "replace operation does not apply: doc is missing key: /list/3: missing value",
    ),
    "replace no index": (
        Operation("replace", "/list/x"),
        "replace operation does not apply: doc is missing key: /list/x: missing value",
    ),
    "another operation": (Operation("move", "/data"), "Unexpected kind: move"),
}


@pytest.mark.parametrize(("operation", "want"), FAILURES.values(), ids=FAILURES)
def test_a_change_that_does_not_fit(operation: Operation, want: str) -> None:
    with pytest.raises(PatchFailed) as caught:
        patched(deepcopy(DOCUMENT), operation)
    assert str(caught.value) == want


def test_the_whole_document_can_be_replaced() -> None:
    assert patched({"a": 1}, Operation("replace", "", {"b": 2})) == {"b": 2}


@given(st.dictionaries(st.text(), st.integers()), st.text(), st.integers())
def test_what_was_added_can_be_removed(document: dict[str, int], key: str, value: int) -> None:
    before = dict(document)
    path = "/" + key.replace("~", "~0").replace("/", "~1")
    added = patched(document, Operation("add", path, value))
    assert added == {**before, key: value}
    before.pop(key, None)
    assert patched(added, Operation("remove", path)) == before
