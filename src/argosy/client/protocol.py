"""The `Client` protocol: everything a controller may do to a cluster.

`local` (a store in this process) and `remote` (any Kubernetes API server) implement it with the same checks
and the same errors: every failure is an `argosy.base.errors.StatusError`. Objects come as `Raw` bytes and are
decoded once, by the reader, into the type it wants.

Where a namespace may be given: None means the namespace in the object's metadata, then the client's own
("default" unless told); for lists and watches it means all namespaces. It is ignored for cluster-scoped
resources.

Reads are repeated when a connection breaks; a write only when that cannot do harm (see `transport`). So after a
lost answer a write raises ServiceUnavailable although it may have been done, and an update that names a
resourceVersion may raise Conflict because it was done already. Reconcilers look again either way.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from enum import StrEnum
from typing import Protocol, runtime_checkable

from argosy.base.types import Json
from argosy.client.objects import Body, ListResult, Raw, WatchEvent
from argosy.client.resources import Resource


class PatchType(StrEnum):
    """How a patch is written; the values are its content types."""

    JSON = "application/json-patch+json"
    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"


class Propagation(StrEnum):
    """What happens to the objects an object owns when it is deleted."""

    BACKGROUND = "Background"
    FOREGROUND = "Foreground"
    ORPHAN = "Orphan"


class Client(Protocol):
    """One cluster's API, as one identity."""

    async def get(
        self,
        resource: Resource,
        name: str,
        *,
        namespace: str | None = None,
        subresource: str = "",
    ) -> Raw:
        """The object; NotFound if there is none."""

    async def list(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
        limit: int = 0,
        continue_: str = "",
    ) -> ListResult:
        """One page of objects, all of them without `limit`. Expired if the page's revision is gone."""

    async def list_all(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
    ) -> ListResult:
        """Every object, read page by page and consistent as of `revision`."""

    def watch(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
        since: str = "",
        bookmarks: bool = True,
        initial_events: bool = False,
    ) -> AsyncGenerator[WatchEvent, None]:
        """Every change after revision `since`, without end.

        Without `since` the objects there are come first, as ADDED; with `initial_events` they are closed by a
        bookmark whose `initial_end` is set. Expired if `since` has left the history: list again. Other bookmarks come
        when the server likes, perhaps never. Close the generator (`contextlib.aclosing`) to end the watch.
        """

    async def create(
        self,
        resource: Resource,
        obj: Body,
        *,
        namespace: str | None = None,
        name: str = "",
        subresource: str = "",
        field_manager: str = "",
        dry_run: bool = False,
    ) -> Raw:
        """Create the object, or post to a subresource of `name` such as `eviction`."""

    async def update(
        self,
        resource: Resource,
        obj: Body,
        *,
        namespace: str | None = None,
        name: str = "",
        subresource: str = "",
        field_manager: str = "",
        dry_run: bool = False,
    ) -> Raw:
        """Replace the object; Conflict if its resourceVersion is not the current one."""

    async def patch(
        self,
        resource: Resource,
        name: str,
        patch: Json,
        *,
        kind: PatchType = PatchType.MERGE,
        namespace: str | None = None,
        subresource: str = "",
        field_manager: str = "",
        dry_run: bool = False,
    ) -> Raw:
        """Change parts of the object. `patch` is a dict, a list (JSON patch) or JSON bytes."""

    async def apply(
        self,
        resource: Resource,
        name: str,
        obj: Body,
        *,
        field_manager: str,
        namespace: str | None = None,
        subresource: str = "",
        force: bool = False,
        dry_run: bool = False,
    ) -> Raw:
        """Server-side apply; Conflict names the managers whose fields would be taken without `force`."""

    async def delete(
        self,
        resource: Resource,
        name: str,
        *,
        namespace: str | None = None,
        propagation: Propagation | None = None,
        grace_seconds: int | None = None,
        uid: str = "",
        resource_version: str = "",
        dry_run: bool = False,
    ) -> None:
        """Delete the object, only if it still has `uid` and `resource_version` where these are given."""

    async def delete_collection(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
        propagation: Propagation | None = None,
        grace_seconds: int | None = None,
        dry_run: bool = False,
    ) -> None:
        """Delete every object of the selection."""

    async def close(self) -> None:
        """End watches and give connections back."""


@runtime_checkable
class StreamingClient(Protocol):
    """A client that can also read what comes without an end: logs."""

    def stream(
        self,
        resource: Resource,
        name: str,
        *,
        subresource: str,
        namespace: str | None = None,
        query: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[bytes, None]:
        """The bytes of a subresource as they arrive, in no particular pieces. Close the generator to end it."""
