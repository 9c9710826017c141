"""The harness itself: it finds a planted difference, and normalizes what must differ and no more."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.differential.comparing import Difference, Permission, differences, permissions
from tests.differential.exchanging import Answer
from tests.differential.loading import Case, Json, load, pick, put, themes
from tests.differential.normalizing import Normalizer
from tests.differential.replaying import judge

UID = "0cea3165-8451-4c6f-9391-799b06fc760f"
OTHER_UID = "387d6bea-b577-405b-aed2-67db12f66049"
COMPATIBILITY = Path(__file__).parents[2] / "COMPATIBILITY.md"


@dataclass(slots=True, frozen=True)
class Pair:
    want: Json
    got: Json
    differences: list[Difference]


PAIRS: dict[str, Pair] = {
    "equal values have no differences": Pair({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, []),
    "the order of keys does not matter": Pair({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
    "a changed value is named by its path": Pair(
        {"a": [{"b": 1}]}, {"a": [{"b": 2}]}, [Difference("a[0].b", 1, 2)]
    ),
    "a missing key is absent": Pair({"a": 1}, {}, [Difference("a", 1, "<absent>")]),
    "a longer list has more": Pair([1], [1, 2], [Difference("[1]", "<absent>", 2)]),
    "the order of a list matters": Pair(
        [1, 2], [2, 1], [Difference("[0]", 1, 2), Difference("[1]", 2, 1)]
    ),
    "a number is not a boolean": Pair(1, True, [Difference("", 1, True)]),
    "null is not absent": Pair({"a": None}, {}, [Difference("a", None, "<absent>")]),
}


@pytest.mark.parametrize("name", PAIRS)
def test_differences(name: str) -> None:
    pair = PAIRS[name]
    assert list(differences(pair.want, pair.got)) == pair.differences


def normalized(body: Json, generate_name: str = "", **variables: str) -> Json:
    answer = Answer(200, {"Content-Type": ["application/json"]}, body, generate_name)
    return Normalizer(dict(variables)).normalize(answer)["body"]


NORMALIZED: dict[str, tuple[Json, Json]] = {
    "a uid is named after its object, everywhere": (
        {"metadata": {"name": "a", "uid": UID}, "message": f"owner {UID}", "x": OTHER_UID},
        {
            "metadata": {"name": "a", "uid": "<uid of a>"},
            "message": "owner <uid of a>",
            "x": "<uid>",
        },
    ),
    "an object made anew has another uid": (
        [{"metadata": {"name": "a", "uid": UID}}, {"metadata": {"name": "a", "uid": OTHER_UID}}],
        [
            {"metadata": {"name": "a", "uid": "<uid of a>"}},
            {"metadata": {"name": "a", "uid": "<uid of a>#2"}},
        ],
    ),
    "versions are counted per object": (
        [
            {"metadata": {"name": "a", "uid": UID, "resourceVersion": "7"}},
            {"metadata": {"name": "a", "uid": UID, "resourceVersion": "9"}},
            {"metadata": {"name": "a", "uid": UID, "resourceVersion": "7"}},
        ],
        [
            {"metadata": {"name": "a", "uid": "<uid of a>", "resourceVersion": "<version 1>"}},
            {"metadata": {"name": "a", "uid": "<uid of a>", "resourceVersion": "<version 2>"}},
            {"metadata": {"name": "a", "uid": "<uid of a>", "resourceVersion": "<version 1>"}},
        ],
    ),
    "a list has a version of its own": (
        {"kind": "PodList", "metadata": {"resourceVersion": "7", "continue": "abc"}, "items": []},
        {
            "kind": "PodList",
            "metadata": {"resourceVersion": "<version>", "continue": "<continue>"},
            "items": [],
        },
    ),
    "seconds and microseconds stay apart": (
        {"a": "2025-01-02T03:04:05Z", "b": "2025-01-02T03:04:05.000006Z"},
        {"a": "<time>", "b": "<microtime>"},
    ),
    "the order of managed fields is dropped": (
        {"metadata": {"managedFields": [{"manager": "b"}, {"manager": "a"}]}},
        {"metadata": {"managedFields": [{"manager": "a"}, {"manager": "b"}]}},
    ),
    "an age in a table is blanked, another cell is not": (
        {
            "kind": "Table",
            "columnDefinitions": [{"name": "Name"}, {"name": "Age"}],
            "rows": [{"cells": ["5s", "5s"]}],
        },
        {
            "kind": "Table",
            "columnDefinitions": [{"name": "Name"}, {"name": "Age"}],
            "rows": [{"cells": ["5s", "<age>"]}],
        },
    ),
    "a bookmark in the middle of a watch is dropped": (
        [{"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "5"}}}],
        [],
    ),
    "the end of the initial events is kept": (
        [
            {
                "type": "BOOKMARK",
                "object": {
                    "metadata": {
                        "resourceVersion": "5",
                        "annotations": {"k8s.io/initial-events-end": "true"},
                    }
                },
            }
        ],
        [
            {
                "type": "BOOKMARK",
                "object": {
                    "metadata": {
                        "resourceVersion": "",
                        "annotations": {"k8s.io/initial-events-end": "true"},
                    }
                },
            }
        ],
    ),
}


@pytest.mark.parametrize("name", NORMALIZED)
def test_normalizing(name: str) -> None:
    body, want = NORMALIZED[name]
    assert normalized(body) == want


def test_a_generated_name_keeps_its_prefix() -> None:
    body: Json = {"message": 'pods "web-x7ws5" and "web-aaaaa" exist'}
    want: Json = {"message": 'pods "web-<suffix>" and "web-aaaaa" exist'}
    assert normalized(body, generate_name="web-") == want


def test_a_saved_value_is_named_by_its_variable() -> None:
    assert normalized({"a": "see web-x7ws5", "b": "12345"}, made="web-x7ws5", v="12345") == {
        "a": "see <made>",
        "b": "12345",
    }


CASE = Case("theme", "case", "get", "/x")


def test_a_planted_difference_fails_the_case() -> None:
    verdict = judge(CASE, {"code": 200, "body": {"a": 1}}, {"code": 200, "body": {"a": 2}}, [])
    assert not verdict.passed
    assert verdict.failures == [Difference("body.a", 1, 2)]
    assert verdict.texts == ["GET /x\n    body.a\n      want 1\n      got  2"]


def test_a_permitted_difference_passes_and_is_counted_as_used() -> None:
    allowed = [Permission("theme: *", "body.items[*].a", "because")]
    verdict = judge(CASE, {"body": {"items": [{"a": 1}]}}, {"body": {"items": [{"a": 2}]}}, allowed)
    assert verdict.passed
    assert verdict.permitted == allowed


def test_put_and_pick() -> None:
    value: Json = {"a": [{"b": 1}, {"b": 2}]}
    put(value, "a[1].b", 3)
    put(value, "a[0]", None)
    put(value, "c.d~e", "x")
    assert value == {"a": [{"b": 3}], "c": {"d.e": "x"}}
    assert pick(value, "a[0].b") == 3
    assert pick(value, "a[5].b") is None


@pytest.mark.parametrize("theme", themes())
def test_theme_files_load(theme: str) -> None:
    cases = load(theme)
    assert len(cases) > 10
    assert all(case.path.startswith("/") for case in cases)


def test_compatibility_tells_every_permitted_difference() -> None:
    text = " ".join(COMPATIBILITY.read_text().split()) if COMPATIBILITY.exists() else ""
    untold = {p.reason for p in permissions() if " ".join(p.reason.split()) not in text}
    assert untold == set()
