"""From objects to sets of fields and back, along a schema.

    set_of       the fields an applied configuration speaks of
    compare      what one object adds, modifies and removes against another
    whole        every field and item of a value, as `compare` reports a value that was not there
    remove_items an object without the fields of a set;  extract: an object of only these
    with_parents a set plus the named fields above its members;  reconcile: a set read under a changed schema

Values decide where a schema leaves it open: dicts are maps, lists are lists, everything else is a leaf; null is an
empty map or list, whatever the other side is. Work is proportional to the object for `set_of`, and for `compare` to
what differs, plus Python's own equality on what does not. Law: `remove_items(s, o, x)` has the fields of `o` less
those of `x` and what is below them.
"""

from __future__ import annotations

from typing import NamedTuple

from argosy.api.apply.fieldsets import FieldSet, is_member, recursive_difference, union
from argosy.api.apply.shapes import NONE, Field, Shape, shape_of
from argosy.api.schema.structural import Schema
from argosy.base.types import Json, Object


class Comparison(NamedTuple):
    """Disjoint sets; all are empty for equal objects."""

    added: FieldSet
    modified: FieldSet
    removed: FieldSet

    @property
    def changed(self) -> FieldSet:
        return union(self.added, self.modified)


def set_of(schema: Schema, obj: Object) -> FieldSet:
    return applied_set(shape_of(schema), obj)


def compare(schema: Schema, old: Object, new: Object) -> Comparison:
    found = Comparison({}, {}, {})
    diff_map(shape_of(schema), old, new, found)
    return found


def remove_items(schema: Schema, obj: Object, fields: FieldSet) -> Object:
    return without(shape_of(schema), obj, fields) or {}


def extract(schema: Schema, obj: Object, fields: FieldSet) -> Object:
    return only(shape_of(schema), obj, fields) or {}


# --- sets of values ---------------------------------------------------------------------------------------------------


def applied_set(shape: Shape, obj: Object) -> FieldSet:
    """The set of a configuration: its leaves, list items and map keys. Structs are named only where they are empty."""
    return _applied(shape, obj) or {}


def _applied(shape: Shape, value: Json) -> FieldSet | None:
    """The node of a value; None where it speaks of no field (an empty list that is owned by item)."""
    if value.__class__ is dict:
        if shape.atomic_map:
            return {}
        out: FieldSet = {}
        for key, item in value.items():
            field = shape.field(key)
            node = _applied(field.shape, item)
            if node is None:
                if item is None or item == {} or not field.declared:
                    out[field.step] = {}
            elif node and not field.declared and "." not in node:
                out[field.step] = {".": {}, **node}
            else:
                out[field.step] = node
        return out or None
    if value.__class__ is list:
        if shape.atomic_list:
            return {}
        items = shape.items
        assert items is not None
        out = {}
        for step, found in _by_step(shape, value).items():
            node = _applied(items, found[0]) if len(found) == 1 else None
            out[step] = {".": {}, **node} if node else {}
        return out or None
    return {}


def whole(shape: Shape, value: Json) -> FieldSet:
    """The node of a value that was not there before: itself and everything below."""
    if value.__class__ is dict:
        if not value or shape.atomic_map:
            return {}
        out: FieldSet = {".": {}}
        if shape.is_plain:
            element = shape.element()
            for key, item in value.items():
                nested = item.__class__ is dict or item.__class__ is list
                out["f:" + key] = whole(element, item) if nested else {}
            return out
        fields = shape.fields
        for key, item in value.items():
            field = fields.get(key) or shape.field(key)
            out[field.step] = (
                whole(field.shape, item) if item.__class__ is dict or item.__class__ is list else {}
            )
        return out
    if value.__class__ is list:
        if not value or shape.atomic_list:
            return {}
        out = {".": {}}
        items = shape.items
        assert items is not None
        for item in value:
            step = shape.item_step(item)
            # The second of two items with one key: they can only be owned together.
            out[step] = whole(items, item) if step not in out else {}
        return out
    return {}


def _by_step(shape: Shape, items: list[Json]) -> dict[str, list[Json]]:
    out: dict[str, list[Json]] = {}
    for item in items:
        out.setdefault(shape.item_step(item), []).append(item)
    return out


# --- comparing --------------------------------------------------------------------------------------------------------


def diff_map(
    shape: Shape,
    old: Object,
    new: Object,
    found: Comparison,
    skip: frozenset[str] = frozenset(),
) -> None:
    """Enter the differences of two maps that are both there; keys in `skip` are not looked at."""
    fields = shape.fields
    for key, value in new.items():
        if key in skip:
            continue
        before = old.get(key, NONE)
        if before is value:
            continue
        field = fields.get(key) or shape.field(key)
        if before is NONE:
            before = field.zero
            if before is NONE:
                found.added[field.step] = whole(field.shape, value)
                continue
        if before != value:
            _diff(field, before, value, found)
    for key, before in old.items():
        if key not in new and key not in skip:
            field = fields.get(key) or shape.field(key)
            if field.zero is NONE:
                found.removed[field.step] = whole(field.shape, before)
            elif before != field.zero:
                _diff(field, before, field.zero, found)


