"""Optional values. `or` and `orValue` are declared here and written by the compiler, because their second operand is
evaluated only when it is needed.
"""

from __future__ import annotations

from typing import Final

from argosy.api.cel.declarations import Overload, declare
from argosy.api.cel.texts import show
from argosy.api.cel.values import NONE, CelError, Optional, is_zero
from argosy.base.types import Json


def some(value: Json) -> Optional:
    return Optional(present=True, value=value)


def value_of(optional: Optional) -> Json:
    if not optional.present:
        raise CelError("optional.none() dereference")
    return optional.value


def unwrap(items: list[Json]) -> list[Json]:
    for item in items:
        if not isinstance(item, Optional):
            raise CelError(f"value {show(item)} is not optional")
    return [item.value for item in items if item.present]


def or_optional(first: Optional, second: Optional) -> Optional:
    return first if first.present else second


def or_value(first: Optional, second: Json) -> Json:
    return first.value if first.present else second


LIBRARY: Final[tuple[Overload, ...]] = (
    declare("optional.of(V) -> optional<V>", some),
    declare("optional.ofNonZeroValue(V) -> optional<V>", lambda v: NONE if is_zero(v) else some(v)),
    declare("optional.none() -> optional<V>", lambda: NONE),
    declare("optional<V>::value() -> V", value_of),
    declare("optional<V>::hasValue() -> bool", lambda optional: optional.present),
    declare("optional<V>::or(optional<V>) -> optional<V>", or_optional),
    declare("optional<V>::orValue(V) -> V", or_value),
    declare("list<V>::first() -> optional<V>", lambda v: some(v[0]) if v else NONE),
    declare("list<V>::last() -> optional<V>", lambda v: some(v[-1]) if v else NONE),
    declare("optional.unwrap(list<optional<V>>) -> list<V>", unwrap),
    declare("list<optional<V>>::unwrapOpt() -> list<V>", unwrap),
)
