"""A client of a cluster in this process: straight to the verbs, past HTTP and past encoding.

The same checks as over HTTPS apply, in the same order: options, permissions, size, admission, validation. What is
saved is the way there: bodies are not parsed twice, lists and watches hand out the store's own bytes. What HTTP adds
against its own dangers is left out: there is no queue of requests and no 429.

A watch of a local client never breaks, so it needs no bookmarks and sends none but the end of initial events. One
that does not keep up is cut off and raises Expired, like everywhere.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Final

import msgspec

from argosy.api.patches.failures import Unprocessable
from argosy.apiserver import bodies, encoding
from argosy.apiserver.access.identities import User
from argosy.apiserver.calls import Call
from argosy.apiserver.options import APPLY, Options
from argosy.apiserver.servers import ClusterServer
from argosy.apiserver.verbs import copying, creating, deleting, patching, reading, updating
from argosy.apiserver.verbs.reading import parse_revision
from argosy.apiserver.verbs.selecting import selection
from argosy.base.errors import Expired, ServiceUnavailable, from_status
from argosy.base.types import Json
from argosy.client import calling, paging, streams
from argosy.client.calling import Calling
from argosy.client.objects import Body, ListResult, Raw, WatchEvent, encode, key_of, named
from argosy.client.protocol import PatchType, Propagation
from argosy.client.resources import Resource, check_name, check_namespace
from argosy.store import Closed, Compacted, Record, TooSlow

_JSON: Final = "application/json"
_WHOLE: Final = frozenset({"", "status"})


class LocalClient:
    """One identity's view of one cluster. `agent` names the program, as a user agent does; `namespace` is where
    objects live that name none.
    """

    def __init__(
        self,
        server: ClusterServer,
        user: User,
        agent: str = "argosy",
        namespace: str = "default",
    ) -> None:
        self._cluster = server.cluster
        self._calling = Calling(server, user, agent, namespace)

    # reading

    async def get(
        self, resource: Resource, name: str, *, namespace: str | None = None, subresource: str = ""
    ) -> Raw:
        asked = self._calling.one("get", resource, namespace, name, subresource)
        if subresource not in _WHOLE or self._calling.is_special(resource):
            return await self._calling.special(resource, asked, b"")
        call = self._calling.call(asked)
        return _one(resource, call, reading.get(self._cluster, call))

    async def stream(
        self,
        resource: Resource,
        name: str,
        *,
        subresource: str,
        namespace: str | None = None,
        query: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[bytes, None]:
        asked = self._calling.one("get", resource, namespace, name, subresource)
        answer = await self._calling.answer(asked, query or {})
        async with aclosing(streams.chunks(answer)) as found:
            async for chunk in found:
                yield chunk

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
        wished = Options(
            label_selector=label_selector,
            field_selector=field_selector,
            limit=limit,
            continue_=continue_,
        )
        call = self._calling.call(self._calling.many("list", resource, namespace, wished), wished)
        listing = reading.list_(self._cluster, call)
        raw = _presenting(resource, call)
        items = [raw(record) for record in listing.records]
        return ListResult(items, str(listing.revision), listing.continue_, listing.remaining)

    async def list_all(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
    ) -> ListResult:
        """In one page: nothing is copied, so there is nothing to spread."""

        async def page(limit: int, continue_: str) -> ListResult:
            return await self.list(
                resource, namespace=namespace, label_selector=label_selector, field_selector=field_selector,
                limit=limit, continue_=continue_,
            )  # fmt: skip

        return await paging.collect(page, limit=0)

    async def watch(
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
        wished = Options(label_selector=label_selector, field_selector=field_selector, watch=True)
        call = self._calling.call(self._calling.many("watch", resource, namespace, wished), wished)
        store, chosen, raw = self._cluster.store, selection(call), _presenting(resource, call)
        present: list[Record] = []
        if initial_events or since in {"", "0"}:
            present, start = store.list(call.kind.stored_resource, chosen).records, store.revision
        else:
            start = parse_revision(since)
        try:
            watch = store.watch(call.kind.stored_resource, chosen, since=start)
        except Compacted:
            raise Expired(f"too old resource version: {start} ({store.compacted})") from None
        try:
            for record in present:
                yield WatchEvent("ADDED", raw(record))
            if initial_events:
                yield WatchEvent(
                    "BOOKMARK", Raw(resource, b"{}", revision=str(start)), initial_end=True
                )
            present.clear()
            while True:
                for event in await watch.next():
                    yield WatchEvent(event.type, raw(event.record))
        except TooSlow as error:
            raise Expired(str(error)) from error
        except Closed as error:
            raise ServiceUnavailable(f"the cluster has been stopped: {error}") from error
        finally:
            watch.close()

    # writing

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
        wished = calling.writing("create", field_manager, dry_run)
        body = calling.sized(encode(resource, obj))
        where = key_of(body).namespace if namespace is None else namespace
        if subresource or self._calling.is_special(resource):
            if subresource:
                check_name(name)
            asked = self._calling.one("create", resource, where, name, subresource)
            return await self._calling.special(resource, asked, body, wished)
        call = self._calling.call(self._calling.one("create", resource, where), wished)
        pending = self._created(call, body, encoded=not isinstance(obj, bytes))
        return _one(resource, call, await pending)

    def _created(self, call: Call, body: bytes, *, encoded: bool) -> Awaitable[Record]:
        cluster = self._cluster
        if not encoded:
            return creating.create(cluster, call, bodies.read(call, body, _JSON, cluster.memory))
        key = copying.key_of(cluster, call, body)
        if key is not None and (original := cluster.memory.originals.get(key)) is not None:
            copy = copying.store(cluster, call, original)
            if copy is not None:
                return copy
        made = bodies.accept_new(cluster.memory, call, msgspec.json.decode(body))
        pending = creating.create(cluster, call, made)
        if key is not None:
            copying.learn(cluster, call, key, made)
        return pending

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
        wished = calling.writing("update", field_manager, dry_run)
        body = encode(resource, obj)
        where = key_of(body, namespace, name)
        asked = self._calling.one("update", resource, where.namespace, where.name, subresource)
        calling.sized(body)
        if subresource not in _WHOLE:
            return await self._calling.special(resource, asked, body, wished)
        call = self._calling.call(asked, wished)
        if isinstance(obj, bytes):
            accepted = bodies.read(call, body, _JSON)
        else:
            accepted = bodies.accept(call, msgspec.json.decode(body))
        record, _ = await updating.replace(self._cluster, call, accepted)
        return _one(resource, call, record)

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
        wished = calling.writing("patch", field_manager, dry_run, str(kind))
        asked = self._calling.one("patch", resource, namespace, name, subresource)
        body = calling.sized(patch if isinstance(patch, bytes) else msgspec.json.encode(patch))
        if subresource not in _WHOLE:
            return await self._calling.special(resource, asked, body, wished, str(kind))
        call = self._calling.call(asked, wished)
        try:
            record, _ = await patching.patch(
                self._cluster, call, body, patching.PatchType(str(kind)), encoded=not isinstance(patch, bytes)
            )  # fmt: skip
        except Unprocessable as error:
            # On the wire it is an Invalid like any other, and so it is for callers here.
            raise from_status(error.to_status()) from error
        return _one(resource, call, record)

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
        wished = calling.writing("patch", field_manager, dry_run, APPLY, force=force)
        where = key_of(obj, namespace, name).namespace
        asked = self._calling.one("patch", resource, where, name, subresource)
        body = calling.sized(encode(resource, named(obj, name)))
        if subresource not in _WHOLE:
            return await self._calling.special(resource, asked, body, wished, APPLY)
        call = self._calling.call(asked, wished)
        record, _ = await patching.patch(
            self._cluster, call, body, patching.PatchType.APPLY, encoded=not isinstance(obj, bytes)
        )
        return _one(resource, call, record)

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
        wished = Options(
            dry_run=dry_run,
            grace_seconds=grace_seconds,
            propagation=str(propagation) if propagation else None,
            precondition_uid=uid or None,
            precondition_revision=resource_version or None,
        )
        call = self._calling.call(self._calling.one("delete", resource, namespace, name), wished)
        await deleting.delete(self._cluster, call)

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
        wished = Options(
            dry_run=dry_run,
            grace_seconds=grace_seconds,
            propagation=str(propagation) if propagation else None,
            label_selector=label_selector,
            field_selector=field_selector,
        )
        check_namespace(namespace)
        asked = calling.route("deletecollection", resource, namespace or "")
        await deleting.delete_collection(self._cluster, self._calling.call(asked, wished))

    async def close(self) -> None:
        """Nothing is held: watches end with their generators."""


def _presenting(resource: Resource, call: Call) -> Callable[[Record], Raw]:
    """How this call hands out records: the store's own bytes, or converted to the version asked for."""
    kind, version = call.kind, call.version
    if call.served.from_storage is not None:
        return lambda record: Raw(
            resource, encoding.present(kind, version, record), *record.key[1:], _revision(record)
        )
    return lambda record: Raw(
        resource, record.raw, record.key[1], record.key[2], _revision(record), True
    )


def _revision(record: Record) -> str:
    # A dry run of a create has none.
    return str(record.revision or "")


def _one(resource: Resource, call: Call, record: Record) -> Raw:
    return _presenting(resource, call)(record)
