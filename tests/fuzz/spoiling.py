"""Bad values for every field of a kind: its schema is walked, and each field gets what it must not have.

A spoiled object is a good one in which one field, known or new to the object, holds a value of the wrong type or
a wrong value of the right type. Parents that the good object lacks are made as they would have to be. Pod
templates are walked in full for Pod only: elsewhere they are the same schema again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from argosy.api.schema.structural import Schema

Raw = dict[str, Any]
# Steps are keys, 0 for an item of a list, and "*" for a value of a map.
Path = tuple[str | int, ...]

MAX_DEPTH = 9
WRONG: dict[str, tuple[Any, ...]] = {
    "string": (None, "", "a b", 5, True, [], {}, "x" * 300, "\x00\ud83d", "-", "ü", "../..", 1e400),
    "integer": (None, -1, 0, 2**31, 2**63, -(2**70), 1.5, "1", True, [], {}, 1e300),
    "number": (None, "1", True, [], {}, 1e300, -0.0),
    "boolean": (None, "true", 0, [], {}),
    "object": (None, {}, [], "x", 1, {"wonder": 1}, {"": None}, {"a": {"b": []}}),
    "array": (None, [], {}, "x", [None], [{}], [[]], ["x"], [1], ["x", "x"], [{}, {}]),
    "": (None, {}, [], "x", 1, -1, "", True, 1.5, 2**64, "12x", [None]),
}
_KNOWN_ELSEWHERE = frozenset({"template", "jobTemplate", "managedFields"})


def paths(schema: Schema, *, is_pod: bool) -> Iterator[tuple[Path, Schema]]:
    """Every field of a kind with its schema, outermost first."""
    return _walk(schema, (), frozenset(), is_pod)


def _walk(
    schema: Schema, path: Path, seen: frozenset[int], is_pod: bool
) -> Iterator[tuple[Path, Schema]]:
    if path:
        yield path, schema
    if id(schema) in seen or len(path) > MAX_DEPTH:
        return
    seen |= {id(schema)}
    if path and path[-1] in _KNOWN_ELSEWHERE and not is_pod:
        return
    for key, inner in schema.properties.items():
        yield from _walk(inner, (*path, key), seen, is_pod)
    if schema.items is not None:
        yield from _walk(schema.items, (*path, 0), seen, is_pod)
    if schema.additional is not None:
        yield from _walk(schema.additional, (*path, "key"), seen, is_pod)


def wrong_values(schema: Schema) -> tuple[Any, ...]:
    return WRONG[schema.type] if schema.type in WRONG else WRONG[""]


def spoiled(raw: Raw, path: Path, value: Any) -> Raw:
    """A copy of `raw` with `value` at `path`; what is not on the path is shared."""
    result: Raw = _with(raw, path, value)
    return result


def _with(inner: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    step, *rest = path
    if isinstance(step, int):
        items = list(inner) if isinstance(inner, list) else []
        items[:1] = [_with(items[0] if items else None, tuple(rest), value)]
        return items
    made = dict(inner) if isinstance(inner, dict) else {}
    made[step] = _with(made.get(step), tuple(rest), value)
    return made
