"""A custom kind with every way to own a place, and shorthands for sets."""

from __future__ import annotations

from argosy.api.apply.fieldsets import FieldSet
from argosy.api.schema.builtin import builtin_schema
from argosy.api.schema.parsing import parse_schema
from argosy.api.schema.structural import Schema
from argosy.base.types import Json, Object

NOW = "2026-01-02T03:04:05Z"
LATER = "2026-01-02T03:05:00Z"
VERSION = "probe.io/v1"


def widget_schema() -> Schema:
    schema = parse_schema(
        {
            "type": "object",
            "properties": {
                "apiVersion": {"type": "string"},
                "kind": {"type": "string"},
                "spec": {
                    "type": "object",
                    "properties": {
                        "replicas": {"type": "integer"},
                        "note": {"type": "string"},
                        "on": {"type": "boolean"},
                        "a": {
                            "type": "object",
                            "properties": {"x": {"type": "integer"}, "y": {"type": "string"}},
                        },
                        "m": {"type": "object", "additionalProperties": {"type": "string"}},
                        "items": {
                            "type": "array",
                            "x-kubernetes-list-type": "map",
                            "x-kubernetes-list-map-keys": ["k", "p"],
                            "items": {
                                "type": "object",
                                "properties": {
                                    "k": {"type": "string"},
                                    "p": {"type": "integer", "default": 1},
                                    "v": {"type": "integer"},
                                },
                            },
                        },
                        "tags": {
                            "type": "array",
                            "x-kubernetes-list-type": "set",
                            "items": {"type": "string"},
                        },
                        "list": {"type": "array", "items": {"type": "string"}},
                        "whole": {
                            "type": "object",
                            "x-kubernetes-map-type": "atomic",
                            "properties": {"p": {"type": "integer"}},
                        },
                        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                    },
                },
                "status": {"type": "object", "properties": {"n": {"type": "integer"}}},
            },
        }
    )
    schema.properties["metadata"] = builtin_schema(
        "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
    )
    return schema


WIDGET = widget_schema()


def widget(spec: Json = None, **parts: Json) -> Object:
    out: Object = {"apiVersion": VERSION, "kind": "Widget", "metadata": {"name": "w"}, **parts}
    if spec is not None:
        out["spec"] = spec
    return out


def spec(**fields: FieldSet) -> FieldSet:
    """A set of fields below spec."""
    return {"f:spec": {"f:" + name: node for name, node in fields.items()}}


def entry(
    manager: str,
    fields: FieldSet,
    operation: str = "Update",
    time: str = NOW,
    subresource: str = "",
    version: str = VERSION,
) -> Object:
    out: Object = {
        "manager": manager,
        "operation": operation,
        "apiVersion": version,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }
    if time:
        out["time"] = time
    if subresource:
        out["subresource"] = subresource
    return out


def managed(obj: Object, entries: list[Object]) -> Object:
    """An object with these owners."""
    return {**obj, "metadata": {**obj["metadata"], "managedFields": entries}}
