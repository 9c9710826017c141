"""Objects of one kind in its other versions, for owners that wrote in them.

An entry's fields are those of the version it was written in, so a write is compared, and a field given up is looked
for, in each version that an entry names. Kinds of one version need none of this.
"""

from __future__ import annotations

from argosy.api.apply.tracking import At
from argosy.api.kinds import Kind
from argosy.api.schema.structural import Schema
from argosy.base.types import Object


def at_versions(kind: Kind, version: str) -> At | None:
    """How to see objects of `kind` in any of its versions; objects that do not say theirs are in `version`. None for a
    kind of one version.
    """
    if len(kind.versions) < 2:
        return None
    names = {kind.api_version(name): name for name in kind.versions}
    home = kind.api_version(version)

    def at(wanted: str, obj: Object) -> tuple[Schema, Object] | None:
        name = names.get(wanted)
        if name is None:
            return None
        target, given = kind.versions[name], obj.get("apiVersion", home)
        if not obj or given == wanted:
            return target.schema, obj
        source = kind.versions[names.get(given, version)]
        if source.to_storage is not None:
            obj = source.to_storage(obj)
        if target.from_storage is not None:
            obj = target.from_storage(obj)
        return target.schema, {**obj, "apiVersion": wanted}

    return at
