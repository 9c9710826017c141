"""The merge patch that makes one object of another."""

from __future__ import annotations

from argosy.base.types import Object


def difference(before: Object, after: Object) -> Object:
    """Empty for equal objects. What is gone is null; lists are replaced whole."""
    patch: Object = {key: None for key in before if key not in after}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            if inner := difference(old, value):
                patch[key] = inner
        elif key not in before or value != old:
            patch[key] = value
    return patch
