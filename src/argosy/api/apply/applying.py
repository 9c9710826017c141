"""Server-side apply: a manager says what it wants of an object and becomes the owner of just that.

Steps: check the configuration, merge it into the live object, remove what this manager applied before and no longer
does (unless somebody else owns it), and compare the result with the live object. Fields that others own and that
would change are conflicts; with force they change hands instead. Equal values are owned together.

An object that has no owners gets one first: `before-first-apply` owns all there is. Applying as `kubectl` what was
last applied client-side conflicts with nobody, and keeps the last-applied annotation in step.

Laws (Hypothesis): applying twice changes nothing; the applier owns every field it applied; after a forced apply the
same configuration has no conflict.
"""

from __future__ import annotations

from typing import Final

import msgspec

from argosy.api.apply import entries
from argosy.api.apply.checking import problems, report
from argosy.api.apply.conflicts import Conflicts
from argosy.api.apply.entries import Identity, Managed, Owned
from argosy.api.apply.fieldsets import (
    FieldSet,
    difference,
    intersection,
    is_subset,
    recursive_difference,
    union,
)
from argosy.api.apply.merging import merge_values
from argosy.api.apply.resets import default_resets
from argosy.api.apply.shapes import Mistyped, Shape, shape_of
from argosy.api.apply.tracking import (
    UNOWNED,
    At,
    changes,
    conflicting,
    reconciled,
    released,
    update_managed,
    views,
)
from argosy.api.apply.typed import applied_set, compare, set_of, with_parents, without
from argosy.api.patches.failures import PatchFailed
from argosy.api.schema.structural import Schema
from argosy.base.errors import BadRequest
from argosy.base.types import Json, Object

BEFORE_FIRST_APPLY: Final = "before-first-apply"
LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


def apply(
    schema: Schema,
    live: Object | None,
    config: Object,
    manager: str,
    api_version: str,
    force: bool,
    subresource: str,
    now: str,
    *,
    kind: str = "",
    reset: FieldSet | None = None,
    at: At | None = None,
) -> tuple[Object, list[Object]]:
    """The object after `manager` applied `config` (live is None where it creates it), and its managedFields.

    The object is not defaulted, and still carries the live managedFields: the caller puts the new ones in. Where
    nothing changes it is the live object itself. `kind` is what the configuration must be of; by default, what the
    live object says it is. Raises `Conflicts`, `BadRequest`, or `PatchFailed` for a configuration that the schema
    does not fit.
    """
    _check(schema, config, api_version, kind or (live or config).get("kind", ""))
    before: Object = live if live is not None else {}
    request = _Request(
        schema, before, config, entries.identify(manager, "Apply", api_version, subresource),
        api_version, now, reset if reset is not None else default_resets(subresource), at,
    )  # fmt: skip
    managed = entries.read((before.get("metadata") or {}).get("managedFields"))
    try:
        if not managed and before:
            managed = update_managed(
                schema, {}, before, managed, manager=BEFORE_FIRST_APPLY, api_version=api_version,
                subresource=subresource, now=now, reset=request.reset, at=at,
            )  # fmt: skip
        obj, managed = request.run(managed, force=force)
    except Conflicts as conflicts:
        if manager != "kubectl":
            raise
        rest = conflicts.less(_last_applied_fields(schema, before, api_version))
        if rest is not None:
            raise rest from None
        obj, managed = request.run(managed, force=True)
    except Mistyped as error:
        raise PatchFailed(f"failed to merge config: {error}") from error
    if manager == "kubectl":
        obj = _with_last_applied(obj, config)
    return obj, entries.encode(managed)


def _check(schema: Schema, config: Object, api_version: str, wanted: str) -> None:
    given, kind = config.get("apiVersion"), config.get("kind")
    if given != api_version or not kind or (wanted and kind != wanted):
        group, _, version = str(given or "").rpartition("/")
        raise BadRequest(f"invalid object type: {group}/{version}, Kind={kind or ''}")
    metadata = config.get("metadata")
    if not isinstance(metadata, dict):
        metadata = {}
    if isinstance(metadata.get("managedFields"), list):
        raise BadRequest("metadata.managedFields must be nil")
    misfits = problems(schema, config)
    if misfits:
        group, _, version = api_version.rpartition("/")
        where = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
        raise PatchFailed(
            f"failed to create typed patch object ({where}; {group}/{version}, Kind={kind}): "
            + report(misfits)
        )


