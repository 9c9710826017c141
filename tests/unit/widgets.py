"""A custom kind for tests of documents and tables: two versions, every schema word, all column types."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Column, Kind, ScalePaths, Version
from argosy.api.schema.parsing import parse_schema
from argosy.base.types import Object

SCHEMA: Final[Object] = {
    "type": "object",
    "description": "A widget.",
    "required": ["spec"],
    "properties": {
        "spec": {
            "type": "object",
            "description": "What is wanted.",
            "properties": {
                "replicas": {"type": "integer", "minimum": 0, "default": 1},
                "any": {"x-kubernetes-preserve-unknown-fields": True, "nullable": True},
                "size": {"x-kubernetes-int-or-string": True},
                "list": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "required": ["name"],
                        "properties": {"name": {"type": "string"}, "lit": {"type": "boolean"}},
                    },
                },
                "map": {"type": "object", "additionalProperties": {"type": "string"}},
                "mode": {"type": "string", "enum": ["a", "b"], "default": "a", "pattern": "^[ab]$"},
                "template": {
                    "type": "object",
                    "x-kubernetes-embedded-resource": True,
                    "x-kubernetes-preserve-unknown-fields": True,
                },
            },
            "x-kubernetes-validations": [{"rule": "self.replicas < 10", "message": "few"}],
        },
        "status": {"type": "object", "properties": {"replicas": {"type": "integer"}}},
    },
}

COLUMNS: Final = (
    Column("Replicas", "integer", path=".spec.replicas"),
    Column("Text", "string", path=".spec.any"),
    Column("Integer", "integer", path=".spec.any"),
    Column("Number", "number", path=".spec.any"),
    Column("Boolean", "boolean", path=".spec.any"),
    Column("Date", "date", path=".spec.any"),
    Column("Names", "string", path=".spec.list[*].name", priority=1, description="All names."),
    Column("Lit", "string", path=".spec.list[?(@.lit==true)].name"),
    Column("Ready", "string", path='.status.conditions[?(@.type=="Ready")].status'),
    Column("Age", "date", path=".metadata.creationTimestamp"),
)


def widget_kind() -> Kind:
    return Kind(
        group="example.com",
        kind="Widget",
        plural="widgets",
        singular="widget",
        namespaced=True,
        versions={
            "v1beta1": Version("v1beta1", parse_schema({"type": "object"})),
            "v1": Version(
                "v1",
                parse_schema(SCHEMA),
                subresources=frozenset({"status", "scale"}),
                scale=ScalePaths(".spec.replicas", ".status.replicas"),
                columns=COLUMNS,
            ),
            "v1alpha1": Version("v1alpha1", parse_schema({"type": "object"}), served=False),
        },
        storage_version="v1",
        list_kind="WidgetList",
        short_names=("wd",),
        categories=("all", "toys"),
        crd_uid="4f0e5d3c",
    )
