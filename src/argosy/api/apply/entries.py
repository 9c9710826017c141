"""The managedFields list: reading, writing, order and limits.

Who an entry belongs to is told by manager, operation, subresource and, for updates, apiVersion: an applier keeps one
entry when it moves to another version, an updater gets a new one. Entries are kept in `Managed`, a dict by that
identity; `encode` puts them in the one order Kubernetes uses (applies before updates, then by time to the second, then
by name). More than ten update entries are too many: the oldest of each version are merged into `ancient-changes`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, NamedTuple, TypeAlias

from argosy.api.apply.fieldsets import BadFields, FieldSet, union
from argosy.api.apply.fieldsets import decode as decode_fields
from argosy.base.fielderrors import quote
from argosy.base.types import Json, Object

MAX_UPDATE_MANAGERS: Final = 10
ANCIENT_CHANGES: Final = "ancient-changes"


class BadEntry(ValueError):
    """An entry that is not one; `str()` is Kubernetes' text."""


class Identity(NamedTuple):
    """What makes two entries the same. `api_version` is empty for applies."""

    manager: str
    operation: str
    api_version: str
    subresource: str

    @property
    def key(self) -> str:
        """The JSON text Kubernetes identifies a manager by; conflicts are listed in its order."""
        parts = [
            f'"{name}":{quote(value)}'
            for name, value in (
                ("manager", self.manager),
                ("operation", self.operation),
                ("apiVersion", self.api_version),
                ("subresource", self.subresource),
            )
            if value
        ]
        return "{" + ",".join(parts) + "}"

    def __str__(self) -> str:
        """The manager as a conflict names it: `"kubectl" with subresource "status" using apps/v1`."""
        text = quote(self.manager)
        if self.subresource:
            text += f" with subresource {quote(self.subresource)}"
        return f"{text} using {self.api_version}" if self.operation == "Update" else text


class Owned(NamedTuple):
    """What one manager owns. `time` is RFC 3339 in UTC to the second, "" for none."""

    fields: FieldSet
    api_version: str
    time: str = ""

    def less(self, fields: FieldSet) -> Owned:
        return Owned(fields, self.api_version, self.time)


Managed: TypeAlias = dict[Identity, Owned]


def identify(manager: str, operation: str, api_version: str, subresource: str) -> Identity:
    version = "" if operation == "Apply" else api_version
    return Identity(manager or "unknown", operation, version, subresource)


def read(entries: Json) -> Managed:
    """Entries this server wrote, as they are."""
    return {
        Identity(
            entry.get("manager", ""),
            entry["operation"],
            "" if entry["operation"] == "Apply" else entry["apiVersion"],
            entry.get("subresource", ""),
        ): Owned(entry.get("fieldsV1") or {}, entry["apiVersion"], entry.get("time") or "")
        for entry in entries or ()
    }


def decode(entries: Json) -> Managed:
    """Entries a client sent. Raises `BadEntry` for the first that cannot be taken."""
    out: Managed = {}
    if entries is not None and not isinstance(entries, list):
        raise BadEntry("expected a list of managedFields entries")
    for index, entry in enumerate(entries or ()):
        if not isinstance(entry, dict) or entry.get("operation") not in {"Apply", "Update"}:
            raise BadEntry("operation must be `Apply` or `Update`")
        version, kind = entry.get("apiVersion"), entry.get("fieldsType")
        if not isinstance(version, str) or not version:
            raise BadEntry("apiVersion must not be empty")
        if not kind:
            raise BadEntry(f"missing fieldsType in managed fields entry {index}")
        if kind != "FieldsV1":
            raise BadEntry(f'invalid fieldsType "{kind}" in managed fields entry {index}')
        try:
            fields = decode_fields(entry.get("fieldsV1"))
        except BadFields as error:
            raise BadEntry(f"error decoding set: {error}") from error
        who = Identity(
            str(entry.get("manager") or ""),
            entry["operation"],
            "" if entry["operation"] == "Apply" else version,
            str(entry.get("subresource") or ""),
        )
        out[who] = Owned(fields, version, _utc(entry.get("time")))
    return out


def _utc(time: Json) -> str:
    """A client's time in the one form entries have."""
    if not time:
        return ""
    try:
        at = datetime.fromisoformat(time).astimezone(UTC)
    except (TypeError, ValueError) as error:
        raise BadEntry(f"time {time!r} is not in RFC 3339 form") from error
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def is_reset(entries: Json) -> bool:
    """Whether a client asks to forget all owners: an empty list, or a list of one empty entry."""
    return isinstance(entries, list) and (not entries or entries == [{}])


def encode(managed: Managed) -> list[Object]:
    """The list of entries in Kubernetes' order. Times have one form, so that their texts sort as they do."""
    return [
        encode_entry(who, owned)
        for who, owned in sorted(
            managed.items(),
            key=lambda pair: (
                pair[0].operation,
                pair[1].time,
                pair[0].manager,
                pair[1].api_version,
                pair[0].subresource,
            ),
        )
    ]


def encode_entry(who: Identity, owned: Owned) -> Object:
    entry: Object = {
        "manager": who.manager,
        "operation": who.operation,
        "apiVersion": owned.api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": owned.fields,
    }
    if owned.time:
        entry["time"] = owned.time
    if who.subresource:
        entry["subresource"] = who.subresource
    return entry


def cap_updates(managed: Managed) -> Managed:
    """At most ten entries of updates: while there are more, the two oldest of one version become one."""
    updates = [who for who in managed if who.operation == "Update"]
    if len(updates) <= MAX_UPDATE_MANAGERS:
        return managed
    out = dict(managed)
    count = len(updates)
    first_of: dict[str, Identity] = {}
    for who in sorted(updates, key=lambda who: (managed[who].time, who.key)):
        if count <= MAX_UPDATE_MANAGERS:
            break
        owned = managed[who]
        bucket = identify(ANCIENT_CHANGES, "Update", owned.api_version, "")
        first = first_of.setdefault(owned.api_version, who)
        if first is who:
            continue
        if bucket not in out:
            out[bucket] = out.pop(first)
        merged = union(out[bucket].fields, owned.fields)
        out.pop(who)
        out[bucket] = Owned(merged, owned.api_version, owned.time)
        count -= 1
    return out


def same_but_times(old: Json, new: Json) -> bool:
    """Whether two managedFields lists differ in nothing but times."""
    return len(old) == len(new) and all(
        _timeless(a) == _timeless(b) for a, b in zip(old, new, strict=True)
    )


def _timeless(entry: Object) -> Iterable[tuple[str, Json]]:
    return sorted((key, value) for key, value in entry.items() if key != "time")
