"""Exact resource quantities: `500m`, `1536Mi`, `12e6`.

A quantity is a whole number of nano-units and a format. Kubernetes rounds anything finer than a nano away
from zero when it parses, so nothing is lost by that, and sums, differences and comparisons are plain integer
arithmetic.

Printing follows Kubernetes: the largest suffix of the format that leaves a whole mantissa (`1024Mi` is `1Gi`,
`0.5` is `500m`). As upstream, a text that already has such a shape is kept as it was written (`1.500`, `+5`,
`1E3`), until the quantity takes part in arithmetic.

Two deliberate differences, both at absurd sizes: a value past the last suffix keeps that suffix (`1000E`,
which upstream prints as `1`), and an exponent or a number of digits over 1000 is refused, because expanding
it could exhaust memory. Properties (tests/unit/base/test_quantity_laws.py): parse(str(q)) == q, order and
addition agree with exact fractions.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache, total_ordering
from typing import Final

NANOS: Final = 1_000_000_000
_MAX_BINARY: Final = (2**63 - 1) * NANOS
_LIMIT: Final = 1000

FORMAT_WRONG: Final = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
NUMERIC_WRONG: Final = "unable to parse numeric part of quantity"
SUFFIX_WRONG: Final = "unable to parse quantity's suffix"

# Looser than the expression in the error text, exactly as the upstream scanner: "." and "m" are zero.
_PARTS: Final = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)")


class ParseError(ValueError):
    """The text is no quantity; the message is Kubernetes'."""


class Format(StrEnum):
    """How a quantity was written and will be printed."""

    BINARY_SI = "BinarySI"
    DECIMAL_SI = "DecimalSI"
    DECIMAL_EXPONENT = "DecimalExponent"


_DECIMAL: Final = {
    "n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
}  # fmt: skip
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_PRINTED: Final = tuple(_DECIMAL)
_BINARY_PRINTED: Final = ("", *_BINARY)


@total_ordering
class Quantity:
    """An exact amount. Immutable; equal when the amounts are equal, whatever the formats."""

    __slots__ = ("_text", "format", "nanos")

    nanos: int
    format: Format
    _text: str

    def __init__(self, nanos: int, format: Format = Format.DECIMAL_SI, text: str = "") -> None:  # noqa: A002
        put = object.__setattr__
        put(self, "nanos", nanos)
        put(self, "format", format)
        put(self, "_text", text)

    @staticmethod
    def parse(value: str | float) -> Quantity:
        """The quantity a JSON value stands for; `ParseError` in Kubernetes' words if it stands for none."""
        if isinstance(value, str):
            return _parse(value.strip())
        if isinstance(value, bool):
            raise ParseError(FORMAT_WRONG)
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            value = int(value)
        return _parse(repr(value))

    @staticmethod
    def of(value: int, format: Format = Format.DECIMAL_SI) -> Quantity:  # noqa: A002
        """`value` whole units."""
        return Quantity(value * NANOS, format)

    @staticmethod
    def of_milli(value: int, format: Format = Format.DECIMAL_SI) -> Quantity:  # noqa: A002
        """`value` thousandths."""
        return Quantity(value * 1_000_000, format)

    def value(self) -> int:
        """Whole units, rounded away from zero."""
        return _away_from_zero(self.nanos, NANOS)

    def milli(self) -> int:
        """Thousandths, rounded away from zero."""
        return _away_from_zero(self.nanos, 1_000_000)

    @property
    def is_zero(self) -> bool:
        return self.nanos == 0

    @property
    def sign(self) -> int:
        return (self.nanos > 0) - (self.nanos < 0)

    def __str__(self) -> str:
        if not self._text:
            object.__setattr__(self, "_text", _print(self.nanos, self.format))
        return self._text

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Quantity is immutable: cannot set {name}")

    def __reduce__(self) -> tuple[type[Quantity], tuple[int, Format, str]]:
        return Quantity, (self.nanos, self.format, self._text)

    def __bool__(self) -> bool:
        return self.nanos != 0

    def __eq__(self, other: object) -> bool:
        return self.nanos == other.nanos if isinstance(other, Quantity) else NotImplemented

    def __lt__(self, other: Quantity) -> bool:
        return self.nanos < other.nanos

    def __hash__(self) -> int:
        return hash(self.nanos)

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(self.nanos + other.nanos, self._joint(other))

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self.nanos - other.nanos, self._joint(other))

    def __mul__(self, factor: int) -> Quantity:
        return Quantity(self.nanos * factor, self.format)

    __rmul__ = __mul__

    def __neg__(self) -> Quantity:
        return Quantity(-self.nanos, self.format)

    def _joint(self, other: Quantity) -> Format:
        """The left format wins, unless the left side is zero and has nothing to say."""
        return self.format if self.nanos else other.format


