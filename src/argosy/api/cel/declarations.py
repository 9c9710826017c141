"""Function declarations, written as signatures.

    size(list<A>) -> int              a function
    string::contains(string) -> bool  a method on a string
    _+_(int, int) -> int              an operator, by cel-go's name for it

Capital letters are type parameters. A library is a tuple of `Overload`s; `table` merges libraries by function name,
keeping the order, because the order decides which result type wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from argosy.api.cel.types import SIMPLE, Type, list_of, map_of, opaque, optional_of, param, type_of
from argosy.base.types import Json

Implementation = Callable[..., Json]

_SIGNATURE: Final = re.compile(
    r"(?:(?P<target>.+?)::)?(?P<name>[^(]+)\((?P<args>.*)\) -> (?P<result>.+)"
)
_OPAQUE: Final = {
    "IP": opaque("net.IP"),
    "CIDR": opaque("net.CIDR"),
    "URL": opaque("kubernetes.URL"),
    "Quantity": opaque("kubernetes.Quantity"),
    "Semver": opaque("kubernetes.Semver"),
    "Format": opaque("kubernetes.NamedFormat"),
}


@dataclass(slots=True, frozen=True, eq=False)
class Overload:
    """One signature of a function; a method's target is its first parameter."""

    name: str
    member: bool
    params: tuple[Type, ...]
    result: Type
    run: Implementation
    generic: bool


def declare(signature: str, run: Implementation) -> Overload:
    found = _SIGNATURE.fullmatch(signature)
    assert found is not None, signature
    target, args = found["target"], found["args"]
    texts = ([target] if target else []) + _split(args)
    params = tuple(_type(text) for text in texts)
    result = _type(found["result"])
    generic = any(_mentions_parameter(t) for t in (*params, result))
    return Overload(found["name"], target is not None, params, result, run, generic)


def table(libraries: Iterable[Iterable[Overload]]) -> dict[str, tuple[Overload, ...]]:
    merged: dict[str, list[Overload]] = {}
    for library in libraries:
        for overload in library:
            merged.setdefault(overload.name, []).append(overload)
    return {name: tuple(overloads) for name, overloads in merged.items()}


def _mentions_parameter(t: Type) -> bool:
    return t.kind == "param" or any(map(_mentions_parameter, t.params))


def _split(text: str) -> list[str]:
    """Splits at commas outside of angle brackets."""
    parts, depth, start = [], 0, 0
    for index, ch in enumerate(text):
        depth += (ch == "<") - (ch == ">")
        if ch == "," and not depth:
            parts.append(text[start:index].strip())
            start = index + 1
    return [*parts, text[start:].strip()] if text.strip() else []


def _type(text: str) -> Type:
    name, _, rest = text.partition("<")
    params = [_type(part) for part in _split(rest.removesuffix(">"))]
    match name:
        case "list":
            return list_of(params[0])
        case "map":
            return map_of(params[0], params[1])
        case "optional":
            return optional_of(params[0])
        case "type" if params:
            return type_of(params[0])
        case _ if name in SIMPLE:
            return SIMPLE[name]
        case _ if name in _OPAQUE:
            return _OPAQUE[name]
        case _:
            assert len(name) == 1, text
            return param(name)
