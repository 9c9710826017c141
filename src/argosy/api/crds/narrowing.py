"""A version that knows fewer fields than the stored one shows fewer: what it does not know is left out when read.

Upstream prunes every object by the schema of the version it is read in. Here versions share their stored bytes, so that
only a version whose schema lacks something has a `from_storage`; all others stay as fast as the stored one.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from argosy.api.schema.pruning import prune
from argosy.api.schema.structural import Schema
from argosy.base.types import Object


def narrowing(stored: Schema, shown: Schema) -> Callable[[Object], Object] | None:
    """How a stored object becomes one of a version, None where it stays as it is."""
    if not _lacks(shown, stored, set()):
        return None

    def narrow(obj: Object) -> Object:
        own: Object = msgspec.json.decode(msgspec.json.encode(obj))
        prune(shown, own)
        return own

    return narrow


def _lacks(shown: Schema, stored: Schema, seen: set[tuple[int, int]]) -> bool:
    """Whether values of one schema may have fields that the other does not know."""
    pair = (id(shown), id(stored))
    if shown is stored or pair in seen:
        return False
    seen.add(pair)
    if _open(stored) and not _open(shown):
        return True
    for name, field in stored.properties.items():
        known = shown.child(name)
        if known is None:
            if not _open(shown):
                return True
        elif _lacks(known, field, seen):
            return True
    return any(
        below is not None and (known is None or _lacks(known, below, seen))
        for below, known in ((stored.additional, shown.additional), (stored.items, shown.items))
    )


def _open(schema: Schema) -> bool:
    """Whether it takes fields that it does not know."""
    return schema.preserve_unknown or bool(schema.additional_allowed)
