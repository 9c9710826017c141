"""A client of any Kubernetes API server, over HTTPS.

Verbs become requests here, and which of them may arrive twice is decided here; sending, retrying and errors are
`transport`'s, resuming watches is `watching`'s. Nothing is cached and nothing is decoded beyond what a `Raw` carries.
"""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Self

import msgspec

from argosy.base.clock import Clock
from argosy.base.errors import InternalError
from argosy.base.types import Json, Object
from argosy.client import paging
from argosy.client.kubeconfig import Connection
from argosy.client.objects import (
    Body,
    ListResult,
    Raw,
    WatchEvent,
    encode,
    key_of,
    named,
    read,
    revision_of,
)
from argosy.client.protocol import PatchType, Propagation
from argosy.client.resources import Resource, check_name, check_namespace
from argosy.client.transport import DEFAULT_LIMITS, USER_AGENT, Failed, Limits, Request, Transport
from argosy.client.watching import Watching

_APPLY = "application/apply-patch+yaml"


class _ListMeta(msgspec.Struct, gc=False):
    resourceVersion: str = ""  # noqa: N815  (the wire's name)
    # The wire's `continue` is no name in Python.
    continue_: str = msgspec.field(default="", name="continue")
    remainingItemCount: int | None = None  # noqa: N815


class _List(msgspec.Struct):
    metadata: _ListMeta
    items: list[msgspec.Raw] | None = None


_decode_list = msgspec.json.Decoder(_List).decode


