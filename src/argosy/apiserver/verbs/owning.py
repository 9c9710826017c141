"""Who owns the fields a call writes: the bridge from calls to `argosy.api.apply`."""

from __future__ import annotations

import msgspec

from argosy.api.apply import applying, scaling, tracking
from argosy.api.apply.fieldsets import FieldSet
from argosy.api.apply.resets import reset_fields
from argosy.api.apply.versions import at_versions
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.base.types import Object


def track_create(cluster: Cluster, call: Call, new: Object) -> None:
    """managedFields of a new object; those of its like are remembered."""
    known = call.content
    if known is not None and "managedFields" not in new["metadata"] and not call.subresource:
        fields = known.fields(new)
        if fields is not None:
            new["metadata"]["managedFields"] = [{
                "manager": call.manager, "operation": "Update", "apiVersion": call.api_version,
                "time": cluster.now(), "fieldsType": "FieldsV1", "fieldsV1": fields,
            }]  # fmt: skip
            return
        track(cluster, call, new, None)
        entries = new["metadata"].get("managedFields")
        if entries:
            known.note_fields(new, entries[0]["fieldsV1"])
        return
    track(cluster, call, new, None)


def track(cluster: Cluster, call: Call, new: Object, old: Object | None) -> None:
    """managedFields of `new` after a write that is not an apply. Both are in the storage version."""
    entries = tracking.track_update(
        call.served.schema, None if old is None else _seen(call, old), _seen(call, new),
        call.manager, call.api_version, call.subresource, cluster.now(),
        reset=_reset(call), at=at_versions(call.kind, call.version),
    )  # fmt: skip
    _put(new, entries)


def track_scale(
    call: Call, new: Object, path: str, *, changed: bool, operation: str = "Update"
) -> None:
    """managedFields of an object whose replicas were written through its scale; `operation` is Apply for an apply."""
    entries = scaling.track_scale(
        new["metadata"].get("managedFields"), call.manager, call.api_version, path,
        changed=changed, operation=operation, force=call.options.force,
    )  # fmt: skip
    _put(new, entries)


def applied(cluster: Cluster, call: Call, live: Object | None, config: Object) -> Object:
    """The object after a server-side apply, with its managedFields."""
    merged, entries = applying.apply(
        call.served.schema, live, config, call.manager, call.api_version, call.options.force,
        call.subresource, cluster.now(), kind=call.kind.kind, reset=_reset(call),
        at=at_versions(call.kind, call.version),
    )  # fmt: skip
    merged = {**merged, "metadata": dict(merged.get("metadata") or {})}
    _put(merged, entries)
    return merged


def settled(new: Object, old: Object) -> Object:
    """`new` with the old times where a write has changed nothing else."""
    return tracking.settle_times(old, new)


def _seen(call: Call, obj: Object) -> Object:
    """A stored object as the call's version shows it."""
    convert = call.served.from_storage
    if convert is None:
        return (
            obj
            if obj.get("apiVersion") == call.api_version
            else {**obj, "apiVersion": call.api_version}
        )
    own: Object = msgspec.json.decode(msgspec.json.encode(obj))
    return {**convert(own), "apiVersion": call.api_version}


def _put(obj: Object, entries: list[Object]) -> None:
    metadata = obj.setdefault("metadata", {})
    if entries:
        metadata["managedFields"] = entries
    else:
        metadata.pop("managedFields", None)


def _reset(call: Call) -> FieldSet:
    return reset_fields(
        call.kind.group,
        call.kind.kind,
        call.subresource,
        has_status="status" in call.served.subresources,
    )
