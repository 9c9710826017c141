"""Merging an applied configuration into the live object, place by place.

Maps merge by key and keyed lists by item; sets unite; what is owned whole, and every leaf, is the configuration's.
Nothing is ever removed here: giving up a field is `applying`'s business. The order of a merged list follows the
configuration where both sides have the items, and live-only items keep their place before the next shared one.
Untouched parts are shared with the live object, so merging the same configuration twice returns the object itself.
"""

from __future__ import annotations

from argosy.api.apply.fieldsets import print_step
from argosy.api.apply.shapes import Mistyped, Shape, shape_of
from argosy.api.schema.structural import Schema
from argosy.base.types import Json, Object


def merge(schema: Schema, live: Object, config: Object) -> Object:
    """The live object with the configuration laid over it. Raises `Mistyped` for items that cannot be told apart."""
    merged: Object = merge_values(shape_of(schema), live, config)
    return merged


def merge_values(shape: Shape, live: Json, config: Json) -> Json:
    kind = config.__class__ if config is not None else live.__class__
    if live is None or (config is not None and kind is not live.__class__):
        return config
    if kind is dict and not shape.atomic_map and (live or config):
        return _merge_maps(shape, live, config) if config else live
    if kind is list and not shape.atomic_list and (live or config):
        return _merge_lists(shape, live, config) if config else live
    return live if config.__class__ is live.__class__ and config == live else config


def _merge_maps(shape: Shape, live: Object, config: Object) -> Object:
    out = live
    for key, value in config.items():
        if key in live:
            merged = merge_values(shape.field(key).shape, live[key], value)
            if merged is live[key]:
                continue
        else:
            merged = value
        if out is live:
            out = dict(live)
        out[key] = merged
    return out


def _merge_lists(shape: Shape, live: list[Json], config: list[Json]) -> list[Json]:
    assert shape.items is not None
    theirs = [shape.item_step(item) for item in live]
    ours = [shape.item_step(item) for item in config]
    applied = dict(zip(ours, config, strict=True))
    if len(applied) < len(ours):
        twice = next(step for step in ours if ours.count(step) > 1)
        raise Mistyped(f"duplicate entries for key {print_step(twice)}")
    # An item that live has twice is not merged with: the configuration's stands for all of them.
    existing: dict[str, Json] = {}
    for step, item in zip(theirs, live, strict=True):
        existing[step] = item if step not in existing else None

    out = []
    for position, step in _order(theirs, ours):
        if step not in applied:
            out.append(live[position])
        elif existing.get(step) is None:
            out.append(applied[step])
        else:
            out.append(merge_values(shape.items, existing[step], applied[step]))
    same = len(out) == len(live) and all(a is b for a, b in zip(out, live, strict=True))
    return live if same else out


def _order(theirs: list[str], ours: list[str]) -> list[tuple[int, str]]:
    """The steps of the merged list; the position is the item's place in the live list, -1 for applied items."""
    there, here = set(theirs), set(ours)
    shared = iter([step for step in ours if step in there])
    awaited = next(shared, None)
    done: set[str] = set()
    out: list[tuple[int, str]] = []
    i = j = 0
    while i < len(theirs) or j < len(ours):
        if i < len(theirs) and j < len(ours):
            if theirs[i] == ours[j]:
                done.add(ours[j])
                out.append((-1, ours[j]))
                i, j, awaited = i + 1, j + 1, next(shared, None)
                continue
            if theirs[i] in here and awaited is not None and awaited != theirs[i]:
                i += 1
                continue
        if i < len(theirs):
            if theirs[i] not in here:
                out.append((i, theirs[i]))
                i += 1
                continue
            if theirs[i] in done:
                i += 1
        if j < len(ours):
            done.add(ours[j])
            out.append((-1, ours[j]))
            if awaited == ours[j]:
                awaited = next(shared, None)
            j += 1
    return out
