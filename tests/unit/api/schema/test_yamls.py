"""YAML bodies become what Go's reader makes of them."""

from __future__ import annotations

import pytest

from argosy.api.schema import yamls
from argosy.api.schema.syntax import Malformed
from argosy.api.schema.yamls import parse_yaml, yaml_problem
from argosy.base.types import Json

GOOD: dict[str, Json] = {
    "a: 2020-01-01": {"a": "2020-01-01"},
    "a: 0777": {"a": 511},
    "a: 0o17": {"a": 15},
    "a: -0x1f": {"a": -31},
    "a: 1_000": {"a": 1000},
    "a: 1e3": {"a": 1000},
    "a: 1.5": {"a": 1.5},
    "a: yes": {"a": True},
    "a: n": {"a": False},
    "a: ~": {"a": None},
    'a: "1"': {"a": "1"},
    "a: !!str 5": {"a": "5"},
    "a: !!binary aGVsbG8=": {"a": "hello"},
    "{1: a, 1.5: b, true: c}": {"1": "a", "1.5": "b", "true": "c"},
    "p: &x {a: 1}\nq: {<<: *x, b: 2}": {"p": {"a": 1}, "q": {"a": 1, "b": 2}},
    "p: &x [1]\nq: *x": {"p": [1], "q": [1]},
    "a: 1\n---\nb: 2": {"a": 1},
    "": None,
    "hello": "hello",
}

BROKEN = {
    "a: b: c\n": "yaml: mapping values are not allowed in this context",
    "a: [1\n": "yaml: line 1: did not find expected ',' or ']'",
    "\tx: 1\n": "yaml: found character that cannot start any token",
    'a: "x\n': "yaml: line 2: found unexpected end of stream",
    "a: 1\n b: 2\n": "yaml: line 2: mapping values are not allowed in this context",
    "- a\nb: 1\n": "yaml: line 1: did not find expected '-' indicator",
    "a: *x\n": "yaml: unknown anchor 'x' referenced",
    "a: @x\n": "yaml: found character that cannot start any token",
    'a: "\x01"\n': "yaml: control characters are not allowed",
    "a: .inf\n": "json: unsupported value: +Inf",
    "{~: n}": 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "n"',
}


@pytest.mark.parametrize("text", GOOD)
def test_value(text: str) -> None:
    assert parse_yaml(text.encode()) == (GOOD[text], [])


@pytest.mark.parametrize("text", BROKEN)
def test_problem(text: str) -> None:
    with pytest.raises(Malformed) as got:
        parse_yaml(text.encode())
    assert str(got.value) == BROKEN[text]


def test_keys_given_twice_are_told_by_line() -> None:
    value, problems = parse_yaml(b"metadata:\n  name: a\n  name: b\ndata:\n  a: v\n  a: w\n")
    assert value == {"metadata": {"name": "b"}, "data": {"a": "w"}}
    assert yaml_problem(problems) == (
        'yaml: unmarshal errors:\n  line 3: key "name" already set in map\n'
        '  line 6: key "a" already set in map'
    )


def test_keys_are_the_same_only_with_the_same_type() -> None:
    value, problems = parse_yaml(b'{1: a, "1": b, yes: c, on: d}')
    assert value == {"1": "b", "true": "d"}
    assert problems == ["line 1: key true already set in map"]


def test_aliases_are_not_shared() -> None:
    value, _ = parse_yaml(b"p: &x {a: 1}\nq: *x")
    value["p"]["a"] = 2
    assert value["q"] == {"a": 1}


def test_a_document_that_explodes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yamls, "MAX_NODES", 10_000)
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(Malformed) as got:
        parse_yaml("\n".join(lines).encode())
    assert str(got.value) == "yaml: document contains excessive aliasing"
