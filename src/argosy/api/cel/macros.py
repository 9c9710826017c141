"""Calls that are not calls: has, the comprehensions and their kin.

A macro is known by name, by the number of its arguments, and by having a target; with any other count the call stays
a call (and the checker will not know the function). Two-variable forms bind index and element of a list, key and
value of a map. cel.bind is not here because Kubernetes does not enable it for rules.
"""

from __future__ import annotations

from typing import Final

from argosy.api.cel.nodes import Bind, Call, Fold, Ident, Node, Select

_ACCUMULATORS: Final = frozenset({"__result__", "@result"})
_NOT_A_NAME: Final = "argument must be a simple name"
_ONE_VARIABLE: Final = {
    ("all", 2): "all",
    ("exists", 2): "exists",
    ("exists_one", 2): "exists_one",
    ("existsOne", 2): "exists_one",
    ("map", 2): "map",
    ("map", 3): "map",
    ("filter", 2): "filter",
}
_TWO_VARIABLES: Final = {
    ("all", 3): "all",
    ("exists", 3): "exists",
    ("exists_one", 3): "exists_one",
    ("existsOne", 3): "exists_one",
    ("transformList", 3): "map",
    ("transformList", 4): "map",
    ("transformMap", 3): "transformMap",
    ("transformMap", 4): "transformMap",
    ("transformMapEntry", 3): "transformMapEntry",
    ("transformMapEntry", 4): "transformMapEntry",
}
_BINDS: Final = frozenset({"optMap", "optFlatMap", "sortBy"})


class MacroError(Exception):
    """A macro whose arguments are not what it needs."""

    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


def expand(call: Call) -> Node:
    """The node a call stands for; the call itself if it is no macro."""
    if call.target is None:
        if call.function == "has" and len(call.args) == 1:
            return _has(call)
        return call
    key = (call.function, len(call.args))
    if key in _ONE_VARIABLE:
        return _fold(call, call.target, _ONE_VARIABLE[key])
    if key in _TWO_VARIABLES:
        return _fold_two(call, call.target, _TWO_VARIABLES[key])
    if call.function in _BINDS and len(call.args) == 2:
        return _bind(call, call.target)
    return call


def _has(call: Call) -> Node:
    argument = call.args[0]
    if not isinstance(argument, Select) or argument.optional or argument.test:
        raise MacroError(argument.at, "invalid argument to has() macro")
    return Select(call.at, argument.operand, argument.field, test=True)


def _fold(call: Call, target: Node, kind: str) -> Node:
    problem = "argument is not an identifier" if kind in {"map", "filter"} else _NOT_A_NAME
    variable = _variable(call.args[0], problem)
    condition = call.args[1] if len(call.args) == 3 else None
    return Fold(call.at, kind, target, variable, call.args[-1], filter=condition)


def _fold_two(call: Call, target: Node, kind: str) -> Node:
    names = []
    for argument in call.args[:2]:
        if not isinstance(argument, Ident):
            raise MacroError(argument.at, _NOT_A_NAME)
        names.append(argument.name)
    if names[0] == names[1]:
        raise MacroError(call.args[1].at, f"duplicate variable name: {names[0]}")
    for argument in call.args[:2]:
        _variable(argument, _NOT_A_NAME)
    condition = call.args[2] if len(call.args) == 4 else None
    return Fold(call.at, kind, target, names[0], call.args[-1], second=names[1], filter=condition)


def _bind(call: Call, target: Node) -> Node:
    if call.function == "sortBy":
        problem = "argument is not an identifier"
    else:
        problem = f"{call.function}() variable name must be a simple identifier"
    return Bind(call.at, call.function, target, _variable(call.args[0], problem), call.args[1])


def _variable(argument: Node, problem: str) -> str:
    if not isinstance(argument, Ident):
        raise MacroError(argument.at, problem)
    if argument.name in _ACCUMULATORS:
        raise MacroError(argument.at, "iteration variable overwrites accumulator variable")
    return argument.name
