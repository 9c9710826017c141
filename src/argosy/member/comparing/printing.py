"""Values as drifts and diffs show them: Go's %v, with floats where JSON was read without knowing better.

What is in the hub was read as an object, so a whole number is printed as one. What is in the member went through a
plain JSON decoder on upstream's way, where every number is a float, and Go prints floats from a million on with an
exponent. People compare the two texts, so both are kept.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Final

from argosy.base.types import Json

# Go prints the shortest digits, and turns to an exponent below 1e-4 and from 1e6 on.
_PLAIN_EXPONENTS: Final = range(-4, 6)


def in_hub(value: Json) -> str:
    return _text(value, floats=False)


def in_member(value: Json) -> str:
    return _text(value, floats=True)


def _text(value: Json, *, floats: bool) -> str:
    match value:
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int():
            return _float(float(value)) if floats else str(value)
        case float():
            return _float(value)
        case dict():
            pairs = (f"{key}:{_text(value[key], floats=floats)}" for key in sorted(value))
            return f"map[{' '.join(pairs)}]"
        case _:
            return f"[{' '.join(_text(each, floats=floats) for each in value)}]"


def _float(value: float) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    sign, digits, _ = Decimal(repr(value)).normalize().as_tuple()
    exponent = Decimal(repr(value)).adjusted()
    if exponent in _PLAIN_EXPONENTS:
        return format(Decimal(repr(value)).normalize(), "f")
    first, rest = digits[0], "".join(map(str, digits[1:]))
    mantissa = f"{first}.{rest}" if rest else str(first)
    return f"{'-' if sign else ''}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"
