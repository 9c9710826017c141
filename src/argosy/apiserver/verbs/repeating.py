r"""The shortest way of a pod's report: the same one about a pod like this was worked out before.

The pods of a Job start, end and are let go of by the hundred within one second. What is written about them differs in
addresses and the IDs of containers, and the pods themselves in what such a write has no say in. So what comes of it
follows from few bytes. Of a report of the status: the pod's managedFields, its spec without the names that are its own
(host, node), its status, the report, the writer and the second. Of a change of finalizers: these, the managedFields,
the writer and the second. That is the key; where an address, an ID or the uid of the pod's owner stands in it, there
stands its number, the same for equal ones. What `retouching` or `amending` and all that comes after them made of it, in
the same form, is kept and put between the bytes that stay:

    {"metadata":{.. "finalizers":[..], .. ,"managedFields":[.. ],"name":.., "resourceVersion":"7" .. },"status":{..}}

That a hit and a miss end in the same bytes rests on this (tests/unit/apiserver/test_repeating.py plays both):

* Rules look at no address beyond its being a good IPv4 address, and at no ID of a container at all; a pod has one
  address and one owner at most, so its place among others never matters. Only values of that form get numbers.
* What a write leaves as it is was found good when it was stored.
* No admission plugin has a say in the status of pods, or in what leaves their spec alone.
* What was not written as it was asked for without a word (a warning, a removal, no change) is not kept, nor is what
  does not come out right when it is made again from what would be kept.

Only the server's own encoder is listened to: other bodies may name a key twice, and the long way has words for that.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Final, NamedTuple

import msgspec

from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.remembering import Outcome, OutcomeKey
from argosy.apiserver.verbs import storing
from argosy.apiserver.verbs.amending import PatchType
from argosy.store import Meta, Record, stamp

_FINALIZERS: Final = b'"finalizers":['
_MANAGED: Final = b',"managedFields":['
_NAME: Final = b'],"name":"'
_SPEC: Final = b'},"spec":{'
_STATUS: Final = b'},"status":{'
_OPENING: Final = len(_STATUS) - 1
_LEAVING: Final = b'"deletionTimestamp":'
_OWN: Final = (b'"hostname":"', b'"nodeName":"')
_OCTET: Final = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_ADDRESS: Final = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}")
_ID: Final = re.compile(r"[a-z][a-z0-9-]*://[0-9a-f]+")
_UID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Pods with more values of their own go the longer way.
_MARKS: Final = tuple(b"\0%d\0" % number for number in range(16))


class _Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel", gc=False):
    uid: str = ""
    resource_version: str = ""


class _StatusPatch(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    status: msgspec.Raw
    metadata: _Named = _Named()


class _Releasing(msgspec.Struct, forbid_unknown_fields=True, rename="camel", gc=False):
    finalizers: msgspec.Raw
    resource_version: str = ""


class _MetadataPatch(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    metadata: _Releasing


class _Address(msgspec.Struct, gc=False):
    ip: str = ""


class _Container(msgspec.Struct, gc=False):
    container_id: str = msgspec.field(default="", name="containerID")


class _Report(msgspec.Struct, gc=False):
    """What a report says that may be this pod's own."""

    pod_ip: str = msgspec.field(default="", name="podIP")
    host_ip: str = msgspec.field(default="", name="hostIP")
    pod_ips: list[_Address] = msgspec.field(default_factory=list, name="podIPs")
    containers: list[_Container] = msgspec.field(default_factory=list, name="containerStatuses")
    inits: list[_Container] = msgspec.field(default_factory=list, name="initContainerStatuses")


_read_status_patch: Final = msgspec.json.Decoder(_StatusPatch).decode
_read_metadata_patch: Final = msgspec.json.Decoder(_MetadataPatch).decode
_read_report: Final = msgspec.json.Decoder(_Report).decode


class _Parts(NamedTuple):
    """A pod's bytes, cut: joined, with the revision between `middle` and `tail`, they are the bytes again."""

    head: bytes
    finalizers: bytes
    labels: bytes
    managed: bytes
    middle: bytes
    tail: bytes
    spec: bytes
    status: bytes


@dataclass(slots=True)
class Repeat:
    """A write that may have been made before. `known` is what came of it; None the first time."""

    _call: Call
    _current: Record
    _parts: _Parts
    _values: list[str]
    _key: OutcomeKey
    known: Outcome | None

    def store(self, cluster: Cluster, known: Outcome) -> Awaitable[Record]:
        """Write what is known to come of it."""
        values, meta = self._values, self._current.meta
        fields = {**meta.fields, **known.fields}
        for name, number in known.own_fields:
            fields[name] = values[number]
        raw = _joined(self._parts, known, values, cluster.store.next_revision())
        new = Meta(meta.uid, meta.labels, meta.owners, fields)
        current = self._current
        return storing.put(cluster, self._call, current.key, raw, new, expect=current.revision)

    def learn(self, cluster: Cluster) -> None:
        """Remember what has just come of it, if that can be told from the newest state alone."""
        after, values = cluster.store.latest(self._call.key), self._values
        if after is None or after.revision == self._current.revision or self._call.warnings:
            return
        parts = _cut(after.raw, after.revision)
        if parts is None:
            return
        before = self._current.meta.fields
        changed = {
            name: value for name, value in after.meta.fields.items() if value != before.get(name)
        }
        own = {name: values.index(value) for name, value in changed.items() if value in values}
        outcome = Outcome(
            parts.finalizers,
            _numbered(parts.managed, values),
            _numbered(parts.status, values) if self._call.subresource else None,
            {name: value for name, value in changed.items() if name not in own},
            tuple(own.items()),
        )
        if _joined(self._parts, outcome, values, after.revision) == after.raw:
            cluster.memory.outcomes[self._key] = outcome


