"""A CRD's openAPIV3Schema into a `Schema`.

Only reads: whether the document is a good structural schema is `argosy.api.crds.structure`'s question, asked before.
The project's own CRDs may say `x-embedded: core/v1 PodSpec` where a generator would write the whole type out; the
marker becomes the shared schema of that type, so that forty pod templates cost as much memory as one.
"""

from __future__ import annotations

from typing import Final

from argosy.api.schema.builtin import marked_schema
from argosy.api.schema.structural import UNSET, Rule, Schema
from argosy.base.types import Json, Object

EMBEDDED: Final = "x-embedded"

# Keyword -> attribute, for values that carry over unchanged.
_PLAIN: Final = {
    "type": "type",
    "format": "format",
    "description": "description",
    "nullable": "nullable",
    "pattern": "pattern",
    "minimum": "minimum",
    "maximum": "maximum",
    "exclusiveMinimum": "exclusive_minimum",
    "exclusiveMaximum": "exclusive_maximum",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_items",
    "maxItems": "max_items",
    "uniqueItems": "unique_items",
    "minProperties": "min_properties",
    "maxProperties": "max_properties",
    "default": "default",
    "x-kubernetes-int-or-string": "int_or_string",
    "x-kubernetes-preserve-unknown-fields": "preserve_unknown",
    "x-kubernetes-embedded-resource": "embedded_resource",
    "x-kubernetes-list-type": "list_type",
    "x-kubernetes-map-type": "map_type",
}


def parse_schema(document: Object) -> Schema:
    """The schema a CRD's `openAPIV3Schema` describes."""
    if EMBEDDED in document:
        return marked_schema(document[EMBEDDED])
    schema = Schema()
    for keyword, value in document.items():
        attribute = _PLAIN.get(keyword)
        if attribute is not None:
            if value is not None:
                setattr(schema, attribute, value)
        elif keyword in _PARSERS:
            _PARSERS[keyword](schema, value)
    if schema.default is None:
        schema.default = UNSET
    return schema


def _properties(schema: Schema, value: Object) -> None:
    schema.properties = {name: parse_schema(prop) for name, prop in value.items()}


def _additional(schema: Schema, value: Json) -> None:
    if isinstance(value, dict):
        schema.additional = parse_schema(value)
        schema.additional_allowed = True
    else:
        schema.additional_allowed = bool(value)


def _items(schema: Schema, value: Json) -> None:
    if isinstance(value, dict):
        schema.items = parse_schema(value)


def _validations(schema: Schema, value: list[Object]) -> None:
    schema.validations = tuple(
        Rule(
            rule=rule.get("rule", ""),
            message=rule.get("message", ""),
            message_expression=rule.get("messageExpression", ""),
            reason=rule.get("reason", ""),
            field_path=rule.get("fieldPath", ""),
            optional_old_self=rule.get("optionalOldSelf"),
        )
        for rule in value
    )


def _all_of(schema: Schema, value: list[Object]) -> None:
    schema.all_of = tuple(map(parse_schema, value))


def _any_of(schema: Schema, value: list[Object]) -> None:
    schema.any_of = tuple(map(parse_schema, value))


def _one_of(schema: Schema, value: list[Object]) -> None:
    schema.one_of = tuple(map(parse_schema, value))


def _not(schema: Schema, value: Object) -> None:
    schema.not_ = parse_schema(value)


def _required(schema: Schema, value: list[str]) -> None:
    schema.required = tuple(value)


def _enum(schema: Schema, value: list[Json]) -> None:
    schema.enum = tuple(value)


def _map_keys(schema: Schema, value: list[str]) -> None:
    schema.map_keys = tuple(value)


_PARSERS: Final = {
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "required": _required,
    "enum": _enum,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "x-kubernetes-list-map-keys": _map_keys,
    "x-kubernetes-validations": _validations,
}
