"""Quantities print, refuse and round as Kubernetes' do. The wanted values come from upstream's own code."""

from __future__ import annotations

import pickle

import pytest

from argosy.base.quantities import (
    FORMAT_WRONG,
    NUMERIC_WRONG,
    SUFFIX_WRONG,
    Format,
    ParseError,
    Quantity,
    canonical,
)

PRINTED = {
    "milli becomes whole": ("1000m", "1"),
    "mebi becomes gibi": ("1024Mi", "1Gi"),
    "a decimal fraction becomes milli": ("0.5", "500m"),
    "a binary fraction goes down one suffix": ("1.5Gi", "1536Mi"),
    "half a kibi is below 1024 and loses its suffix": (".5Ki", "512"),
    "a binary fraction that is not whole becomes decimal": ("0.1Ki", "102400m"),
    "a binary number with a long fraction becomes nano": ("1.0000000001Gi", "1073741824107374183n"),
    "an exponent is kept": ("1e3", "1e3"),
    "an exponent that is no multiple of three is not": ("1e1", "10"),
    "a fraction with an exponent": ("1.5e3", "1500"),
    "a tiny exponent rounds up to nano": ("1e-10", "1e-9"),
    "less than a nano rounds up": ("0.1n", "1n"),
    "less than a negative nano rounds away from zero": ("-0.1n", "-1n"),
    "zero with a suffix is zero": ("0Ki", "0"),
    "minus zero is zero": ("-0", "0"),
    "thousands of kilo": ("2000k", "2M"),
    "negative milli": ("-1.5", "-1500m"),
    "exa is a suffix and no exponent": ("12E", "12E"),
    "whole with a zero fraction": ("100.000", "100"),
    "a written form that is canonical enough is kept": ("1.500", "1.500"),
    "a plus sign is kept": ("+5", "+5"),
    "a leading zero is kept": ("0100m", "0100m"),
    "a capital exponent is kept": ("1E3", "1E3"),
    "an exponent with a plus is kept": ("1e+3", "1e+3"),
    "exponent zero is kept": ("1e0", "1e0"),
    "binary is capped at 2^63-1": ("16Ei", "9223372036854775807"),
    "negative binary is capped too": ("-16Ei", "-9223372036854775807"),
    "decimal is not capped": ("123456789012345678901234567890", "123456789012345678901234567890"),
    "a lone point is zero": (".", "0"),
    "a lone sign is zero": ("-", "0"),
    "a lone suffix is zero": ("m", "0"),
    "past exa the suffix stays": ("1000E", "1000E"),
}


@pytest.mark.parametrize(("text", "want"), PRINTED.values(), ids=PRINTED.keys())
def test_printing(text: str, want: str) -> None:
    assert (str(Quantity.parse(text)), canonical(text)) == (want, want)


REFUSED = {
    "nothing": ("", FORMAT_WRONG),
    "words": ("abc", FORMAT_WRONG),
    "two points": ("1..5", FORMAT_WRONG),
    "something after the exponent": ("1e3x", FORMAT_WRONG),
    "a single i": ("1i", SUFFIX_WRONG),
    "capital kilo": ("1K", SUFFIX_WRONG),
    "an exponent without a number": ("1e", SUFFIX_WRONG),
    "a number after a suffix": ("1Mi1", SUFFIX_WRONG),
    "a difference": ("5-3", SUFFIX_WRONG),
    "no digit and a tiny exponent": (".e-20", NUMERIC_WRONG),
    "an exponent that would fill memory": ("1e999999999", NUMERIC_WRONG),
    "digits that would fill memory": ("9" * 5000, NUMERIC_WRONG),
}


@pytest.mark.parametrize(("text", "want"), REFUSED.values(), ids=REFUSED.keys())
def test_refusing(text: str, want: str) -> None:
    with pytest.raises(ParseError) as got:
        Quantity.parse(text)
    assert str(got.value) == want


NUMBERS = {
    "an integer": (4, "4"),
    "a float": (0.5, "500m"),
    "a whole float": (2.0, "2"),
    "a large float": (1e30, "1e+30"),
}


@pytest.mark.parametrize(("number", "want"), NUMBERS.values(), ids=NUMBERS.keys())
def test_json_numbers_are_quantities_too(number: float, want: str) -> None:
    assert str(Quantity.parse(number)) == want


def test_booleans_are_not() -> None:
    with pytest.raises(ParseError):
        Quantity.parse(True)


def test_spaces_around_are_ignored() -> None:
    assert str(Quantity.parse(" 1Gi ")) == "1Gi"


ROUNDED = {
    "milli rounds up to whole": ("1m", 1, 1),
    "nano rounds up to milli": ("1n", 1, 1),
    "negative rounds away from zero": ("-1500m", -2, -1500),
    "binary": ("1Ki", 1024, 1024000),
}


@pytest.mark.parametrize(("text", "value", "milli"), ROUNDED.values(), ids=ROUNDED.keys())
def test_rounding(text: str, value: int, milli: int) -> None:
    got = Quantity.parse(text)
    assert (got.value(), got.milli()) == (value, milli)


SUMS = {
    "the left format wins": ("1Gi", "1G", "2073741824"),
    "unless the left is zero": ("0", "1Gi", "1Gi"),
    "decimal": ("1", "500m", "1500m"),
    "a kept text is forgotten": ("1.500", "0", "1500m"),
}


@pytest.mark.parametrize(("left", "right", "want"), SUMS.values(), ids=SUMS.keys())
def test_adding(left: str, right: str, want: str) -> None:
    assert str(Quantity.parse(left) + Quantity.parse(right)) == want


def test_arithmetic_and_signs() -> None:
    one = Quantity.parse("1")
    got = [str(one * 3), str(2 * one), str(-one), str(one - Quantity.parse("1500m"))]
    assert got == ["3", "2", "-1", "-500m"]
    assert [q.sign for q in (one, -one, one - one)] == [1, -1, 0]
    assert (one - one).is_zero
    assert not one - one
    assert str(Quantity.of(2048, Format.BINARY_SI)) == "2Ki"
    assert str(Quantity.of_milli(1500)) == "1500m"


def test_equal_amounts_are_equal_whatever_their_format() -> None:
    assert Quantity.parse("1Ki") == Quantity.parse("1024")
    assert len({Quantity.parse("1"), Quantity.parse("1000m")}) == 1
    assert Quantity.parse("1Ki") != 1024


def test_a_quantity_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Quantity.parse("1").nanos = 5


def test_pickling_keeps_text_and_value() -> None:
    quantity = Quantity.parse("1.500")
    got = pickle.loads(pickle.dumps(quantity))
    assert (got, str(got)) == (quantity, "1.500")
