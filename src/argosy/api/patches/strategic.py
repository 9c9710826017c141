"""Strategic merge patch: a merge patch that knows which lists merge.

The schema of a built-in kind says for each field how a patch meets it (`patch_strategy`: merge, replace, retainKeys)
and by which key the items of a merging list are told apart (`merge_key`). The patch may say more itself:

    $patch: delete | replace | merge       of a map, or of one item of a list
    $deleteFromPrimitiveList/<field>       values to take out of a list of scalars
    $setElementOrder/<field>               the order of a merging list, by key or value
    $retainKeys                            the only keys the merged map may keep

A merged list has the patch's items in the patch's order; items only the server has keep their order and go before the
first patch item that stood behind them. Neither argument is changed. Fields of custom kinds have no strategies; the
server refuses the format for them. Mirrors apimachinery's strategicpatch, errors included.
"""

from __future__ import annotations

from typing import Final

from argosy.api.patches.element_order import by_key, merge_orders, sorted_like
from argosy.api.patches.failures import PatchFailed
from argosy.api.patches.merge_patch import without_nulls
from argosy.api.schema.structural import ANYTHING, Schema
from argosy.base.errors import BadRequest, StatusError
from argosy.base.fielderrors import quote
from argosy.base.gotext import json_kind, print_plain, type_name
from argosy.base.types import Json, Object

_DIRECTIVE: Final = "$patch"
_RETAIN_KEYS: Final = "$retainKeys"
_DELETE_FROM: Final = "$deleteFromPrimitiveList"
_SET_ORDER: Final = "$setElementOrder"


def apply_strategic_patch(schema: Schema, original: Object, patch: Json) -> Object:
    """The object a strategic merge patch makes of `original`.

    Raises `BadRequest` for a patch that is no patch, `PatchFailed` for one that does not fit.
    """
    if patch is None:
        return original
    if not isinstance(patch, dict):
        raise BadRequest(
            f"json: cannot unmarshal {json_kind(patch)} into Go value of type map[string]interface {{}}"
        )
    return _merge_maps(schema, original, patch)


def _merge_maps(schema: Schema, original: Object, patch: Object) -> Object:
    if _DIRECTIVE in patch:
        return _replaced(patch)
    out = dict(original)
    patch = _retain_keys(out, patch)
    ordered = [key for key in patch if key.startswith(_SET_ORDER)]
    if ordered:
        patch = dict(patch)
        for key in ordered:
            _merge_ordered(schema, out, patch, key)
    for key, value in patch.items():
        if key.startswith(_DELETE_FROM):
            _delete_from(schema, out, _named(key, _DELETE_FROM), value)
        elif value is None:
            out.pop(key, None)
        else:
            _merge_value(schema.child(key) or ANYTHING, out, key, value)
    return out


def _merge_value(field: Schema, out: Object, key: str, value: Json) -> None:
    current = out.get(key)
    if isinstance(current, dict) and isinstance(value, dict):
        out[key] = (
            value if "replace" in field.patch_strategy else _merge_maps(field, current, value)
        )
    elif isinstance(current, list) and isinstance(value, list):
        out[key] = _merge_lists(field, current, value)
    else:
        plain, keep = _without_directives(without_nulls(value))
        if keep:
            out[key] = plain
        else:
            out.pop(key, None)


def _replaced(patch: Object) -> Object:
    directive = patch[_DIRECTIVE]
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != _DIRECTIVE}
    if directive == "delete":
        return {}
    raise _unknown_directive(patch)


def _without_directives(value: Json) -> tuple[Json, bool]:
    """A value that meets nothing in the original, without maps that are directives; False when it is one."""
    if isinstance(value, dict):
        if _DIRECTIVE in value:
            return None, False
        parts = {key: _without_directives(item) for key, item in value.items()}
        return {key: item for key, (item, keep) in parts.items() if keep}, True
    if isinstance(value, list):
        return [plain for plain, keep in map(_without_directives, value) if keep], True
    return value, True


def _retain_keys(out: Object, patch: Object) -> Object:
    """Drop from `out` what the patch does not list; the patch without its list."""
    if _RETAIN_KEYS not in patch:
        return patch
    retained = patch[_RETAIN_KEYS]
    rest = {key: value for key, value in patch.items() if key != _RETAIN_KEYS}
    if not isinstance(retained, list):
        raise BadRequest("invalid patch format of retainKeys")
    for key, value in rest.items():
        if (
            value is not None
            and not key.startswith((_DELETE_FROM, _SET_ORDER))
            and key not in retained
        ):
            raise BadRequest("invalid patch format of retainKeys")
    for key in [key for key in out if key not in retained]:
        del out[key]
    return rest


# --- lists ------------------------------------------------------------------------------------------------------------


def _merge_lists(field: Schema, original: list[Json], patch: list[Json]) -> list[Json]:
    if "merge" not in field.patch_strategy:
        return [without_nulls(item) for item in patch]
    if not original and not patch:
        return original
    if not _holds_maps(original, patch):
        merged = list(dict.fromkeys([*original, *patch]))
        theirs = set(patch)
        return merge_orders(
            [item for item in merged if item not in theirs],
            sorted_like([item for item in merged if item in theirs], patch),
            original,
        )
    key = field.merge_key
    if not key:
        raise PatchFailed(f"cannot merge lists without merge key for {_go_kind(field)}")
    original, patch = _items(original, patch, key)
    merged = _merge_items(field.items or ANYTHING, original, patch, key)
    return _in_order(merged, patch, original, key)


