"""What ownership needs to know of a schema, prepared once.

A `Shape` says of one place in an object how it is owned: a map whole (`atomic`) or by key, a list whole, by value
(`set`) or by keys (`map`), and what goes for the places below. Shapes are made on demand along values, because schemas
may be cyclic and most of a schema is never walked. Where a schema says nothing, values decide: maps are owned by key,
lists whole (upstream's "deduced" type).

`Field.zero` is what a built-in kind's Go struct holds where JSON says nothing: a struct that is not a pointer is
there from the start, so creating a Deployment adds `.spec.replicas` but not `.spec`. Custom kinds have no such fields.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeAlias

from argosy.api.apply.fieldsets import encode_value
from argosy.api.schema.structural import ANYTHING, UNSET, Schema
from argosy.base.types import Json

# No zero value: the field is absent until it is set.
NONE: Final = UNSET

# Types that Kubernetes owns as one value although they may hold anything.
_WHOLE: Final = frozenset({"io.k8s.apimachinery.pkg.runtime.RawExtension"})

_EMPTY_SCALARS: Final[dict[str, Json]] = {
    "string": "",
    "integer": 0,
    "number": 0,
    "boolean": False,
}


_Known: TypeAlias = "dict[tuple[int, bool], Shape]"


class Mistyped(ValueError):
    """A value whose fields or items cannot be told apart by its schema. `str()` is Kubernetes' text."""


class Field:
    """One key of a map: its step, the shape of its value, and its zero value."""

    __slots__ = ("declared", "shape", "step", "zero")

    def __init__(self, step: str, shape: Shape, *, declared: bool, zero: Json = NONE) -> None:
        self.step = step
        self.shape = shape
        # Named by the schema, as opposed to a key of a map.
        self.declared = declared
        self.zero = zero


class Shape:
    """How one place is owned. `fields` grows as keys are met; everything else is fixed."""

    __slots__ = (
        "_element", "_known", "_preserve", "_typed",
        "atomic_list", "atomic_map", "fields", "is_plain", "items", "keys", "only_key", "schema",
    )  # fmt: skip

    def __init__(self, schema: Schema, known: _Known, *, typed: bool, preserve: bool) -> None:
        known[id(schema), preserve] = self
        self._known = known
        # Below a built-in kind, whose structs have zero values.
        self._typed = typed
        # An ancestor or this schema keeps unknown fields, so keys without a schema are taken.
        self._preserve = preserve or schema.preserve_unknown
        self._element: Shape | None = None
        self.schema = schema
        whole = schema.name in _WHOLE
        self.atomic_map: bool = whole or schema.map_type == "atomic"
        # Owned whole unless items can be told apart by value (no keys) or by keys.
        self.atomic_list: bool = whole or schema.list_type not in {"set", "map"}
        self.fields: dict[str, Field] = {}
        # A map of keys that are data, none of them named.
        self.is_plain: bool = not schema.properties
        self.items: Shape | None = None
        self.keys: tuple[_Key, ...] = ()
        self.only_key: _Key | None = None
        if not self.atomic_list:
            element = schema.items or ANYTHING
            self.items = self._below(element)
            if schema.list_type == "map":
                self.keys = tuple(_Key(name, element) for name in sorted(schema.map_keys))
                self.only_key = self.keys[0] if len(self.keys) == 1 else None

    def field(self, key: str) -> Field:
        """The field of a key, known or not."""
        found = self.fields.get(key)
        return found if found is not None else self._learn(key)

    def declares(self, key: str) -> bool:
        """Whether a value may have this key: it is named, the map takes any key, or unknown fields are kept."""
        schema = self.schema
        if key in schema.properties or schema.additional is not None:
            return True
        if schema.additional_allowed is not None:
            return schema.additional_allowed
        return self._preserve or not schema.properties

    def _learn(self, key: str) -> Field:
        named = self.schema.properties.get(key)
        if named is not None:
            zero = _zero(self.schema, key, named) if self._typed else NONE
            field = Field("f:" + key, self._below(named), declared=True, zero=zero)
            self.fields[key] = field
            return field
        # Keys of maps are data (label names, file names): remembering them would grow without end.
        return Field("f:" + key, self.element(), declared=False)

    def element(self) -> Shape:
        """The shape of a value whose key is not named."""
        found = self._element
        if found is None:
            found = self._element = self._below(self.schema.additional or ANYTHING)
        return found

    def _below(self, schema: Schema) -> Shape:
        found = self._known.get((id(schema), self._preserve))
        if found is not None:
            return found
        return Shape(schema, self._known, typed=self._typed, preserve=self._preserve)

    def item_step(self, item: Json) -> str:
        """The step of a list item. Raises `Mistyped` where it has none."""
        only = self.only_key
        if only is not None and item.__class__ is dict:
            value = item.get(only.name)
            if value.__class__ is str:
                return only.start + _text(value) + "}"
        keys = self.keys
        if not keys:
            return _value_step(item)
        if item.__class__ is not dict:
            raise Mistyped(
                "associative list with keys may not have "
                + ("a null element" if item is None else "non-map elements")
            )
        parts = []
        for key in keys:
            value = item.get(key.name, key.default)
            if value is not NONE:
                parts.append(
                    key.prefix + (_text(value) if value.__class__ is str else encode_value(value))
                )
        if not parts:
            names = " ".join(f'"{name}"' for name in self.schema.map_keys)
            raise Mistyped(
                f"associative list with keys has an element that omits all key fields [{names}] "
                "(and doesn't have default values for any key fields)"
            )
        return "k:{" + ",".join(parts) + "}"


class _Key:
    """One map key of a list, with the start of its step and the value that stands for an absent one."""

    __slots__ = ("default", "name", "prefix", "start")

    def __init__(self, name: str, element: Schema) -> None:
        self.name = name
        self.prefix = f'"{name}":'
        self.start = "k:{" + self.prefix
        found = element.properties.get(name)
        default = found.default if found is not None else NONE
        self.default: Json = NONE if default is None else default


def _value_step(item: Json) -> str:
    if item.__class__ is str:
        return "v:" + _text(item)
    if item is None:
        raise Mistyped("associative list without keys has an element that's an explicit null")
    if item.__class__ is dict:
        raise Mistyped("associative list without keys has an element that's a map type")
    if item.__class__ is list:
        raise Mistyped("not supported: associative list with lists as elements")
    return "v:" + encode_value(item)


@lru_cache(maxsize=16384)
def _text(value: str) -> str:
    return encode_value(value)


def _zero(parent: Schema, key: str, schema: Schema) -> Json:
    if key not in parent.always:
        return NONE
    if key in parent.pointers:
        return None
    if schema.type == "object":
        return {} if schema.name else None
    return None if schema.name or schema.format == "date-time" else _EMPTY_SCALARS.get(schema.type)


@lru_cache(maxsize=4096)
def shape_of(schema: Schema) -> Shape:
    """The prepared form of a kind's schema; made once per schema object."""
    return Shape(schema, {}, typed=bool(schema.name), preserve=False)
