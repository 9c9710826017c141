"""Drop what a custom resource's schema does not know, in place.

Each schema is compiled once into a closure over its table of fields. Scalars are never visited, paths are made only for
what is dropped. Along the way nulls go that are neither allowed (`nullable`) nor about to be replaced by a default, as
Kubernetes does before it applies defaults.

`x-kubernetes-preserve-unknown-fields` keeps unknown keys, and everything below them; fields it does know are pruned
again. In an embedded resource and at the root, apiVersion, kind and metadata stay: they are metadata's to judge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from argosy.api.schema.structural import Schema, Unset
from argosy.base.types import Json, Object

# A dict or list in, paths of what was dropped out (None for nothing).
Pruner: TypeAlias = "Callable[[Json], list[str] | None]"

META_FIELDS: Final = frozenset(("apiVersion", "kind", "metadata"))


def prune(schema: Schema, obj: Object) -> list[str]:
    """Prune a whole custom resource; the sorted paths of what was dropped. O(size of the object)."""
    return sorted((schema.pruner or _compile(schema, root=True))(obj) or ())


def prune_value(schema: Schema, value: Json) -> list[str]:
    """Prune a value that is no resource, such as a default."""
    if value.__class__ is not dict and value.__class__ is not list:
        return []
    return sorted(_compile(schema)(value) or ())


def _compile(schema: Schema, *, root: bool = False) -> Pruner:
    """The pruner of a schema, made once: types that are embedded in many places are compiled in one."""
    if schema.pruner is not None:
        return schema.pruner
    prune_object = _object_pruner(schema, embedded=root or schema.embedded_resource)
    prune_list = _list_pruner(schema)

    def pruner(value: Json) -> list[str] | None:
        return prune_object(value) if value.__class__ is dict else prune_list(value)

    schema.pruner = pruner
    return pruner


def _drops_null(schema: Schema) -> bool:
    return not schema.nullable and isinstance(schema.default, Unset)


def _object_pruner(schema: Schema, *, embedded: bool) -> Pruner:
    fields: dict[str, tuple[bool, Pruner | None]] = {
        name: (_drops_null(prop), _compile(prop)) for name, prop in schema.properties.items()
    }
    if embedded:
        fields |= dict.fromkeys(META_FIELDS, (False, None))
    rest: tuple[bool, Pruner | None] | None = None
    if schema.additional is not None:
        rest = (_drops_null(schema.additional), _compile(schema.additional))
    elif schema.additional_allowed:
        # additionalProperties: true keeps the keys and knows nothing of their values.
        rest = (False, _prune_all)
    elif schema.preserve_unknown:
        rest = (False, None)
    lookup = fields.get

    def prune_object(obj: Json) -> list[str] | None:
        dropped: list[str] | None = None
        issues: list[str] | None = None
        for key, value in obj.items():
            entry = lookup(key, rest)
            kind = value.__class__
            if entry is None:
                dropped = [] if dropped is None else dropped
                issues = [] if issues is None else issues
                dropped.append(key)
                issues.append(key)
            elif kind is dict or kind is list:
                pruner = entry[1]
                below = pruner(value) if pruner is not None else None
                if below:
                    issues = [] if issues is None else issues
                    issues += [
                        f"{key}{path}" if path[:1] == "[" else f"{key}.{path}" for path in below
                    ]
            elif value is None and entry[0]:
                dropped = [] if dropped is None else dropped
                dropped.append(key)
        if dropped is not None:
            for key in dropped:
                del obj[key]
        return issues

    return prune_object


def _list_pruner(schema: Schema) -> Pruner:
    item_schema = schema.items
    if item_schema is None:
        item: Pruner | None = None if schema.preserve_unknown else _prune_all
    else:
        item = _compile(item_schema)

    def prune_list(values: Json) -> list[str] | None:
        if item is None:
            return None
        issues: list[str] | None = None
        for index, value in enumerate(values):
            kind = value.__class__
            if kind is dict or kind is list:
                below = item(value)
                if below:
                    issues = [] if issues is None else issues
                    issues += [
                        f"[{index}]{path}" if path[:1] == "[" else f"[{index}].{path}"
                        for path in below
                    ]
        return issues

    return prune_list


def _prune_all(value: Json) -> list[str] | None:
    """Where the schema says nothing: objects lose every key."""
    if value.__class__ is dict:
        gone = list(value)
        value.clear()
        return gone
    issues: list[str] = []
    for index, item in enumerate(value):
        if item.__class__ is dict or item.__class__ is list:
            issues += [
                f"[{index}]{path}" if path[:1] == "[" else f"[{index}].{path}"
                for path in _prune_all(item) or ()
            ]
    return issues
