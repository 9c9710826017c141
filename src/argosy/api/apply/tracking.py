"""Who owns what after a create, an update or a patch.

The writer becomes the owner of every field it added or changed and keeps what it had; everyone else loses what was
changed or removed, and an entry that owns nothing is gone. A write that changes nothing leaves the list as it was,
times included. What nobody owns: apiVersion, kind, the identity part of metadata, and the fields the endpoint resets.

To be called with the objects as decoded and defaulted, before the kind's prepare hooks and before admission, as
kube-apiserver does. Objects that were ever without managedFields stay without until their first apply.
Cost: the comparison, plus copies of the entries' nodes along what changed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, TypeAlias

from argosy.api.apply import entries
from argosy.api.apply.entries import Identity, Managed, Owned
from argosy.api.apply.fieldsets import (
    FieldSet,
    difference,
    intersection,
    recursive_difference,
    union,
)
from argosy.api.apply.resets import default_resets
from argosy.api.apply.shapes import Mistyped, Shape, shape_of
from argosy.api.apply.typed import Comparison, diff_map, reconcile
from argosy.api.schema.structural import Schema
from argosy.base.types import Json, Object

# An object in another version of its kind, with that version's schema; None where there is no such version.
At: TypeAlias = Callable[[str, Object], tuple[Schema, Object] | None]

_IDENTITY: Final = frozenset(
    {
        "name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation",
        "managedFields", "resourceVersion",
    }
)  # fmt: skip
UNOWNED: Final[FieldSet] = {
    "f:apiVersion": {},
    "f:kind": {},
    "f:metadata": {".": {}, **{"f:" + name: {} for name in sorted(_IDENTITY)}},
}
_NO_OBJECT: Final[Object] = {}


def track_update(
    schema: Schema,
    old: Object | None,
    new: Object,
    manager: str,
    api_version: str,
    subresource: str,
    now: str,
    *,
    reset: FieldSet | None = None,
    at: At | None = None,
) -> list[Object]:
    """The managedFields of `new` after `manager` has written it over `old` (None for a create).

    `now` is RFC 3339 to the second in UTC. `reset` is what the endpoint resets (`resets.reset_fields`); by default what
    most kinds reset. `at` gives the object in another version; without it, entries of other versions are dropped, which
    is right for kinds that have one version. Values that do not fit the schema end in an empty list, as upstream.
    """
    if reset is None:
        reset = default_resets(subresource)
    managed = _current(old, new, from_live=subresource != "")
    if old is not None and not managed:
        return []
    try:
        managed = update_managed(
            schema, old if old is not None else _NO_OBJECT, new, managed,
            manager=manager, api_version=api_version, subresource=subresource, now=now, reset=reset, at=at,
        )  # fmt: skip
    except Mistyped:
        return []
    return entries.encode(entries.cap_updates(managed))


def update_managed(
    schema: Schema,
    old: Object,
    new: Object,
    managed: Managed,
    *,
    manager: str,
    api_version: str,
    subresource: str,
    now: str,
    reset: FieldSet,
    at: At | None,
) -> Managed:
    """`managed` after the write, not yet capped. Raises `Mistyped`."""
    managed = reconciled(schema, api_version, managed, at)
    found = changes(schema, old, new, reset)
    seen = views(managed, {api_version: found}, old, new, reset, at)
    out = released(managed, seen)
    mine = found.changed
    if mine:
        who = entries.identify(manager, "Update", api_version, subresource)
        before = out.get(who)
        fields = union(before.fields, mine) if before is not None else mine
        out[who] = Owned(fields, api_version, now)
    return out


def views(
    managed: Managed,
    known: dict[str, Comparison],
    old: Object,
    new: Object,
    reset: FieldSet,
    at: At | None,
) -> dict[str, Comparison]:
    """One write as seen in every version that an owner has; versions the kind no longer has are missing."""
    for owned in managed.values():
        version = owned.api_version
        if version in known:
            continue
        before, after = (at(version, old), at(version, new)) if at is not None else (None, None)
        if before is not None and after is not None:
            known[version] = changes(after[0], before[1], after[1], reset)
    return known


def released(managed: Managed, seen: dict[str, Comparison], but: Identity | None = None) -> Managed:
    """The owners after they have lost what was changed or removed; `but` loses nothing."""
    out: Managed = {}
    for who, owned in managed.items():
        if who == but:
            out[who] = owned
            continue
        view = seen.get(owned.api_version)
        if view is None:
            continue
        fields = owned.fields
        for lost in view:
            if lost:
                fields = difference(fields, lost)
        if fields is owned.fields:
            out[who] = owned
        elif fields:
            out[who] = owned.less(fields)
    return out


def conflicting(
    managed: Managed, seen: dict[str, Comparison], but: Identity
) -> dict[Identity, FieldSet]:
    """What others own of the fields that were changed."""
    out: dict[Identity, FieldSet] = {}
    for who, owned in managed.items():
        view = seen.get(owned.api_version)
        if view is not None and who != but:
            shared = intersection(owned.fields, view.changed)
            if shared:
                out[who] = shared
    return out


def changes(schema: Schema, old: Object, new: Object, reset: FieldSet) -> Comparison:
    """What the write adds, modifies and removes of the fields that can be owned here."""
    found = Comparison({}, {}, {})
    skip, deeper = _skips(tuple(step for step, node in reset.items() if not node)), len(reset)
    shape = shape_of(schema)
    diff_map(shape, old, new, found, skip)
    if "f:metadata" not in reset or reset["f:metadata"]:
        _diff_metadata(shape, old.get("metadata") or {}, new.get("metadata") or {}, found)
    if deeper > len(skip) - len(_ROOT):
        found = Comparison(*(recursive_difference(part, reset) for part in found))
    return found


_ROOT: Final = frozenset({"apiVersion", "kind", "metadata"})


@lru_cache(maxsize=64)
def _skips(steps: tuple[str, ...]) -> frozenset[str]:
    return _ROOT | {step[2:] for step in steps}


def _diff_metadata(shape: Shape, old: Object, new: Object, found: Comparison) -> None:
    """metadata itself is nobody's, so it is compared as if both sides had it."""
    below = Comparison({}, {}, {})
    diff_map(shape.field("metadata").shape, old, new, below, _IDENTITY)
    for mine, theirs in zip(below, found, strict=True):
        if mine:
            theirs["f:metadata"] = mine


