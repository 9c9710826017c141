"""Diffs of immutable specs, as upstream appends them to what it forbids."""

from __future__ import annotations

import difflib
import json

from argosy.api.rules.internals import internal
from argosy.base.types import Json, Object


def internal_diff(kind: str, was: Object, now: Object) -> str:
    """A unified diff of two values' internal forms as indented JSON."""
    lines = difflib.unified_diff(_lines(internal(kind, was)), _lines(internal(kind, now)))
    # The first two lines name files, which there are none of.
    return "".join(list(lines)[2:])


def _lines(value: Json) -> list[str]:
    text = json.dumps(value, indent=1, ensure_ascii=False)
    return [f"{line}\n" for line in text.split("\n")]
