"""The values a store deals in: keys, records, events, pages.

A `Record` is one object at one revision: its bytes as the API server encoded them and, in `Meta`, the few facts
the store searches by. Records and events are never changed and are shared by everybody who reads them: the
visible state, the history, every watcher.

A hundred thousand of them live at once, so they are msgspec Structs outside the garbage collector's sight
(`gc=False`: none can be part of a cycle), 48 bytes each, and equal label mappings are one object
(`describing`).

Every raw carries its own revision as metadata.resourceVersion. The writer stamps it before the store sees the
bytes; `restamp` is for the one case where the store has to: an object leaves a watcher's selection, and
Kubernetes shows it as it was before, at the revision of the change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from argosy.store.packing import Body

EventType: TypeAlias = Literal["ADDED", "MODIFIED", "DELETED"]

# The revision of a store nobody has written to. Not 0: a client's resourceVersion "0" means "any".
FIRST_REVISION: Final = 1

NOTHING: Final[Mapping[str, str]] = {}


class Key(NamedTuple):
    """Keys of one resource sort by namespace, then name: the order of Kubernetes' lists."""

    resource: str
    namespace: str
    name: str


class Meta(msgspec.Struct, frozen=True, gc=False):
    """What the store knows of an object. `fields` holds the selectable fields besides metadata.name and
    metadata.namespace, which are in the key; an absent field counts as "".
    """

    uid: str = ""
    labels: Mapping[str, str] = NOTHING
    owners: tuple[str, ...] = ()
    fields: Mapping[str, str] = NOTHING


class Record(msgspec.Struct, frozen=True, gc=False, eq=False):
    """One object at one revision. `body` is its bytes, whole or in pieces shared with others (`packing`)."""

    key: Key
    revision: int
    body: Body
    meta: Meta

    @property
    def raw(self) -> bytes:
        """The object's bytes."""
        body = self.body
        return body if body.__class__ is bytes else b"".join(body)  # type: ignore[arg-type]  # the pieces

    @property
    def size(self) -> int:
        """How many bytes `raw` has, without putting it together."""
        body = self.body
        return len(body) if body.__class__ is bytes else sum(map(len, body))  # type: ignore[arg-type]  # the pieces

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Record)
            and self.revision == other.revision
            and self.key == other.key
            and self.meta == other.meta
            and self.raw == other.raw
        )

    def __hash__(self) -> int:
        return hash((self.key, self.revision))


class Event(msgspec.Struct, gc=False):
    """One change. `record` of a DELETED event is the final state, at the revision of the deletion.

    Watchers whose selection the object enters or leaves see the change as `entering` or `leaving`: derived
    once, then shared, like `frames`, where the API server keeps its encodings so that fifty watchers cost one.
    """

    type: EventType
    record: Record
    previous: Record | None
    cached_frames: dict[object, bytes] | None = None
    entered: Event | None = None
    left: Event | None = None

    @property
    def revision(self) -> int:
        return self.record.revision

    @property
    def frames(self) -> dict[object, bytes]:
        if self.cached_frames is None:
            self.cached_frames = {}
        return self.cached_frames

    def entering(self) -> Event:
        """This change for a watcher who did not see the object before."""
        if self.entered is None:
            self.entered = Event("ADDED", self.record, None)
        return self.entered

    def leaving(self) -> Event:
        """This change for a watcher who will not see the object any more."""
        if self.left is None:
            assert self.previous is not None
            self.left = Event("DELETED", restamp(self.previous, self.revision), self.previous)
        return self.left


class Page(NamedTuple):
    """A part of a list. `remaining` counts what follows it, -1 where that would mean reading it all: under
    label and field selectors, where Kubernetes leaves it out too.
    """

    records: list[Record]
    revision: int
    more: bool
    remaining: int


def stamp(revision: int) -> bytes:
    """How a revision looks in an object's canonical bytes."""
    return b'"resourceVersion":"%d"' % revision


_SHALLOW: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


def restamp(record: Record, revision: int) -> Record:
    """The same object, saying another revision. Exact where a search in the bytes would not be: objects may
    hold other objects, with revisions of their own.
    """
    body = _SHALLOW.decode(record.raw)
    metadata = _SHALLOW.decode(body["metadata"])
    metadata["resourceVersion"] = msgspec.Raw(b'"%d"' % revision)
    body["metadata"] = msgspec.Raw(msgspec.json.encode(metadata, order="deterministic"))
    raw = msgspec.json.encode(body, order="deterministic")
    return Record(record.key, revision, raw, record.meta)
