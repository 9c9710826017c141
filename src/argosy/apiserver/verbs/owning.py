"""Who owns the fields a call writes: the bridge from calls to `argosy.api.apply`.

`track` works on whole objects. `track_opened` does the same for a patch of an opened object (`encoding.opened`), whose
managedFields stay bytes. What becomes of them depends on nothing but them, the changes, the writer and the order of the
times in them, so it is worked out once for all objects that are alike in this. Conditions, the part of a status that is
the same for many objects within one second, are compared once for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import msgspec

from argosy.api.apply import applying, entries, scaling, tracking
from argosy.api.apply.entries import Identity, Managed, Owned
from argosy.api.apply.fieldsets import FieldSet, union
from argosy.api.apply.resets import reset_fields
from argosy.api.apply.shapes import Mistyped, shape_of
from argosy.api.apply.typed import Comparison, diff_map, reconcile
from argosy.api.apply.versions import at_versions
from argosy.api.schema.structural import Schema
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.remembering import Memory
from argosy.base.types import Object


class _Entry(msgspec.Struct, gc=False, omit_defaults=True):
    """One stored entry of managedFields; what it owns stays bytes."""

    operation: str
    apiVersion: str  # noqa: N815  (the wire's name)
    fieldsV1: msgspec.Raw = msgspec.Raw(b"{}")  # noqa: N815
    manager: str = ""
    subresource: str = ""
    time: str = ""


_read_entries: Final = msgspec.json.Decoder(list[_Entry]).decode
_read_fields: Final = msgspec.json.Decoder(FieldSet).decode
_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_decode: Final = msgspec.json.Decoder().decode
# Stands for the step of one object alone in what is remembered: a byte that JSON never has.
_ANYBODY: Final = b"\0"
# In sets of fields no string is a value, so these are the times of entries.
_TIMES: Final = re.compile(rb'"time":"([^"]*)"')
_TIME: Final = b'"time":"%b"'
_ANY_TIME: Final = b'"time":\1%d\1'
_ONLY_OWNER: Final = b'"f:ownerReferences":{".":{},%b:{}}'


def track_create(cluster: Cluster, call: Call, new: Object) -> None:
    """managedFields of a new object; those of its like are remembered, by their content or by their outline."""
    if "managedFields" in new["metadata"] or call.subresource:
        track(cluster, call, new, None)
        return
    memory, known = cluster.memory, call.content
    outline = memory.outline(call.kind, call.version, new) if known is None else None
    fields = known.fields(new) if known is not None else memory.outlines.get(outline)
    if fields is not None:
        new["metadata"]["managedFields"] = [{
            "manager": call.manager, "operation": "Update", "apiVersion": call.api_version,
            "time": cluster.now(), "fieldsType": "FieldsV1", "fieldsV1": fields,
        }]  # fmt: skip
        return
    track(cluster, call, new, None)
    found = new["metadata"].get("managedFields")
    if found and known is not None:
        known.note_fields(new, found[0]["fieldsV1"])
    elif found and outline is not None:
        memory.outlines[outline] = found[0]["fieldsV1"]


def track(cluster: Cluster, call: Call, new: Object, old: Object | None) -> None:
    """managedFields of `new` after a write that is not an apply. Both are in the storage version."""
    entries = tracking.track_update(
        call.served.schema, None if old is None else _seen(call, old), _seen(call, new),
        call.manager, call.api_version, call.subresource, cluster.now(),
        reset=_reset(call), at=at_versions(call.kind, call.version),
    )  # fmt: skip
    _put(new, entries)


def track_opened(cluster: Cluster, call: Call, new: Object, old: Object, managed: bytes) -> bool:
    """`track` of an opened object whose managedFields are the bytes `managed` and are not written by the call itself.

    Both objects get theirs as bytes in canonical form, so they are equal where the lists are. False where only `track`
    can do it: entries of other versions, values of no known shape.
    """
    schema = call.served.schema
    try:
        found = _changes(cluster.memory, schema, old, new, _reset(call))
    except Mistyped:
        return False
    changes = _encode(found)
    personal = b"" if call.kind.custom else _address(new)
    personal = personal or _owner(new, managed, changes)
    now = cluster.now()
    times = sorted({*_TIMES.findall(managed), now.encode()})
    key = (
        _impersonal(managed, personal, times), _impersonal(changes, personal, ()),
        call.manager, call.api_version, call.subresource, times.index(now.encode()),
        schema if call.kind.custom else None,
    )  # fmt: skip
    after = cluster.memory.owners.get(key)
    if after is None:
        fresh = _owned(cluster.memory, call, managed, found, now)
        if fresh is None:
            return False
        after = cluster.memory.owners[key] = _impersonal(fresh, personal, times)
    if personal:
        after = after.replace(_ANYBODY, personal)
    for number, time in enumerate(times):
        after = after.replace(_ANY_TIME % number, _TIME % time)
    old["metadata"]["managedFields"] = msgspec.Raw(managed)
    if after != b"[]":
        new["metadata"]["managedFields"] = msgspec.Raw(after)
    else:
        new["metadata"].pop("managedFields", None)
    return True


def _impersonal(fields: bytes, personal: bytes, times: Sequence[bytes]) -> bytes:
    """Sets of fields with placeholders for one object's own step and for times.

    Entries are sorted by time, and the oldest go first where there are too many: nothing else depends on it, so all
    that matters of a time is its place among the others.
    """
    if personal:
        fields = fields.replace(personal, _ANYBODY)
    for number, time in enumerate(times):
        fields = fields.replace(_TIME % time, _ANY_TIME % number)
    return fields


def _address(obj: Object) -> bytes:
    """A step in sets of fields that no other object has: that of a pod's address, where it has one.

    Sets are compared and merged by whole steps, so one step may stand for another as long as both stand in no other
    place; an address is the only item of its list here, so it does not matter either where it sorts.
    """
    addresses = (obj.get("status") or {}).get("podIPs")
    if addresses.__class__ is not list or len(addresses) != 1:
        return b""
    return _encode(f"k:{_encode(addresses[0]).decode()}")


def _owner(obj: Object, managed: bytes, changes: bytes) -> bytes:
    """The same of others: the step of an object's only owner, where nothing is said of owners and it stands nowhere
    else.
    """
    owners = obj["metadata"].get("ownerReferences")
    if owners.__class__ is not list or len(owners) != 1 or b'"f:ownerReferences"' in changes:
        return b""
    step = _encode(f"k:{_encode({'uid': owners[0].get('uid')}).decode()}")
    return step if managed.count(step) == managed.count(_ONLY_OWNER % step) else b""


def _owned(memory: Memory, call: Call, managed: bytes, found: Comparison, now: str) -> bytes | None:
    """The managedFields after a write that has made these changes; None where the versions of entries differ."""
    known = call.api_version
    owners: Managed = {}
    stored: dict[int, msgspec.Raw] = {}
    for entry in _read_entries(managed):
        if entry.apiVersion != known:
            return None
        fields, raw = _fields(memory, call, entry.fieldsV1)
        stored[id(fields)] = msgspec.Raw(raw)
        who = Identity(
            entry.manager, entry.operation, "" if entry.operation == "Apply" else known, entry.subresource
        )  # fmt: skip
        owners[who] = Owned(fields, known, entry.time)
    if not owners:
        return None
    after = tracking.released(owners, {known: found})
    mine = found.changed
    if mine:
        me = entries.identify(call.manager, "Update", known, call.subresource)
        before = after.get(me)
        fields = union(before.fields, mine) if before is not None else mine
        after[me] = Owned(fields, known, now)
    listed = entries.encode(entries.cap_updates(after))
    for each in listed:
        each["fieldsV1"] = stored.get(id(each["fieldsV1"]), each["fieldsV1"])
    return _encode(listed)


def _fields(memory: Memory, call: Call, stored: msgspec.Raw) -> tuple[FieldSet, bytes]:
    """The set of a stored entry and its bytes, shared by all entries that own the same. Sets are never changed.

    What was written under another schema of a custom kind is read under that of today.
    """
    raw = bytes(stored)
    schema = call.served.schema if call.kind.custom else None
    found: tuple[FieldSet, bytes] | None = memory.fields.get((schema, raw))
    if found is None:
        written: FieldSet = _read_fields(raw)
        fields = written if schema is None else reconcile(shape_of(schema), written)
        found = fields, raw if fields is written else _encode(fields)
        memory.fields[schema, raw] = found
    return found


def _changes(
    memory: Memory, schema: Schema, old: Object, new: Object, reset: FieldSet
) -> Comparison:
    """`tracking.changes`, which compares conditions once for all objects that have the same.

    What differs below one field of a status says nothing about its other fields, so conditions may be compared apart.
    """
    before, after = old.get("status"), new.get("status")
    if before.__class__ is not dict or after.__class__ is not dict or "f:status" in reset:
        return tracking.changes(schema, old, new, reset)
    shape = shape_of(schema).field("status").shape
    was, now = before.get("conditions"), after.get("conditions")
    if shape.atomic_map or was.__class__ is not list or now.__class__ is not list or was == now:
        return tracking.changes(schema, old, new, reset)
    key = (schema, _encode(was), _encode(now))
    apart: Comparison | None = memory.comparisons.get(key)
    if apart is None:
        apart = Comparison({}, {}, {})
        diff_map(shape, {"conditions": was}, {"conditions": now}, apart)
        memory.comparisons[key] = apart
    others = {field: value for field, value in new.items() if value is not old.get(field)}
    rest = tracking.changes(
        schema,
        {**{field: old[field] for field in others if field in old}, "status": {**before, "conditions": None}},
        {**others, "status": {**after, "conditions": None}},
        reset,
    )  # fmt: skip
    for mine, whole in zip(apart, rest, strict=True):
        if mine:
            whole["f:status"] = {**whole.get("f:status", {}), **mine}
    return rest


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
    before, after = old["metadata"].get("managedFields"), new["metadata"].get("managedFields")
    if before.__class__ is not msgspec.Raw:
        return tracking.settle_times(old, new)
    if after is None or any(
        value is not old.get(field) and value != old.get(field)
        for field, value in new.items()
        if field != "metadata"
    ):
        return new
    same = {**new, "metadata": {**new["metadata"], "managedFields": before}}
    if same != old or not entries.same_but_times(_decode(before), _decode(after)):
        return new
    return same


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
