"""Three-way merge: the patch that makes an object what a manifest says, without touching what the manifest never said.

What was applied last, what is to be applied now and what is there give a patch: whatever the manifest says and the
object does not is set, whatever the last manifest said and this one does not is removed, and the rest is somebody
else's. kubectl apply works like this on the client's side.

With the schema of a built-in kind the patch is a strategic merge patch (lists merge by key, directives say what goes
and in which order); with ANYTHING, whose lists are all atomic, it is a JSON merge patch. An object that is as the
manifest says gives an empty patch. Mirrors apimachinery's CreateThreeWayMergePatch in one walk instead of three;
differs in naming no deletion of what is gone already, and in replacing a merging list whose keys repeat.
"""

from __future__ import annotations

from typing import Final

from argosy.api.patches.failures import PatchFailed
from argosy.api.schema.structural import ANYTHING, Schema
from argosy.base.gotext import print_plain
from argosy.base.types import Json, Object

_DIRECTIVE: Final = "$patch"


def three_way_patch(schema: Schema, original: Object, modified: Object, current: Object) -> Object:
    """The patch of `current`. Raises `PatchFailed` for lists that cannot be merged."""
    return _of_maps(schema, original, modified, current)


def _of_maps(schema: Schema, original: Json, modified: Object, current: Object) -> Object:
    before: Object = original if isinstance(original, dict) else {}
    patch: Object = {
        key: None
        for key, value in before.items()
        if value is not None and key not in modified and current.get(key) is not None
    }
    for key, wanted in modified.items():
        there = current.get(key)
        if there is None:
            if wanted is not None:
                patch[key] = wanted
            continue
        field = schema.child(key) or ANYTHING
        if isinstance(wanted, dict) and isinstance(there, dict):
            inner = _of_map_field(field, before.get(key), wanted, there)
            if inner:
                patch[key] = inner
        elif isinstance(wanted, list) and isinstance(there, list):
            patch |= _of_lists(field, key, before.get(key), wanted, there)
        elif not _is_same(wanted, there):
            patch[key] = wanted
    return patch


def _of_map_field(field: Schema, original: Json, modified: Object, current: Object) -> Object:
    if "replace" in field.patch_strategy:
        return {} if _is_same(modified, current) else modified
    patch = _of_maps(field, original, modified, current)
    return _retaining(field, modified, patch)


def _retaining(field: Schema, modified: Object, patch: Object) -> Object:
    """Of a union: what the manifest does not name goes, whoever named it."""
    if patch and "retainKeys" in field.patch_strategy:
        return {**patch, "$retainKeys": sorted(modified)}
    return patch


def _of_lists(
    field: Schema, key: str, original: Json, modified: list[Json], current: list[Json]
) -> Object:
    if "merge" not in field.patch_strategy:
        return {} if _is_same(modified, current) else {key: modified}
    before: list[Json] = original if isinstance(original, list) else []
    if any(isinstance(each, dict) for each in (*modified, *current)):
        return _of_items(field, key, before, modified, current)
    return _of_values(key, before, modified, current)


def _of_values(key: str, original: list[Json], modified: list[Json], current: list[Json]) -> Object:
    patch: Object = {}
    added = [each for each in modified if each not in current]
    gone = [each for each in original if each not in modified and each in current]
    if added:
        patch[key] = added
    if gone:
        patch[f"$deleteFromPrimitiveList/{key}"] = gone
    if patch or not _is_ordered(modified, current):
        patch[f"$setElementOrder/{key}"] = modified
    return patch


def _of_items(
    field: Schema, key: str, original: list[Json], modified: list[Json], current: list[Json]
) -> Object:
    by = field.merge_key
    wanted, there = _by_key(modified, by), _by_key(current, by)
    if len(wanted) < len(modified) or len(there) < len(current):
        if _is_same(modified, current):
            return {}
        return {key: [{_DIRECTIVE: "replace"}, *modified]}
    before = _by_key(original, by)
    items = field.items or ANYTHING
    entries: list[Json] = []
    for value, item in wanted.items():
        if value not in there:
            entries.append(item)
            continue
        inner = _retaining(field, item, _of_maps(items, before.get(value), item, there[value]))
        if inner:
            entries.append({**inner, by: value})
    entries += [
        {_DIRECTIVE: "delete", by: value}
        for value in before
        if value not in wanted and value in there
    ]
    if not entries and _is_ordered(list(wanted), list(there)):
        return {}
    order = {f"$setElementOrder/{key}": [{by: value} for value in wanted]}
    return {key: entries, **order} if entries else order


def _by_key(items: list[Json], key: str) -> dict[Json, Object]:
    found: dict[Json, Object] = {}
    for item in items:
        if not isinstance(item, dict) or isinstance(item.get(key), dict | list):
            raise PatchFailed(f"list element types are not identical: {print_plain(items)}")
        if key not in item:
            raise PatchFailed(
                f"map: {print_plain(item)} does not contain declared merge key: {key}"
            )
        found[item[key]] = item
    return found


def _is_ordered(wanted: list[Json], there: list[Json]) -> bool:
    """Whether what is wanted stands in the order it is wanted in."""
    return [each for each in there if each in wanted] == [each for each in wanted if each in there]


def _is_same(one: Json, other: Json) -> bool:
    """Equality of JSON, where 1 is 1.0 and neither is true."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
