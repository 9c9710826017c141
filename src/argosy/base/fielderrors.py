"""One broken rule of one field, printed as Kubernetes prints it.

A path is a plain string that grows on the way down: `f"{path}.name"`, `f"{path}[{index}]"`, `f"{path}[{key}]"`.
`str(error)` is `spec.parallelism: Invalid value: -1: must be greater than or equal to 0`; `body` is the same without
the path, as it stands in a Status cause.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from argosy.base.types import Json

_UNSET: Final = object()

# Kubernetes' text for each reason.
_TEXTS: Final = {
    "FieldValueNotFound": "Not found",
    "FieldValueRequired": "Required value",
    "FieldValueDuplicate": "Duplicate value",
    "FieldValueInvalid": "Invalid value",
    "FieldValueNotSupported": "Unsupported value",
    "FieldValueForbidden": "Forbidden",
    "FieldValueTooLong": "Too long",
    "FieldValueTooMany": "Too many",
    "InternalError": "Internal error",
    "FieldValueTypeInvalid": "Invalid value",
}

_ESCAPES: Final = {
    '"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v",
}  # fmt: skip

_WITHOUT_VALUE: Final = frozenset(
    {"FieldValueRequired", "FieldValueForbidden", "FieldValueTooLong", "InternalError"}
)


class Printed(str):
    """A rejected value whose text is ready, because Go would print it in another order or with other names."""

    __slots__ = ()


class _Omitted:
    """The type of `OMITTED`."""


# Stands for a value that is not printed: Kubernetes leaves out objects and lists in some errors.
OMITTED: Final = _Omitted()


@dataclass(frozen=True, slots=True, eq=False)
class FieldError:
    """`reason` is the cause's machine word, `detail` the human rest after the value."""

    reason: str
    field: str
    value: Json
    detail: str

    @property
    def body(self) -> str:
        text = _TEXTS[self.reason]
        if self.value is not OMITTED and self.reason not in _WITHOUT_VALUE:
            text = f"{text}: {print_value(self.value)}"
        return f"{text}: {self.detail}" if self.detail else text

    def __str__(self) -> str:
        return f"{self.field}: {self.body}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, FieldError)
            and str(self) == str(other)
            and self.reason == other.reason
        )

    def __hash__(self) -> int:
        return hash((self.reason, str(self)))


def print_value(value: Json) -> str:
    """A value as Go prints it inside a field error."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Printed():
            return str(value)
        case str():
            return quote(value)
        case int():
            return str(value)
        case float():
            return format_float(value)
        case _:
            return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def quote(text: str) -> str:
    """Go's %q."""
    out = ['"']
    for ch in text:
        match ch:
            case _ if ch in _ESCAPES:
                out.append(_ESCAPES[ch])
            case _ if ch.isprintable():
                out.append(ch)
            case _ if ord(ch) < 0x80:
                out.append(f"\\x{ord(ch):02x}")
            case _ if ord(ch) < 0x10000:
                out.append(f"\\u{ord(ch):04x}")
            case _:
                out.append(f"\\U{ord(ch):08x}")
    out.append('"')
    return "".join(out)


def format_float(value: float) -> str:
    """Go's %v of a float64: the shortest digits, an exponent from 1e21 on and below 1e-4."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    if value == int(value) and abs(value) < 1e21:
        return str(int(value))
    text = repr(value)
    if "e" in text:
        mantissa, exponent = text.split("e")
        sign, digits = exponent[0] if exponent[0] in "+-" else "+", exponent.lstrip("+-")
        return f"{mantissa}e{sign}{digits.zfill(2)}"
    return text


def required(field: str, detail: str = "") -> FieldError:
    return FieldError("FieldValueRequired", field, _UNSET, detail)


def invalid(field: str, value: Json, detail: str) -> FieldError:
    return FieldError("FieldValueInvalid", field, value, detail)


def type_invalid(field: str, value: Json, detail: str) -> FieldError:
    return FieldError("FieldValueTypeInvalid", field, value, detail)


def not_found(field: str, value: Json) -> FieldError:
    return FieldError("FieldValueNotFound", field, value, "")


def duplicate(field: str, value: Json) -> FieldError:
    return FieldError("FieldValueDuplicate", field, value, "")


def forbidden(field: str, detail: str) -> FieldError:
    return FieldError("FieldValueForbidden", field, _UNSET, detail)


def not_supported(field: str, value: Json, allowed: Iterable[str]) -> FieldError:
    """`allowed` is printed sorted, as Kubernetes does for its sets."""
    texts = ", ".join(quote(text) for text in sorted(allowed))
    return FieldError(
        "FieldValueNotSupported", field, value, f"supported values: {texts}" if texts else ""
    )


def too_long(field: str, limit: int) -> FieldError:
    unit = "byte" if limit == 1 else "bytes"
    return FieldError("FieldValueTooLong", field, _UNSET, f"may not be more than {limit} {unit}")


def too_many(field: str, count: int, limit: int) -> FieldError:
    unit = "item" if limit == 1 else "items"
    return FieldError("FieldValueTooMany", field, count, f"must have at most {limit} {unit}")


def without_value(error: FieldError) -> FieldError:
    """The same error, which does not print the value it is about."""
    return FieldError(error.reason, error.field, OMITTED, error.detail)


def internal(field: str, detail: str) -> FieldError:
    return FieldError("InternalError", field, _UNSET, detail)
