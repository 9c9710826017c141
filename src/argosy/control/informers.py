"""Shared informers: a live, decoded copy of a selection of objects, and news of every change.

An informer lists (or streams) its selection once and then follows the watch. Each event is decoded once, into
the struct type the informer was made for, and shared by every reader: cached objects must not be changed.
Handlers are called synchronously with (old, new), None standing for "not there", in the order of the events
of each object.

When the history has moved on (Expired) the selection is read again and compared: what vanished is reported as
deleted, what changed as changed, what stayed is not even decoded. Any other failure is logged, once while it lasts,
and retried from the last revision. An object that does not fit the struct type is logged and its last good state
kept, and a handler that fails is logged and passed over: one broken object must not stop the others. Reads cost one
dict lookup, by index or by key. There is no resync: handlers that need time use a queue's `add_after`.

A controller that has written an object may not want to wait for the watch to bring it back: `learn` takes the answer of
the write, so whoever reads the informer next sees it. The watch stays the authority: what it has brought already, or
gone past, is not learnt, and what it brings of before is passed over.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import aclosing
from typing import Final, Generic, TypeAlias, TypeVar

import msgspec

from argosy.base.clock import Clock
from argosy.base.errors import BadRequest, Expired, Invalid, StatusError
from argosy.client.backoffs import Backoff
from argosy.client.objects import Key, Raw, WatchEvent
from argosy.client.protocol import Client
from argosy.client.resources import Resource
from argosy.control.sharing import share

T = TypeVar("T")

Handler: TypeAlias = Callable[[T | None, T | None], None]
Index: TypeAlias = Callable[[T], Iterable[str]]

_LOG: Final = logging.getLogger(__name__)
# Events taken before others get a turn: a source in this process may have many at hand.
_BATCH: Final = 500
_BACKOFF: Final = Backoff(first=0.8, factor=2.0, most=30.0, jitter=1.0)


class Selection(msgspec.Struct, frozen=True):
    """Which objects of a resource; by default all of them."""

    namespace: str | None = None
    label_selector: str = ""
    field_selector: str = ""


EVERYTHING: Final = Selection()


class Informer(Generic[T]):
    """The objects of one selection, decoded as `kind`."""

    def __init__(
        self,
        client: Client,
        resource: Resource,
        kind: type[T],
        *,
        clock: Clock,
        selection: Selection = EVERYTHING,
        source: random.Random | None = None,
        read: Callable[[Raw], T] | None = None,
    ) -> None:
        """`read` makes a `kind` of an object's bytes where decoding is not what is wanted; it may raise DecodeError."""
        self.resource: Final = resource
        self.selection: Final = selection
        self._client = client
        self._clock = clock
        self._source = source or random.Random()
        self._read_bytes = read
        if read is None:
            self._decode = msgspec.json.Decoder(kind).decode
        self._objects: dict[Key, T] = {}
        # What was read last: the next one is often alike, and shares what is equal.
        self._last: T | None = None
        self._revisions: dict[Key, str] = {}
        self._indexes: dict[str, tuple[Index[T], dict[str, dict[Key, T]]]] = {}
        self._handlers: list[Handler[T]] = []
        self._revision = ""
        self._streams = True
        self._failures = 0
        # The failure that was logged last: one that lasts is said once.
        self._logged = ""
        self._synced = asyncio.Event()

    # Reading.

    def get(self, namespace: str, name: str) -> T | None:
        return self._objects.get(Key(namespace, name))

    def items(self) -> Iterable[tuple[Key, T]]:
        return self._objects.items()

    def by_index(self, index: str, value: str) -> list[T]:
        """The objects whose index has `value`, in order of their keys."""
        found = self._indexes[index][1].get(value)
        return [found[key] for key in sorted(found)] if found else []

    def __len__(self) -> int:
        return len(self._objects)

    def __iter__(self) -> Iterator[T]:
        return iter(self._objects.values())

    # Setting up.

    def add_index(self, name: str, index: Index[T]) -> None:
        """Keep objects findable by the values `index` gives for each."""
        values: dict[str, dict[Key, T]] = {}
        self._indexes[name] = (index, values)
        for key, obj in self._objects.items():
            for value in index(obj):
                values.setdefault(value, {})[key] = obj

    def has_index(self, name: str) -> bool:
        return name in self._indexes

    def add_handler(self, handler: Handler[T]) -> None:
        """Call `handler` for every change from now on, and once for every object there is already."""
        self._handlers.append(handler)
        for obj in list(self._objects.values()):
            handler(None, obj)

    @property
    def is_synced(self) -> bool:
        return self._synced.is_set()

    async def synced(self) -> None:
        """Wait until the cache has held the whole selection once."""
        await self._synced.wait()

    def learn(self, raw: Raw) -> None:
        """Take over the answer of one's own write, unless the watch has been further already."""
        if self._revision and _number(raw.revision) > _number(self._revision):
            self._put(raw.key, raw)

    # Following.

    async def run(self) -> None:
        """Follow the selection until cancelled."""
        while True:
            failed = False
            try:
                if not self._revision and not self._streams:
                    await self._relist()
                await self._follow()
            except Expired:
                self._revision = ""
            except (Invalid, BadRequest) as error:
                if not self._streams or self._revision:
                    raise
                _LOG.info("%s: the server streams no lists (%s)", self.resource.qualified, error)
                self._streams = False
                continue
            except StatusError as error:
                failed = True
                level = logging.DEBUG if str(error) == self._logged else logging.WARNING
                _LOG.log(level, "%s: cannot list or watch: %s", self.resource.qualified, error)
                self._logged = str(error)
            # A watch that ended is taken up at once; one that ends again without news, more slowly.
            if failed or self._failures:
                await self._clock.sleep(_BACKOFF.delay(self._failures, self._source))
            self._failures += 1

    async def _relist(self) -> None:
        chosen = self.selection
        result = await self._client.list_all(
            self.resource,
            namespace=chosen.namespace,
            label_selector=chosen.label_selector,
            field_selector=chosen.field_selector,
        )
        seen = set()
        for number, raw in enumerate(result.items, 1):
            key = raw.key
            seen.add(key)
            self._put(key, raw)
            if not number % _BATCH:
                await asyncio.sleep(0)
        self._complete(seen, result.revision)

    async def _follow(self) -> None:
        chosen = self.selection
        # The keys of a streamed list, until its end: whatever is cached beyond them is gone.
        seen: set[Key] | None = None if self._revision else set()
        events = self._client.watch(
            self.resource,
            namespace=chosen.namespace,
            label_selector=chosen.label_selector,
            field_selector=chosen.field_selector,
            since=self._revision,
            initial_events=seen is not None,
        )
        async with aclosing(events):
            number = 0
            async for event in events:
                seen = self._take(event, seen)
                number += 1
                if not number % _BATCH:
                    await asyncio.sleep(0)

    def _take(self, event: WatchEvent, seen: set[Key] | None) -> set[Key] | None:
        raw = event.object
        key = raw.key
        if event.type == "DELETED":
            self._remove(key, raw)
            if seen is not None:
                seen.discard(key)
        elif event.type != "BOOKMARK":
            if not self._is_older(key, raw):
                self._put(key, raw)
            if seen is not None:
                seen.add(key)
        if seen is None:
            self._revision = raw.revision
            self._failures, self._logged = 0, ""
        elif event.initial_end:
            self._complete(seen, raw.revision)
            return None
        return seen

    def _is_older(self, key: Key, raw: Raw) -> bool:
        """Whether more is known than the watch tells now: only of what was learnt."""
        known = self._revisions.get(key)
        return known is not None and _number(known) > _number(raw.revision)

    def _complete(self, seen: set[Key], revision: str) -> None:
        """The selection has been read whole, as of `revision`."""
        for key in sorted(self._objects.keys() - seen):
            self._forget(key, self._objects[key])
        self._revision = revision
        self._failures, self._logged = 0, ""
        self._synced.set()

    def _put(self, key: Key, raw: Raw) -> None:
        if self._revisions.get(key) == raw.revision:
            return
        new = self._read(raw)
        if new is None:
            return
        old = self._objects.get(key)
        if old is not None:
            share(new, old)
        if self._last is not None:
            share(new, self._last)
        self._last = new
        self._objects[key] = new
        self._revisions[key] = raw.revision
        if self._indexes:
            self._reindex(key, old, new)
        self._tell(key, old, new)

    def _remove(self, key: Key, raw: Raw) -> None:
        """Forget an object; handlers get its last state as the old one."""
        if key in self._objects:
            self._forget(key, self._read(raw) or self._objects[key])

    def _forget(self, key: Key, last: T) -> None:
        old = self._objects.pop(key)
        del self._revisions[key]
        if self._indexes:
            self._reindex(key, old, None)
        self._tell(key, last, None)

    def _tell(self, key: Key, old: T | None, new: T | None) -> None:
        for handler in self._handlers:
            try:
                handler(old, new)
            except Exception:  # noqa: BLE001  (one object nobody expected must not end the cluster's controllers)
                _LOG.exception("%s %s: a handler failed", self.resource.qualified, key)

    def _read(self, raw: Raw) -> T | None:
        try:
            if self._read_bytes is not None:
                return self._read_bytes(raw)
            return self._decode(raw.body)
        except msgspec.DecodeError as error:
            _LOG.error("%s %s cannot be read: %s", self.resource.qualified, raw.key, error)
            return None

    def _reindex(self, key: Key, old: T | None, new: T | None) -> None:
        for index, values in self._indexes.values():
            before = tuple(index(old)) if old is not None else ()
            after = tuple(index(new)) if new is not None else ()
            for value in before:
                # Most changes leave an object where it is.
                if value not in after and (bucket := values.get(value)) is not None:
                    bucket.pop(key, None)
                    if not bucket:
                        del values[value]
            for value in after:
                values.setdefault(value, {})[key] = new  # type: ignore[assignment]  # new is a T here


