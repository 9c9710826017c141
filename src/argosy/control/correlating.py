"""Which events are news: repeating ones are counted, similar ones combined, floods dropped.

The rules and numbers are client-go's. The same event (source, object, type, reason, message) again raises the
count of the first. Ten or more different messages with one reason within ten minutes become one event whose
message begins with "(combined from similar events): ". Beyond that each object may cause 25 events of a type,
and one more every five minutes. Memory is bounded: the least recently used of 4096 entries is forgotten.
Nothing here does I/O.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec

from argosy.base.clock import Clock
from argosy.control.queues import Bucket

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_ENTRIES: Final = 4096
_SIMILAR: Final = 10
_SIMILAR_SECONDS: Final = 600.0
_BURST: Final = 25
_PER_SECOND: Final = 1 / 300
COMBINED: Final = "(combined from similar events): "


class Reference(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which object an event is about (core/v1 ObjectReference)."""

    kind: str
    name: str
    namespace: str = ""
    uid: str = ""
    apiVersion: str = ""  # noqa: N815  (the wire's name)
    resourceVersion: str = ""  # noqa: N815
    fieldPath: str = ""  # noqa: N815


class Occurrence(NamedTuple):
    """Something that happened: the part of an event that tells it from others."""

    about: Reference
    type: str
    reason: str
    message: str


class Known(NamedTuple):
    """An event that exists on the server, how often it was seen, and when first (seconds since the epoch)."""

    name: str
    times: int
    first: float = 0.0


class Verdict(NamedTuple):
    """What to write: `message` under `key`; over `known` if that is set, as a new event otherwise."""

    key: Hashable
    message: str
    known: Known | None


class _Recent(Generic[K, V]):
    """A dict that forgets its least recently used entry."""

    def __init__(self) -> None:
        self._entries: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        if (found := self._entries.get(key)) is not None:
            self._entries.move_to_end(key)
        return found

    def put(self, key: K, value: V) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > _ENTRIES:
            self._entries.popitem(last=False)


class _Similar:
    """The different messages of one reason, and when the last came."""

    __slots__ = ("last", "messages")

    def __init__(self) -> None:
        self.messages: dict[str, None] = {}
        self.last = float("-inf")


class Correlator:
    """Decides for one source of events."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._similar: _Recent[Hashable, _Similar] = _Recent()
        self._known: _Recent[Hashable, Known] = _Recent()
        self._buckets: _Recent[Hashable, Bucket] = _Recent()

    def judge(self, event: Occurrence) -> Verdict | None:
        """What to write for an event; None if it is one too many."""
        key, message = self._combine(event)
        known = self._known.get(key)
        if known is not None:
            # Counted whether it is written or not, as upstream counts.
            self._known.put(key, known._replace(times=known.times + 1))
        if not self._allows(event):
            return None
        return Verdict(key, message, known)

    def learn(self, key: Hashable, known: Known) -> None:
        """The event of `key` is on the server."""
        self._known.put(key, known)

    def _combine(self, event: Occurrence) -> tuple[Hashable, str]:
        about = _identity(event.about)
        key = (about, event.type, event.reason)
        now = self._clock.monotonic()
        similar = self._similar.get(key)
        if similar is None or now - similar.last > _SIMILAR_SECONDS:
            similar = _Similar()
            self._similar.put(key, similar)
        similar.messages[event.message] = None
        similar.last = now
        if len(similar.messages) < _SIMILAR:
            return (
                about,
                event.about.fieldPath,
                event.type,
                event.reason,
                event.message,
            ), event.message
        # Room for the next different message, so that the set never grows past the limit.
        del similar.messages[next(iter(similar.messages))]
        return key, COMBINED + event.message

    def _allows(self, event: Occurrence) -> bool:
        key = (_identity(event.about), event.type)
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = Bucket(self._clock, _PER_SECOND, _BURST)
            self._buckets.put(key, bucket)
        return bucket.try_take()


def _identity(about: Reference) -> Hashable:
    return about.kind, about.namespace, about.name, about.uid, about.apiVersion