class _Request:
    """One apply, which may be run a second time with force."""

    __slots__ = (
        "_at",
        "_config",
        "_live",
        "_now",
        "_schema",
        "_shape",
        "_version",
        "_who",
        "reset",
    )

    def __init__(
        self,
        schema: Schema,
        live: Object,
        config: Object,
        who: Identity,
        version: str,
        now: str,
        reset: FieldSet,
        at: At | None,
    ) -> None:
        self._schema, self._shape = schema, shape_of(schema)
        self._live, self._config = live, config
        self._who, self._version, self._now, self._at = who, version, now, at
        self.reset = reset

    def run(self, managed: Managed, *, force: bool) -> tuple[Object, Managed]:
        managed = reconciled(self._schema, self._version, managed, self._at)
        last = managed.get(self._who)
        mine = recursive_difference(applied_set(self._shape, self._config), self.reset)
        managed = {**managed, self._who: Owned(mine, self._version, last.time if last else "")}

        merged = merge_values(self._shape, self._live, self._config)
        obj = self._prune(merged, managed, last)
        found = changes(self._schema, self._live, obj, self.reset)
        seen = views(managed, {self._version: found}, self._live, obj, self.reset, self._at)
        conflicts = conflicting(managed, seen, self._who)
        if conflicts and not force:
            raise Conflicts(conflicts)
        managed = released(managed, seen, self._who)
        return self._owned(obj, managed, mine)

    def _owned(self, obj: Object, managed: Managed, mine: FieldSet) -> tuple[Object, Managed]:
        """Strip what nobody owns from the applier's entry, and date it when the object has changed."""
        fields = difference(mine, UNOWNED)
        same = obj is self._live or obj == self._live
        if not fields:
            del managed[self._who]
        else:
            time = managed[self._who].time if same else self._now
            managed[self._who] = Owned(fields, self._version, time)
        return (self._live if same else obj), managed

    def _prune(self, merged: Object, managed: Managed, last: Owned | None) -> Object:
        """`merged` without what this manager applied last time, not this time, and no other manager owns.

        Where that was in another version, the fields are looked for in that version's form of the object.
        """
        if last is None or is_subset(last.fields, managed[self._who].fields):
            return merged
        view = self._view(last.api_version, merged)
        if view is None:
            return merged
        shape, obj = view
        pruned = without(shape, obj, with_parents(shape, last.fields)) or {}
        owners = [owned for owned in managed.values() if owned.api_version == last.api_version]
        owners += [owned for owned in managed.values() if owned.api_version != last.api_version]
        kept: dict[str, FieldSet] = {}
        for owned in owners:
            kept[owned.api_version] = union(kept.get(owned.api_version, {}), owned.fields)
        for version, fields in kept.items():
            pruned = self._add_back(version, merged, pruned, fields)
        # Of all that is gone now, only what this manager owned goes in the end.
        everything = with_parents(shape, applied_set(shape, obj))
        left = with_parents(shape, applied_set(shape, pruned))
        gone = intersection(difference(everything, left), with_parents(shape, last.fields))
        return self._home(without(shape, obj, gone) or {}, last.api_version) if gone else merged

    def _add_back(self, version: str, merged: Object, pruned: Object, owned: FieldSet) -> Object:
        """`pruned` with what somebody owns in this version put back from `merged`."""
        whole, rest = self._view(version, merged), self._view(version, pruned)
        if whole is None or rest is None:
            return pruned
        shape = whole[0]
        everything = with_parents(shape, applied_set(shape, whole[1]))
        kept = union(with_parents(shape, applied_set(shape, rest[1])), with_parents(shape, owned))
        result: Object = without(shape, whole[1], difference(everything, kept)) or {}
        return self._home(result, version)

    def _view(self, version: str, obj: Object) -> tuple[Shape, Object] | None:
        if version == self._version:
            return self._shape, obj
        found = self._at(version, obj) if self._at is not None else None
        return (shape_of(found[0]), found[1]) if found is not None else None

    def _home(self, obj: Object, version: str) -> Object:
        """An object of another version in the version of the request."""
        if version == self._version:
            return obj
        assert self._at is not None
        found = self._at(self._version, obj)
        assert found is not None
        return found[1]


def _last_applied_fields(schema: Schema, live: Object, api_version: str) -> FieldSet:
    """What client-side apply applied last and still stands: kubectl may take it over without a conflict."""
    text = ((live.get("metadata") or {}).get("annotations") or {}).get(LAST_APPLIED)
    try:
        last: Json = msgspec.json.decode(text) if text else None
        if not isinstance(last, dict) or last.get("apiVersion") != api_version:
            return {}
        found = compare(schema, last, live)
        fields = set_of(schema, last)
    except (msgspec.DecodeError, Mistyped):
        return {}
    for changed in found:
        fields = difference(fields, changed)
    return fields


def _with_last_applied(obj: Object, config: Object) -> Object:
    """`obj` with its last-applied annotation, if it has one, brought up to the configuration."""
    metadata = obj.get("metadata") or {}
    if not (metadata.get("annotations") or {}).get(LAST_APPLIED):
        return obj
    bare = dict(config)
    if isinstance(bare.get("metadata"), dict):
        inner = dict(bare["metadata"])
        annotations = {
            k: v for k, v in (inner.pop("annotations", None) or {}).items() if k != LAST_APPLIED
        }
        if annotations:
            inner["annotations"] = annotations
        bare["metadata"] = inner
    text = msgspec.json.encode(bare, order="deterministic").decode() + "\n"
    annotations = {**metadata["annotations"], LAST_APPLIED: text}
    return {**obj, "metadata": {**metadata, "annotations": annotations}}