def repeat(
    cluster: Cluster, call: Call, current: Record, body: bytes, kind: PatchType
) -> Repeat | None:
    """A report of a pod's status, or a change of its finalizers, in the server's own encoding; None for others."""
    if (
        call.kind.resource != "pods"
        or kind is not PatchType.MERGE
        or not call.options.is_plain_write
    ):
        return None
    raw = current.raw
    parts = _cut(raw, current.revision)
    if parts is None or _LEAVING in parts.head:
        return None
    spec = status = b""
    try:
        reports = [_read_report(parts.status[_OPENING:-1])]
        if call.subresource == "status":
            patch = _read_status_patch(body)
            named = patch.metadata
            if named.uid not in {"", current.meta.uid}:
                return None
            given, wish = named.resource_version, bytes(patch.status)
            reports.append(_read_report(wish))
            spec, status = _impersonal(parts.spec), parts.status
        elif not call.subresource:
            wished = _read_metadata_patch(body).metadata
            given, wish = wished.resource_version, bytes(wished.finalizers)
        else:
            return None
    except msgspec.ValidationError:
        return None
    values = _own_values(reports, current.meta.owners)
    if values is None or given not in {"", str(current.revision)}:
        return None
    key = (
        call.subresource, parts.finalizers, _numbered(parts.managed, values), spec,
        _numbered(status, values), _numbered(wish, values), call.manager, cluster.now(),
    )  # fmt: skip
    return Repeat(call, current, parts, values, key, cluster.memory.outcomes.get(key))


def _cut(raw: bytes, revision: int) -> _Parts | None:
    """None where the bytes have another form. A pod's spec has no field that is called as those that are looked for."""
    managed = raw.find(_MANAGED)
    name = raw.find(_NAME, managed) if managed > 0 else -1
    spec = raw.find(_SPEC, name) if name > 0 else -1
    status = raw.find(_STATUS, spec) if spec > 0 else -1
    mark = stamp(revision)
    at = raw.find(mark, name, spec) if status > 0 else -1
    if at < 0:
        return None
    end = at + len(mark) - 1
    start = raw.find(_FINALIZERS, 0, managed)
    stop = raw.find(b"],", start, managed) + 2
    if start < 0 or stop < start:
        start = stop = managed
    return _Parts(
        raw[:start], raw[start:stop], raw[stop:managed], raw[managed:name],
        raw[name : end - len(str(revision))], raw[end:spec], raw[spec:status], raw[status:],
    )  # fmt: skip


def _joined(parts: _Parts, outcome: Outcome, values: list[str], revision: int) -> bytes:
    managed = outcome.managed
    status = parts.status if outcome.status is None else outcome.status
    for number, value in enumerate(values):
        mark, own = _MARKS[number], value.encode()
        managed, status = managed.replace(mark, own), status.replace(mark, own)
    return b"%b%b%b%b%b%d%b%b%b" % (
        parts.head, outcome.finalizers, parts.labels, managed, parts.middle, revision, parts.tail,
        parts.spec, status,
    )  # fmt: skip


def _own_values(reports: list[_Report], owners: tuple[str, ...]) -> list[str] | None:
    """The addresses and IDs in reports and the owner, each once, in an order that is the same for pods that are alike;
    None where one is not of the form that is listened to.
    """
    if len(owners) > 1:
        return None
    addresses: dict[str, None] = {}
    ids: dict[str, None] = {}
    for report in reports:
        if len(report.pod_ips) > 1:
            return None
        addresses |= dict.fromkeys((report.pod_ip, report.host_ip, *[a.ip for a in report.pod_ips]))
        ids |= dict.fromkeys([c.container_id for c in (*report.containers, *report.inits)])
    addresses.pop("", None)
    ids.pop("", None)
    if (
        len(addresses) + len(ids) + len(owners) > len(_MARKS)
        or not all(map(_UID.fullmatch, owners))
        or not all(map(_ADDRESS.fullmatch, addresses))
        or not all(map(_ID.fullmatch, ids))
    ):
        return None
    return [*addresses, *ids, *owners]


def _numbered(part: bytes, values: list[str]) -> bytes:
    """A part with numbers for values: as strings of its own, and as strings in a string (keys of owned items)."""
    for number, value in enumerate(values):
        own = value.encode()
        if own in part:
            mark = _MARKS[number]
            part = part.replace(b'"%b"' % own, b'"%b"' % mark)
            part = part.replace(b'\\"%b\\"' % own, b'\\"%b\\"' % mark)
    return part


def _impersonal(spec: bytes) -> bytes:
    """A spec without the names that only this pod has."""
    for own in _OWN:
        at = spec.find(own)
        if at >= 0:
            at += len(own)
            spec = spec[:at] + spec[spec.find(b'"', at) :]
    return spec
