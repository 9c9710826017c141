"""Fill in the defaults of a custom resource's schema, in place; on writes and on reads, since a schema may have gained
defaults after an object was stored.

A default stands in for an absent field and for a null that the schema does not allow; below a default just put in,
further defaults apply. Subtrees that hold no default anywhere are not even visited. Idempotent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from argosy.api.schema.structural import Schema, Unset
from argosy.base.types import Json, Object

# Changes a dict or list.
Defaulter: TypeAlias = Callable[[Json], None]


def apply_defaults(schema: Schema, obj: Object) -> None:
    """Apply a schema's defaults to a whole resource."""
    if schema.defaulter is None:
        _compile(schema)
    assert schema.defaulter is not None
    schema.defaulter(obj)


def has_defaults(schema: Schema) -> bool:
    """Whether reading an object could fill in anything at all."""
    return _compile(schema) is not None


def _nothing(value: Json) -> None:
    """No default anywhere."""


def _compile(schema: Schema) -> Defaulter | None:
    """The defaulter of a schema, made once; None where it would do nothing."""
    if schema.defaulter is not None:
        return None if schema.defaulter is _nothing else schema.defaulter
    on_object = on_list = None
    if schema.restriction is None:
        on_object, on_list = _object_defaulter(schema), _list_defaulter(schema)
    if on_object is None and on_list is None:
        schema.defaulter = _nothing
        return None

    def defaulter(value: Json) -> None:
        if value.__class__ is dict:
            if on_object is not None:
                on_object(value)
        elif on_list is not None:
            on_list(value)

    schema.defaulter = defaulter
    return defaulter


def _object_defaulter(schema: Schema) -> Defaulter | None:
    fills: list[tuple[str, bool, Callable[[], Json]]] = []
    below: list[tuple[str, Defaulter]] = []
    for name, prop in schema.properties.items():
        if not isinstance(prop.default, Unset):
            fills.append((name, prop.nullable, _maker(prop.default)))
        deeper = _compile(prop)
        if deeper is not None:
            below.append((name, deeper))
    rest = _rest_defaulter(schema)
    if not fills and not below and rest is None:
        return None

    def default_object(obj: Json) -> None:
        for name, nullable, make in fills:
            if name not in obj or (not nullable and obj[name] is None):
                obj[name] = make()
        for name, deeper in below:
            value = obj.get(name)
            if value.__class__ is dict or value.__class__ is list:
                deeper(value)
        if rest is not None:
            rest(obj)

    return default_object


def _rest_defaulter(schema: Schema) -> Defaulter | None:
    """The defaults of a map's values."""
    values = schema.additional
    if values is None:
        return None
    deeper = _compile(values)
    replaces = not values.nullable and not isinstance(values.default, Unset)
    if deeper is None and not replaces:
        return None
    known = frozenset(schema.properties)

    def default_rest(obj: Json) -> None:
        for name, value in obj.items():
            if name in known:
                continue
            if value is None and replaces:
                value = obj[name] = copy_json(values.default)
            if deeper is not None and (value.__class__ is dict or value.__class__ is list):
                deeper(value)

    return default_rest


def _list_defaulter(schema: Schema) -> Defaulter | None:
    items = schema.items
    if items is None:
        return None
    deeper = _compile(items)
    replaces = not items.nullable and not isinstance(items.default, Unset)
    if deeper is None and not replaces:
        return None

    def default_list(values: Json) -> None:
        for index, value in enumerate(values):
            if value is None and replaces:
                value = values[index] = copy_json(items.default)
            if deeper is not None and (value.__class__ is dict or value.__class__ is list):
                deeper(value)

    return default_list


def _maker(default: Json) -> Callable[[], Json]:
    if default == {} and isinstance(default, dict):
        return dict
    if isinstance(default, (dict, list)):
        return lambda: copy_json(default)
    return lambda: default


def copy_json(value: Json) -> Json:
    """A copy of a JSON value that shares nothing changeable with it."""
    if value.__class__ is dict:
        return {key: copy_json(item) for key, item in value.items()}
    if value.__class__ is list:
        return [copy_json(item) for item in value]
    return value
