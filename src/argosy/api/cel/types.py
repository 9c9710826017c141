"""CEL's static types and how they unify.

A `Type` is a kind, a name and parameters. `schema` rides along on types made from an OpenAPI schema: it takes no part
in equality, but tells the compiler how the data looks (field names, list types, formats). Unification follows
cel-go: a `Bindings` maps type parameters to types, grows while a call is matched, and is copied before each try, so
that a failed overload leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from argosy.api.schema.structural import Schema


@dataclass(slots=True, frozen=True)
class Type:
    """`kind` is one of the words below; `name` matters for structs, opaque types and parameters."""

    kind: str
    name: str
    params: tuple[Type, ...] = ()
    schema: Schema | None = field(default=None, compare=False)

    def __str__(self) -> str:
        if self.kind == "error":
            return "!error!"
        if self.params:
            return f"{self.name}({', '.join(map(str, self.params))})"
        return self.name


def _simple(name: str, printed: str = "") -> Type:
    return Type(name, printed or name)


INT: Final = _simple("int")
UINT: Final = _simple("uint")
DOUBLE: Final = _simple("double")
BOOL: Final = _simple("bool")
STRING: Final = _simple("string")
BYTES: Final = _simple("bytes")
NULL: Final = _simple("null")
DYN: Final = _simple("dyn")
ERROR: Final = _simple("error")
TIMESTAMP: Final = _simple("timestamp")
DURATION: Final = _simple("duration")
TYPE: Final = _simple("type")

SIMPLE: Final = {
    t.name: t
    for t in (INT, UINT, DOUBLE, BOOL, STRING, BYTES, NULL, DYN, TIMESTAMP, DURATION, TYPE)
}
_NULLABLE: Final = frozenset({"opaque", "struct", "duration", "timestamp"})
_PARAMETERIZED: Final = frozenset({"opaque", "list", "map"})


def list_of(element: Type, schema: Schema | None = None) -> Type:
    return Type("list", "list", (element,), schema)


def map_of(key: Type, value: Type, schema: Schema | None = None) -> Type:
    return Type("map", "map", (key, value), schema)


def optional_of(value: Type) -> Type:
    return Type("opaque", "optional_type", (value,))


def type_of(value: Type) -> Type:
    return Type("type", "type", (value,))


def opaque(name: str) -> Type:
    return Type("opaque", name)


def struct(name: str, schema: Schema) -> Type:
    return Type("struct", name, (), schema)


def param(name: str) -> Type:
    return Type("param", name)


def unwrap_optional(t: Type) -> tuple[Type, bool]:
    """The type inside an optional, and whether it was one."""
    if t.kind == "opaque" and t.name == "optional_type":
        return t.params[0], True
    return t, False


def is_dyn(t: Type) -> bool:
    return t.kind == "dyn"


def is_dyn_or_error(t: Type) -> bool:
    return t.kind in {"dyn", "error"}


class Bindings:
    """What each type parameter stands for so far."""

    __slots__ = ("_bound",)

    def __init__(self, bound: dict[str, Type] | None = None) -> None:
        self._bound = bound if bound is not None else {}

    def copy(self) -> Bindings:
        return Bindings(dict(self._bound))

    def find(self, t: Type) -> Type | None:
        return self._bound.get(t.name) if t.kind == "param" else None

    def bind(self, t: Type, to: Type) -> None:
        self._bound[t.name] = to

    def substitute(self, t: Type, *, free_to_dyn: bool = False) -> Type:
        """`t` with every bound parameter replaced; free ones become dyn if asked."""
        bound = self.find(t)
        if bound is not None:
            return self.substitute(bound, free_to_dyn=free_to_dyn)
        if t.kind == "param":
            return DYN if free_to_dyn else t
        if not t.params:
            return t
        params = tuple(self.substitute(p, free_to_dyn=free_to_dyn) for p in t.params)
        return t if params == t.params else Type(t.kind, t.name, params, t.schema)

    def assignable(self, a: Type, b: Type) -> bool:
        """Whether `a` can stand where `b` is wanted; binds parameters on the way."""
        if b.kind == "param":
            valid, bound = self._substitutes(a, b)
            if valid:
                return True
            if bound:
                return False
        if a.kind == "param":
            return self._substitutes(b, a)[0]
        if is_dyn_or_error(a) or is_dyn_or_error(b):
            return True
        if a.kind == "null" or b.kind == "null":
            other = b if a.kind == "null" else a
            return other.kind in _NULLABLE or other.kind == "null"
        if a.kind == "type":
            return b.kind == "type"
        if a.kind in _PARAMETERIZED:
            return a.kind == b.kind and a.name == b.name and self.all_assignable(a.params, b.params)
        return a.kind == b.kind and a.name == b.name

    def all_assignable(self, those: Sequence[Type], these: Sequence[Type]) -> bool:
        return len(those) == len(these) and all(map(self.assignable, those, these))

    def _substitutes(self, t: Type, parameter: Type) -> tuple[bool, bool]:
        """Whether `t` can stand for the parameter, and whether the parameter was bound before."""
        if t == parameter:
            return True, True
        bound = self.find(parameter)
        if bound is not None:
            if t == bound:
                return True, True
            if self.assignable(t, bound):
                general = most_general(t, bound)
                if self._free_of(parameter, general):
                    self.bind(parameter, general)
                return True, True
            return False, True
        if self._free_of(parameter, t):
            self.bind(parameter, t)
            return True, False
        return False, False

    def _free_of(self, parameter: Type, t: Type) -> bool:
        """Whether `t` does not mention the parameter (a type that holds itself has no end)."""
        if t == parameter:
            return False
        if t.kind == "param":
            bound = self.find(t)
            return bound is None or self._free_of(parameter, bound)
        return all(self._free_of(parameter, p) for p in t.params)


def most_general(a: Type, b: Type) -> Type:
    """The more general of two types that unify."""
    return a if _less_specific(a, b) else b


def _less_specific(a: Type, b: Type) -> bool:
    if is_dyn(a) or a.kind == "param":
        return True
    if is_dyn(b) or b.kind == "param" or a.kind != b.kind:
        return False
    if a.kind == "type":
        return True
    if a.kind in _PARAMETERIZED:
        return (
            a.name == b.name
            and len(a.params) == len(b.params)
            and all(map(_less_specific, a.params, b.params))
        )
    return a == b
