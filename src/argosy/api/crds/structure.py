"""Is an openAPIV3Schema structural? And are its defaults good?

A structural schema names the type of every field outside of anyOf and its like, so that pruning and defaulting can
follow it. The checks work on the CRD's own document; where upstream reports nothing because it could not even build
its structural form (a `$ref`, a list of item schemas, ...), `unsupported` says so and the caller stays silent too.

Errors come sorted by their text, as upstream sorts them.
"""

from __future__ import annotations

from typing import Final

from argosy.api.cel.regexes import RegexError, compile_regex
from argosy.api.cel.rules import validate_rules
from argosy.api.crds.embedded import embedded_errors
from argosy.api.crds.paths import below, key
from argosy.api.schema.defaulting import copy_json
from argosy.api.schema.parsing import EMBEDDED, parse_schema
from argosy.api.schema.pruning import META_FIELDS, prune, prune_value
from argosy.api.schema.validating import validate_schema
from argosy.base.fielderrors import FieldError, forbidden, invalid, required
from argosy.base.types import Json, Object

_INT_OR_STRING: Final = [{"type": "integer"}, {"type": "string"}]

# Keyword and Go's name of it.
_UNSUPPORTED: Final = (
    ("id", "id"),
    ("$schema", "schema"),
    ("$ref", "$ref"),
    ("patternProperties", "patternProperties"),
    ("dependencies", "dependencies"),
    ("additionalItems", "additionalItems"),
    ("definitions", "definitions"),
)

_EMPTY_TYPE: Final = {
    "root": "must not be empty at the root",
    "item": "must not be empty for specified array items",
    "field": "must not be empty for specified object fields",
}

