"""Field errors as Go prints them."""

from __future__ import annotations

import pytest

from argosy.base.fielderrors import (
    FieldError,
    Printed,
    format_float,
    invalid,
    quote,
    required,
    too_long,
    too_many,
    without_value,
)

QUOTED = {
    "plain": ("a b", '"a b"'),
    "quotes and backslashes": ('a"\\', r'"a\"\\"'),
    "named escapes": ("\a\b\f\n\r\t\v", r'"\a\b\f\n\r\t\v"'),
    "other control characters": ("\x00\x7f", r'"\x00\x7f"'),
    "beyond ASCII": ("é\u200b\U000e0001", '"é\\u200b\\U000e0001"'),
}


@pytest.mark.parametrize("name", QUOTED)
def test_quoted(name: str) -> None:
    text, want = QUOTED[name]
    assert quote(text) == want


PRINTED: dict[str, tuple[FieldError, str]] = {
    "a required value": (required("a"), "a: Required value"),
    "a text": (invalid("a", "x", "no"), 'a: Invalid value: "x": no'),
    "a ready text": (
        invalid("a", Printed('{"B":1,"A":2}'), "no"),
        'a: Invalid value: {"B":1,"A":2}: no',
    ),
    "a value that is not told": (
        without_value(invalid("a", {"b": 1}, "no")),
        "a: Invalid value: no",
    ),
    "one byte": (too_long("a", 1), "a: Too long: may not be more than 1 byte"),
    "two bytes": (too_long("a", 2), "a: Too long: may not be more than 2 bytes"),
    "one item": (too_many("a", 3, 1), "a: Too many: 3: must have at most 1 item"),
    "two items": (too_many("a", 3, 2), "a: Too many: 3: must have at most 2 items"),
}


@pytest.mark.parametrize("name", PRINTED)
def test_printed(name: str) -> None:
    error, want = PRINTED[name]
    assert str(error) == want


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (1.0, "1"),
        (0.5, "0.5"),
        (1e21, "1e+21"),
        (1e-7, "1e-07"),
        (float("inf"), "+Inf"),
        (float("nan"), "NaN"),
    ],
)
def test_floats(value: float, want: str) -> None:
    assert format_float(value) == want
