"""Whether an applied configuration fits its schema, in the words of structured-merge-diff.

Apply needs more than other writes do: to own a field it must know the field, and to merge a list it must tell the items
apart. So unknown fields, values of the wrong type, items without keys and duplicate items are refused here, before
anything is merged. Deeper rules (formats, ranges, required fields) are validation's, after the merge.
"""

from __future__ import annotations

from argosy.api.apply.fieldsets import print_step
from argosy.api.apply.shapes import Mistyped, Shape, shape_of
from argosy.api.schema.structural import Schema
from argosy.base.fielderrors import quote
from argosy.base.gotext import print_plain, type_name
from argosy.base.types import Json, Object


def problems(schema: Schema, config: Object) -> list[str]:
    """Each misfit as `.spec.replicas: expected numeric (int or float), got string`, in the order of keys."""
    return _map_problems(shape_of(schema), config, "")


def report(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else "\n  ".join(["errors:", *texts])


def _problems(shape: Shape, value: Json, path: str) -> list[str]:
    if value is None:
        return []
    kind = shape.schema.type
    if isinstance(value, dict) and kind in {"", "object"} and not _scalar(shape):
        return _map_problems(shape, value, path)
    if isinstance(value, list) and kind in {"", "array"} and not _scalar(shape):
        return _list_problems(shape, value, path)
    text = _leaf_problem(shape, value)
    return [f"{path}: {text}"] if text else []


def _scalar(shape: Shape) -> bool:
    return shape.schema.quantity or shape.schema.int_or_string


def _map_problems(shape: Shape, value: Object, path: str) -> list[str]:
    out: list[str] = []
    for key in sorted(value):
        if not shape.declares(key):
            return [*out, f"{path}.{key}: field not declared in schema"]
        out += _problems(shape.field(key).shape, value[key], f"{path}.{key}")
    return out


def _list_problems(shape: Shape, value: list[Json], path: str) -> list[str]:
    if shape.items is None:
        return []
    out: list[str] = []
    seen: set[str] = set()
    for index, item in enumerate(value):
        try:
            step = shape.item_step(item)
        except Mistyped as error:
            return [*out, f"{path}: element {index}: {error}"]
        at = path + print_step(step)
        if step in seen:
            out.append(f"{path}: duplicate entries for key {print_step(step)}")
        seen.add(step)
        out += _problems(shape.items, item, at)
    return out


def _leaf_problem(shape: Shape, value: Json) -> str:
    schema = shape.schema
    match schema.type:
        case "object":
            return f"expected map, got &{{{print_plain(value)}}}"
        case "array":
            return f"expected list, got &{{{print_plain(value)}}}"
        case "boolean" if not isinstance(value, bool):
            return f"expected boolean, got &{{{print_plain(value)}}}"
        case "integer" | "number" if isinstance(value, bool) or not isinstance(value, int | float):
            return f"expected numeric (int or float), got {type_name(value)}"
        case "string" if not isinstance(value, str) and _text_only(shape):
            return f"expected string, got &value.valueUnstructured{{Value:{_literal(value)}}}"
        case _:
            return ""


def _text_only(shape: Shape) -> bool:
    """Strings of a format other than bytes may hold other scalars as far as merging is concerned."""
    return shape.schema.format in {"", "byte"} and not _scalar(shape)


def _literal(value: Json) -> str:
    """Go's %#v of a decoded JSON value."""
    match value:
        case dict():
            inner = ", ".join(f"{quote(k)}:{_literal(value[k])}" for k in sorted(value))
            return f"map[string]interface {{}}{{{inner}}}"
        case list():
            return "[]interface {}{" + ", ".join(_literal(item) for item in value) + "}"
        case str():
            return quote(value)
        case None:
            return "interface {}(nil)"
        case _:
            return print_plain(value)
