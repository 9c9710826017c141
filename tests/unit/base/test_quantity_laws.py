"""Laws of quantities: printing loses nothing, order and sums are those of exact fractions."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from argosy.base.quantities import Format, Quantity

SUFFIXES = [
    "",
    "n",
    "u",
    "m",
    "k",
    "M",
    "G",
    "T",
    "P",
    "E",
    "Ki",
    "Mi",
    "Gi",
    "Ti",
    "e3",
    "E-3",
    "e2",
]

texts = st.builds(
    lambda sign, whole, fraction, suffix: f"{sign}{whole}{fraction}{suffix}",
    st.sampled_from(["", "-", "+"]),
    st.integers(0, 10**15),
    st.one_of(st.just(""), st.integers(0, 10**6).map(lambda n: f".{n}")),
    st.sampled_from(SUFFIXES),
)
amounts = st.builds(Quantity, st.integers(-(10**40), 10**40), st.sampled_from(Format))


@given(texts)
def test_parsing_what_was_printed_changes_nothing(text: str) -> None:
    once = Quantity.parse(text)
    again = Quantity.parse(str(once))
    assert (again, str(again)) == (once, str(once))


@given(amounts.filter(lambda q: q.format is not Format.BINARY_SI))
def test_printing_decimal_amounts_loses_nothing(amount: Quantity) -> None:
    assert Quantity.parse(str(amount)) == amount


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_printing_binary_amounts_loses_nothing(units: int) -> None:
    amount = Quantity.of(units, Format.BINARY_SI)
    assert Quantity.parse(str(amount)) == amount


@given(amounts, amounts)
def test_order_and_sum_are_exact(a: Quantity, b: Quantity) -> None:
    left, right = Fraction(a.nanos, 10**9), Fraction(b.nanos, 10**9)
    assert (a < b, a == b, a >= b) == (left < right, left == right, left >= right)
    assert Fraction((a + b).nanos, 10**9) == left + right
    assert (a + b) - b == a


@given(texts)
def test_rounding_never_loses_anything(text: str) -> None:
    quantity = Quantity.parse(text)
    exact = Fraction(quantity.nanos, 10**9)
    assert abs(quantity.value()) >= abs(exact)
    assert abs(abs(quantity.value()) - abs(exact)) < 1
