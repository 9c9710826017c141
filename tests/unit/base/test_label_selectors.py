"""Label selectors parse, print, match and refuse as Kubernetes' do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.base.selectors import labels
from argosy.base.selectors.labels import SelectorError
from argosy.base.types import Json

KEY_SHAPE = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE_SHAPE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for "
    "validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)

PRINTED = {
    "nothing": ("", ""),
    "equality": ("a=b", "a=b"),
    "double equality stays double": ("a==b", "a==b"),
    "terms are sorted by key": ("z=1,a!=2", "a!=2,z=1"),
    "sets are sorted and without doubles": ("a in (y,x,y)", "a in (x,y)"),
    "existence": ("a,!b", "a,!b"),
    "numbers": ("a>5,b<3", "a>5,b<3"),
    "an empty set is the empty value": ("a notin ()", "a notin ()"),
    "in as a key": ("in in (in)", "in in (in)"),
    "no value": ("a=,b", "a=,b"),
    "spaces": (" a  in\t( x , y ) , b ", "a in (x,y),b"),
}


@pytest.mark.parametrize(("text", "want"), PRINTED.values(), ids=PRINTED.keys())
def test_printing(text: str, want: str) -> None:
    assert str(labels.parse(text)) == want


REFUSED = {
    "no key": ("=a", "found '=', expected: !, identifier, or 'end of string'"),
    "a lone not": ("!", "unable to parse requirement: found '', expected: identifier"),
    "two words": (
        "a b",
        "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    ),
    "a comma at the end": ("a,", "found '', expected: identifier after ','"),
    "text after the end": ("a=b c", "found 'c', expected: ',' or 'end of string'"),
    "a set without parenthesis": ("a in x", "unable to parse requirement: found 'x' expected: '('"),
    "an unclosed set": ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
    "an operator in a set": (
        "a in (=)",
        "unable to parse requirement: found '=', expected: ',', ')' or identifier",
    ),
    "a parenthesis as a value": (
        "a=(b)",
        "unable to parse requirement: found '(', expected: identifier",
    ),
    "a bad key": (
        "-a",
        f'unable to parse requirement: <nil>: Invalid value: "-a": {KEY_SHAPE}',
    ),
    "a bad value": (
        "a=-b",
        f'unable to parse requirement: values[0][a]: Invalid value: "-b": {VALUE_SHAPE}',
    ),
    "a long value": (
        f"a={'x' * 64}",
        f'unable to parse requirement: values[0][a]: Invalid value: "{"x" * 64}": must be no more than 63 bytes',
    ),
    "no number to compare with": (
        "a>b",
        (
            'unable to parse requirement: values[0]: Invalid value: "b": '
            "for 'Gt', 'Lt' operators, the value must be an integer"
        ),
    ),
}


@pytest.mark.parametrize(("text", "want"), REFUSED.values(), ids=REFUSED.keys())
def test_refusing(text: str, want: str) -> None:
    with pytest.raises(SelectorError) as got:
        labels.parse(text)
    assert str(got.value) == want


MATCHED = {
    "equality": ("a=1", {"a": "1"}, True),
    "equality needs the key": ("a=", {}, False),
    "inequality of a missing key": ("a!=1", {}, True),
    "inequality": ("a!=1", {"a": "1"}, False),
    "a set": ("a in (1,2)", {"a": "2"}, True),
    "a set needs the key": ("a in (1,2)", {}, False),
    "not in a set": ("a notin (1,2)", {"a": "2"}, False),
    "not in a set without the key": ("a notin (1,2)", {}, True),
    "existence": ("a", {"a": ""}, True),
    "absence": ("!a", {"a": ""}, False),
    "greater": ("a>5", {"a": "6"}, True),
    "greater than no number": ("a>5", {"a": "x"}, False),
    "less": ("a<5", {"a": "5"}, False),
    "contradiction": ("a=1,a=2", {"a": "2"}, False),
    "all terms count": ("a=1,b,!c", {"a": "1", "b": "x", "c": ""}, False),
    "nothing asked": ("", {"a": "1"}, True),
}


@pytest.mark.parametrize(("text", "given_labels", "want"), MATCHED.values(), ids=MATCHED.keys())
def test_matching(text: str, given_labels: dict[str, str], want: bool) -> None:
    assert labels.parse(text).matches(given_labels) is want


OBJECTS = {
    "labels": ({"matchLabels": {"b": "2", "a": "1"}}, "a=1,b=2"),
    "expressions": (
        {
            "matchExpressions": [
                {"key": "x", "operator": "NotIn", "values": ["b", "a"]},
                {"key": "y", "operator": "DoesNotExist"},
                {"key": "z", "operator": "Exists"},
                {"key": "w", "operator": "In", "values": ["1"]},
            ]
        },
        "w in (1),x notin (a,b),!y,z",
    ),
    "an empty one": ({}, ""),
}


@pytest.mark.parametrize(("obj", "want"), OBJECTS.values(), ids=OBJECTS.keys())
def test_reading_objects(obj: dict[str, Json], want: str) -> None:
    assert str(labels.from_object(obj)) == want


BAD_OBJECTS = {
    "an unknown operator": (
        {"matchExpressions": [{"key": "a", "operator": "Foo"}]},
        '"Foo" is not a valid label selector operator',
    ),
    "a set without values": (
        {"matchExpressions": [{"key": "a", "operator": "In"}]},
        "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ),
    "values for existence": (
        {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["x"]}]},
        'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    ),
    "several problems": (
        {"matchLabels": {"a_": "-"}},
        f'[key: Invalid value: "a_": {KEY_SHAPE}, values[0][a_]: Invalid value: "-": {VALUE_SHAPE}]',
    ),
}


@pytest.mark.parametrize(("obj", "want"), BAD_OBJECTS.values(), ids=BAD_OBJECTS.keys())
def test_refusing_objects(obj: dict[str, Json], want: str) -> None:
    with pytest.raises(SelectorError) as got:
        labels.from_object(obj)
    assert str(got.value) == want


def test_no_selector_matches_nothing_and_an_empty_one_everything() -> None:
    none, every = labels.from_object(None), labels.from_object({})
    assert (none.matches({}), none.empty, none == labels.nothing()) == (False, False, True)
    assert (every.matches({}), every.empty, every == labels.everything()) == (True, True, True)


def test_exact_terms_are_what_an_index_can_use() -> None:
    assert labels.parse("a=1,b in (2),c in (3,4),d,e!=5").exact == {"a": "1", "b": "2"}


def test_from_labels() -> None:
    assert labels.from_labels({"b": "2", "a": "1"}) == labels.parse("a=1,b=2")


@given(st.text(alphabet="ab in(),=!<>\0\t-é", max_size=20))
def test_any_text_parses_or_is_refused_and_printing_is_stable(text: str) -> None:
    try:
        selector = labels.parse(text)
    except SelectorError:
        return
    assert labels.parse(str(selector)) == selector
