"""Owners of the replica count when it is written through the scale subresource.

A Scale is a view of one field, so only that field changes hands: whoever scales owns the parent's replicas under the
subresource `scale`, without a time, and everyone else loses it. Scaling to the count that is there changes nothing
(upstream splits the owner's entry in two then, which this does not repeat). An object whose replicas nobody owns is not
tracked by scaling it. Conflicts name the owners as seen through the view, in autoscaling/v1.
"""

from __future__ import annotations

from typing import Final

from argosy.api.apply import entries
from argosy.api.apply.conflicts import Conflicts
from argosy.api.apply.entries import Identity, Managed, Owned
from argosy.api.apply.fieldsets import FieldSet, difference, has, of, union
from argosy.base.types import Json, Object

_SCALE_VERSION: Final = "autoscaling/v1"
_REPLICAS: Final[FieldSet] = {"f:spec": {"f:replicas": {}}}


def track_scale(
    managed_fields: Json,
    manager: str,
    api_version: str,
    replicas: str,
    *,
    changed: bool,
    operation: str = "Update",
    force: bool = False,
) -> list[Object]:
    """The parent's managedFields after its scale was written.

    `replicas` is the parent's JSON path of the count (`.spec.replicas`), `changed` whether the count is another than
    before. `operation` is Apply for server-side apply, which raises `Conflicts` unless forced.
    """
    managed = entries.read(managed_fields)
    steps = tuple("f:" + name for name in replicas.strip(".").split("."))
    owners = [who for who, owned in managed.items() if has(owned.fields, *steps)]
    me = entries.identify(manager, operation, api_version, "scale")
    applying = operation == "Apply"
    if not applying and (not changed or not owners):
        return managed_fields or []
    others = [who for who in owners if who != me]
    if applying and changed and others and not force:
        raise Conflicts({_in_scale(who): _REPLICAS for who in others})
    field = of(steps)
    out: Managed = _without(managed, others, field) if changed else dict(managed)
    before = out.get(me)
    fields = union(before.fields, field) if before is not None else field
    out[me] = Owned(fields, api_version, before.time if before is not None else "")
    return entries.encode(out)


def _in_scale(who: Identity) -> Identity:
    return who._replace(api_version=_SCALE_VERSION if who.operation == "Update" else "")


def _without(managed: Managed, losers: list[Identity], field: FieldSet) -> Managed:
    out = dict(managed)
    for who in losers:
        rest = difference(out[who].fields, field)
        if rest:
            out[who] = out[who].less(rest)
        else:
            del out[who]
    return out
