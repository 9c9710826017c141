"""Definitions written out, for clusters that do not know `x-embedded`.

The project's own CRDs name a built-in type where it stands inside a custom one; a Kubernetes of any other make wants
the type itself. Descriptions of built-in types are left out: with them a pod template alone is larger than what
`kubectl apply` can keep in an annotation.
"""

from __future__ import annotations

from typing import Final

from argosy.api.schema.builtin import marked_schema
from argosy.api.schema.parsing import EMBEDDED
from argosy.api.schema.structural import UNSET, Schema
from argosy.base.types import Json, Object

# A CRD's word, ours, and the value that means "not said". Built-in types use no others.
_WORDS: Final = (
    ("type", "type", ""),
    ("format", "format", ""),
    ("pattern", "pattern", None),
    ("x-kubernetes-int-or-string", "int_or_string", False),
    ("x-kubernetes-preserve-unknown-fields", "preserve_unknown", False),
)


def expanded(document: Json) -> Json:
    """A definition, or a part of one, with every embedded type in place of its name."""
    match document:
        case {"x-embedded": str(marker)}:
            said = {"description": text} if (text := document.get("description")) else {}
            return said | _written(marked_schema(marker))
        case dict():
            return {name: expanded(value) for name, value in document.items()}
        case list():
            return [expanded(value) for value in document]
        case _:
            return document


def is_embedding(document: Json) -> bool:
    """Whether there is anything to write out."""
    match document:
        case dict():
            return EMBEDDED in document or any(map(is_embedding, document.values()))
        case list():
            return any(map(is_embedding, document))
        case _:
            return False


def _written(schema: Schema) -> Object:
    out: Object = {
        word: value
        for word, attribute, unsaid in _WORDS
        if (value := getattr(schema, attribute)) != unsaid
    }
    if schema.default is not UNSET:
        out["default"] = schema.default
    if schema.any_of:
        out["anyOf"] = [_written(one) for one in schema.any_of]
    if schema.required:
        out["required"] = list(schema.required)
    if schema.properties:
        out["properties"] = {
            name: _written(schema.properties[name]) for name in sorted(schema.properties)
        }
    if schema.additional is not None:
        out["additionalProperties"] = _written(schema.additional)
    if schema.items is not None:
        out["items"] = _written(schema.items)
        out["x-kubernetes-list-type"] = schema.list_type
    if schema.map_keys:
        out["x-kubernetes-list-map-keys"] = list(schema.map_keys)
    if schema.map_type == "atomic":
        out["x-kubernetes-map-type"] = "atomic"
    return out
