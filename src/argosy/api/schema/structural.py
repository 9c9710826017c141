"""`Schema`: the one description of a value's shape.

Built-in kinds (from the project's data) and custom kinds (from a CRD's openAPIV3Schema) are both turned into this, so
pruning, defaulting, validation, strategic merge and server-side apply are written once. A schema is immutable after
it is built, shared by all clusters in the process, and may be cyclic (JSONSchemaProps holds itself), so walk it along
a value, never by itself.

Kubernetes' words are kept: `list_type` is `atomic`, `set` or `map` (with `map_keys`), `map_type` is `granular` or
`atomic`. `merge_key` and `patch_strategy` are those of strategic merge patch and exist on built-in lists only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from argosy.base.types import Json


class Unset:
    """The type of `UNSET`: no default is given, which is not the same as a default of null."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()


@dataclass(slots=True, frozen=True)
class Rule:
    """One entry of x-kubernetes-validations."""

    rule: str
    message: str = ""
    message_expression: str = ""
    reason: str = ""
    field_path: str = ""
    optional_old_self: bool | None = None


@dataclass(slots=True, eq=False)
class Schema:
    """A value's shape. `type` is "" where any value goes."""

    type: str = ""
    format: str = ""
    description: str = ""
    # The built-in type's name (`io.k8s.api.core.v1.PodSpec`); "" for inline and custom schemas.
    name: str = ""
    nullable: bool = False
    default: Json = UNSET

    properties: dict[str, Schema] = field(default_factory=dict)
    # Schema of every value of a map; None where only `properties` are known.
    additional: Schema | None = None
    # False only where additionalProperties: false is said; True where it is said or implied for maps of anything.
    additional_allowed: bool | None = None
    items: Schema | None = None
    required: tuple[str, ...] = ()

    enum: tuple[Json, ...] | None = None
    pattern: str | None = None
    minimum: float | int | None = None
    maximum: float | int | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    multiple_of: float | int | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    unique_items: bool = False
    min_properties: int | None = None
    max_properties: int | None = None
    all_of: tuple[Schema, ...] = ()
    any_of: tuple[Schema, ...] = ()
    one_of: tuple[Schema, ...] = ()
    not_: Schema | None = None

    int_or_string: bool = False
    # A resource.Quantity of a built-in kind: a string or a number, printed canonically.
    quantity: bool = False
    preserve_unknown: bool = False
    embedded_resource: bool = False
    list_type: str = "atomic"
    map_keys: tuple[str, ...] = ()
    map_type: str = "granular"
    merge_key: str = ""
    patch_strategy: tuple[str, ...] = ()
    validations: tuple[Rule, ...] = ()

    # The schema by which values are judged, where this one only says how they merge: metadata of a custom resource has
    # the shape of ObjectMeta, but a CRD restricts no more of it than its own schema says.
    restriction: Schema | None = None

    # What Go knows of a built-in type beyond its OpenAPI schema: the type as reflection prints it (`[]v1.Container`),
    # the fields that are pointers (an empty value given is kept), those printed even when empty, and for fields of
    # inlined structs the struct's name, which decoding errors show.
    go_type: str = ""
    pointers: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()
    inlined: dict[str, str] = field(default_factory=dict)

    # What the engines have compiled from this schema, filled on first use.
    decoder: Callable[..., Json] | None = field(default=None, repr=False)
    pruner: Callable[..., Json] | None = field(default=None, repr=False)
    defaulter: Callable[..., Json] | None = field(default=None, repr=False)
    checker: Callable[[Json], bool] | None = field(default=None, repr=False)
    # Compiled CEL rules of a whole resource; UNSET until asked.
    rule_set: Json = field(default=UNSET, repr=False)
    # Whether an embedded resource lies anywhere below; None until asked.
    holds_resources: bool | None = field(default=None, repr=False)

    def child(self, key: str) -> Schema | None:
        """The schema of a key of an object of this shape, None when it is not known."""
        found = self.properties.get(key)
        return found if found is not None else self.additional


# Stands where anything may stand (preserve-unknown-fields and the like).
ANYTHING: Final = Schema(preserve_unknown=True, map_type="granular")
