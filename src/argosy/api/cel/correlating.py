"""Which part of the old object a part of the new one was, and whether it has changed.

Kubernetes lets an object keep a flaw it already had: a failed rule is no error where the value it judges is the same
as before (ratcheting). Fields and map entries correlate by name, elements of map lists by their keys; elements of
other lists do not correlate, so the list as a whole decides.
"""

from __future__ import annotations

from argosy.api.cel.declaring import own
from argosy.api.schema.structural import Schema
from argosy.base.types import Json

_SCALARS = (str, int, float, bool)


class Correlation:
    """A value and the old value at the same place."""

    __slots__ = ("_keyed", "_same", "old", "schema", "value")

    def __init__(self, value: Json, old: Json, schema: Schema) -> None:
        self.value = value
        self.old = old
        self.schema = own(schema)
        self._same: bool | None = None
        self._keyed: dict[tuple[Json, ...], Json] | None = None

    def unchanged(self) -> bool:
        """Whether the value equals the old one; asked only when a rule fails, and remembered."""
        if self._same is None:
            self._same = _same(self.value, self.old, self.schema)
        return self._same

    def field(self, name: str) -> Correlation | None:
        if not isinstance(self.old, dict) or name not in self.old:
            return None
        schema = self.schema.child(name)
        return None if schema is None else Correlation(self.value[name], self.old[name], schema)

    def element(self, index: int) -> Correlation | None:
        schema = self.schema
        if not isinstance(self.old, list) or schema.list_type != "map" or schema.items is None:
            return None
        if self._keyed is None:
            self._keyed = keyed(self.old, schema)
        old = self._keyed.get(key_of(self.value[index], schema) or ())
        return None if old is None else Correlation(self.value[index], old, schema.items)


def keyed(items: list[Json], schema: Schema) -> dict[tuple[Json, ...], Json]:
    """Elements of a map list by key; the first of duplicates."""
    found: dict[tuple[Json, ...], Json] = {}
    for item in items:
        key = key_of(item, schema)
        if key is not None:
            found.setdefault(key, item)
    return found


def key_of(item: Json, schema: Schema) -> tuple[Json, ...] | None:
    """An element's key, each part with its class so that 1 and true differ; None if it has no whole key."""
    if not isinstance(item, dict):
        return None
    parts: list[Json] = []
    for name in schema.map_keys:
        value = item.get(name)
        if not isinstance(value, _SCALARS):
            return None
        parts += (value.__class__, value)
    return tuple(parts) or None


def _same(new: Json, old: Json, schema: Schema | None) -> bool:
    """Equality along a schema. A field the schema does not know cannot be correlated, so it counts as changed."""
    if schema is None:
        return False
    schema = own(schema)
    if isinstance(new, dict) and isinstance(old, dict):
        return len(new) == len(old) and all(
            key in old and _same(value, old[key], schema.child(key)) for key, value in new.items()
        )
    if isinstance(new, list) and isinstance(old, list):
        if len(new) != len(old):
            return False
        if schema.list_type != "map" or not schema.map_keys:
            return bool(new == old)
        before = keyed(old, schema)
        return all(
            (key := key_of(item, schema)) is not None
            and key in before
            and _same(item, before[key], schema.items)
            for item in new
        )
    return new.__class__ is old.__class__ and bool(new == old)
