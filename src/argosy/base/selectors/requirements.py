"""One term of a label selector: a key, an operator and values, checked as Kubernetes checks it.

A requirement is data; `compiled` turns it into a closure over the labels' `get`, so that matching costs one
dict lookup and one comparison or set lookup per term.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias, assert_never

from argosy.base import fielderrors, names
from argosy.base.fielderrors import FieldError

Labels: TypeAlias = Mapping[str, str]

_is_integer = re.compile(r"[+-]?[0-9]+").fullmatch
_INT64: Final = range(-(2**63), 2**63)


class SelectorError(ValueError):
    """The selector cannot be understood; the message is Kubernetes'."""


class Operator(StrEnum):
    """What a requirement asks; the values are upstream's names."""

    IN = "in"
    NOT_IN = "notin"
    EQUALS = "="
    DOUBLE_EQUALS = "=="
    NOT_EQUALS = "!="
    EXISTS = "exists"
    DOES_NOT_EXIST = "!"
    GREATER_THAN = "gt"
    LESS_THAN = "lt"


@dataclass(frozen=True, slots=True)
class Requirement:
    """`key operator values`, as in `tier in (front,back)`."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        values = ",".join(sorted(self.values))
        match self.operator:
            case Operator.EXISTS:
                return self.key
            case Operator.DOES_NOT_EXIST:
                return f"!{self.key}"
            case Operator.IN | Operator.NOT_IN:
                return f"{self.key} {self.operator} ({values})"
            case Operator.GREATER_THAN:
                return f"{self.key}>{values}"
            case Operator.LESS_THAN:
                return f"{self.key}<{values}"
            case Operator.EQUALS | Operator.DOUBLE_EQUALS | Operator.NOT_EQUALS:
                return f"{self.key}{self.operator}{values}"
            case _ as never:
                assert_never(never)

    @property
    def exact(self) -> str | None:
        """The one value the label must have, if the requirement names exactly one."""
        if len(self.values) == 1 and self.operator in _EQUALITIES:
            return self.values[0]
        return None


_EQUALITIES: Final = frozenset({Operator.EQUALS, Operator.DOUBLE_EQUALS, Operator.IN})


def require(key: str, operator: Operator, values: Sequence[str]) -> Requirement:
    """A checked requirement; `SelectorError` lists everything wrong with it."""
    problems = _problems(key, operator, values)
    if problems:
        texts = list(dict.fromkeys(str(problem) for problem in problems))
        raise SelectorError(texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")
    return Requirement(key, operator, tuple(values))


def _problems(key: str, operator: Operator, values: Sequence[str]) -> list[FieldError]:
    problems: list[FieldError] = []
    shown = list(values) or None  # Go prints its nil slice as null.
    if texts := names.is_qualified_name(key):
        problems.append(fielderrors.invalid("key", key, "; ".join(texts)))
    match operator:
        case Operator.IN | Operator.NOT_IN if not values:
            text = "for 'in', 'notin' operators, values set can't be empty"
            problems.append(fielderrors.invalid("values", shown, text))
        case Operator.EXISTS | Operator.DOES_NOT_EXIST if values:
            text = "values set must be empty for exists and does not exist"
            problems.append(fielderrors.invalid("values", shown, text))
        case Operator.GREATER_THAN | Operator.LESS_THAN:
            text = "for 'Gt', 'Lt' operators, the value must be an integer"
            problems += [
                fielderrors.invalid(f"values[{index}]", value, text)
                for index, value in enumerate(values)
                if _integer(value) is None
            ]
    for index, value in enumerate(values):
        if texts := names.is_label_value(value):
            path = f"values[{index}][{key}]"
            problems.append(fielderrors.invalid(path, value, "; ".join(texts)))
    return problems


def compiled(requirement: Requirement) -> Callable[[Labels], bool]:
    """A predicate on labels. The requirement must have been made by `require`."""
    key, values = requirement.key, frozenset(requirement.values)
    match requirement.operator:
        case Operator.EXISTS:
            return lambda labels: key in labels
        case Operator.DOES_NOT_EXIST:
            return lambda labels: key not in labels
        case Operator.EQUALS | Operator.DOUBLE_EQUALS | Operator.IN:
            return lambda labels: labels.get(key) in values
        case Operator.NOT_EQUALS | Operator.NOT_IN:
            return lambda labels: labels.get(key) not in values
        case Operator.GREATER_THAN:
            low = int(requirement.values[0])
            return lambda labels: (n := _integer(labels.get(key, ""))) is not None and n > low
        case Operator.LESS_THAN:
            high = int(requirement.values[0])
            return lambda labels: (n := _integer(labels.get(key, ""))) is not None and n < high
        case _ as never:
            assert_never(never)


def _integer(text: str) -> int | None:
    """The int64 in a label's value, as Go's strconv reads it."""
    if _is_integer(text) and len(text) <= 64 and (number := int(text)) in _INT64:
        return number
    return None
