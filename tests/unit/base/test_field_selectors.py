"""Field selectors parse, print, match and refuse as Kubernetes' do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.base.selectors import fields
from argosy.base.selectors.fields import SelectorError

PRINTED = {
    "equality": ("a=b", "a=b"),
    "double equality": ("a==b", "a=b"),
    "terms are sorted": ("b!=2,a=1", "a=1,b!=2"),
    "escapes": (r"a=x\,y\=z\\", r"a=x\,y\=z\\"),
    "empty terms are skipped": (",a=1,,", "a=1"),
    "no value": ("a=", "a="),
    "a bare operator is nothing": ("=", ""),
}


@pytest.mark.parametrize(("text", "want"), PRINTED.values(), ids=PRINTED.keys())
def test_printing(text: str, want: str) -> None:
    assert str(fields.parse(text)) == want


REFUSED = {
    "no operator": ("a", "invalid selector: 'a'; can't understand 'a'"),
    "an unknown escape": (r"a=\q", r"invalid field selector: invalid escape sequence: \q"),
    "a backslash at the end": ("a=b\\", "invalid field selector: invalid escape sequence: \\"),
    "two operators": ("a=b=c", "invalid field selector: unescaped character in value: 61"),
}


@pytest.mark.parametrize(("text", "want"), REFUSED.values(), ids=REFUSED.keys())
def test_refusing(text: str, want: str) -> None:
    with pytest.raises(SelectorError) as got:
        fields.parse(text)
    assert str(got.value) == want


MATCHED = {
    "equality": ("a=1", {"a": "1"}, True),
    "inequality": ("a!=1", {"a": "1"}, False),
    "a missing field is empty": ("a=", {}, True),
    "all terms count": ("a=1,b!=2", {"a": "1", "b": "2"}, False),
}


@pytest.mark.parametrize(("text", "given_fields", "want"), MATCHED.values(), ids=MATCHED.keys())
def test_matching(text: str, given_fields: dict[str, str], want: bool) -> None:
    assert fields.parse(text).matches(given_fields) is want


def test_requirements_and_exact_terms() -> None:
    got = fields.parse("b!=2,a==1")
    assert got.requirements == (("a", "=", "1"), ("b", "!=", "2"))
    assert got.exact == {"a": "1"}
    assert fields.everything().empty


@given(st.text(alphabet="a\\,=é", max_size=10))
def test_escaped_values_come_back(value: str) -> None:
    assert fields.parse(f"f={fields.escape(value)}").exact == {"f": value}
