"""The loops: all, exists, exists_one, map, filter and the transforms, each as one closure.

`all` and `exists` absorb the errors of single elements if another element decides, as && and || do. The budget (slot
2 of the frame) is charged when a loop ends, however it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from argosy.api.cel.texts import show
from argosy.api.cel.values import CelError, OverBudget, UInt
from argosy.base.types import Json

Frame = list[Json]
Closure = Callable[[Frame], Json]
_BUDGET: Final = 2
# What cel-go calls the values that cannot be walked.
_GO_NAMES: Final = {
    bool: "types.Bool",
    int: "types.Int",
    UInt: "types.Uint",
    float: "types.Double",
    str: "types.String",
    bytes: "types.Bytes",
    type(None): "types.Null",
}


def comprehension(
    kind: str,
    items: Closure,
    first: int,
    second: int,
    body: Closure,
    condition: Closure | None,
    weight: int,
) -> Closure:
    """`second` is 0 for a loop with one variable."""
    loop = _Loop(items, first, second, weight)
    match kind:
        case "all":
            return _decide(loop, body, found=False)
        case "exists":
            return _decide(loop, body, found=True)
        case "exists_one":
            return lambda frame: sum(1 for _ in loop.run(frame) if body(frame)) == 1
        case "filter":
            return lambda frame: [frame[first] for _ in loop.run(frame) if body(frame)]
        case "map":
            return _map(loop, body, condition)
        case "transformMap":
            return _transform(loop, body, condition, entry=False)
        case _:
            return _transform(loop, body, condition, entry=True)


class _Loop:
    """Walks a list or a map, setting the variables in the frame."""

    __slots__ = ("_first", "_items", "_second", "_weight")

    def __init__(self, items: Closure, first: int, second: int, weight: int) -> None:
        self._items = items
        self._first = first
        self._second = second
        self._weight = weight

    @property
    def first(self) -> int:
        return self._first

    def values(self, frame: Frame) -> Json:
        """What is walked by one variable: elements of a list, keys of a map; None if two variables are set."""
        values = self._items(frame)
        if values.__class__ is not list and values.__class__ is not dict:
            name = _GO_NAMES.get(values.__class__, "types.Unknown")
            raise CelError(f"got '{name}', expected iterable type")
        return values

    @property
    def single(self) -> bool:
        return not self._second

    def charge(self, frame: Frame, count: int) -> None:
        frame[_BUDGET] -= count * self._weight
        if frame[_BUDGET] < 0:
            raise OverBudget

    def run(self, frame: Frame) -> Iterator[None]:
        values = self.values(frame)
        count = 0
        if not self._second:
            for value in values:
                frame[self._first] = value
                count += 1
                yield
        else:
            pairs = enumerate(values) if values.__class__ is list else values.items()
            for key, value in pairs:
                frame[self._first] = key
                frame[self._second] = value
                count += 1
                yield
        self.charge(frame, count)


def _decide(loop: _Loop, body: Closure, *, found: bool) -> Closure:
    """`exists` (found=True) and `all` (found=False): the first element that decides ends the loop."""
    first = loop.first

    def single(frame: Frame) -> bool:
        error: CelError | None = None
        count = 0
        for value in loop.values(frame):
            frame[first] = value
            count += 1
            try:
                if body(frame) is found:
                    loop.charge(frame, count)
                    return bool(found)
            except CelError as raised:
                error = raised
        loop.charge(frame, count)
        if error is not None:
            raise error
        return not found

    def double(frame: Frame) -> bool:
        error: CelError | None = None
        for count, _ in enumerate(loop.run(frame), 1):
            try:
                if body(frame) is found:
                    loop.charge(frame, count)
                    return bool(found)
            except CelError as raised:
                error = raised
        if error is not None:
            raise error
        return not found

    return single if loop.single else double


def _map(loop: _Loop, body: Closure, condition: Closure | None) -> Closure:
    if condition is None:
        return lambda frame: [body(frame) for _ in loop.run(frame)]
    return lambda frame: [body(frame) for _ in loop.run(frame) if condition(frame)]


def _transform(loop: _Loop, body: Closure, condition: Closure | None, *, entry: bool) -> Closure:
    def run(frame: Frame) -> dict[Json, Json]:
        out: dict[Json, Json] = {}
        for _ in loop.run(frame):
            if condition is not None and not condition(frame):
                continue
            made = body(frame) if entry else {frame[loop.first]: body(frame)}
            for key, value in made.items():
                if key in out:
                    raise CelError(f"insert failed: key {show(key)} already exists")
                out[key] = value
        return out

    return run
