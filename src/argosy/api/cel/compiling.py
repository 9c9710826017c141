"""A checked tree to one Python closure.

A closure takes a frame (a list: self, oldSelf, the remaining budget, then one slot per variable of a comprehension)
and returns a value or raises CelError. What the checker proved is used: operators on known types become Python's
own, selections know the property's name and its conversion, a list of literals to search in becomes a set. Where a
type is known only at run time, a dispatcher picks the overload by the values' classes and remembers the pick.

Precondition: `self` and `oldSelf` have the shape their schema says; schema validation comes first.
Cost: every pass of a comprehension's body is charged by the number of nodes in it, so that nested loops end with
OverBudget and not with a request that never returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from argosy.api.cel.checking import TYPE_IDENTS, qualified_name
from argosy.api.cel.comprehending import Closure, Frame, comprehension
from argosy.api.cel.declarations import Implementation
from argosy.api.cel.dispatching import DIRECT, equality_of, implementation
from argosy.api.cel.functions.lists import sort_by
from argosy.api.cel.literals import children
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
)
from argosy.api.cel.regexes import compile_regex
from argosy.api.cel.selecting import selection
from argosy.api.cel.texts import show
from argosy.api.cel.types import Type, is_dyn, unwrap_optional
from argosy.api.cel.values import (
    NONE,
    CelError,
    Optional,
    TypeValue,
    contains,
    no_overload,
)
from argosy.base.types import Json

SELF: Final = 0
OLD_SELF: Final = 1
BUDGET: Final = 2
_SLOTS: Final = {"self": SELF, "oldSelf": OLD_SELF}


def compile_node(root: Node) -> tuple[Closure, int]:
    """The closure of a checked expression and the number of slots its frame needs."""
    compiler = _Compiler()
    return compiler.visit(root), compiler.slots


class _Compiler:
    def __init__(self) -> None:
        self.slots = BUDGET + 1
        self._scopes: list[dict[str, int]] = [_SLOTS]

    def visit(self, node: Node) -> Closure:
        match node:
            case Literal():
                value = node.value
                return lambda _frame: value
            case Ident():
                return self._ident(node)
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case ListLiteral():
                return self._list(node)
            case MapLiteral():
                return self._map(node)
            case Fold():
                return self._fold(node)
            case Bind():
                return self._bind(node)
            case _:
                raise AssertionError(f"unchecked node: {node}")

    def _slot(self, name: str) -> int:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        raise AssertionError(f"unchecked name: {name}")

    def _new_slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def _ident(self, node: Ident) -> Closure:
        name = node.name.removeprefix(".")
        if node.type.kind == "type" and name in TYPE_IDENTS and not self._bound(name):
            value = TypeValue(name)
            return lambda _frame: value
        slot = self._slot(name)
        return lambda frame: frame[slot]

    def _bound(self, name: str) -> bool:
        return any(name in scope for scope in self._scopes)

    def _select(self, node: Select) -> Closure:
        qualified = qualified_name(node)
        if qualified is not None and qualified in TYPE_IDENTS:
            value = TypeValue(qualified)
            return lambda _frame: value
        target, was_optional = unwrap_optional(node.operand.type)
        operand = self.visit(node.operand)
        return selection(node, target, operand, optional=was_optional or node.optional)

    def _list(self, node: ListLiteral) -> Closure:
        parts = [self.visit(element) for element in node.elements]
        optionals = node.optionals
        if not optionals:
            return lambda frame: [part(frame) for part in parts]

        def build(frame: Frame) -> list[Json]:
            out = []
            for position, part in enumerate(parts):
                value = part(frame)
                if position not in optionals:
                    out.append(value)
                elif not isinstance(value, Optional):
                    raise CelError(
                        "cannot initialize optional list element from non-optional value "
                        + show(value)
                    )
                elif value.present:
                    out.append(value.value)
            return out

        return build

    def _map(self, node: MapLiteral) -> Closure:
        entries = [(self.visit(e.key), self.visit(e.value), e.optional) for e in node.entries]

        def build(frame: Frame) -> dict[Json, Json]:
            out: dict[Json, Json] = {}
            for key_of, value_of, optional in entries:
                key, value = key_of(frame), value_of(frame)
                if optional:
                    if not isinstance(value, Optional):
                        raise CelError(
                            f"cannot initialize optional entry '{show(key)}' from non-optional value {show(value)}"
                        )
                    if not value.present:
                        continue
                    value = value.value
                out[key] = value
            return out

        return build

    def _fold(self, node: Fold) -> Closure:
        items = self.visit(node.range)
        first = self._new_slot()
        scope = {node.variable: first}
        second = 0
        if node.second:
            second = scope[node.second] = self._new_slot()
        self._scopes.append(scope)
        body = self.visit(node.body)
        if node.kind in {"all", "exists", "exists_one", "filter"}:
            body = boolean(body, node.body.type)
        condition = None
        if node.filter is not None:
            condition = boolean(self.visit(node.filter), node.filter.type)
        self._scopes.pop()
        weight = _weight(node.body) + (_weight(node.filter) if node.filter is not None else 0)
        return comprehension(node.kind, items, first, second, body, condition, weight)

    def _bind(self, node: Bind) -> Closure:
        target = self.visit(node.target)
        slot = self._new_slot()
        self._scopes.append({node.variable: slot})
        body = self.visit(node.body)
        self._scopes.pop()
        if node.kind == "sortBy":
            keys = comprehension("map", target, slot, 0, body, None, _weight(node.body))
            return lambda frame: sort_by(target(frame), keys(frame))
        flat = node.kind == "optFlatMap"

        def run(frame: Frame) -> Json:
            found = target(frame)
            if not found.present:
                return NONE
            frame[slot] = found.value
            value = body(frame)
            return value if flat else Optional(present=True, value=value)

        return run

    def _call(self, node: Call) -> Closure:
        match node.function:
            case "_&&_":
                return _and(*(boolean(self.visit(a), a.type) for a in node.args))
            case "_||_":
                return _or(*(boolean(self.visit(a), a.type) for a in node.args))
            case "_?_:_":
                return self._ternary(node)
            case "_==_" | "_!=_":
                return self._equals(node, negated=node.function == "_!=_")
            case "@in":
                return self._in(node)
            case "or" | "orValue" if node.target is not None:
                return self._or_optional(node, node.target)
            case "matches" if isinstance(node.args[-1], Literal) and node.overloads:
                return self._matches(node)
            case "_[_]":
                return self._index(node)
        operands = [*([node.target] if node.target is not None else []), *node.args]
        closures = [self.visit(operand) for operand in operands]
        return _apply(implementation(node, operands), closures)

    def _ternary(self, node: Call) -> Closure:
        condition = boolean(self.visit(node.args[0]), node.args[0].type)
        yes, no = self.visit(node.args[1]), self.visit(node.args[2])
        return lambda frame: yes(frame) if condition(frame) else no(frame)

    def _equals(self, node: Call, *, negated: bool) -> Closure:
        left, right = node.args
        compare = equality_of(left.type, right.type)
        a, b = self.visit(left), self.visit(right)
        if compare is None:
            if isinstance(right, Literal):
                value = right.value
                if negated:
                    return lambda frame: a(frame) != value
                return lambda frame: a(frame) == value
            if negated:
                return lambda frame: a(frame) != b(frame)
            return lambda frame: a(frame) == b(frame)
        if negated:
            return lambda frame: not compare(a(frame), b(frame))
        return lambda frame: compare(a(frame), b(frame))

    def _in(self, node: Call) -> Closure:
        value, container = node.args
        a, b = self.visit(value), self.visit(container)
        if (
            isinstance(container, ListLiteral)
            and value.type.kind in DIRECT
            and all(isinstance(e, Literal) and e.type == value.type for e in container.elements)
        ):
            known = frozenset(e.value for e in container.elements if isinstance(e, Literal))
            return lambda frame: a(frame) in known
        if value.type.kind == "string" and container.type.kind in {"list", "map"}:
            inner = container.type.params[0]
            if inner.kind == "string":
                return lambda frame: a(frame) in b(frame)
        return lambda frame: contains(b(frame), a(frame))

    def _or_optional(self, node: Call, target: Node) -> Closure:
        first, second = self.visit(target), self.visit(node.args[0])
        wrapped = node.function == "or"

        def run(frame: Frame) -> Json:
            found = first(frame)
            if not isinstance(found, Optional):
                raise CelError(no_overload(node.function, found))
            if found.present:
                return found if wrapped else found.value
            return second(frame)

        return run

    def _matches(self, node: Call) -> Closure:
        pattern = node.args[-1]
        assert isinstance(pattern, Literal)
        subject = node.target if node.target is not None else node.args[0]
        text = self.visit(subject)
        search = compile_regex(pattern.value).search
        if not is_dyn(subject.type):
            return lambda frame: search(text(frame)) is not None

        def run(frame: Frame) -> bool:
            value = text(frame)
            if not isinstance(value, str):
                raise CelError("no such overload")
            return search(value) is not None

        return run

    def _index(self, node: Call) -> Closure:
        container, key = node.args
        if container.type.kind != "list" or key.type.kind != "int":
            return _apply(implementation(node, node.args), [self.visit(container), self.visit(key)])
        items, position = self.visit(container), self.visit(key)

        def run(frame: Frame) -> Json:
            values, at = items(frame), position(frame)
            if 0 <= at < len(values):
                return values[at]
            raise CelError(f"index out of bounds: {at}")

        return run


def _weight(node: Node) -> int:
    """Nodes evaluated per pass of a loop; a nested loop's body charges itself."""
    if isinstance(node, Fold):
        return 1 + _weight(node.range)
    return 1 + sum(map(_weight, children(node)))


def boolean(closure: Closure, t: Type) -> Closure:
    """The closure, checked to give a bool if the checker could not promise one."""
    if not is_dyn(t):
        return closure

    def run(frame: Frame) -> bool:
        value = closure(frame)
        if value.__class__ is bool:
            return bool(value)
        raise CelError("no such overload")

    return run


def _and(left: Closure, right: Closure) -> Closure:
    """Either side's false wins, whatever the other side's error."""

    def run(frame: Frame) -> bool:
        try:
            if not left(frame):
                return False
        except CelError:
            if not right(frame):
                return False
            raise
        return bool(right(frame))

    return run


def _or(left: Closure, right: Closure) -> Closure:
    def run(frame: Frame) -> bool:
        try:
            if left(frame):
                return True
        except CelError:
            if right(frame):
                return True
            raise
        return bool(right(frame))

    return run


def _apply(run: Implementation, closures: Sequence[Closure]) -> Closure:
    match closures:
        case [a]:
            return lambda frame: run(a(frame))
        case [a, b]:
            return lambda frame: run(a(frame), b(frame))
        case _:
            return lambda frame: run(*[closure(frame) for closure in closures])
