"""Reading JSON bodies: Go's words for broken ones, keys given twice."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.schema.bodies import duplicates, parse_json, strict_problem, strict_texts, summary
from argosy.api.schema.builtin import builtin_schema, type_name
from argosy.api.schema.syntax import Malformed, syntax_problem
from argosy.base.types import Json

BROKEN = {
    b" ": "unexpected end of JSON input",
    b'{"a":1,': "unexpected end of JSON input",
    b"{}x": "invalid character 'x' after top-level value",
    b"{'a':1}": "invalid character '\\'' looking for beginning of object key string",
    b'{"a":"\x01"}': "invalid character '\\x01' in string literal",
    b'{"a":tru}': "invalid character '}' in literal true (expecting 'e')",
    b'{"a" 1}': "invalid character '1' after object key",
    b'{"a":1 "b"}': "invalid character '\"' after object key:value pair",
    b"[1 2]": "invalid character '2' after array element",
    b'{"a":-}': "invalid character '}' in numeric literal",
    b'{"a":1.}': "invalid character '}' after decimal point in numeric literal",
    b'{"a":1e}': "invalid character '}' in exponent of numeric literal",
    b'{"a":"\\x"}': "invalid character 'x' in string escape code",
    b'{"a":"\\u12"}': "invalid character '\"' in \\u hexadecimal character escape",
    b"[1,]": "invalid character ']' looking for beginning of value",
    b'{"a":1,}': "invalid character '}' looking for beginning of object key string",
    b'{"a":01}': "invalid character '1' after object key:value pair",
    b'{"a":' * 300 + b"1" + b"}" * 300: "invalid character '{' exceeded max depth",
    b"[" * 100_000: "invalid character '[' exceeded max depth",
}


@pytest.mark.parametrize("body", BROKEN, ids=lambda body: body[:20].decode(errors="replace"))
def test_broken_json(body: bytes) -> None:
    with pytest.raises(Malformed) as got:
        parse_json(body)
    assert str(got.value) == BROKEN[body]


def test_broken_unicode_is_replaced() -> None:
    assert parse_json(b'["\xff", "\\ud800", "\\ud83d\\ude00"]') == ["�", "�", "😀"]


def test_brackets_inside_strings_do_not_count_as_depth() -> None:
    text = "[" * 1000
    assert parse_json(json.dumps({"a": text}).encode()) == {"a": text}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(json_values, st.sampled_from([None, 1, 4]))
def test_no_duplicates_are_found_where_there_are_none(value: Json, indent: int | None) -> None:
    body = json.dumps(value, indent=indent).encode()
    assert duplicates(body, parse_json(body)) == []


@given(st.text(alphabet='{}[]",:0123456789-+.eEtrufalsn\\ ab', max_size=20))
def test_the_scanner_agrees_with_a_parser_on_what_is_json(text: str) -> None:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        assert syntax_problem(text) is not None
    else:
        assert syntax_problem(text) is None


def test_keys_given_twice_are_found_below_spaces_and_escapes() -> None:
    body = b'{ "a" : 1 , "a" : 2 , "b" : [ { "\\u0063" : 1, "c" : 2 } ] }'
    got = duplicates(body, parse_json(body))
    assert got == ["a", "b[0].c"]


def test_keys_below_unknown_fields_are_not_looked_at() -> None:
    schema = builtin_schema(type_name("", "v1", "ConfigMap"))
    body = b'{"data":{"x":"1","x":"2"},"foo":{"a":1,"a":2}}'
    got = strict_texts(duplicates(body, parse_json(body), schema), ["foo"])
    assert strict_problem(got) == (
        'strict decoding error: duplicate field "data.x", unknown field "foo"'
    )


SUMMARIES = {
    b"": "<empty>",
    b"[]": "5b5d",
    b"{x}": "{x}",
    b"{" + b"a" * 40: "{" + "a" * 29 + " ...",
}


@pytest.mark.parametrize("body", SUMMARIES)
def test_summary(body: bytes) -> None:
    assert summary(body) == SUMMARIES[body]
