"""The syntax tree. Nodes are made by the parser, typed in place by the checker, then compiled once.

`at` is the node's offset in code points, where an error about it points: the operator of an operation, the opening
parenthesis of a call and of everything a macro expands to, as in cel-go.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from argosy.api.cel.declarations import Overload
from argosy.api.cel.types import DYN, Type
from argosy.base.types import Json


@dataclass(slots=True, eq=False)
class Node:
    at: int
    type: Type = field(default=DYN, kw_only=True)


@dataclass(slots=True, eq=False)
class Literal(Node):
    value: Json


@dataclass(slots=True, eq=False)
class Ident(Node):
    name: str


@dataclass(slots=True, eq=False)
class Select(Node):
    """`operand.field`; `test` for has(operand.field); `optional` for operand.?field."""

    operand: Node
    field: str
    test: bool = False
    optional: bool = False


@dataclass(slots=True, eq=False)
class Call(Node):
    """An operator, a function, or a method when there is a target. The checker fills in `overloads`."""

    function: str
    args: list[Node]
    target: Node | None = None
    overloads: list[Overload] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class ListLiteral(Node):
    elements: list[Node]
    optionals: frozenset[int] = frozenset()


@dataclass(slots=True, eq=False)
class Entry:
    key: Node
    value: Node
    optional: bool


@dataclass(slots=True, eq=False)
class MapLiteral(Node):
    entries: list[Entry]


@dataclass(slots=True, eq=False)
class StructLiteral(Node):
    """`Name{...}`. No such type is ever declared here, so this only lives to be refused."""

    name: str


@dataclass(slots=True, eq=False)
class Fold(Node):
    """A comprehension macro: `kind` is its name (exists_one for all its spellings, map for its filtered form too)."""

    kind: str
    range: Node
    variable: str
    body: Node
    second: str = ""
    filter: Node | None = None


@dataclass(slots=True, eq=False)
class Bind(Node):
    """`target.optMap(v, body)`, `optFlatMap`, and `sortBy`: a body with one variable bound, once or per element."""

    kind: str
    target: Node
    variable: str
    body: Node
