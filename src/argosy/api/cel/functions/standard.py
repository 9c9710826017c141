"""CEL's own operators and functions.

The logical operators, `==`, `!=`, `in`, indexing and the ternary are declared here for the checker, but the compiler
writes them itself; their `run` serves where the operands' types are known only at run time.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import isnan
from typing import Final

from argosy.api.cel import times
from argosy.api.cel.declarations import Overload, declare
from argosy.api.cel.regexes import RegexError, compile_regex
from argosy.api.cel.texts import (
    show,
    to_bool,
    to_double,
    to_duration,
    to_int,
    to_text,
    to_timestamp,
    to_uint,
)
from argosy.api.cel.values import (
    INT_MAX,
    INT_MIN,
    NONE,
    UINT_MAX,
    CelError,
    Duration,
    Optional,
    Timestamp,
    TypeValue,
    UInt,
    compare,
    contains,
    equal,
    has_key,
    type_name,
)
from argosy.base.types import Json


def checked(value: int) -> int:
    if INT_MIN <= value <= INT_MAX:
        return value
    raise CelError("integer overflow")


def checked_uint(value: int) -> UInt:
    if 0 <= value <= UINT_MAX:
        return UInt(value)
    raise CelError("unsigned integer overflow")


def _ints(run: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda a, b: checked(run(a, b))


def _uints(run: Callable[[int, int], int]) -> Callable[[int, int], UInt]:
    return lambda a, b: checked_uint(run(int(a), int(b)))


def _quotient(a: int, b: int) -> int:
    if not b:
        raise CelError("division by zero")
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _remainder(a: int, b: int) -> int:
    if not b:
        raise CelError("modulus by zero")
    if a == INT_MIN and b == -1:
        raise CelError("integer overflow")
    remainder = abs(a) % abs(b)
    return -remainder if a < 0 else remainder


def _ratio(a: float, b: float) -> float:
    if b:
        return a / b
    if isnan(a) or not a:
        return float("nan")
    negative = (a < 0) != (str(float(b))[0] == "-")
    return float("-inf") if negative else float("inf")


def index(container: Json, key: Json) -> Json:
    """`container[key]`, on an optional as well."""
    if isinstance(container, Optional):
        return optional_index(container, key)
    if container.__class__ is list:
        position = _position(key)
        if 0 <= position < len(container):
            return container[position]
        raise CelError(f"index out of bounds: {position}")
    if container.__class__ is dict:
        if has_key(container, key):
            return container[key]
        raise CelError(f"no such key: {show(key)}")
    raise CelError(f"no such key: {show(key)}")


def _position(key: Json) -> int:
    if key.__class__ is int or key.__class__ is UInt:
        return int(key)
    if key.__class__ is float and key == int(key):
        return int(key)
    raise CelError(f"unsupported index type '{type_name(key)}' in list")


def optional_index(container: Json, key: Json) -> Optional:
    """`container[?key]`."""
    if isinstance(container, Optional):
        if not container.present:
            return NONE
        container = container.value
    if container.__class__ is list:
        position = _position(key)
        found = 0 <= position < len(container)
        return Optional(present=True, value=container[position]) if found else NONE
    if has_key(container, key):
        return Optional(present=True, value=container[key])
    return NONE


def _double_to_int(value: float) -> int:
    if isnan(value) or not -(2.0**63) < value < 2.0**63:
        raise CelError("integer overflow")
    return int(value)


def _double_to_uint(value: float) -> UInt:
    if isnan(value) or not 0 <= value < 2.0**64:
        raise CelError("unsigned integer overflow")
    return UInt(value)


def matches(text: str, pattern: str) -> bool:
    try:
        return compile_regex(pattern).search(text) is not None
    except RegexError as error:
        raise CelError(str(error)) from None


def _plus(t: Timestamp, d: Duration) -> Timestamp:
    return times.timestamp(t.nanos + d.nanos, t.offset)


def _minus(t: Timestamp, d: Duration) -> Timestamp:
    return times.timestamp(t.nanos - d.nanos, t.offset)


def _same(value: Json) -> Json:
    return value


def _never(*_arguments: Json) -> Json:
    raise AssertionError("the compiler writes this operator itself")


_ORDERED_PAIRS: Final = (
    ("bool", "bool"), ("int", "int"), ("int", "double"), ("int", "uint"), ("uint", "uint"), ("uint", "double"),
    ("uint", "int"), ("double", "double"), ("double", "int"), ("double", "uint"), ("string", "string"),
    ("bytes", "bytes"), ("timestamp", "timestamp"), ("duration", "duration"),
)  # fmt: skip
_COMPARISONS: Final[dict[str, Callable[[int], bool]]] = {
    "_<_": lambda order: order < 0,
    "_<=_": lambda order: order <= 0,
    "_>_": lambda order: order > 0,
    "_>=_": lambda order: order >= 0,
}


def _comparisons() -> list[Overload]:
    return [
        declare(f"{name}({left}, {right}) -> bool", compare(name, test))
        for name, test in _COMPARISONS.items()
        for left, right in _ORDERED_PAIRS
    ]


def _sizes() -> list[Overload]:
    types = ("bytes", "list<A>", "map<A, B>", "string")
    return [
        declare(signature.format(t), len)
        for t in types
        for signature in ("size({}) -> int", "{}::size() -> int")
    ]


LIBRARY: Final[tuple[Overload, ...]] = (
    declare("_?_:_(bool, A, A) -> A", _never),
    declare("_&&_(bool, bool) -> bool", _never),
    declare("_||_(bool, bool) -> bool", _never),
    declare("!_(bool) -> bool", operator.not_),
    declare("_==_(A, A) -> bool", equal),
    declare("_!=_(A, A) -> bool", lambda a, b: not equal(a, b)),
    declare("_+_(bytes, bytes) -> bytes", operator.add),
    declare("_+_(double, double) -> double", operator.add),
    declare("_+_(duration, duration) -> duration", lambda a, b: times.duration(a.nanos + b.nanos)),
    declare("_+_(duration, timestamp) -> timestamp", lambda d, t: _plus(t, d)),
    declare("_+_(timestamp, duration) -> timestamp", _plus),
    declare("_+_(int, int) -> int", _ints(operator.add)),
    declare("_+_(list<A>, list<A>) -> list<A>", operator.add),
    declare("_+_(string, string) -> string", operator.add),
    declare("_+_(uint, uint) -> uint", _uints(operator.add)),
    declare("_/_(double, double) -> double", _ratio),
    declare("_/_(int, int) -> int", _ints(_quotient)),
    declare("_/_(uint, uint) -> uint", _uints(_quotient)),
    declare("_%_(int, int) -> int", _remainder),
    declare("_%_(uint, uint) -> uint", _uints(_remainder)),
    declare("_*_(double, double) -> double", operator.mul),
    declare("_*_(int, int) -> int", _ints(operator.mul)),
    declare("_*_(uint, uint) -> uint", _uints(operator.mul)),
    declare("-_(double) -> double", operator.neg),
    declare("-_(int) -> int", lambda a: checked(-a)),
    declare("_-_(double, double) -> double", operator.sub),
    declare("_-_(duration, duration) -> duration", lambda a, b: times.duration(a.nanos - b.nanos)),
    declare("_-_(int, int) -> int", _ints(operator.sub)),
    declare("_-_(timestamp, duration) -> timestamp", _minus),
    declare(
        "_-_(timestamp, timestamp) -> duration", lambda a, b: times.duration(a.nanos - b.nanos)
    ),
    declare("_-_(uint, uint) -> uint", _uints(operator.sub)),
    *_comparisons(),
    declare("_[_](list<A>, int) -> A", index),
    declare("_[_](map<A, B>, A) -> B", index),
    declare("_[_](optional<list<V>>, int) -> optional<V>", index),
    declare("_[_](optional<map<K, V>>, K) -> optional<V>", index),
    declare("_[?_](list<V>, int) -> optional<V>", optional_index),
    declare("_[?_](optional<list<V>>, int) -> optional<V>", optional_index),
    declare("_[?_](map<K, V>, K) -> optional<V>", optional_index),
    declare("_[?_](optional<map<K, V>>, K) -> optional<V>", optional_index),
    declare("@in(A, list<A>) -> bool", lambda a, b: contains(b, a)),
    declare("@in(A, map<A, B>) -> bool", lambda a, b: contains(b, a)),
    *_sizes(),
    declare("type(A) -> type<A>", lambda value: TypeValue(type_name(value))),
    declare("bool(bool) -> bool", _same),
    declare("bool(string) -> bool", to_bool),
    declare("bytes(bytes) -> bytes", _same),
    declare("bytes(string) -> bytes", str.encode),
    declare("double(double) -> double", _same),
    declare("double(int) -> double", float),
    declare("double(string) -> double", to_double),
    declare("double(uint) -> double", float),
    declare("duration(duration) -> duration", _same),
    declare("duration(int) -> duration", Duration),
    declare("duration(string) -> duration", to_duration),
    declare("dyn(A) -> dyn", _same),
    declare("int(int) -> int", _same),
    declare("int(double) -> int", _double_to_int),
    declare("int(duration) -> int", lambda d: d.nanos),
    declare("int(string) -> int", to_int),
    declare("int(timestamp) -> int", lambda t: t.nanos // times.SECOND),
    declare("int(uint) -> int", lambda u: checked(int(u))),
    declare("string(string) -> string", _same),
    declare("string(bool) -> string", to_text),
    declare("string(bytes) -> string", to_text),
    declare("string(double) -> string", to_text),
    declare("string(duration) -> string", to_text),
    declare("string(int) -> string", to_text),
    declare("string(timestamp) -> string", to_text),
    declare("string(uint) -> string", to_text),
    declare("timestamp(timestamp) -> timestamp", _same),
    declare("timestamp(int) -> timestamp", lambda s: times.timestamp(s * times.SECOND)),
    declare("timestamp(string) -> timestamp", to_timestamp),
    declare("uint(uint) -> uint", _same),
    declare("uint(double) -> uint", _double_to_uint),
    declare("uint(int) -> uint", checked_uint),
    declare("uint(string) -> uint", to_uint),
    declare("string::contains(string) -> bool", operator.contains),
    declare("string::endsWith(string) -> bool", str.endswith),
    declare("string::startsWith(string) -> bool", str.startswith),
    declare("matches(string, string) -> bool", matches),
    declare("string::matches(string) -> bool", matches),
)