class RemoteClient:
    """Implements `argosy.client.protocol.Client`. Close it, or use it as an async context manager."""

    def __init__(
        self,
        connection: Connection,
        *,
        clock: Clock | None = None,
        source: random.Random | None = None,
        limits: Limits = DEFAULT_LIMITS,
        user_agent: str = USER_AGENT,
    ) -> None:
        self._namespace = connection.namespace
        self._transport = Transport(
            connection, clock=clock, source=source, limits=limits, user_agent=user_agent
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._transport.close()

    async def fetch(self, path: str, *, accept: str = "application/json") -> bytes:
        """A document that is no object, such as those of discovery."""
        return await self._transport.send(Request("GET", path, accept=accept))

    async def stream(
        self,
        resource: Resource,
        name: str,
        *,
        subresource: str,
        namespace: str | None = None,
        query: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[bytes, None]:
        path = self._path(resource, namespace, name, subresource)
        request = Request("GET", path, query or {}, accept="*/*")
        try:
            # Nobody knows when the next line comes.
            async with self._transport.stream(request, None) as content:
                async for chunk in content.iter_any():
                    yield chunk
        except Failed as failed:
            raise failed.error from failed.__cause__

    async def get(
        self,
        resource: Resource,
        name: str,
        *,
        namespace: str | None = None,
        subresource: str = "",
    ) -> Raw:
        path = self._path(resource, namespace, name, subresource)
        return await self._one(resource, Request("GET", path))

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
        params = _selection(label_selector, field_selector)
        if limit:
            params["limit"] = str(limit)
        if continue_:
            params["continue"] = continue_
        check_namespace(namespace)
        path = resource.path(namespace)
        answer = await self._transport.send(Request("GET", path, params))
        try:
            page = _decode_list(answer)
            items = [read(resource, bytes(item)) for item in page.items or ()]
        except msgspec.DecodeError as error:
            raise _no_object(path, error) from error
        meta = page.metadata
        return ListResult(items, meta.resourceVersion, meta.continue_, meta.remainingItemCount)

    async def list_all(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
    ) -> ListResult:
        return await paging.collect(
            lambda limit, continue_: self.list(
                resource,
                namespace=namespace,
                label_selector=label_selector,
                field_selector=field_selector,
                limit=limit,
                continue_=continue_,
            )
        )

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
        check_namespace(namespace)
        params = _selection(label_selector, field_selector)
        if bookmarks or initial_events:
            params["allowWatchBookmarks"] = "true"
        path = resource.path(namespace)

        def following(revision: str) -> Watching:
            return Watching(
                self._transport,
                resource,
                path,
                params,
                since=revision,
                initial_events=initial_events,
            )

        if initial_events or since not in {"", "0"}:
            return following("" if initial_events else since).events()

        # The server would send the objects there are without saying where they end: a connection that broke among
        # them could not be resumed. A list can.
        async def listed_first() -> AsyncGenerator[WatchEvent, None]:
            listed = await self.list_all(
                resource,
                namespace=namespace,
                label_selector=label_selector,
                field_selector=field_selector,
            )
            for raw in listed.items:
                yield WatchEvent("ADDED", raw)
            async with aclosing(following(listed.revision).events()) as events:
                async for event in events:
                    yield event

        return listed_first()

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
        # The body of a subresource (Eviction, Binding) has a kind of its own, which it brings along.
        body = encode(resource, obj)
        where = (key_of(body).namespace if namespace is None else namespace) or self._namespace
        check_namespace(where)
        if subresource:
            check_name(name)
        path = resource.path(where, name if subresource else "", subresource)
        params = _writing(field_manager, dry_run)
        return await self._one(resource, Request("POST", path, params, body, repeatable=dry_run))

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
        body = encode(resource, obj)
        key = key_of(body, namespace, name)
        path = self._path(resource, key.namespace, key.name, subresource)
        safe = dry_run or bool(revision_of(body))
        params = _writing(field_manager, dry_run)
        return await self._one(resource, Request("PUT", path, params, body, repeatable=safe))

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
        body = patch if isinstance(patch, bytes) else msgspec.json.encode(patch)
        request = Request(
            "PATCH",
            self._path(resource, namespace, name, subresource),
            _writing(field_manager, dry_run),
            body,
            content_type=kind,
            repeatable=dry_run or bool(revision_of(body)),
        )
        return await self._one(resource, request)

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
        params = _writing(field_manager, dry_run) | {"force": "true" if force else "false"}
        where = key_of(obj, namespace, name).namespace
        path = self._path(resource, where, name, subresource)
        request = Request(
            "PATCH",
            path,
            params,
            encode(resource, named(obj, name)),
            content_type=_APPLY,
            # What is applied without force takes nothing from others, the second time no more than the first.
            repeatable=dry_run or not force,
        )
        return await self._one(resource, request)

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
        options = _deletion(propagation, grace_seconds, dry_run)
        preconditions = {"uid": uid, "resourceVersion": resource_version}
        if any(preconditions.values()):
            options["preconditions"] = {k: v for k, v in preconditions.items() if v}
        request = Request(
            "DELETE",
            self._path(resource, namespace, name),
            body=msgspec.json.encode(options),
            repeatable=dry_run or bool(uid or resource_version),
        )
        await self._transport.send(request)

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
        options = _deletion(propagation, grace_seconds, dry_run)
        params = _selection(label_selector, field_selector)
        check_namespace(namespace)
        body = msgspec.json.encode(options)
        # What was created between two tries must live.
        request = Request("DELETE", resource.path(namespace), params, body, repeatable=dry_run)
        await self._transport.send(request)

    def _path(
        self, resource: Resource, namespace: str | None, name: str, subresource: str = ""
    ) -> str:
        """The path of one object; a namespaced one lives in the connection's namespace unless told."""
        where = namespace or self._namespace
        check_namespace(where)
        check_name(name)
        return resource.path(where, name, subresource)

    async def _one(self, resource: Resource, request: Request) -> Raw:
        answer = await self._transport.send(request)
        try:
            return read(resource, answer)
        except msgspec.DecodeError as error:
            raise _no_object(request.path, error) from error


def _no_object(path: str, error: msgspec.DecodeError) -> InternalError:
    """Something that is no API server has answered, a captive portal perhaps."""
    return InternalError(f"{path} answered with something that is no Kubernetes object: {error}")


def _selection(label_selector: str, field_selector: str) -> dict[str, str]:
    params = {"labelSelector": label_selector, "fieldSelector": field_selector}
    return {name: value for name, value in params.items() if value}


def _writing(field_manager: str, dry_run: bool) -> dict[str, str]:
    params = {"fieldManager": field_manager} if field_manager else {}
    return params | {"dryRun": "All"} if dry_run else params


def _deletion(propagation: Propagation | None, grace_seconds: int | None, dry_run: bool) -> Object:
    options: Object = {"kind": "DeleteOptions", "apiVersion": "v1"}
    if propagation is not None:
        options["propagationPolicy"] = propagation
    if grace_seconds is not None:
        options["gracePeriodSeconds"] = grace_seconds
    if dry_run:
        options["dryRun"] = ["All"]
    return options
