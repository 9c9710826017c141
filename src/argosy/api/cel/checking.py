"""The type checker: every node gets a type, every call its overloads, every mistake a place.

Follows cel-go's checker closely, because its findings are what users read when a CRD is refused. Types unify through
`Bindings`; macros are checked as the comprehension they stand for, with the errors that would give. The last word
have the literal checks Kubernetes switches on: durations, timestamps, patterns, format strings, and aggregates of
one type.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from argosy.api.cel.declarations import Overload
from argosy.api.cel.declaring import find_field
from argosy.api.cel.literals import check_literals
from argosy.api.cel.nodes import (
    Bind,
    Call,
    Fold,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    Select,
    StructLiteral,
)
from argosy.api.cel.source import Problems
from argosy.api.cel.types import (
    BOOL,
    DOUBLE,
    DYN,
    ERROR,
    INT,
    NULL,
    SIMPLE,
    STRING,
    UINT,
    Bindings,
    Type,
    is_dyn,
    is_dyn_or_error,
    list_of,
    map_of,
    most_general,
    opaque,
    optional_of,
    param,
    type_of,
    unwrap_optional,
)
from argosy.api.cel.values import UInt

_LITERALS: Final = {
    bool: BOOL,
    int: INT,
    UInt: UINT,
    float: DOUBLE,
    str: STRING,
    bytes: SIMPLE["bytes"],
    type(None): NULL,
}
# Names that stand for types: name -> the type meant.
TYPE_IDENTS: Final = {
    **{name: SIMPLE[name] for name in ("bool", "bytes", "double", "int", "string", "uint", "type")},
    "list": list_of(DYN),
    "map": map_of(DYN, DYN),
    "null_type": NULL,
    "google.protobuf.Timestamp": SIMPLE["timestamp"],
    "google.protobuf.Duration": SIMPLE["duration"],
    "optional_type": optional_of(DYN),
    "net.IP": opaque("net.IP"),
    "net.CIDR": opaque("net.CIDR"),
}


class Checker:
    """Checks one expression. `references` names the variables it used."""

    def __init__(
        self,
        problems: Problems,
        variables: Mapping[str, Type],
        functions: Mapping[str, Sequence[Overload]],
    ) -> None:
        self._problems = problems
        self._scopes: list[Mapping[str, Type]] = [variables]
        self._functions = functions
        self._bindings = Bindings()
        self._fresh = 0
        self.references: set[str] = set()
        self._nodes: list[Node] = []

    def check(self, node: Node) -> Type:
        """The expression's type; raises CompileError if there are problems."""
        self._visit(node)
        for seen in self._nodes:
            seen.type = self._bindings.substitute(seen.type, free_to_dyn=True)
        self._problems.check()
        check_literals(node, self._problems)
        self._problems.check()
        return node.type

    def _visit(self, node: Node) -> Type:
        match node:
            case Literal():
                node.type = _LITERALS[node.value.__class__]
            case Ident():
                node.type = self._ident(node)
            case Select():
                node.type = self._select(node)
            case Call():
                node.type = self._call(node)
            case ListLiteral():
                node.type = self._list(node)
            case MapLiteral():
                node.type = self._map(node)
            case Fold():
                node.type = self._fold(node)
            case Bind():
                node.type = self._bind(node)
            case StructLiteral():
                node.type = self._undeclared(node.at, node.name)
        self._nodes.append(node)
        return node.type

    def _undeclared(self, at: int, name: str) -> Type:
        self._problems.report(at, f"undeclared reference to '{name}' (in container '')")
        return ERROR

    def _lookup(self, name: str) -> Type | None:
        name = name.removeprefix(".")
        for depth in range(len(self._scopes) - 1, -1, -1):
            found = self._scopes[depth].get(name)
            if found is not None:
                if not depth:
                    self.references.add(name)
                return found
        named = TYPE_IDENTS.get(name)
        return None if named is None else type_of(named)

    def _ident(self, node: Ident) -> Type:
        found = self._lookup(node.name)
        return self._undeclared(node.at, node.name) if found is None else found

    def _select(self, node: Select) -> Type:
        qualified = qualified_name(node)
        if qualified is not None and qualified in TYPE_IDENTS:
            return type_of(TYPE_IDENTS[qualified])
        operand = self._bindings.substitute(self._visit(node.operand))
        target, was_optional = unwrap_optional(operand)
        result = DYN
        if target.kind == "map":
            result = target.params[1]
        elif target.kind == "struct":
            found = find_field(target, node.field)
            if found is None:
                self._problems.report(node.at, f"undefined field '{node.field}'")
                result = ERROR
            else:
                result = found[2]
        elif target.kind == "param":
            self._assignable(DYN, target)
        elif not is_dyn_or_error(target):
            self._problems.report(node.at, f"type '{target}' does not support field selection")
        if node.test:
            return BOOL
        return optional_of(result) if was_optional or node.optional else result

    def _call(self, node: Call) -> Type:
        for argument in node.args:
            self._visit(argument)
        if node.target is not None:
            prefix = qualified_name(node.target)
            if prefix is not None and f"{prefix}.{node.function}" in self._functions:
                node.function, node.target = f"{prefix}.{node.function}", None
            else:
                self._visit(node.target)
        overloads = self._functions.get(node.function.removeprefix("."))
        if overloads is None:
            return self._undeclared(node.at, node.function)
        return self._resolve(node, overloads)

    def _resolve(self, node: Call, overloads: Sequence[Overload]) -> Type:
        operands = [*([node.target] if node.target is not None else []), *node.args]
        types = [operand.type for operand in operands]
        if node.function in {"_&&_", "_||_"}:
            return self._logic(node, operands)
        result: Type | None = None
        for overload in overloads:
            if overload.member != (node.target is not None):
                continue
            params, returned = self._instantiate(overload)
            attempt = self._bindings.copy()
            if not attempt.all_assignable(types, params):
                continue
            self._bindings = attempt
            node.overloads.append(overload)
            returned = attempt.substitute(returned)
            if result is None:
                result = returned
            elif not is_dyn(result) and returned != result:
                result = DYN
        if result is not None:
            return result
        self._no_overload(node.at, node.function, types, member=node.target is not None)
        return ERROR

    def _logic(self, node: Call, operands: Sequence[Node]) -> Type:
        sound = True
        for operand in operands:
            if not self._assignable(operand.type, BOOL):
                self._expected(operand.at, BOOL, operand.type)
                sound = False
        node.overloads = list(self._functions[node.function])
        return BOOL if sound else ERROR

    def _no_overload(self, at: int, name: str, types: Sequence[Type], *, member: bool) -> None:
        texts = [str(self._bindings.substitute(t, free_to_dyn=True)) for t in types]
        target = f"{texts.pop(0)}." if member else ""
        signature = f"{target}({', '.join(texts)})"
        self._problems.report(
            at, f"found no matching overload for '{name}' applied to '{signature}'"
        )

    def _instantiate(self, overload: Overload) -> tuple[tuple[Type, ...], Type]:
        if not overload.generic:
            return overload.params, overload.result
        fresh = Bindings()
        names = {p.name for t in (*overload.params, overload.result) for p in _parameters(t)}
        for name in sorted(names):
            fresh.bind(param(name), self._variable())
        return tuple(fresh.substitute(t) for t in overload.params), fresh.substitute(
            overload.result
        )

    def _variable(self) -> Type:
        self._fresh += 1
        return param(f"_var{self._fresh}")

    def _assignable(self, a: Type, b: Type) -> bool:
        attempt = self._bindings.copy()
        if not attempt.assignable(a, b):
            return False
        self._bindings = attempt
        return True

    def _expected(self, at: int, wanted: Type, got: Type) -> None:
        got = self._bindings.substitute(got)
        self._problems.report(at, f"expected type '{wanted}' but found '{got}'")

    def _list(self, node: ListLiteral) -> Type:
        joined: Type | None = None
        for index, element in enumerate(node.elements):
            t = self._visit(element)
            if index in node.optionals:
                t = self._unwrapped(element)
            joined = self._join(joined, t)
        return list_of(joined if joined is not None else self._variable())

    def _map(self, node: MapLiteral) -> Type:
        key: Type | None = None
        value: Type | None = None
        for entry in node.entries:
            key = self._join(key, self._visit(entry.key))
            found = self._visit(entry.value)
            value = self._join(value, self._unwrapped(entry.value) if entry.optional else found)
        if key is None or value is None:
            return map_of(self._variable(), self._variable())
        return map_of(key, value)

    def _unwrapped(self, node: Node) -> Type:
        t, was_optional = unwrap_optional(node.type)
        if not was_optional and not is_dyn(t):
            self._expected(node.at, optional_of(t), t)
        return t

    def _join(self, previous: Type | None, current: Type) -> Type:
        if previous is None:
            return current
        return most_general(previous, current) if self._assignable(previous, current) else DYN

    def _range(self, node: Fold) -> tuple[Type, Type]:
        """The types of a comprehension's first and second variable."""
        t = self._bindings.substitute(self._visit(node.range))
        if t.kind == "list":
            return (INT, t.params[0]) if node.second else (t.params[0], DYN)
        if t.kind == "map":
            return t.params[0], t.params[1]
        if t.kind in {"dyn", "error", "param"}:
            self._assignable(DYN, t)
            return DYN, DYN
        self._problems.report(
            node.range.at,
            f"expression of type '{t}' cannot be range of a comprehension "
            "(must be list, map, or dynamic)",
        )
        return ERROR, ERROR

    def _fold(self, node: Fold) -> Type:
        first, second = self._range(node)
        scope = {node.variable: first}
        if node.second:
            scope[node.second] = second
        self._scopes.append(scope)
        if node.filter is not None:
            self._visit(node.filter)
        body = self._visit(node.body)
        self._scopes.pop()
        condition, result = node.filter, BOOL
        match node.kind:
            case "all" | "exists":
                if not self._assignable(body, BOOL):
                    self._expected(node.body.at, BOOL, body)
                return BOOL
            case "exists_one":
                condition, stepped = node.body, INT
            case "filter":
                condition, result = node.body, list_of(first)
                stepped = result
            case "map":
                result = stepped = list_of(body)
            case "transformMap":
                result = stepped = map_of(first, body)
            case _:
                result = stepped = self._entries(node, body)
        if condition is not None and not self._assignable(condition.type, BOOL):
            types = [condition.type, stepped, stepped]
            self._no_overload(node.at, "_?_:_", types, member=False)
        return result

    def _entries(self, node: Fold, body: Type) -> Type:
        result = map_of(self._variable(), self._variable())
        if not self._assignable(body, result):
            self._no_overload(node.at, "cel.@mapInsert", [result, body], member=False)
            return ERROR
        return self._bindings.substitute(result)

    def _bind(self, node: Bind) -> Type:
        target = self._bindings.substitute(self._visit(node.target))
        element = self._variable()
        wanted = list_of(element) if node.kind == "sortBy" else optional_of(element)
        if not self._assignable(target, wanted):
            names = ("@sortByAssociatedKeys",) if node.kind == "sortBy" else ("hasValue", "value")
            for name in names:
                self._no_overload(node.at, name, [target], member=True)
            element = ERROR
        self._scopes.append({node.variable: self._bindings.substitute(element)})
        body = self._visit(node.body)
        self._scopes.pop()
        if node.kind == "optMap":
            return optional_of(body)
        if node.kind == "optFlatMap":
            if not self._assignable(body, optional_of(self._variable())):
                types = [BOOL, body, optional_of(DYN)]
                self._no_overload(node.at, "_?_:_", types, member=False)
            return body
        return target


def qualified_name(node: Node) -> str | None:
    """`a.b.c` if the node is nothing but names and dots."""
    if isinstance(node, Ident):
        return node.name
    if isinstance(node, Select) and not node.test and not node.optional:
        prefix = qualified_name(node.operand)
        return None if prefix is None else f"{prefix}.{node.field}"
    return None


def _parameters(t: Type) -> list[Type]:
    if t.kind == "param":
        return [t]
    return [found for p in t.params for found in _parameters(p)]
