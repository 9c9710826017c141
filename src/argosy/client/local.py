"""A client of a cluster in this process: straight to the verbs, past HTTP and past encoding.

The same checks as over HTTPS apply: the identity's permissions, the options, admission, validation. What is saved
is the way there: bodies are not parsed twice, lists and watches hand out the
store's own bytes. A watch of a local client never breaks; one that does not keep up is cut off and raises Expired,
like everywhere.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Final

import msgspec

from argosy.apiserver import bodies, encoding
from argosy.apiserver.access.attributes import Attributes, refusal
from argosy.apiserver.access.identities import User
from argosy.apiserver.calls import Call
from argosy.apiserver.http.messages import Request, Response
from argosy.apiserver.options import Options
from argosy.apiserver.routing import Route
from argosy.apiserver.servers import ClusterServer
from argosy.apiserver.verbs import creating, deleting, patching, reading, updating
from argosy.apiserver.verbs.reading import parse_revision
from argosy.apiserver.verbs.selecting import selection
from argosy.base.errors import Expired, InternalError
from argosy.base.types import Json, Object
from argosy.client import paging
from argosy.client.objects import Body, ListResult, Raw, WatchEvent, encode, key_of, read
from argosy.client.protocol import PatchType, Propagation
from argosy.client.resources import Resource
from argosy.store import Compacted, Record, TooSlow

_WHOLE: Final = frozenset({"", "status"})


class LocalClient:
    """One identity's view of one cluster. `agent` names the program, as a user agent does."""

    def __init__(self, server: ClusterServer, user: User, agent: str = "argosy") -> None:
        self._server = server
        self._cluster = server.cluster
        self._user = user
        self._agent = agent

    # reading

    async def get(
        self, resource: Resource, name: str, *, namespace: str | None = None, subresource: str = ""
    ) -> Raw:
        call = self._call("get", resource, namespace, name, subresource)
        if subresource not in _WHOLE:
            return await self._special("GET", resource, call, b"")
        return self._raw(resource, call, reading.get(self._cluster, call))

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
        options = Options(
            label_selector=label_selector,
            field_selector=field_selector,
            limit=limit,
            continue_=continue_,
        )
        call = self._call("list", resource, namespace, options=options)
        listing = reading.list_(self._cluster, call)
        items = [self._raw(resource, call, record) for record in listing.records]
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
        options = Options(label_selector=label_selector, field_selector=field_selector, watch=True)
        call = self._call("watch", resource, namespace, options=options)
        store, chosen = self._cluster.store, selection(call)
        present = store.list(call.kind.stored_resource, chosen).records if initial_events else ()
        start = parse_revision(since) if since and not initial_events else store.revision
        try:
            watch = store.watch(call.kind.stored_resource, chosen, since=start)
        except Compacted:
            raise Expired(f"too old resource version: {start} ({store.compacted})") from None
        try:
            for record in present:
                yield WatchEvent("ADDED", self._raw(resource, call, record))
            if initial_events:
                yield WatchEvent(
                    "BOOKMARK", Raw(resource, b"{}", revision=str(start)), initial_end=True
                )
            while True:
                for event in await watch.next():
                    yield WatchEvent(event.type, self._raw(resource, call, event.record))
        except TooSlow as error:
            raise Expired(str(error)) from error
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
        options = Options(field_manager=field_manager, dry_run=dry_run)
        where = key_of(obj, namespace, name)
        if subresource or self._is_virtual(resource):
            call = self._call("create", resource, where.namespace, name, subresource, options)
            return await self._special("POST", resource, call, encode(resource, obj))
        call = self._call("create", resource, where.namespace, options=options)
        decoded: Object = msgspec.json.decode(encode(resource, obj))
        accepted = bodies.accept_new(self._cluster.memory, call, decoded)
        record = await creating.create(self._cluster, call, accepted)
        return self._raw(resource, call, record)

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
        options = Options(field_manager=field_manager, dry_run=dry_run)
        where = key_of(obj, namespace, name)
        call = self._call("update", resource, where.namespace, where.name, subresource, options)
        if subresource not in _WHOLE:
            return await self._special("PUT", resource, call, encode(resource, obj))
        record, _ = await updating.replace(self._cluster, call, self._accepted(resource, call, obj))
        return self._raw(resource, call, record)

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
        options = Options(field_manager=field_manager, dry_run=dry_run)
        call = self._call("patch", resource, namespace, name, subresource, options)
        body = patch if isinstance(patch, bytes) else msgspec.json.encode(patch)
        if subresource not in _WHOLE:
            return await self._special("PATCH", resource, call, body, content_type=str(kind))
        record, _ = await patching.patch(self._cluster, call, body, patching.PatchType(str(kind)))
        return self._raw(resource, call, record)

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
        options = Options(field_manager=field_manager, force=force, dry_run=dry_run)
        where = key_of(obj, namespace, name)
        call = self._call("patch", resource, where.namespace, name, subresource, options)
        record, _ = await patching.patch(
            self._cluster, call, encode(resource, obj), patching.PatchType.APPLY
        )
        return self._raw(resource, call, record)

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
        options = Options(
            dry_run=dry_run,
            grace_seconds=grace_seconds,
            propagation=str(propagation) if propagation else None,
            precondition_uid=uid or None,
            precondition_revision=resource_version or None,
        )
        await deleting.delete(
            self._cluster, self._call("delete", resource, namespace, name, options=options)
        )

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
        options = Options(
            dry_run=dry_run,
            grace_seconds=grace_seconds,
            propagation=str(propagation) if propagation else None,
            label_selector=label_selector,
            field_selector=field_selector,
        )
        call = self._call("deletecollection", resource, namespace, options=options)
        await deleting.delete_collection(self._cluster, call)

    async def close(self) -> None:
        """Nothing is held: watches end with their generators."""

    # the seam

    def _call(
        self,
        verb: str,
        resource: Resource,
        namespace: str | None,
        name: str = "",
        subresource: str = "",
        options: Options | None = None,
    ) -> Call:
        asked = self._route(verb, resource, namespace, name, subresource)
        if not self._user.is_master:
            attributes = Attributes(
                verb,
                True,
                asked.group,
                asked.version,
                asked.resource,
                subresource,
                asked.namespace,
                name,
            )
            allowed, why = self._server.rbac.allows(self._user, attributes)
            if not allowed:
                raise refusal(self._user, attributes, why)
        return self._server.dispatching.call(asked, self._user, options or Options(), self._agent)

    @staticmethod
    def _route(
        verb: str, resource: Resource, namespace: str | None, name: str, subresource: str
    ) -> Route:
        where = (namespace or "") if resource.namespaced else ""
        return Route(
            True,
            "",
            verb,
            resource.group,
            resource.version,
            where,
            resource.plural,
            name,
            subresource,
        )

    def _is_virtual(self, resource: Resource) -> bool:
        kind = self._cluster.scheme.find(resource.group, resource.plural)
        return kind is not None and kind.verbs == ("create",)

    def _accepted(self, resource: Resource, call: Call, obj: Body) -> Object:
        """A copy that is the call's own, checked like a body from outside."""
        decoded: Object = msgspec.json.decode(encode(resource, obj))
        return bodies.accept(call, decoded)

    def _raw(self, resource: Resource, call: Call, record: Record) -> Raw:
        bare = call.served.from_storage is None
        body = record.raw if bare else encoding.present(call.kind, call.version, record)
        return Raw(
            resource, body, record.key.namespace, record.key.name, str(record.revision), bare=bare
        )

    async def _special(
        self,
        method: str,
        resource: Resource,
        call: Call,
        body: bytes,
        content_type: str = "application/json",
    ) -> Raw:
        """Subresources and reviews answer in HTTP's terms."""
        headers = {b"content-type": content_type.encode(), b"user-agent": self._agent.encode()}
        query = {"dryRun": "All"} if call.options.dry_run else {}
        request = Request(method, "", query, headers, body)
        asked = self._route(call.verb, resource, call.namespace, call.name, call.subresource)
        answer = await self._server.dispatching(request, asked, self._user)
        if not isinstance(answer, Response):
            raise InternalError(
                f"{call.kind.resource}/{call.subresource} is a stream; read it over HTTP"
            )
        return read(resource, answer.body)
