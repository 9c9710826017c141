"""Values to text and text to numbers, as CEL's conversions do it (which is as Go does it)."""

from __future__ import annotations

import re
from math import isnan
from typing import Final

from argosy.api.cel import times
from argosy.api.cel.values import (
    INT_MAX,
    INT_MIN,
    UINT_MAX,
    CelError,
    Duration,
    Timestamp,
    TypeValue,
    UInt,
)
from argosy.base.types import Json

_INT: Final = re.compile(r"[+-]?[0-9]+")
_UINT: Final = re.compile(r"[0-9]+")
_FLOAT: Final = re.compile(
    r"[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|inf|infinity|nan)", re.IGNORECASE
)
# No number of 64 bits is written with more characters than this, leading zeroes aside.
_LONGEST: Final = 1000
_TRUE: Final = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "FALSE", "false", "False"})


def to_text(value: Json) -> str:
    """`string(value)`."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int():
            return str(int(value))
        case float():
            return double_text(value)
        case bytes():
            try:
                return value.decode()
            except UnicodeDecodeError:
                raise CelError("invalid UTF-8 in bytes, cannot convert to string") from None
        case Timestamp():
            return times.print_timestamp(value)
        case Duration():
            return times.print_duration(value)
        case TypeValue():
            return value.name
        case _:
            return str(value)


def double_text(value: float) -> str:
    """Go's %g: the shortest digits, with an exponent below 1e-4 and from 1e6 on."""
    if isnan(value):
        return "NaN"
    if value in {float("inf"), float("-inf")}:
        return "+Inf" if value > 0 else "-Inf"
    text = repr(value)
    if value and not 1e-4 <= abs(value) < 1e6:
        digits, _, shift = text.lstrip("-").partition("e")
        whole, _, fraction = digits.partition(".")
        significant = (whole + fraction).lstrip("0")
        power = int(shift or "0") + len(whole) - 1
        if not whole.strip("0"):
            power -= len(fraction) - len(fraction.lstrip("0")) + 1
        significant = significant.rstrip("0") or "0"
        mantissa = significant[0] + (f".{significant[1:]}" if len(significant) > 1 else "")
        sign, direction = "-" if value < 0 else "", "-" if power < 0 else "+"
        return f"{sign}{mantissa}e{direction}{abs(power):02d}"
    return text.removesuffix(".0")


def to_int(text: str) -> int:
    if _INT.fullmatch(text) and len(text) <= _LONGEST:
        value = int(text)
        if INT_MIN <= value <= INT_MAX:
            return value
    raise _unconvertible("int")


def to_uint(text: str) -> UInt:
    if _UINT.fullmatch(text) and len(text) <= _LONGEST:
        value = int(text)
        if value <= UINT_MAX:
            return UInt(value)
    raise _unconvertible("uint")


def to_double(text: str) -> float:
    if _FLOAT.fullmatch(text):
        value = float(text)
        if value not in {float("inf"), float("-inf")} or "inf" in text.lower():
            return value
    raise _unconvertible("double")


def to_bool(text: str) -> bool:
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise _unconvertible("bool")


def to_timestamp(text: str) -> Timestamp:
    try:
        return times.parse_timestamp(text)
    except ValueError:
        raise _unconvertible("google.protobuf.Timestamp") from None


def to_duration(text: str) -> Duration:
    try:
        return times.parse_duration(text)
    except ValueError:
        raise _unconvertible("google.protobuf.Duration") from None


def _unconvertible(name: str) -> CelError:
    return CelError(f"type conversion error from 'string' to '{name}'")


def show(value: Json) -> str:
    """A value inside an error message, as Go's %v prints it."""
    return to_text(value) if value is not None else "null"
