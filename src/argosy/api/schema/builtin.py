"""Schemas of the built-in types, from the project's data file (`tools/import_schemas.py` makes it).

Two views of one set of facts. `builtin_schema` is the type as the Go server has it: quantities, times, Go type names.
`embedded_schema` is the same type as a CRD generator writes it into a custom resource: quantities are int-or-string
with a pattern, only real defaults are kept, ObjectMeta has the five fields a template may carry.

Types are built on first use and shared by everything in the process; a reference becomes the very same `Schema`
object, so cyclic types (JSONSchemaProps) end in themselves.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Final

import msgspec

from argosy.api.schema.structural import UNSET, Schema
from argosy.base.types import Json, Object

_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1."
_CRD: Final = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
QUANTITY: Final = "io.k8s.apimachinery.pkg.api.resource.Quantity"
INT_OR_STRING: Final = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
OBJECT_META: Final = f"{_META}ObjectMeta"
MICRO_TIME: Final = f"{_META}MicroTime"

# Types whose value may be anything.
_FREE: Final = frozenset(
    {
        "io.k8s.apimachinery.pkg.runtime.RawExtension",
        f"{_META}FieldsV1",
        f"{_META}Patch",
        f"{_CRD}JSON",
        f"{_CRD}JSONSchemaPropsOrArray",
        f"{_CRD}JSONSchemaPropsOrBool",
        f"{_CRD}JSONSchemaPropsOrStringArray",
    }
)

# What a CRD generator writes for a quantity.
QUANTITY_PATTERN: Final = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|"
    r"([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)

# ObjectMeta inside a template of a custom resource.
_TEMPLATE_META: Final = ("annotations", "finalizers", "labels", "name", "namespace")


@cache
def _types() -> dict[str, Object]:
    data = resources.files("argosy.api").joinpath("data", "schemas.json").read_bytes()
    types: dict[str, Object] = msgspec.json.decode(data)["types"]
    return types


@cache
def _by_gvk() -> dict[tuple[str, str, str], str]:
    return {tuple(facts["gvk"]): name for name, facts in _types().items() if "gvk" in facts}


def builtin_schema(name: str) -> Schema:
    """The type of this OpenAPI name (`io.k8s.api.core.v1.Pod`). Raises LookupError for an unknown name."""
    return _TYPED.schema(name)


def embedded_schema(name: str) -> Schema:
    """The type as it stands inside a custom resource's schema."""
    return _EMBEDDED.schema(name)


def type_name(group: str, version: str, kind: str) -> str:
    """The OpenAPI name of a kind's type: `("batch", "v1", "Job")` is `io.k8s.api.batch.v1.Job`."""
    return _by_gvk()[group, version, kind]


def marked_schema(marker: str) -> Schema:
    """The schema an `x-embedded` marker such as `core/v1 PodSpec` stands for. Raises LookupError for an unknown one."""
    api_version, _, kind = marker.partition(" ")
    return embedded_schema(f"io.k8s.api.{api_version.replace('/', '.')}.{kind}")


class _View:
    """One way to turn the facts into schemas, with what it has built so far."""

    def __init__(self, *, embedded: bool) -> None:
        self.embedded = embedded
        self.built: dict[str, Schema] = {}

    def schema(self, name: str) -> Schema:
        found = self.built.get(name)
        return found if found is not None else self._build(name, _types()[name])

    def _build(self, name: str, facts: Object) -> Schema:
        schema = Schema(name=name, go_type=facts["go"])
        # Before its fields, so that a type that holds itself finds itself.
        self.built[name] = schema
        if name == QUANTITY:
            self._quantity(schema)
        elif name == INT_OR_STRING:
            schema.int_or_string = True
        elif name in _FREE:
            schema.preserve_unknown = True
            schema.type = facts.get("type", "")
        else:
            self._fill(schema, facts)
            self._fields(schema, facts)
        return schema

    def _quantity(self, schema: Schema) -> None:
        if not self.embedded:
            schema.type, schema.quantity = "string", True
            return
        schema.int_or_string = True
        schema.pattern = QUANTITY_PATTERN
        schema.any_of = (Schema(type="integer"), Schema(type="string"))

    def _fields(self, schema: Schema, facts: Object) -> None:
        required = facts.get("required", ())
        fields: dict[str, Object] = facts.get("fields", {})
        if self.embedded and schema.name == OBJECT_META:
            fields = {name: fields[name] for name in _TEMPLATE_META}
        schema.required = tuple(required)
        for name, field in fields.items():
            schema.properties[name] = self._field(field, required=name in required)
        schema.pointers = frozenset(name for name, field in fields.items() if "pointer" in field)
        schema.always = frozenset(name for name, field in fields.items() if "always" in field)
        schema.inlined = {name: field["via"] for name, field in fields.items() if "via" in field}

    def _field(self, facts: Object, *, required: bool) -> Schema:
        if "ref" in facts:
            target = self.schema(facts["ref"])
            if facts.keys() & {"patchStrategy", "mapType", "mergeKey"}:
                # The copy shares its `properties`, which may still be filling.
                target = replace(target)
                self._fill(target, facts, keep=target)
            return target
        schema = Schema(go_type=facts["go"])
        self._fill(schema, facts)
        default: Json = facts.get("default", UNSET)
        if not self.embedded or default or not required:
            schema.default = default
        return schema

    def _fill(self, schema: Schema, facts: Object, keep: Schema | None = None) -> None:
        kept = keep if keep is not None else Schema()
        schema.type = facts.get("type", kept.type)
        schema.format = facts.get("format", kept.format)
        schema.list_type = facts.get("listType", kept.list_type)
        schema.map_keys = tuple(facts.get("mapKeys", kept.map_keys))
        schema.map_type = facts.get("mapType", kept.map_type)
        schema.merge_key = facts.get("mergeKey", kept.merge_key)
        strategy = facts.get("patchStrategy")
        schema.patch_strategy = tuple(strategy.split(",")) if strategy else kept.patch_strategy
        if "items" in facts:
            schema.items = self._field(facts["items"], required=True)
        if "values" in facts:
            schema.additional = self._field(facts["values"], required=True)
            schema.additional_allowed = True


_TYPED: Final = _View(embedded=False)
_EMBEDDED: Final = _View(embedded=True)
