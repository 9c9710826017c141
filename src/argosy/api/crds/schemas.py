"""The OpenAPI side of a CRD's schema: which keywords are allowed where, list types, and CEL rules.

Upstream walks the document with a little context: whether defaults are allowed here and whether this is a resource's
metadata. Rules are looked at only when nothing else is wrong with the schema: a rule cannot be judged against a shape
that is still broken. (Upstream looks at them as soon as nothing is wrong at or below them.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from argosy.api.cel.rules import check_rules
from argosy.api.crds.paths import key
from argosy.api.crds.structure import default_errors, structural_errors, unsupported
from argosy.api.rules.wording import unsupported as not_one_of
from argosy.api.schema.builtin import marked_schema
from argosy.api.schema.parsing import EMBEDDED, parse_schema
from argosy.api.schema.pruning import META_FIELDS
from argosy.base.fielderrors import FieldError, forbidden, invalid, not_supported, required
from argosy.base.types import Object

_TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")

# The only keywords at the root of a schema whose status is a subresource: Go's names of them, and the document's.
_ROOT_WORDS: Final = (
    "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern "
    "MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields "
    "XValidations"
)
_ROOT_KEYWORDS: Final = frozenset(
    word[:1].lower() + word[1:] for word in _ROOT_WORDS.split() if not word.startswith("X")
) | {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations"}


@dataclass(slots=True, frozen=True)
class _Context:
    """What holds for a schema because of where it stands."""

    no_defaults: str = ""
    in_metadata: bool = False


def schema_errors(schema: Object, path: str, *, has_status: bool) -> list[FieldError]:
    """Everything wrong with an openAPIV3Schema at this path."""
    errors: list[FieldError] = []
    if has_status:
        errors += _root_errors(schema, path)
    if schema.get("nullable"):
        errors.append(forbidden(f"{path}.nullable", "nullable cannot be true at the root"))
    obstacle = unsupported(schema)
    if obstacle is None:
        errors += structural_errors(schema, path) or default_errors(schema, path)
    errors += _visit(schema, path, _Context(), root=True)
    if errors:
        return errors
    return (
        [invalid(path, "", obstacle)]
        if obstacle is not None
        else check_rules(parse_schema(schema), path)
    )


def _root_errors(schema: Object, path: str) -> list[FieldError]:
    kind = schema.get("type")
    if kind and kind != "object":
        text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
        return [invalid(f"{path}.type", kind, text)]
    if schema.keys() - _ROOT_KEYWORDS:
        text = f"only [{_ROOT_WORDS}] fields are allowed at the root of the schema if the status subresource is enabled"
        return [invalid(path, schema, text)]
    return []


def _visit(schema: Object, path: str, context: _Context, *, root: bool = False) -> list[FieldError]:
    if EMBEDDED in schema:
        return _marker_errors(schema[EMBEDDED], f"{path}.{EMBEDDED}")
    errors = _keyword_errors(schema, path, context)
    if schema.get("uniqueItems"):
        text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        errors.append(forbidden(f"{path}.uniqueItems", text))
    errors += _additional_errors(schema, path, context)
    for name, prop in schema.get("properties", {}).items():
        within = _property_context(schema, name, context, root=root)
        errors += _visit(prop, key(f"{path}.properties", name), within)
    if isinstance(schema.get("not"), dict):
        errors += _visit(schema["not"], f"{path}.not", context)
    for word in ("allOf", "oneOf", "anyOf"):
        for index, one in enumerate(schema.get(word, ())):
            errors += _visit(one, f"{path}.{word}[{index}]", context)
    if isinstance(schema.get("items"), dict):
        errors += _visit(schema["items"], f"{path}.items", context)
    return errors + _extension_errors(schema, path) + _list_key_errors(schema, path)


def _marker_errors(marker: str, path: str) -> list[FieldError]:
    try:
        marked_schema(marker)
    except LookupError:
        return [invalid(path, marker, 'must name a built-in type, such as "core/v1 PodSpec"')]
    return []


def _property_context(schema: Object, name: str, context: _Context, *, root: bool) -> _Context:
    if name not in META_FIELDS or not (root or schema.get("x-kubernetes-embedded-resource")):
        return context
    no_defaults = f"in top-level {name}" if root else context.no_defaults
    return _Context(no_defaults, in_metadata=True)


def _additional_errors(schema: Object, path: str, context: _Context) -> list[FieldError]:
    additional = schema.get("additionalProperties")
    if additional is None:
        return []
    errors: list[FieldError] = []
    if schema.get("properties") and additional is not True:
        text = "additionalProperties and properties are mutual exclusive"
        errors.append(forbidden(f"{path}.additionalProperties", text))
    if isinstance(additional, dict):
        if context.in_metadata:
            text = "inside additionalProperties applying to object metadata"
            context = _Context(text, in_metadata=True)
        errors += _visit(additional, f"{path}.additionalProperties", context)
    return errors


def _keyword_errors(schema: Object, path: str, context: _Context) -> list[FieldError]:
    errors: list[FieldError] = []
    kind = schema.get("type", "")
    if kind and kind not in _TYPES:
        errors.append(not_supported(f"{path}.type", kind, _TYPES))
    if schema.get("default") is not None and context.no_defaults:
        errors.append(forbidden(f"{path}.default", f"must not be set {context.no_defaults}"))
    if schema.get("id"):
        errors.append(forbidden(f"{path}.id", "id is not supported"))
    errors += [
        forbidden(f"{path}.{word}", f"{word} is not supported")
        for word in ("additionalItems", "patternProperties", "definitions", "dependencies", "$ref")
        if schema.get(word) is not None and schema.get(word) != {}
    ]
    if kind == "null":
        text = "type cannot be set to null, use nullable as an alternative"
        errors.append(forbidden(f"{path}.type", text))
    if isinstance(schema.get("items"), list):
        errors.append(forbidden(f"{path}.items", "items must be a schema object and not an array"))
    if context.in_metadata and schema.get("x-kubernetes-embedded-resource"):
        text = "must not be used inside of resource meta"
        errors.append(forbidden(f"{path}.x-kubernetes-embedded-resource", text))
    return errors


def _extension_errors(schema: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    kind = schema.get("type", "")
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        where = f"{path}.x-kubernetes-preserve-unknown-fields"
        errors.append(invalid(where, False, "must be true or undefined"))
    map_type, list_type = schema.get("x-kubernetes-map-type"), schema.get("x-kubernetes-list-type")
    if map_type is not None:
        if kind != "object":
            text = "must be object if x-kubernetes-map-type is specified"
            errors.append(
                invalid(f"{path}.type", kind, text) if kind else required(f"{path}.type", text)
            )
        if map_type not in ("atomic", "granular"):
            errors.append(
                not_one_of(f"{path}.x-kubernetes-map-type", map_type, ("atomic", "granular"))
            )
    if list_type is not None:
        if kind != "array":
            text = "must be array if x-kubernetes-list-type is specified"
            errors.append(
                invalid(f"{path}.type", kind, text) if kind else required(f"{path}.type", text)
            )
        elif list_type == "set" and isinstance(schema.get("items"), dict):
            errors += _set_errors(schema["items"], f"{path}.items")
        if list_type not in ("atomic", "set", "map"):
            allowed = ("atomic", "set", "map")
            errors.append(not_one_of(f"{path}.x-kubernetes-list-type", list_type, allowed))
    return errors


def _set_errors(items: Object, path: str) -> list[FieldError]:
    text = "must be atomic as item of a list with x-kubernetes-list-type=set"
    list_type, map_type = items.get("x-kubernetes-list-type"), items.get("x-kubernetes-map-type")
    if items.get("type") == "array" and list_type not in (None, "atomic"):
        return [invalid(f"{path}.x-kubernetes-list-type", list_type, text)]
    if items.get("type") == "object" and map_type != "atomic":
        return [invalid(f"{path}.x-kubernetes-map-type", list_type, text)]
    return []


def _list_key_errors(schema: Object, path: str) -> list[FieldError]:
    list_type, names = (
        schema.get("x-kubernetes-list-type"),
        schema.get("x-kubernetes-list-map-keys") or [],
    )
    items = schema.get("items")
    errors: list[FieldError] = []
    if names and list_type != "map":
        text = "must be map if x-kubernetes-list-map-keys is non-empty"
        where = f"{path}.x-kubernetes-list-type"
        errors.append(
            required(where, text) if list_type is None else invalid(where, list_type, text)
        )
    if list_type == "map":
        errors += _map_list_errors(names, items, path)
    if list_type in ("set", "map") and isinstance(items, dict) and EMBEDDED not in items:
        if items.get("nullable"):
            text = f"cannot be nullable when x-kubernetes-list-type is {list_type}"
            errors.append(forbidden(f"{path}.items.nullable", text))
        if list_type == "map":
            errors += _map_key_errors(names, items, f"{path}.items")
    return errors


def _map_list_errors(names: list[str], items: object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not names:
        text = "must not be empty if x-kubernetes-list-type is map"
        errors.append(required(f"{path}.x-kubernetes-list-map-keys", text))
    if items is None:
        text = "must have a schema if x-kubernetes-list-type is map"
        errors.append(required(f"{path}.items", text))
    elif isinstance(items, list):
        text = "must only have a single schema if x-kubernetes-list-type is map"
        errors.append(invalid(f"{path}.items", items, text))
    elif isinstance(items, dict) and EMBEDDED not in items:
        if items.get("type", "") != "object":
            text = "must be object if parent array's x-kubernetes-list-type is map"
            return [*errors, invalid(f"{path}.items.type", items.get("type", ""), text)]
        seen: set[str] = set()
        for name in names:
            prop = items.get("properties", {}).get(name)
            if prop is None:
                text = "entries must all be names of item properties"
                errors.append(invalid(f"{path}.x-kubernetes-list-map-keys", names, text))
            elif prop.get("type") in ("array", "object"):
                text = "must be a scalar type if parent array's x-kubernetes-list-type is map"
                where = key(f"{path}.items.properties", name)
                errors.append(invalid(f"{where}.type", items["type"], text))
            if name in seen:
                text = "must not contain duplicate entries"
                errors.append(invalid(f"{path}.x-kubernetes-list-map-keys", names, text))
            seen.add(name)
    return errors


def _map_key_errors(names: list[str], items: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for name in names:
        prop = items.get("properties", {}).get(name)
        if prop is None:
            continue
        where = key(f"{path}.properties", name)
        if name not in items.get("required", ()) and prop.get("default") is None:
            text = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
            errors.append(required(f"{where}.default", text))
        if prop.get("nullable"):
            text = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"
            errors.append(forbidden(f"{where}.nullable", text))
    return errors
