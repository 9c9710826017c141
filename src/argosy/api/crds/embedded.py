"""Resources inside resources (`x-kubernetes-embedded-resource`): their apiVersion, kind and metadata.

Metadata of an embedded resource is treated like that of a real one: unknown fields are dropped and reported, values of
another type refuse the request, names and labels are validated. Schemas without embedded resources, nearly all, are
recognized once and skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from argosy.api.crds.paths import below, child, key
from argosy.api.rules.metadata import validate_metadata
from argosy.api.rules.names import is_dns1035_label, is_path_segment
from argosy.api.schema.builtin import OBJECT_META, builtin_schema
from argosy.api.schema.decoding import decode
from argosy.api.schema.structural import Schema
from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.gotext import json_kind
from argosy.base.types import Json, Object

_GROUP_VERSION: Final = re.compile(r"[^/]*(/[^/]*)?").fullmatch


class Uncoercible(Exception):
    """An embedded resource's metadata cannot be read; `error` says why."""

    def __init__(self, error: FieldError) -> None:
        super().__init__(str(error))
        self.error = error


def holds_resources(schema: Schema) -> bool:
    """Whether a resource can be embedded anywhere below the schema."""
    if schema.holds_resources is None:
        schema.holds_resources = schema.embedded_resource or any(
            holds_resources(one)
            for one in (*schema.properties.values(), schema.additional, schema.items)
            if one is not None
        )
    return schema.holds_resources


def coerce_embedded(schema: Schema, value: Json) -> list[str]:
    """Decode the metadata of embedded resources in place; sorted paths of unknown fields. Raises Uncoercible."""
    if not holds_resources(schema):
        return []
    return sorted(
        unknown
        for resource, path in _embedded(schema, value, "")
        for unknown in _coerce(resource, path)
    )


def _embedded(schema: Schema, value: Json, path: str) -> Iterator[tuple[Object, str]]:
    """Every embedded resource and its path, outer ones first."""
    if not holds_resources(schema):
        return
    if value.__class__ is dict:
        if schema.embedded_resource:
            yield value, path
        for name, item in value.items():
            prop = schema.properties.get(name)
            if prop is not None:
                yield from _embedded(prop, item, child(path, name))
            elif schema.additional is not None:
                yield from _embedded(schema.additional, item, key(path, name))
    elif value.__class__ is list and schema.items is not None:
        for index, item in enumerate(value):
            yield from _embedded(schema.items, item, f"{path}[{index}]")


def _coerce(value: Object, path: str) -> list[str]:
    for name in ("apiVersion", "kind"):
        if name in value and value[name].__class__ is not str:
            raise Uncoercible(invalid(child(path, name), value[name], "must be a string"))
    if "metadata" not in value:
        return []
    where = child(path, "metadata")
    metadata = value["metadata"]
    if metadata is None:
        value["metadata"] = {}
        return []
    if metadata.__class__ is not dict:
        text = f"json: cannot unmarshal {json_kind(metadata)} into Go value of type v1.ObjectMeta"
        raise Uncoercible(invalid(where, metadata, text))
    decoded = decode(builtin_schema(OBJECT_META), metadata)
    if decoded.problem is not None:
        raise Uncoercible(invalid(where, metadata, decoded.problem))
    return [f"{where}.{field}" for field in decoded.unknown]


def embedded_errors(schema: Schema, value: Json, path: str = "") -> list[FieldError]:
    """What is wrong with the apiVersion, kind and metadata of embedded resources."""
    if not holds_resources(schema):
        return []
    return [
        error
        for resource, at in _embedded(schema, value, path)
        for error in _resource_errors(resource, at)
    ]


def _resource_errors(value: Object, path: str) -> list[FieldError]:
    errors = [required(child(path, name)) for name in ("apiVersion", "kind") if name not in value]
    for name in ("apiVersion", "kind"):
        if name not in value:
            continue
        given, where = value[name], child(path, name)
        if given.__class__ is not str:
            errors.append(invalid(where, given, "must be a string"))
        elif not given:
            errors.append(invalid(where, given, "must not be empty"))
        elif name == "apiVersion":
            if not _GROUP_VERSION(given):
                errors.append(invalid(where, given, f"unexpected GroupVersion string: {given}"))
        elif problems := is_dns1035_label(given.lower()):
            text = "may have mixed case, but should otherwise match: " + ",".join(problems)
            errors.append(invalid(where, given, text))
    metadata = value.get("metadata")
    if isinstance(metadata, dict):
        # A name is not required, so one is lent.
        named = {"metadata": {**metadata, "name": metadata.get("name") or "fakename"}}
        found = validate_metadata(named, bool(metadata.get("namespace")), is_path_segment)
        errors += [below(path, error) for error in found]
    return errors