def parse(value: str | float) -> Quantity:
    """`Quantity.parse`."""
    return Quantity.parse(value)


@lru_cache(maxsize=1 << 14)
def canonical(text: str) -> str:
    """The text Kubernetes stores for a quantity given as `text`. Cached: a cluster writes few distinct ones."""
    return str(_parse(text.strip()))


@lru_cache(maxsize=1 << 14)
def _parse(text: str) -> Quantity:
    found = _PARTS.fullmatch(text)
    if not text or found is None:
        raise ParseError(FORMAT_WRONG)
    sign, bare, fraction, suffix = found.groups(default="")
    whole = bare.lstrip("0") or "0"
    base, exponent, kind = _read_suffix(suffix)
    if len(whole) + len(fraction) > _LIMIT or exponent > _LIMIT:
        raise ParseError(NUMERIC_WRONG)
    digits = int(whole + fraction)
    signed = -digits if sign == "-" else digits
    if base == 10:
        scale = exponent - len(fraction)
        fits = len(whole) + len(fraction) <= 18 and scale >= -9
        settled = scale % 3 == 0 and _is_settled(whole + fraction)
        nanos = _scale(signed, scale + 9)
    else:
        fits = not fraction and len(whole) + int(exponent * 3 / 10) + 1 <= 15
        settled = digits & 7 != 0
        nanos = _away_from_zero((signed << exponent) * NANOS, 10 ** len(fraction))
    if fits and settled:
        return Quantity(nanos, kind, text)
    if not (fits or bare or fraction):
        raise ParseError(NUMERIC_WRONG)
    if base == 2:
        nanos = max(-_MAX_BINARY, min(_MAX_BINARY, nanos))
        if 0 < abs(nanos) < NANOS:
            kind = Format.DECIMAL_SI
    return Quantity(nanos, kind)


def _is_settled(digits: str) -> bool:
    """No zero in front and no thousand behind: the mantissa is canonical already."""
    return digits[0] != "0" and not digits.endswith("000")


def _read_suffix(suffix: str) -> tuple[int, int, Format]:
    if (exponent := _DECIMAL.get(suffix)) is not None:
        return 10, exponent, Format.DECIMAL_SI
    if (exponent := _BINARY.get(suffix)) is not None:
        return 2, exponent, Format.BINARY_SI
    if suffix[0] in "eE":
        try:
            return 10, int(suffix[1:]), Format.DECIMAL_EXPONENT
        except ValueError:
            pass
    raise ParseError(SUFFIX_WRONG)


def _scale(digits: int, places: int) -> int:
    """digits * 10^places, rounded away from zero; a tiny remainder never becomes nothing."""
    if places >= 0:
        return digits * int(10**places)
    # More places than any number of digits we take: the answer is the smallest amount there is.
    return _away_from_zero(digits, 10 ** min(-places, 2 * _LIMIT))


def _away_from_zero(number: int, divisor: int) -> int:
    return -(-number // divisor) if number > 0 else number // divisor


def _print(nanos: int, kind: Format) -> str:
    if nanos == 0:
        return "0"
    if kind is Format.BINARY_SI:
        units, rest = divmod(nanos, NANOS)
        if not rest and abs(units) >= 1024:
            power, units = _strip(units, 1024, len(_BINARY_PRINTED) - 1)
            return f"{units}{_BINARY_PRINTED[power]}"
        kind = Format.DECIMAL_SI
    if kind is Format.DECIMAL_SI:
        power, mantissa = _strip(nanos, 1000, len(_DECIMAL_PRINTED) - 1)
        return f"{mantissa}{_DECIMAL_PRINTED[power]}"
    power, mantissa = _strip(nanos, 1000, _LIMIT)
    return f"{mantissa}e{3 * power - 9}" if power != 3 else str(mantissa)


def _strip(number: int, base: int, most: int) -> tuple[int, int]:
    """How often `base` divides `number` (at most `most` times), and what is left."""
    power = 0
    while power < most:
        quotient, rest = divmod(number, base)
        if rest:
            break
        number = quotient
        power += 1
    return power, number