def _diff(field: Field, old: Json, new: Json, found: Comparison) -> None:
    """Enter the differences of two unequal values of one field."""
    below = Comparison({}, {}, {})
    if _diff_values(field.shape, old, new, below):
        found.modified[field.step] = {}
    for mine, theirs in zip(below, found, strict=True):
        if mine:
            theirs[field.step] = mine


def _diff_values(shape: Shape, old: Json, new: Json, below: Comparison) -> bool:
    """Enter what differs below two unequal values; True when the value itself is the leaf that differs."""
    if old.__class__ is dict and new.__class__ is dict:
        if shape.atomic_map:
            return True
        diff_map(shape, old, new, below)
        return False
    if old.__class__ is list and new.__class__ is list:
        if shape.atomic_list:
            return True
        _diff_list(shape, old, new, below)
        return False
    gone, come = _children(whole(shape, old)), _children(whole(shape, new))
    below.removed.update(gone)
    below.added.update(come)
    if old is None or new is None:
        # Null makes way for what comes below it, and the other way round.
        return not (gone or come)
    # Any other change of type is one of the field itself, unless all of it is told by what is below.
    return not (gone and come)


def _children(node: FieldSet) -> FieldSet:
    return {step: below for step, below in node.items() if step != "."}


def _diff_list(shape: Shape, old: list[Json], new: list[Json], found: Comparison) -> None:
    """Items that share a key within one list are owned together, as one leaf."""
    items = shape.items
    assert items is not None
    before, after = _by_step(shape, old), _by_step(shape, new)
    for step, now in after.items():
        was = before.get(step)
        if was is None:
            found.added[step] = whole(items, now[0]) if len(now) == 1 else {}
        elif len(was) == 1 and len(now) == 1:
            if was[0] != now[0]:
                _diff(Field(step, items, declared=False), was[0], now[0], found)
        elif len(was) > 1 and len(now) > 1:
            if was != now:
                found.modified[step] = {}
        elif len(was) > 1:
            found.added[step] = whole(items, now[0])
            found.removed[step] = {}
        else:
            found.removed[step] = whole(items, was[0])
            found.added[step] = {}
    for step, was in before.items():
        if step not in after:
            found.removed[step] = whole(items, was[0]) if len(was) == 1 else {}


# --- objects of sets --------------------------------------------------------------------------------------------------


def without(shape: Shape, value: Json, fields: FieldSet) -> Json:
    """`value` less the members of `fields`; None when nothing is left of it. Untouched parts are shared."""
    if value.__class__ is dict:
        if shape.atomic_map:
            return None
        out = {}
        for key, item in value.items():
            node = fields.get("f:" + key)
            if node is None:
                out[key] = item
            elif not is_member(node):
                out[key] = without(shape.field(key).shape, item, node)
        return out or None
    if value.__class__ is list:
        if shape.atomic_list or shape.items is None:
            return None
        kept = []
        for item in value:
            node = fields.get(shape.item_step(item))
            if node is None:
                kept.append(item)
            elif not is_member(node):
                kept.append(without(shape.items, item, node))
        return kept or None
    return value


def only(shape: Shape, value: Json, fields: FieldSet) -> Json:
    """The part of `value` that `fields` speaks of; keyed items keep their keys. None when there is none."""
    if value.__class__ is dict:
        if shape.atomic_map:
            return value
        out = {}
        for key, item in value.items():
            node = fields.get("f:" + key)
            if node is not None:
                found = only(shape.field(key).shape, item, node)
                out[key] = found if found is not None else type(item)()
        return out or None
    if value.__class__ is list:
        if shape.atomic_list or shape.items is None:
            return value
        kept = []
        for item in value:
            node = fields.get(shape.item_step(item))
            if node is not None:
                keys = {key.name: item[key.name] for key in shape.keys if key.name in item}
                found = only(shape.items, item, node)
                kept.append({**keys, **(found or {})} if item.__class__ is dict else item)
        return kept or None
    return value


# --- sets under a schema ----------------------------------------------------------------------------------------------


def with_parents(shape: Shape, fields: FieldSet) -> FieldSet:
    """`fields` with every named field above a member made a member: removing all below removes it too."""
    out: FieldSet = {}
    for step, node in fields.items():
        if step == "." or not node:
            out[step] = node
            continue
        if step[:2] == "f:":
            field = shape.field(step[2:])
            below = with_parents(field.shape, node)
            out[step] = {".": {}, **below} if field.declared else below
        else:
            out[step] = with_parents(shape.items, node) if shape.items is not None else node
    return out


def reconcile(shape: Shape, fields: FieldSet) -> FieldSet:
    """A set written when a place was owned by part, read when it is owned whole: the owner of a part owns the whole."""
    moved = _now_whole(shape, fields)
    return union(recursive_difference(fields, moved), moved) if moved else fields


def _now_whole(shape: Shape, fields: FieldSet) -> FieldSet:
    out: FieldSet = {}
    for step, node in fields.items():
        if step == "." or not node:
            continue
        if step[:2] == "f:":
            if not shape.declares(step[2:]):
                continue
            below = shape.field(step[2:]).shape
        elif shape.items is not None:
            below = shape.items
        else:
            continue
        lists = any(child[:2] in {"k:", "v:", "i:"} for child in node)
        if below.atomic_list if lists else below.atomic_map:
            out[step] = {}
        else:
            inner = _now_whole(below, node)
            if inner:
                out[step] = inner
    return out
