"""What the layers above may expect of a store, whichever it is."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import Protocol, TypeAlias

from argosy.store.describing import Describe
from argosy.store.errors import StoreUnavailable
from argosy.store.histories import Bounds
from argosy.store.records import Key, Meta, Page, Record
from argosy.store.selections import EVERYTHING, Selection
from argosy.store.watches import BUFFER, Watch

# The protocol has a method named list.
_Records: TypeAlias = list[Record]
_Keys: TypeAlias = list[Key]
_Names: TypeAlias = list[str]


class Store(Protocol):
    """The objects of one cluster. Called from one event loop only."""

    # The last visible revision.
    revision: int
    # Why the last write failed, until one succeeds again: what a readiness check asks.
    fault: StoreUnavailable | None

    @property
    def compacted(self) -> int:
        """The oldest revision that can be listed and watched from."""

    def get(self, key: Key) -> Record | None:
        """The durable record of a key."""

    def list(
        self,
        resource: str,
        selection: Selection = EVERYTHING,
        *,
        limit: int = 0,
        after: tuple[str, str] | None = None,
        revision: int | None = None,
    ) -> Page:
        """Records in key order that follow `after`, as of `revision` (None: now). Raises Compacted and
        FutureRevision.
        """

    def dependents(self, uid: str) -> _Records:
        """Every object that names this uid as an owner, in key order."""

    def count(self, resource: str) -> int: ...

    def resources(self) -> _Names:
        """The resources that have objects, sorted."""

    def keys(self, resource: str) -> _Keys:
        """The keys of a resource, in order."""

    def watch(
        self,
        resource: str | None,
        selection: Selection = EVERYTHING,
        *,
        since: int | None = None,
        buffer: Bounds = BUFFER,
    ) -> Watch:
        """Every event after revision `since` (None: from now on), of one resource or of all (None). Raises
        Compacted.
        """

    def redescribe(self, resource: str, describe: Describe) -> None:
        """Read anew what the store knows of a resource's objects, because what can be selected has changed."""

    def next_revision(self) -> int:
        """The revision the next write must carry in its bytes. Valid until the next await."""

    def changed(self, resources: Iterable[str]) -> int | None:
        """The revision of the last write to any of some resources since the start, 0 where there was none; None while
        one is on its way to disk.
        """

    def latest(self, key: Key) -> Record | None:
        """The record including writes on their way to disk: what a writer compares with."""

    def put(self, key: Key, raw: bytes, meta: Meta, *, expect: int) -> Awaitable[Record]:
        """Create (`expect` 0) or replace the record whose latest revision is `expect`; raises Mismatch at once.
        The result comes after the write is on disk and visible, or raises StoreUnavailable.
        """

    def delete(self, key: Key, raw: bytes, *, expect: int) -> Awaitable[Record]:
        """Delete the record whose latest revision is `expect`; `raw` is its final state, with the revision of
        the deletion.
        """

    def compact(self, revision: int) -> None:
        """Forget the history up to and including a revision."""

    async def close(self) -> None:
        """Finish what is on its way to disk, end every watch, give the file free."""
