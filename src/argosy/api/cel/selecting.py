"""Reading fields: `a.b`, `has(a.b)`, `a.?b`, of structs, maps, optionals and values of unknown type.

A struct's null field counts as absent, a map's null value does not: Kubernetes' rule.
"""

from __future__ import annotations

from collections.abc import Callable

from argosy.api.cel.comprehending import Closure, Frame
from argosy.api.cel.declaring import converter, find_field
from argosy.api.cel.nodes import Select
from argosy.api.cel.types import Type
from argosy.api.cel.values import NONE, CelError, Optional
from argosy.base.types import Json


def selection(node: Select, target: Type, operand: Closure, *, optional: bool) -> Closure:
    """The closure of a selection; `target` is the operand's type without its optional, if `optional`."""
    read = _reader(target, node.field)
    if optional:
        return _select_optional(operand, read, test=node.test)
    if target.kind == "struct":
        return _select_struct(operand, target, node)
    if node.test:
        return lambda frame: read(operand(frame)).present
    if target.kind == "map":
        return _select_key(operand, node.field)
    name = node.field

    def select(frame: Frame) -> Json:
        found = read(operand(frame))
        if found.present:
            return found.value
        raise CelError(f"no such key: {name}")

    return select


def _reader(target: Type, name: str) -> Callable[[Json], Optional]:
    """Reads a field into an optional; the general case of selection."""
    if target.kind == "struct":
        found = find_field(target, name)
        assert found is not None
        prop, schema, _ = found
        convert = converter(schema)

        def read(value: Json) -> Optional:
            item = value.get(prop)
            if item is None:
                return NONE
            return Optional(present=True, value=convert(item) if convert is not None else item)

        return read

    def lookup(value: Json) -> Optional:
        if isinstance(value, Optional):
            return lookup(value.value) if value.present else NONE
        if not isinstance(value, dict):
            return NONE
        return Optional(present=True, value=value[name]) if name in value else NONE

    return lookup


def _select_optional(operand: Closure, read: Callable[[Json], Optional], *, test: bool) -> Closure:
    def run(frame: Frame) -> Json:
        value = operand(frame)
        if isinstance(value, Optional):
            if not value.present:
                return False if test else NONE
            value = value.value
        found = read(value)
        return found.present if test else found

    return run


def _select_struct(operand: Closure, target: Type, node: Select) -> Closure:
    found = find_field(target, node.field)
    assert found is not None
    name, schema, _ = found
    if node.test:
        return lambda frame: operand(frame).get(name) is not None
    convert = converter(schema)
    escaped = node.field

    def select(frame: Frame) -> Json:
        value = operand(frame).get(name)
        if value is None:
            raise CelError(f"no such key: {escaped}")
        return value if convert is None else convert(value)

    return select


def _select_key(operand: Closure, name: str) -> Closure:
    def select(frame: Frame) -> Json:
        values = operand(frame)
        if name in values:
            return values[name]
        raise CelError(f"no such key: {name}")

    return select
