"""`$((EXPRESSION))`: whole numbers, variables, + - * / % and parentheses, comparison; all else counts as 0."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Final

_OPERATIONS: Final[dict[type[ast.AST], Callable[[int, int], int]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_LONGEST: Final = 200
_LARGEST: Final = 2**63


def evaluate(expression: str, variables: Mapping[str, str]) -> int:
    """The value; 0 for what is no such expression, as a shell would print an error."""
    text = re.sub(r"\$\{?(\w+)\}?", r"\1", expression.strip())
    if len(text) > _LONGEST:
        return 0
    try:
        return _value(ast.parse(text or "0", mode="eval").body, variables)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return 0


def _value(node: ast.expr, variables: Mapping[str, str]) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return _wrapped(int(number))
        case ast.Name(id=name):
            return _wrapped(int(variables.get(name, "") or 0))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, variables)
        case ast.BinOp(left=left, op=ast.Div() | ast.Mod() as kind, right=right):
            return _divided(_value(left, variables), _value(right, variables), kind)
        case ast.BinOp(left=left, op=kind, right=right) if type(kind) in _OPERATIONS:
            return _wrapped(
                _OPERATIONS[type(kind)](_value(left, variables), _value(right, variables))
            )
        case ast.Compare(left=left, ops=[kind], comparators=[right]) if type(kind) in _OPERATIONS:
            return int(_OPERATIONS[type(kind)](_value(left, variables), _value(right, variables)))
    raise ValueError


def _divided(left: int, right: int, kind: ast.operator) -> int:
    """Toward zero, as C does."""
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return quotient if isinstance(kind, ast.Div) else left - quotient * right


def _wrapped(number: int) -> int:
    """Within 64 bits, as shells count."""
    return (number + _LARGEST) % (2 * _LARGEST) - _LARGEST