def _items(original: list[Json], patch: list[Json], key: str) -> tuple[list[Json], list[Json]]:
    """Carry out the directives among the items: the original without deleted items, and the plain items."""
    plain: list[Json] = []
    deleted: list[Json] = []
    replace = False
    for item in patch:
        if _DIRECTIVE not in item:
            plain.append(item)
            continue
        match item[_DIRECTIVE]:
            case "delete":
                deleted.append(_key_of(item, key))
            case "replace":
                replace = True
            case "merge":
                raise PatchFailed("merging lists cannot yet be specified in the patch")
            case _:
                raise _unknown_directive(item)
    if replace:
        return plain, []
    return [item for item in original if item.get(key) not in deleted or key not in item], plain


def _merge_items(items: Schema, original: list[Json], patch: list[Json], key: str) -> list[Json]:
    out = list(original)
    places = by_key(out, key)
    for item in patch:
        value = _key_of(item, key)
        place = places.get(value)
        if place is not None:
            out[place] = _merge_maps(items, out[place], item)
        else:
            places[value] = len(out)
            out.append(without_nulls(item))
    return out


def _in_order(merged: list[Json], patch: list[Json], original: list[Json], key: str) -> list[Json]:
    """`merged` with the items named by `patch` in its order, and the others where `original` has them."""
    named = by_key(patch, key)
    ours = [item for item in merged if _key_of(item, key) in named]
    others = [item for item in merged if item[key] not in named]
    return merge_orders(others, sorted_like(ours, patch, key), original, key)


def _merge_ordered(schema: Schema, out: Object, patch: Object, directive: str) -> None:
    """Merge one list together with its $setElementOrder, and take both out of the patch."""
    order = patch.pop(directive)
    if not isinstance(order, list):
        raise _bad_type(order)
    name = _named(directive, _SET_ORDER)
    original: Json = out.get(name)
    if name in patch and patch[name] is None:
        raise _bad_type(None)
    changes: Json = patch.pop(name, None)
    for found in (original, changes):
        if found is not None and not isinstance(found, list):
            raise _bad_type(found)
    field = schema.child(name)
    if field is None:
        raise PatchFailed(
            f"unable to find api field in struct {schema.go_type.rpartition('.')[2]} "
            f"for the json field {quote(name)}"
        )
    key = field.merge_key
    if original is None and changes is None:
        return
    if changes is not None:
        _check_order(changes, order, key)
    merged: Json = original
    if original is None:
        merged, _ = _without_directives(without_nulls(changes))
    elif changes is not None:
        merged = _merge_lists(field, original, changes)
    if _holds_maps(original or [], changes or []):
        for place, item in enumerate(order):
            if not isinstance(item, dict):
                raise PatchFailed(f"value for key {place} is not a map")
            _key_of(item, key)
        out[name] = _in_order(merged, order, original or [], key)
    else:
        named = by_key(order, "")
        out[name] = merge_orders(
            [item for item in merged if item not in named],
            sorted_like([item for item in merged if item in named], order),
            original or [],
        )


def _check_order(changes: list[Json], order: list[Json], key: str) -> None:
    """Every item of the patch list must stand in the order list, in the same order."""
    plain = [item for item in changes if not (isinstance(item, dict) and _DIRECTIVE in item)]
    if not order or not plain:
        return
    rest = iter(order)
    for item in plain:
        wanted = _key_of(item, key) if key else item
        if not any((_key_of(other, key) if key else other) == wanted for other in rest):
            raise PatchFailed(
                f"The order in patch list:\n{print_plain(changes)}\n "
                f"doesn't match {_SET_ORDER} list:\n{print_plain(order)}\n"
            )


def _delete_from(schema: Schema, out: Object, name: str, values: Json) -> None:
    current = out.get(name)
    if values is None:
        out.pop(name, None)
    elif isinstance(current, list) and isinstance(values, list) and (current or values):
        if _holds_maps(current, values):
            out[name] = _merge_lists(schema.child(name) or ANYTHING, current, values)
        else:
            out[name] = [item for item in current if item not in values]


def _holds_maps(*lists: list[Json]) -> bool:
    """Whether the items are maps. All items must be of one type, and none a list."""
    kinds = {type_name(item) for items in lists for item in items}
    if not kinds:
        raise PatchFailed("no elements in any of the given slices")
    if kinds == {"[]interface {}"}:
        error = StatusError("lists of lists are not supported")
        error.code, error.reason = 422, "Invalid"
        raise error
    if len(kinds) > 1 or kinds == {"<nil>"}:
        raise PatchFailed(f"list element types are not identical: {print_plain(list(lists))}")
    return kinds == {"map[string]interface {}"}


def _key_of(item: Json, key: str) -> Json:
    if not isinstance(item, dict):
        raise PatchFailed(f"expected a map[string]interface {{}}, but received a {type_name(item)}")
    if key not in item:
        raise PatchFailed(f"map: {print_plain(item)} does not contain declared merge key: {key}")
    value = item[key]
    if isinstance(value, dict | list):
        raise BadRequest(
            f"merge key {key} of {print_plain(item)} must be a string, a number or a boolean"
        )
    return value


def _named(directive: str, prefix: str) -> str:
    """`finalizers` of `$setElementOrder/finalizers`."""
    head, _, name = directive.partition("/")
    if head != prefix or "/" not in directive:
        what = "primitive list" if prefix == _DELETE_FROM else "setElementOrder list"
        raise BadRequest(f"invalid patch format of {what}")
    return name


def _bad_type(value: Json) -> PatchFailed:
    name = type_name(value) if value is not None else "%!s(<nil>)"
    return PatchFailed(f"expected a []interface {{}}, but received a {name}")


def _unknown_directive(patch: Object) -> PatchFailed:
    return PatchFailed(
        f"unknown patch type: {print_plain(patch[_DIRECTIVE])} in map: {print_plain(patch)}"
    )


def _go_kind(field: Schema) -> str:
    return "struct" if field.items is not None and field.items.properties else "map"
