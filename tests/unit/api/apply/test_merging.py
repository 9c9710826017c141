"""Merging a configuration into the live object."""

from __future__ import annotations

import copy

import pytest

from argosy.api.apply.merging import merge
from argosy.api.apply.shapes import Mistyped
from argosy.base.types import Json
from tests.unit.api.apply.widgets import WIDGET


def keys(*names: str) -> list[Json]:
    return [{"k": name} for name in names]


CASES: dict[str, tuple[Json, Json, Json]] = {
    "leaves are the configuration's": ({"replicas": 1, "on": True}, {"replicas": 2}, {"replicas": 2, "on": True}),
    "structs and maps merge": (
        {"a": {"x": 1}, "m": {"q": "1"}},
        {"a": {"y": "z"}, "m": {"r": "2"}},
        {"a": {"x": 1, "y": "z"}, "m": {"q": "1", "r": "2"}},
    ),
    "what is whole is replaced": (
        {"list": ["a"], "whole": {"p": 1}}, {"list": ["b"], "whole": {}}, {"list": ["b"], "whole": {}},
    ),
    "null does not empty a map": ({"m": {"q": "1"}}, {"m": None}, {"m": {"q": "1"}}),
    "nor a list by item": ({"tags": ["a"]}, {"tags": None}, {"tags": ["a"]}),
    "null replaces a scalar": ({"replicas": 1}, {"replicas": None}, {"replicas": None}),
    "null replaces an empty map": ({"m": {}}, {"m": None}, {"m": None}),
    "an empty map changes nothing": ({"m": {"q": "1"}}, {"m": {}}, {"m": {"q": "1"}}),
    "anything replaces null": ({"m": None}, {"m": {"q": "1"}}, {"m": {"q": "1"}}),
    "another type replaces": ({"free": {"x": [1]}}, {"free": {"x": {"y": 1}}}, {"free": {"x": {"y": 1}}}),
    "items merge by key": (
        {"items": [{"k": "a", "v": 1}, {"k": "b", "v": 1}]},
        {"items": [{"k": "b", "p": 1}]},
        {"items": [{"k": "a", "v": 1}, {"k": "b", "v": 1, "p": 1}]},
    ),
    "sets unite": ({"tags": ["a", "b"]}, {"tags": ["c", "b"]}, {"tags": ["a", "c", "b"]}),
    "the configuration's order wins among shared items": (
        {"items": keys("a", "b", "c")}, {"items": keys("c", "a")}, {"items": keys("b", "c", "a")},
    ),
    "live-only items stay before the next shared one": (
        {"items": keys("x", "a", "y", "b", "z")},
        {"items": keys("a", "n", "b")},
        {"items": keys("x", "a", "y", "n", "b", "z")},
    ),
    "items that live has twice are one again": (
        {"items": [{"k": "a", "v": 1}, {"k": "b"}, {"k": "a", "v": 2}]},
        {"items": [{"k": "a", "v": 3}]},
        {"items": [{"k": "a", "v": 3}, {"k": "b"}]},
    ),
    "a new list is the configuration's": ({}, {"items": keys("b", "a")}, {"items": keys("b", "a")}),
}  # fmt: skip


@pytest.mark.parametrize(("live", "config", "want"), CASES.values(), ids=CASES)
def test_merged(live: Json, config: Json, want: Json) -> None:
    before = copy.deepcopy((live, config))
    assert merge(WIDGET, {"spec": live}, {"spec": config}) == {"spec": want}
    assert (live, config) == before


def test_merging_what_is_there_returns_the_object_itself() -> None:
    live = {"spec": {"a": {"x": 1}, "items": [{"k": "a", "v": 1}, {"k": "b"}], "list": ["l"]}}
    config = {"spec": {"a": {"x": 1}, "items": [{"k": "a", "v": 1}], "list": ["l"]}}
    assert merge(WIDGET, live, config) is live


def test_a_configuration_with_an_item_twice_is_refused() -> None:
    with pytest.raises(Mistyped) as caught:
        merge(WIDGET, {"spec": {"tags": ["b"]}}, {"spec": {"tags": ["a", "a"]}})
    assert str(caught.value) == 'duplicate entries for key [="a"]'
