"""A client whose network is bad on demand: calls fail, answers are lost or late, watches break or expire.

It stands before any other client, which does the work. Every call is noted as (verb, plural).
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from argosy.base.errors import Expired, StatusError
from argosy.base.types import Object
from argosy.client.objects import WatchEvent, decode
from argosy.client.protocol import Client
from argosy.client.resources import Resource


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to one call: it takes `before` seconds to get there and `after` to come back; with an error,
    it fails before it gets there, or (`lost`) its answer does.
    """

    error: StatusError | None = None
    before: float = 0.0
    after: float = 0.0
    lost: bool = False


class FaultyClient:
    """`fail` and `fault` apply to the next calls of a verb, in order; `always` to every call that has none."""

    def __init__(self, client: Client, always: Callable[[str], Fault] | None = None) -> None:
        self.calls: list[tuple[str, str]] = []
        self._client = client
        self._always = always
        self._faults: dict[str, list[Fault]] = defaultdict(list)
        self._ends: set[asyncio.Future[StatusError | None]] = set()

    # Faults.

    def fail(self, verb: str, *errors: StatusError) -> None:
        """Raise these, one per call of the verb."""
        self.fault(verb, *map(Fault, errors))

    def fault(self, verb: str, *faults: Fault) -> None:
        self._faults[verb] += faults

    def cut(self, error: StatusError | None = None) -> None:
        """End every watch that is open."""
        for end in self._ends:
            if not end.done():
                end.set_result(error)

    def expire(self) -> None:
        """The history is gone: every open watch ends with Expired."""
        self.cut(Expired("too old resource version: 1 (2)"))

    # Looking, past all faults.

    async def objects(self, resource: Resource) -> list[Object]:
        return [decode(raw) for raw in (await self._client.list_all(resource)).items]

    # Verbs.

    def __getattr__(self, verb: str) -> Callable[..., Awaitable[Any]]:
        done = getattr(self._client, verb)

        async def call(resource: Resource, *args: Any, **options: Any) -> Any:
            fault = self._next(verb, resource)
            # What is on its way arrives, whether the caller still waits or not.
            return await asyncio.shield(
                asyncio.create_task(_carry(fault, lambda: done(resource, *args, **options)))
            )

        return call

    async def watch(self, resource: Resource, **options: Any) -> AsyncGenerator[WatchEvent, None]:
        if (error := self._next("watch", resource).error) is not None:
            raise error
        end: asyncio.Future[StatusError | None] = asyncio.get_running_loop().create_future()
        self._ends.add(end)
        events = self._client.watch(resource, **options)
        try:
            async with aclosing(events):
                while True:
                    following = asyncio.ensure_future(anext(events))
                    try:
                        await asyncio.wait({following, end}, return_when=asyncio.FIRST_COMPLETED)
                    finally:
                        if not following.done():
                            following.cancel()
                            await asyncio.wait({following})
                    if following.cancelled():
                        break
                    yield following.result()
            if (error := end.result()) is not None:
                raise error
        finally:
            self._ends.discard(end)

    def _next(self, verb: str, resource: Resource) -> Fault:
        self.calls.append((verb, resource.plural))
        if self._faults[verb]:
            return self._faults[verb].pop(0)
        return self._always(verb) if self._always is not None else Fault()


async def _carry(fault: Fault, call: Callable[[], Awaitable[Any]]) -> Any:
    if fault.before:
        await asyncio.sleep(fault.before)
    if fault.error is not None and not fault.lost:
        raise fault.error
    result = await call()
    if fault.after:
        await asyncio.sleep(fault.after)
    if fault.error is not None:
        raise fault.error
    return result