def reconciled(schema: Schema, api_version: str, managed: Managed, at: At | None) -> Managed:
    """Entries read under the schema of today. Built-in schemas do not change while a server runs."""
    if schema.name:
        return managed
    out: Managed = {}
    for who, owned in managed.items():
        if owned.api_version == api_version:
            shape: Shape | None = shape_of(schema)
        else:
            view = at(owned.api_version, _NO_OBJECT) if at is not None else None
            shape = shape_of(view[0]) if view is not None else None
        fields = reconcile(shape, owned.fields) if shape is not None else owned.fields
        out[who] = owned if fields is owned.fields else owned.less(fields)
    return out


def _current(old: Object | None, new: Object, *, from_live: bool) -> Managed:
    """The owners before the write: those the client sent, if they make sense, else those of the live object."""
    live = (old.get("metadata") or {}).get("managedFields") if old is not None else None
    if not from_live:
        sent = (new.get("metadata") or {}).get("managedFields")
        if sent is not None and sent is not live and sent != live:
            if entries.is_reset(sent):
                return {}
            try:
                managed = entries.decode(sent)
            except entries.BadEntry:
                managed = {}
            if managed:
                return managed
    return entries.read(live)


def settle_times(old: Json, new: Object) -> Object:
    """`new` with the times of `old` when the two differ in nothing but the times of their managedFields, so that a
    write without effect stays one.
    """
    before = (old.get("metadata") or {}).get("managedFields")
    after = (new.get("metadata") or {}).get("managedFields")
    if not before or not after or before == after or not entries.same_but_times(before, after):
        return new
    settled = {**new, "metadata": {**new["metadata"], "managedFields": before}}
    return settled if settled == old else new
