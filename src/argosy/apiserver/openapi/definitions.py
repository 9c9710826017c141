"""Types as OpenAPI v3 component schemas.

A built-in type is one component and refers to others by name, as kube-apiserver publishes it; kubectl reads list types,
merge keys and group-version-kinds from there. A custom kind is one component with everything inline. Components of
built-in types never change, so each is made and encoded once per process and shared by every document that needs it.

Descriptions of built-in types are the project's own (`data/descriptions.json`); those of custom kinds are their CRD's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

import msgspec

from argosy.api.schema.builtin import INT_OR_STRING, OBJECT_META, QUANTITY, builtin_schema
from argosy.api.schema.structural import UNSET, Schema
from argosy.apiserver.openapi.descriptions import describe
from argosy.base.types import Json, Object

REF: Final = "#/components/schemas/"
_META: Final = OBJECT_META.removesuffix("ObjectMeta")
LIST_META: Final = f"{_META}ListMeta"
DELETE_OPTIONS: Final = f"{_META}DeleteOptions"
PATCH: Final = f"{_META}Patch"
STATUS: Final = f"{_META}Status"

_INTEGER_OR_STRING: Final = ({"type": "integer"}, {"type": "string"})
# Types whose JSON has another shape than their Go struct.
_SPECIAL: Final[Mapping[str, Object]] = {
    QUANTITY: {"oneOf": [{"type": "string"}, {"type": "number"}]},
    INT_OR_STRING: {"format": "int-or-string", "oneOf": [*_INTEGER_OR_STRING]},
}

# Keywords that go over as they are: OpenAPI's name, ours, and the value that means "not said".
_KEYWORDS: Final = (
    ("type", "type", ""),
    ("format", "format", ""),
    ("pattern", "pattern", None),
    ("minimum", "minimum", None),
    ("maximum", "maximum", None),
    ("exclusiveMinimum", "exclusive_minimum", False),
    ("exclusiveMaximum", "exclusive_maximum", False),
    ("multipleOf", "multiple_of", None),
    ("minLength", "min_length", None),
    ("maxLength", "max_length", None),
    ("minItems", "min_items", None),
    ("maxItems", "max_items", None),
    ("uniqueItems", "unique_items", False),
    ("minProperties", "min_properties", None),
    ("maxProperties", "max_properties", None),
    ("nullable", "nullable", False),
    ("x-kubernetes-embedded-resource", "embedded_resource", False),
)


def reference(name: str) -> Object:
    return {"$ref": f"{REF}{name}"}


def references(value: Json) -> Iterator[str]:
    """The names of components a schema refers to."""
    match value:
        case {"$ref": str(ref)}:
            yield ref.removeprefix(REF)
        case dict():
            for inner in value.values():
                yield from references(inner)
        case list():
            for inner in value:
                yield from references(inner)


def closure(names: Iterable[str]) -> set[str]:
    """Built-in types and everything they refer to."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_encoded(name)[1])
    return found


def encoded(name: str) -> msgspec.Raw:
    """A built-in component as JSON."""
    return _encoded(name)[0]


@cache
def _encoded(name: str) -> tuple[msgspec.Raw, frozenset[str]]:
    component = builtin_component(name)
    return msgspec.Raw(msgspec.json.encode(component)), frozenset(references(component))


def builtin_component(name: str) -> Object:
    schema = builtin_schema(name)
    out: Object = {}
    text = describe(name)
    if text:
        out["description"] = text
    out |= _SPECIAL.get(name) or _body(schema)
    return out


def custom_component(schema: Schema, group: str, version: str, kind: str) -> Object:
    """A custom kind: its own schema, with what every object has put in place."""
    out = _body(schema)
    if schema.description:
        out = {"description": schema.description, **out}
    out.setdefault("type", "object")
    out["properties"] = out.get("properties", {}) | _object_properties()
    out["x-kubernetes-group-version-kind"] = [{"group": group, "kind": kind, "version": version}]
    return out


def list_component(item: str, group: str, version: str, kind: str, list_kind: str) -> Object:
    """The list of a custom kind."""
    properties = _object_properties()
    properties["metadata"] = _described(reference(LIST_META), describe("", "metadata"))
    properties["items"] = {
        "description": f"The {kind} objects.",
        "type": "array",
        "items": reference(item),
    }
    return {
        "description": f"{list_kind} is a list of {kind}.",
        "type": "object",
        "required": ["items"],
        "properties": properties,
        "x-kubernetes-group-version-kind": [
            {"group": group, "kind": list_kind, "version": version}
        ],
    }


