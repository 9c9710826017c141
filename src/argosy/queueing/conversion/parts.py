"""Changing a part of an object without touching the object: what is not changed is shared.

A part that is not there, or is not of the form that it should have, is left as it is: objects are converted before
they are validated, so that it is validation that finds the words for what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argosy.base.types import Json, Object

# A step into every item of a list.
EACH: Final = "*"


def within(obj: Object, path: tuple[str, ...], change: Callable[[Object], Object]) -> Object:
    """The object with each object at the path changed."""
    changed: Object = _within(obj, path, change)
    return changed


def _within(value: Json, path: tuple[str, ...], change: Callable[[Object], Object]) -> Json:
    if path and path[0] == EACH:
        if not isinstance(value, list):
            return value
        return [_within(item, path[1:], change) for item in value]
    if not isinstance(value, dict):
        return value
    if not path:
        return change(value)
    step = path[0]
    if step not in value:
        return value
    return {**value, step: _within(value[step], path[1:], change)}


def without(part: Object, *names: str) -> Object:
    return {name: value for name, value in part.items() if name not in names}


def renamed(part: Object, old: str, new: str) -> Object:
    """The part with a field under another name, in the same place."""
    if old not in part:
        return part
    return {new if name == old else name: value for name, value in part.items() if name != new}