def _number(revision: str) -> int:
    """Revisions of one resource grow, and are numbers, on every server there is."""
    return int(revision) if revision.isdecimal() else 0


class Informers:
    """The informers of one client, shared: one per resource, selection and type."""

    def __init__(self, client: Client, clock: Clock, source: random.Random | None = None) -> None:
        self._client = client
        self._clock = clock
        self._source = source or random.Random()
        self._informers: dict[tuple[Resource, Selection, type], Informer[object]] = {}
        self._running = False

    def informer(
        self, resource: Resource, kind: type[T], selection: Selection = EVERYTHING
    ) -> Informer[T]:
        """The informer of this selection. Ask for all of them before `run`."""
        key = (resource, selection, kind)
        found: Informer[T] | None = self._informers.get(key)  # type: ignore[assignment]  # kind is in the key
        if found is None:
            if self._running:
                raise RuntimeError(f"informers run already: ask for {resource.qualified} before")
            found = Informer(
                self._client,
                resource,
                kind,
                clock=self._clock,
                selection=selection,
                source=self._source,
            )
            self._informers[key] = found  # type: ignore[assignment]  # as above
        return found

    async def run(self) -> None:
        """Run every informer until cancelled."""
        self._running = True
        async with asyncio.TaskGroup() as group:
            for informer in self._informers.values():
                group.create_task(informer.run(), name=f"informer:{informer.resource.qualified}")

    async def synced(self) -> None:
        """Wait until every informer has synced."""
        for informer in self._informers.values():
            await informer.synced()
