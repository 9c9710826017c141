"""What can be said of literals before anything runs: the checks Kubernetes adds to CEL's type checker.

A duration, timestamp or pattern given as a literal must parse; a format string must fit its list of arguments; all
elements of a list and all values of a map have one type, except inside the arguments of a format call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from argosy.api.cel import times
from argosy.api.cel.formatting import CLAUSES, FormatError, interpolate
from argosy.api.cel.nodes import (
    Bind,
    Call,
    Fold,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    Select,
)
from argosy.api.cel.regexes import RegexError, compile_regex
from argosy.api.cel.source import Problems
from argosy.api.cel.types import Type, is_dyn, unwrap_optional

_PARSERS: Final[dict[str, Callable[[str], object]]] = {
    "duration": times.parse_duration,
    "timestamp": times.parse_timestamp,
    "matches": compile_regex,
}
# Static types by the runtime names that format clauses use.
_RUNTIME_NAMES: Final = {
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
    "null": "null_type",
}


def check_literals(root: Node, problems: Problems) -> None:
    for node, in_format in _walk(root, in_format=False):
        if isinstance(node, Call):
            _check_call(node, problems)
        elif isinstance(node, ListLiteral) and not in_format:
            _check_list(node, problems)
        elif isinstance(node, MapLiteral) and not in_format:
            _check_map(node, problems)


def children(node: Node) -> list[Node]:
    match node:
        case Select():
            return [node.operand]
        case Call():
            return [*([node.target] if node.target is not None else []), *node.args]
        case ListLiteral():
            return node.elements
        case MapLiteral():
            return [part for entry in node.entries for part in (entry.key, entry.value)]
        case Fold():
            return [node.range, *([node.filter] if node.filter is not None else []), node.body]
        case Bind():
            return [node.target, node.body]
        case _:
            return []


def _walk(node: Node, *, in_format: bool) -> Iterator[tuple[Node, bool]]:
    yield node, in_format
    inside = in_format or (isinstance(node, Call) and node.function == "format")
    for child in children(node):
        yield from _walk(child, in_format=inside)


def _check_call(node: Call, problems: Problems) -> None:
    parse = _PARSERS.get(node.function)
    argument = node.args[0] if node.args else None
    if parse is not None and isinstance(argument, Literal) and isinstance(argument.value, str):
        try:
            parse(argument.value)
        except (ValueError, RegexError):
            problems.report(argument.at, f"invalid {node.function} argument")
    elif (
        node.function == "format"
        and isinstance(node.target, Literal)
        and isinstance(argument, ListLiteral)
    ):
        _check_format(node, node.target.value, argument.elements, problems)


def _check_format(node: Call, text: str, arguments: list[Node], problems: Problems) -> None:
    def render(index: int, clause: str, _precision: int) -> str:
        allowed, problem = CLAUSES[clause.lower()]
        t = arguments[index].type
        if not is_dyn(t) and _RUNTIME_NAMES.get(t.kind, t.kind) not in allowed:
            name = t.name if t.kind in {"struct", "opaque"} else _RUNTIME_NAMES.get(t.kind, t.kind)
            raise FormatError(f"error during formatting: {problem} {name}", index)
        return ""

    try:
        _, used = interpolate(text, len(arguments), render)
    except FormatError as error:
        at = node.at if error.argument is None else arguments[error.argument].at
        problems.report(at, str(error))
        return
    if len(arguments) > used:
        problems.report(
            node.at,
            f"too many arguments supplied to string.format (expected {used}, got {len(arguments)})",
        )


def _check_list(node: ListLiteral, problems: Problems) -> None:
    first: Type | None = None
    for index, element in enumerate(node.elements):
        t = unwrap_optional(element.type)[0] if index in node.optionals else element.type
        if first is None:
            first = t
        elif t != first:
            problems.report(element.at, f"expected type '{first}' but found '{t}'")
            return


def _check_map(node: MapLiteral, problems: Problems) -> None:
    if not node.entries:
        return
    key, value = node.entries[0].key.type, _value_type(node, 0)
    for index, entry in enumerate(node.entries[1:], 1):
        if entry.key.type != key:
            problems.report(entry.key.at, f"expected type '{key}' but found '{entry.key.type}'")
        found = _value_type(node, index)
        if found != value:
            problems.report(entry.value.at, f"expected type '{value}' but found '{found}'")


def _value_type(node: MapLiteral, index: int) -> Type:
    entry = node.entries[index]
    return unwrap_optional(entry.value.type)[0] if entry.optional else entry.value.type