def _object_properties() -> Object:
    return {
        "apiVersion": {"description": describe("", "apiVersion"), "type": "string"},
        "kind": {"description": describe("", "kind"), "type": "string"},
        "metadata": _described(reference(OBJECT_META), describe("", "metadata")),
    }


def _described(ref: Object, text: str) -> Object:
    return {"description": text, "allOf": [ref]} if text else ref


def _value(schema: Schema, text: str = "") -> Object:
    """A value inside another: a reference where its type has a name."""
    if not schema.name:
        out = _body(schema)
        said = schema.description or text
        return {"description": said, **out} if said else out
    extra = _patch_words(schema, builtin_schema(schema.name))
    if not text and not extra:
        return reference(schema.name)
    return (
        {**_described(reference(schema.name), text), **extra}
        if text
        else {
            "allOf": [reference(schema.name)],
            **extra,
        }
    )


def _body(schema: Schema) -> Object:
    out: Object = {
        keyword: value
        for keyword, attribute, unsaid in _KEYWORDS
        if (value := getattr(schema, attribute)) != unsaid
    }
    if schema.enum is not None:
        out["enum"] = list(schema.enum)
    if schema.default is not UNSET:
        out["default"] = schema.default
    if schema.required:
        out["required"] = list(schema.required)
    if schema.properties:
        out["properties"] = {
            name: _value(
                schema.properties[name], describe(schema.name, name) if schema.name else ""
            )
            for name in sorted(schema.properties)
        }
    if schema.items is not None:
        out["items"] = _value(schema.items)
    if schema.additional is not None:
        out["additionalProperties"] = _value(schema.additional)
    elif schema.additional_allowed is not None:
        out["additionalProperties"] = schema.additional_allowed
    for keyword, several in (
        ("allOf", schema.all_of),
        ("anyOf", schema.any_of),
        ("oneOf", schema.one_of),
    ):
        if several:
            out[keyword] = [_value(one) for one in several]
    if schema.not_ is not None:
        out["not"] = _value(schema.not_)
    if schema.embedded_resource:
        out["required"] = [*out.get("required", ()), "kind", "apiVersion"]
        out["properties"] = out.get("properties", {}) | _object_properties()
    if schema.preserve_unknown and not schema.name:
        out["x-kubernetes-preserve-unknown-fields"] = True
    if schema.int_or_string:
        out.setdefault("anyOf", [*_INTEGER_OR_STRING])
        out["x-kubernetes-int-or-string"] = True
    out |= _merge_words(schema)
    return out


def _merge_words(schema: Schema) -> Object:
    """How lists and maps merge, and what rules hold."""
    out: Object = {}
    if schema.map_keys:
        out["x-kubernetes-list-map-keys"] = list(schema.map_keys)
    if schema.list_type != "atomic":
        out["x-kubernetes-list-type"] = schema.list_type
    if schema.map_type == "atomic":
        out["x-kubernetes-map-type"] = "atomic"
    if schema.validations:
        out["x-kubernetes-validations"] = [_rule(rule) for rule in schema.validations]
    return out | _patch_words(schema, None)


def _rule(rule: Json) -> Object:
    words = {
        "rule": rule.rule,
        "message": rule.message,
        "messageExpression": rule.message_expression,
        "reason": rule.reason,
        "fieldPath": rule.field_path,
        "optionalOldSelf": rule.optional_old_self,
    }
    return {key: value for key, value in words.items() if value}


def _patch_words(schema: Schema, base: Schema | None) -> Object:
    """Words of strategic merge, where they are not those of the type referred to."""
    out: Object = {}
    if schema.merge_key and (base is None or schema.merge_key != base.merge_key):
        out["x-kubernetes-patch-merge-key"] = schema.merge_key
    if schema.patch_strategy and (base is None or schema.patch_strategy != base.patch_strategy):
        out["x-kubernetes-patch-strategy"] = ",".join(schema.patch_strategy)
    if base is not None and schema.map_type != base.map_type:
        out["x-kubernetes-map-type"] = schema.map_type
    return out