# What may not be said inside anyOf, allOf, oneOf and not.
_FORBIDDEN_NESTED: Final = (
    ("type", "must be empty to be structural"),
    ("additionalProperties", "must be undefined to be structural"),
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
    ("x-kubernetes-embedded-resource", "must be false to be structural"),
    ("x-kubernetes-int-or-string", "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
)


def unsupported(schema: Object) -> str | None:
    """Why no structural form can be made of the document; None when it can."""
    for keyword, name in _UNSUPPORTED:
        if schema.get(keyword):
            return f"OpenAPIV3Schema '{name}' is not supported"
    if isinstance(schema.get("items"), list):
        return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    for child in _children(schema):
        problem = unsupported(child)
        if problem is not None:
            return problem
    return None


def _children(schema: Object) -> list[Object]:
    children = list(schema.get("properties", {}).values())
    children += [one for word in ("anyOf", "allOf", "oneOf") for one in schema.get(word, ())]
    children += [
        schema[word]
        for word in ("items", "additionalProperties", "not")
        if isinstance(schema.get(word), dict)
    ]
    return children


def structural_errors(schema: Object, path: str) -> list[FieldError]:
    """What keeps the document from being structural, sorted."""
    errors = _invariants(schema, "root", path) + _incomplete(schema, schema, path, path)
    return sorted(errors, key=str)


def _invariants(schema: Object, level: str, path: str) -> list[FieldError]:
    if EMBEDDED in schema:
        return []
    kind = schema.get("type", "")
    errors: list[FieldError] = []
    items = schema.get("items")
    if items is not None:
        errors += _invariants(items, "item", f"{path}.items")
    elif kind == "array":
        errors.append(required(f"{path}.items", "must be specified"))
    for name, prop in schema.get("properties", {}).items():
        errors += _invariants(prop, "field", key(f"{path}.properties", name))
    additional = schema.get("additionalProperties")
    if additional is not None:
        if level == "root":
            errors.append(forbidden(f"{path}.additionalProperties", "must not be used at the root"))
        if isinstance(additional, dict):
            errors += _invariants(additional, "field", f"{path}.additionalProperties")
    errors += _extensions(schema, path)
    errors += _validations(schema, level, path)
    errors += _types(schema, level, path)
    errors += _resource(schema, level, path)
    return errors


def _extensions(schema: Object, path: str) -> list[FieldError]:
    if not schema.get("x-kubernetes-int-or-string"):
        return []
    return [
        invalid(f"{path}.{word}", True, "must be false if x-kubernetes-int-or-string is true")
        for word in ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource")
        if schema.get(word)
    ]


def _types(schema: Object, level: str, path: str) -> list[FieldError]:
    kind = schema.get("type", "")
    errors: list[FieldError] = []
    embedded = schema.get("x-kubernetes-embedded-resource", False)
    if embedded and kind != "object":
        text = "must be object if x-kubernetes-embedded-resource is true"
        errors.append(
            invalid(f"{path}.type", kind, text) if kind else required(f"{path}.type", text)
        )
    elif (
        not kind
        and not schema.get("x-kubernetes-int-or-string")
        and not schema.get("x-kubernetes-preserve-unknown-fields")
    ):
        errors.append(required(f"{path}.type", _EMPTY_TYPE[level]))
    if embedded and schema.get("additionalProperties") is not None:
        text = "must not be used if x-kubernetes-embedded-resource is set"
        errors.append(forbidden(f"{path}.additionalProperties", text))
    if level == "root" and kind and kind != "object":
        errors.append(invalid(f"{path}.type", kind, "must be object at the root"))
    return errors


def _resource(schema: Object, level: str, path: str) -> list[FieldError]:
    """What a resource's schema may say of kind, apiVersion and metadata."""
    embedded = schema.get("x-kubernetes-embedded-resource", False)
    checked = level == "root" or embedded
    properties: Object = schema.get("properties", {})
    errors: list[FieldError] = []
    for name in ("kind", "apiVersion"):
        if checked and name in properties and properties[name].get("type", "") != "string":
            where = key(f"{path}.properties", name)
            errors.append(
                invalid(f"{where}.type", properties[name].get("type", ""), "must be string")
            )
    metadata = properties.get("metadata")
    if metadata is not None:
        where = key(f"{path}.properties", "metadata")
        if checked and metadata.get("type", "") != "object":
            errors.append(invalid(f"{where}.type", metadata.get("type", ""), "must be object"))
        if level == "root" and not _only_names(metadata):
            text = "must not specify anything other than name and generateName, but metadata is implicitly specified"
            errors.append(forbidden(where, text))
    if embedded and not schema.get("x-kubernetes-preserve-unknown-fields") and not properties:
        text = (
            "must not be empty if x-kubernetes-embedded-resource is true without "
            "x-kubernetes-preserve-unknown-fields"
        )
        errors.append(required(f"{path}.properties", text))
    return errors


def _only_names(metadata: Object) -> bool:
    if metadata.get("properties", {}).keys() - {"name", "generateName"}:
        return False
    return not metadata.keys() - {"type", "properties", "default"}


def _validations(schema: Object, level: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    any_of, all_of = schema.get("anyOf", ()), schema.get("allOf", ())
    if any_of != _INT_OR_STRING:
        for index, one in enumerate(any_of):
            errors += _nested(one, level, f"{path}.anyOf[{index}]")
    for index, one in enumerate(all_of):
        free = index == 0 and one.get("anyOf") == _INT_OR_STRING
        errors += _nested(one, level, f"{path}.allOf[{index}]", free_any_of=free)
    for index, one in enumerate(schema.get("oneOf", ())):
        errors += _nested(one, level, f"{path}.oneOf[{index}]")
    if "not" in schema:
        errors += _nested(schema["not"], level, f"{path}.not")
    pattern = schema.get("pattern")
    if pattern:
        try:
            compile_regex(pattern)
        except RegexError as problem:
            text = f"must be a valid regular expression, but isn't: {problem}"
            errors.append(invalid(f"{path}.pattern", pattern, text))
    return errors


def _nested(
    schema: Object, level: str, path: str, *, free_any_of: bool = False
) -> list[FieldError]:
    """Inside anyOf and its like only values may be restricted, no structure given."""
    plain = (
        {word: value for word, value in schema.items() if word != "anyOf"}
        if free_any_of
        else schema
    )
    errors = _validations(plain, level, path)
    if isinstance(schema.get("items"), dict):
        errors += _nested(schema["items"], level, f"{path}.items")
    for name, prop in schema.get("properties", {}).items():
        errors += _nested(prop, "field", key(f"{path}.properties", name))
    for word, text in _FORBIDDEN_NESTED:
        value = schema.get(word)
        if (
            value
            or (word == "additionalProperties" and value is not None)
            or (word == "default" and value is not None)
        ):
            errors.append(forbidden(f"{path}.{word}", text))
    if "metadata" in schema.get("properties", {}):
        where = key(f"{path}.properties", "metadata")
        errors.append(forbidden(where, "must not be specified in a nested context"))
    return errors


def _incomplete(nested: Object, schema: Object, path: str, nested_path: str) -> list[FieldError]:
    """Fields that anyOf and its like restrict must be defined outside of them, too."""
    errors: list[FieldError] = []
    alternatives = [(f"{nested_path}.not", nested["not"])] if "not" in nested else []
    for word in ("allOf", "anyOf", "oneOf"):
        alternatives += [
            (f"{nested_path}.{word}[{i}]", one) for i, one in enumerate(nested.get(word, ()))
        ]
    for where, one in alternatives:
        errors += _incomplete_alternative(one, schema, path, where)
    return errors


def _incomplete_alternative(one: Object, schema: Json, path: str, where: str) -> list[FieldError]:
    if not isinstance(schema, dict):
        return [required(path, f"because it is defined in {where}")]
    errors = _incomplete(one, schema, path, where)
    if isinstance(one.get("items"), dict):
        errors += _incomplete_alternative(
            one["items"], schema.get("items"), f"{path}.items", f"{where}.items"
        )
    for name, prop in one.get("properties", {}).items():
        at, of = key(f"{path}.properties", name), key(f"{where}.properties", name)
        errors += _incomplete_alternative(prop, schema.get("properties", {}).get(name), at, of)
    return errors


def default_errors(
    schema: Object, path: str, *, root: bool = True, in_metadata: bool = False
) -> list[FieldError]:
    """Defaults must be pruned and must validate, rules included."""
    if EMBEDDED in schema:
        return []
    errors: list[FieldError] = []
    resource = root or schema.get("x-kubernetes-embedded-resource", False)
    in_metadata = in_metadata and not resource
    if schema.get("default") is not None:
        errors += _one_default(schema, f"{path}.default", in_metadata=in_metadata)
    if isinstance(schema.get("items"), dict):
        errors += default_errors(
            schema["items"], f"{path}.items", root=False, in_metadata=in_metadata
        )
    for name, prop in schema.get("properties", {}).items():
        errors += default_errors(
            prop,
            key(f"{path}.properties", name),
            root=False,
            in_metadata=in_metadata or (resource and name in META_FIELDS),
        )
    return errors


def _one_default(document: Object, path: str, *, in_metadata: bool) -> list[FieldError]:
    schema, default = parse_schema(document), document["default"]
    errors: list[FieldError] = []
    embedded = schema.embedded_resource and isinstance(default, dict)
    if not in_metadata:
        pruned = copy_json(default)
        dropped = prune(schema, pruned) if embedded else prune_value(schema, pruned)
        if dropped:
            errors.append(invalid(path, default, "must not have unknown fields"))
    broken = embedded_errors(schema, default, path) or validate_schema(schema, default, path=path)
    return errors + (
        broken or [below(path, error) for error in validate_rules(schema, default, None)]
    )
