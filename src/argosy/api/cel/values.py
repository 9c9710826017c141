"""CEL values that JSON has no word for, and the rules every value obeys.

Most values are plain Python: bool, int (64 bits, checked by the operators), float, str, bytes, None, list, dict.
What Python lacks is here: unsigned integers, timestamps and durations in nanoseconds, types as values, optionals.
Every evaluation failure is a `CelError`; its text is cel-go's, because Kubernetes shows it to users.

Python holds `True == 1`; CEL does not. `equal` and `compare` are the only places that know, and the compiler uses
Python's own operators where the checker has proved the types.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isnan
from typing import Final

from argosy.base.types import Json

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1
UINT_MAX: Final = 2**64 - 1


class CelError(Exception):
    """Evaluation failed. `||` and `&&` may absorb it."""


class OverBudget(Exception):
    """Evaluation costs more than it may. Nothing absorbs it."""


class UInt(int):
    """An unsigned 64-bit integer; equal to an int of the same value, of another type."""


@dataclass(slots=True, frozen=True, order=True)
class Timestamp:
    """Nanoseconds since the Unix epoch; `offset` (seconds east of UTC) is for printing only."""

    nanos: int
    offset: int = field(default=0, compare=False)


@dataclass(slots=True, frozen=True, order=True)
class Duration:
    nanos: int


@dataclass(slots=True, frozen=True)
class TypeValue:
    """A type as a value: what `type(1)` and the name `int` both give."""

    name: str


@dataclass(slots=True, frozen=True, eq=False)
class Optional:
    """A value that may be absent (`present` tells it from an optional holding null)."""

    present: bool
    value: Json = None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Optional)
            and self.present == other.present
            and (not self.present or equal(self.value, other.value))
        )

    def __hash__(self) -> int:
        return hash(self.present)


NONE: Final = Optional(present=False)

# Runtime type names; libraries add theirs on import.
TYPE_NAMES: Final[dict[type, str]] = {
    bool: "bool",
    int: "int",
    UInt: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    list: "list",
    dict: "map",
    Timestamp: "google.protobuf.Timestamp",
    Duration: "google.protobuf.Duration",
    TypeValue: "type",
    Optional: "optional_type",
}
_NUMBERS: Final = frozenset({int, UInt, float})
_ORDERED: Final = frozenset({bool, str, bytes, Timestamp, Duration})


def type_name(value: Json) -> str:
    return TYPE_NAMES[value.__class__]


def equal(a: Json, b: Json) -> bool:
    """CEL's `==` on values of unknown type: numbers by value, other types never across."""
    kind, other = a.__class__, b.__class__
    if kind is other:
        if kind is list:
            return len(a) == len(b) and all(map(equal, a, b))
        if kind is dict:
            return len(a) == len(b) and all(k in b and equal(v, b[k]) for k, v in a.items())
        return bool(a == b)
    return kind in _NUMBERS and other in _NUMBERS and a == b


def contains(container: Json, value: Json) -> bool:
    """CEL's `in` on values of unknown type."""
    if container.__class__ is list:
        return any(equal(value, item) for item in container)
    if container.__class__ is dict:
        return has_key(container, value)
    raise CelError("no such overload")


def has_key(mapping: dict[Json, Json], key: Json) -> bool:
    """Whether a map has a key; a bool key never finds a number, nor the other way around."""
    if key.__class__ is bool or key.__class__ in _NUMBERS:
        return any(equal(key, found) for found in mapping)
    return isinstance(key, str) and key in mapping


def compare(operator: str, test: Callable[[int], bool]) -> Callable[[Json, Json], bool]:
    """An ordering operator on values of unknown type; `test` judges -1, 0 or 1."""

    def run(a: Json, b: Json) -> bool:
        return test(ordering(operator, a, b))

    return run


def ordering(operator: str, a: Json, b: Json) -> int:
    """-1, 0 or 1; an error for NaN and for values of types that have no common order."""
    kind, other = a.__class__, b.__class__
    if kind in _NUMBERS:
        if other not in _NUMBERS:
            raise CelError("no such overload")
        if isnan(a) or isnan(b):
            raise CelError("NaN values cannot be ordered")
    elif kind not in _ORDERED:
        raise CelError(f"no such overload: {operator}")
    elif kind is not other:
        raise CelError("no such overload")
    if a == b:
        return 0
    return -1 if a < b else 1


def no_overload(function: str, *arguments: Json) -> str:
    return f"no such overload: {function}({', '.join(type_name(a) for a in arguments)})"


def is_zero(value: Json) -> bool:
    """Whether a value is its type's zero or empty value (for optional.ofNonZeroValue)."""
    match value:
        case None | False | 0 | 0.0 | "" | b"" | Duration(0):
            return True
        case list() | dict():
            return not value
        case Optional():
            return not value.present
        case _:
            return False
