"""Lists: Kubernetes' own functions, cel-go's lists extension (version 3) and the sets extension.

sets.* and distinct compare with CEL's equality, so they are quadratic; lists come from objects of bounded size.
"""

from __future__ import annotations

from functools import reduce
from itertools import pairwise
from typing import Final

from argosy.api.cel import times
from argosy.api.cel.declarations import Overload, declare
from argosy.api.cel.functions.standard import checked, checked_uint
from argosy.api.cel.values import (
    CelError,
    Duration,
    OverBudget,
    UInt,
    equal,
    ordering,
    type_name,
)
from argosy.base.types import Json

_COMPARABLE: Final = (
    "int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes",
)  # fmt: skip
_SUMMABLE: Final = ("int", "uint", "double", "duration")
_LONGEST_RANGE: Final = 1_000_000


def is_sorted(items: list[Json]) -> bool:
    return all(ordering("isSorted", a, b) <= 0 for a, b in pairwise(items))


def _sum_of(kind: str) -> Overload:
    def run(items: list[Json]) -> Json:
        match kind:
            case "duration":
                return reduce(lambda a, b: times.duration(a.nanos + b.nanos), items, Duration(0))
            case "double":
                return sum(items, 0.0)
            case "uint":
                return reduce(lambda a, b: checked_uint(int(a) + int(b)), items, UInt(0))
            case _:
                return reduce(lambda a, b: checked(a + b), items, 0)

    return declare(f"list<{kind}>::sum() -> {kind}", run)


def _extreme(name: str, sign: int) -> list[Overload]:
    def run(items: list[Json]) -> Json:
        if not items:
            raise CelError(f"{name} called on empty list")
        return reduce(lambda a, b: b if ordering(name, a, b) == sign else a, items)

    return [declare(f"list<{kind}>::{name}() -> {kind}", run) for kind in _COMPARABLE]


def index_of(items: list[Json], value: Json) -> int:
    return next((i for i, item in enumerate(items) if equal(item, value)), -1)


def last_index_of(items: list[Json], value: Json) -> int:
    return next((i for i in range(len(items) - 1, -1, -1) if equal(items[i], value)), -1)


def slice_list(items: list[Json], start: int, end: int) -> list[Json]:
    call = f"cannot slice({start}, {end})"
    if start < 0 or end < 0:
        raise CelError(f"{call}, negative indexes not supported")
    if start > end:
        raise CelError(f"{call}, start index must be less than or equal to end index")
    if len(items) < end:
        raise CelError(f"{call}, list is length {len(items)}")
    return items[start:end]


def flatten(items: list[Json], depth: int = 1) -> list[Json]:
    if depth < 0:
        raise CelError("level must be non-negative")
    out: list[Json] = []
    for item in items:
        if isinstance(item, list) and depth:
            out += flatten(item, depth - 1)
        else:
            out.append(item)
    return out


def sort_by(items: list[Json], keys: list[Json]) -> list[Json]:
    """The items in the order of their keys."""
    if len({type_name(key) for key in keys}) > 1:
        raise CelError("list elements must have the same type")
    order = sorted(range(len(items)), key=lambda i: keys[i])
    return [items[i] for i in order]


def make_range(count: int) -> list[int]:
    if count > _LONGEST_RANGE:
        raise OverBudget
    return list(range(count))


def distinct(items: list[Json]) -> list[Json]:
    out: list[Json] = []
    for item in items:
        if not any(equal(item, seen) for seen in out):
            out.append(item)
    return out


def contains_all(items: list[Json], wanted: list[Json]) -> bool:
    return all(any(equal(item, want) for item in items) for want in wanted)


def equivalent(a: list[Json], b: list[Json]) -> bool:
    return contains_all(a, b) and contains_all(b, a)


def intersects(a: list[Json], b: list[Json]) -> bool:
    return any(equal(x, y) for x in a for y in b)


LIBRARY: Final[tuple[Overload, ...]] = (
    *(declare(f"list<{kind}>::isSorted() -> bool", is_sorted) for kind in _COMPARABLE),
    *map(_sum_of, _SUMMABLE),
    *_extreme("max", -1),
    *_extreme("min", 1),
    declare("list<A>::indexOf(A) -> int", index_of),
    declare("list<A>::lastIndexOf(A) -> int", last_index_of),
    declare("list<T>::slice(int, int) -> list<T>", slice_list),
    declare("list<list<T>>::flatten() -> list<T>", flatten),
    declare("list<dyn>::flatten(int) -> list<dyn>", flatten),
    *(
        declare(f"list<{kind}>::sort() -> list<{kind}>", lambda items: sort_by(items, items))
        for kind in _COMPARABLE
    ),
    declare("lists.range(int) -> list<int>", make_range),
    declare("list<T>::reverse() -> list<T>", lambda items: items[::-1]),
    declare("list<T>::distinct() -> list<T>", distinct),
    declare("sets.contains(list<T>, list<T>) -> bool", contains_all),
    declare("sets.equivalent(list<T>, list<T>) -> bool", equivalent),
    declare("sets.intersects(list<T>, list<T>) -> bool", intersects),
)
