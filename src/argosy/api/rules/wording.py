"""Shapes of field errors that only the built-in kinds need.

Upstream prints some rejected values as JSON of the Go struct, whose key order is the order of its declaration, and some
lists of allowed values in the order of the source. Clients compare these texts, so both are spelled out here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

from argosy.base.fielderrors import FieldError, Printed, quote
from argosy.base.types import Json, Object

__all__ = [
    "IMMUTABLE",
    "NOT_NEGATIVE",
    "Printed",
    "in_order",
    "printed",
    "unsupported",
]

IMMUTABLE: Final = "field is immutable"
NOT_NEGATIVE: Final = "must be greater than or equal to 0"


def unsupported(path: str, value: Json, allowed: Iterable[str]) -> FieldError:
    """A value outside an enumeration, with the allowed ones in the given order."""
    texts = ", ".join(quote(text) for text in allowed)
    return FieldError("FieldValueNotSupported", path, value, f"supported values: {texts}")


def in_order(value: Object, keys: Sequence[str]) -> Object:
    """The same object with the named keys first, as the Go struct declares them."""
    ordered = {key: value[key] for key in keys if key in value}
    return ordered | {key: item for key, item in value.items() if key not in ordered}


def printed(value: Json) -> Printed:
    """A JSON value as it stands, without sorting its keys."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    # Go escapes these for the sake of HTML.
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Printed(text)
