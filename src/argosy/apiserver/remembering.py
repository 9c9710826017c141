"""Objects made from one template are alike: what was checked of one is remembered for the next.

A Job makes thousands of pods that differ in name and little else. The content of a new object (everything but
metadata) is decoded against its schema, validated and broken down into owned fields once; the next object with
byte-equal content gets all that from here. Only pure results about which there was nothing to say are kept, keyed by
everything they depend on, so a hit and a miss can never differ (tests/unit/apiserver/test_remembering.py). Defaults
are filled in each time: some depend on metadata. A few hundred contents are kept, the oldest go first.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

import msgspec

from argosy.api.kinds import Kind
from argosy.base.types import Json, Object

MOST: Final = 512
# Bigger contents are rarely repeated and would crowd out the others.
LARGEST_BYTES: Final = 32 * 1024

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
_HEAD: Final = frozenset({"metadata", "apiVersion", "kind"})
# Kinds that come in many copies and whose rules judge content by itself. Rules of others look at name or namespace too
# (a CRD's name follows from its spec, an event belongs where its object is): their verdicts hold for one object only.
_ALIKE: Final = frozenset({"pods", "configmaps", "secrets"})


class Content:
    """One remembered content: its decoded form, and verdicts that hold for it."""

    __slots__ = ("_decoded", "_fields", "_valid")

    def __init__(self, decoded: bytes) -> None:
        self._decoded = decoded
        self._valid: set[Hashable] = set()
        self._fields: dict[Hashable, Json] = {}

    def fresh(self) -> Object:
        """The content as decoded, not yet defaulted; the caller's own."""
        obj: Object = _decode(self._decoded)
        return obj

    def is_valid(self, obj: Object) -> bool:
        """Whether an object with this content and metadata like this has passed validation without a warning."""
        return _seen_by_rules(obj) in self._valid

    def note_valid(self, obj: Object) -> None:
        if len(self._valid) < MOST:
            self._valid.add(_seen_by_rules(obj))

    def fields(self, obj: Object) -> Json | None:
        """The fields a creator of such an object owns, as FieldsV1. Shared: never change it."""
        return self._fields.get(_shape(obj))

    def note_fields(self, obj: Object, fields: Json) -> None:
        if len(self._fields) < MOST:
            self._fields[_shape(obj)] = fields


class Memory:
    """The contents one server has seen."""

    def __init__(self) -> None:
        self._contents: dict[tuple[str, str, bytes], Content] = {}

    def key(self, kind: Kind, version: str, obj: Object) -> tuple[str, str, bytes] | None:
        """What an object's content is remembered by; None where it is not worth it."""
        if kind.resource not in _ALIKE:
            return None
        raw = _encode({field: value for field, value in obj.items() if field not in _HEAD})
        return (kind.resource, version, raw) if len(raw) <= LARGEST_BYTES else None

    def find(self, key: tuple[str, str, bytes]) -> Content | None:
        return self._contents.get(key)

    def keep(self, key: tuple[str, str, bytes], obj: Object) -> Content:
        """Remember the content of a decoded object about which there was nothing to say."""
        content = Content(
            _encode({field: value for field, value in obj.items() if field not in _HEAD})
        )
        if len(self._contents) >= MOST:
            del self._contents[next(iter(self._contents))]
        self._contents[key] = content
        return content


def _seen_by_rules(obj: Object) -> Hashable:
    """All of the metadata that a kind's rules look at beyond what metadata's own checks do.

    Of a good name only its length and whether it has dots can matter: names are put together with others (claims of
    ephemeral volumes), and a pod's name becomes a host name.
    """
    meta = obj["metadata"]
    name = meta.get("name", "")
    return (
        len(name),
        "." in name,
        tuple((meta.get("labels") or {}).items()),
        tuple((meta.get("annotations") or {}).items()),
    )


def _shape(obj: Object) -> Hashable:
    """What of metadata shows in owned fields: keys of maps, and items of lists."""
    meta = obj["metadata"]
    return (
        tuple(field for field in meta if field != "managedFields"),
        tuple(meta.get("labels") or ()),
        tuple(meta.get("annotations") or ()),
        tuple(meta.get("finalizers") or ()),
        tuple(tuple(owner.items()) for owner in meta.get("ownerReferences") or ()),
    )
