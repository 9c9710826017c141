"""The way from a member's agent to its hub, which can go dark.

While it is dark every call fails as if nobody could be reached, and whatever a watch would have told is not told: the
stream ends at the first event nobody was allowed to see, and is taken up from there when there is light again. So an
outage costs nothing while nothing happens, and an open line costs one look at a flag.
"""

from __future__ import annotations

import builtins
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from argosy.base.errors import ServiceUnavailable
from argosy.base.types import Json
from argosy.client.objects import Body, ListResult, Raw, WatchEvent
from argosy.client.protocol import Client, PatchType, Propagation
from argosy.client.resources import Resource


class Line:
    """A Client before another one."""

    def __init__(self, client: Client, what: str) -> None:
        self._client = client
        self._what = what
        self.is_dark = False

    def _check(self) -> None:
        if self.is_dark:
            raise ServiceUnavailable(f"{self._what} cannot be reached: the line is down")

    async def get(self, resource: Resource, name: str, **options: Any) -> Raw:
        self._check()
        return await self._client.get(resource, name, **options)

    async def list(self, resource: Resource, **options: Any) -> ListResult:
        self._check()
        return await self._client.list(resource, **options)

    async def list_all(self, resource: Resource, **options: Any) -> ListResult:
        self._check()
        return await self._client.list_all(resource, **options)

    async def watch(self, resource: Resource, **options: Any) -> AsyncGenerator[WatchEvent, None]:
        self._check()
        async with aclosing(self._client.watch(resource, **options)) as events:
            async for event in events:
                if self.is_dark:
                    return
                yield event

    async def create(self, resource: Resource, obj: Body, **options: Any) -> Raw:
        self._check()
        return await self._client.create(resource, obj, **options)

    async def update(self, resource: Resource, obj: Body, **options: Any) -> Raw:
        self._check()
        return await self._client.update(resource, obj, **options)

    async def patch(
        self,
        resource: Resource,
        name: str,
        patch: Json,
        *,
        kind: PatchType = PatchType.MERGE,
        **options: Any,
    ) -> Raw:
        self._check()
        return await self._client.patch(resource, name, patch, kind=kind, **options)

    async def apply(self, resource: Resource, name: str, obj: Body, **options: Any) -> Raw:
        self._check()
        return await self._client.apply(resource, name, obj, **options)

    async def delete(
        self,
        resource: Resource,
        name: str,
        *,
        propagation: Propagation | None = None,
        **options: Any,
    ) -> None:
        self._check()
        await self._client.delete(resource, name, propagation=propagation, **options)

    async def delete_collection(self, resource: Resource, **options: Any) -> None:
        self._check()
        await self._client.delete_collection(resource, **options)

    async def close(self) -> None:
        await self._client.close()


_: builtins.type[Client] = Line
