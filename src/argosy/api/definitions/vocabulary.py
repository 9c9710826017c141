"""The words that definitions are written in: types as values, for all versions of an API at once.

A type is a plain OpenAPI dict, made by one of the functions below. What differs between versions is said at its place:
any value in a type may be `only(x, "v1beta1")` (there in that version only) or `Versioned({"v1": x, "v1beta1": y})`, be
it a field, a limit, or one entry of a list; a group of kinds has shorter words for its own versions. `resolved` gives
the type of one version. A field that has to be given is marked by its own type (`must`), so a struct reads as a list of
its fields.

Where a type of Kubernetes itself stands inside, `embedded` names it: the server has its schema already, so that a
definition stays a few KiB (see `argosy.api.schema.parsing`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from argosy.base.types import Json, Object

_ABSENT: Final = object()
_MUST: Final = "must"
# A Kubernetes quantity, as generators of definitions write it.
_QUANTITY: Final = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)


@dataclass(slots=True, frozen=True)
class Versioned:
    """A value that is not the same in all versions, or is not in all of them."""

    values: Mapping[str, Json]


def only(value: Json, *versions: str) -> Versioned:
    """A value that these versions have, and no other."""
    return Versioned(dict.fromkeys(versions, value))


def resolved(value: Json, version: str) -> Json:
    """A type, or any part of one, as it is in one version."""
    found = _resolved(value, version)
    assert found is not _ABSENT, f"nothing is left of it in {version}"
    return found


def _resolved(value: Json, version: str) -> Json:
    match value:
        case Versioned():
            return _resolved(value.values.get(version, _ABSENT), version)
        case dict():
            fields = ((name, _resolved(field, version)) for name, field in value.items())
            return _with_required({n: field for n, field in fields if field is not _ABSENT})
        case list() | tuple():
            items = (_resolved(item, version) for item in value)
            return [item for item in items if item is not _ABSENT]
        case _:
            return value


def _with_required(schema: Object) -> Object:
    """A struct whose marked fields are listed as required."""
    if schema.get("type") != "object" or "properties" not in schema:
        return schema
    required = sorted(name for name, field in schema["properties"].items() if field.pop(_MUST, 0))
    return schema | {"required": required} if required else schema


def must(schema: Json, *, when: Json = True) -> Json:
    """A field that has to be given; `when` may say in which version."""
    if isinstance(schema, Versioned):
        marked = {version: must(each, when=when) for version, each in schema.values.items()}
        return Versioned(marked)
    return {**schema, _MUST: when}


def text(said: str, /, **limits: Json) -> Object:
    return {"description": said, "type": "string", **limits}


def choice(said: str, /, *values: Json, **limits: Json) -> Object:
    return text(said, enum=values, **limits)


def int32(said: str, /, **limits: Json) -> Object:
    return {"description": said, "type": "integer", "format": "int32", **limits}


def int64(said: str, /, **limits: Json) -> Object:
    return int32(said, **limits) | {"format": "int64"}


def integer(said: str, /, **limits: Json) -> Object:
    """A number of which the width is not said."""
    return {"description": said, "type": "integer", **limits}


def number(said: str, /, **limits: Json) -> Object:
    """A number that need not be whole."""
    return {"description": said, "type": "number", **limits}


def flag(said: str, /, **limits: Json) -> Object:
    return {"description": said, "type": "boolean", **limits}


def time(said: str, /) -> Object:
    return text(said, format="date-time")


def data(said: str, /) -> Object:
    """Bytes, in base64."""
    return text(said, format="byte")


def int_or_string(said: str, /, **limits: Json) -> Object:
    """A number, or a text such as a percentage."""
    return {
        "description": said,
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "x-kubernetes-int-or-string": True,
        **limits,
    }


def quantity(said: str, /, **limits: Json) -> Object:
    return int_or_string(said, pattern=_QUANTITY, **limits)


def struct(said: str, /, **fields: Json) -> Object:
    return {"description": said, "type": "object", "properties": fields}


def atomic(said: str, items: Json, /, **limits: Json) -> Object:
    """A list that whoever applies it owns as a whole."""
    return listed(said, items, **limits) | {"x-kubernetes-list-type": "atomic"}


def distinct(said: str, items: Json, /, **limits: Json) -> Object:
    """A list in which no value stands twice."""
    return listed(said, items, **limits) | {"x-kubernetes-list-type": "set"}


def keyed(said: str, items: Json, /, *keys: str, **limits: Json) -> Object:
    """A list in which no two items have the same keys."""
    return listed(said, items, **limits) | {
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": keys,
    }


def listed(said: str, items: Json, /, **limits: Json) -> Object:
    """A list of which nothing is said about how it merges."""
    return {"description": said, "type": "array", "items": items, **limits}


def mapped(said: str, values: Json, /, **limits: Json) -> Object:
    return {"description": said, "type": "object", "additionalProperties": values, **limits}


def embedded(said: str, name: str, /) -> Object:
    """A type of Kubernetes, such as `core/v1 PodSpec`."""
    return {"description": said, "x-embedded": name}


def anything(said: str, /, **limits: Json) -> Object:
    """A value whose form is not said."""
    return {"description": said, **limits, "x-kubernetes-preserve-unknown-fields": True}


def whole_resource(said: str, /) -> Object:
    """An object of any kind, with its apiVersion and kind."""
    return anything(said, type="object") | {"x-kubernetes-embedded-resource": True}


def ruled(schema: Object, *rules: Json) -> Object:
    return schema | {"x-kubernetes-validations": rules}


def rule(message: str, expression: str) -> Object:
    return {"rule": expression, "message": message}


# Items and values whose list or map says all there is to say.
TEXT: Final[Object] = {"type": "string"}
AMOUNT: Final[Object] = {
    field: value for field, value in quantity("").items() if field != "description"
}
