"""One selection of objects, listed once and watched from there on, for as long as its server answers.

What is wrong is raised: whoever follows a cluster has to know that it does not answer. A watch over HTTP hides that, as
it resumes by itself; so a cluster that is not of this process is asked for something small from time to time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Final, NamedTuple

import msgspec

from argosy.base.clock import Clock
from argosy.base.errors import Expired, ServiceUnavailable, StatusError, Timeout
from argosy.client.local import LocalClient
from argosy.client.objects import Key, Raw, WatchEvent
from argosy.client.protocol import Client
from argosy.client.resources import EVENTS, Resource
from argosy.control.informers import EVERYTHING, Selection
from argosy.sdk.connections import plain
from argosy.sdk.errors import FleetError, Unreachable

# Everything that may come between a screen and a cluster.
TROUBLES: Final = (
    StatusError,
    FleetError,
    OSError,
    TimeoutError,
    msgspec.MsgspecError,
)
# Objects taken before others get a turn: a few milliseconds.
_BATCH: Final = 50
_PAGE: Final = 500
_WARNINGS: Final = Selection(field_selector="type=Warning")
_OLD_WARNINGS: Final = 200
_ASK_SECONDS: Final = 10.0
_PATIENCE_SECONDS: Final = 5.0


class Reader(NamedTuple):
    """Whom objects are told to, one by one. `retain` is told first which there are at all: whatever else was told has
    gone.
    """

    retain: Callable[[set[Key]], None]
    put: Callable[[Raw], None]
    remove: Callable[[Raw], None]


async def follow(
    client: Client,
    resource: Resource,
    reader: Reader,
    *,
    listed: Callable[[], None] = lambda: None,
    chosen: Selection = EVERYTHING,
    most: int = 0,
) -> None:
    """Without end; `listed` is called when all have been told once. With `most`, of what is there already no more than
    so many are read.
    """
    while True:
        try:
            revision, found = await _listed(client, resource, chosen, most)
            await _tell(found, reader)
            listed()
            events = client.watch(
                resource,
                namespace=chosen.namespace,
                label_selector=chosen.label_selector,
                field_selector=chosen.field_selector,
                since=revision,
            )
            async with aclosing(events):
                await _watch(events, reader)
        except Expired:
            continue


async def _listed(
    client: Client, resource: Resource, chosen: Selection, most: int
) -> tuple[str, list[Raw]]:
    """The revision, and what there is; in pages, between which others get a turn."""
    found: list[Raw] = []
    rest = ""
    while True:
        page = await client.list(
            resource,
            namespace=chosen.namespace,
            label_selector=chosen.label_selector,
            field_selector=chosen.field_selector,
            limit=most or _PAGE,
            continue_=rest,
        )
        found += map(_own, page.items)
        rest = page.continue_
        if most or not rest:
            return page.revision, found
        await asyncio.sleep(0)


async def _tell(found: list[Raw], reader: Reader) -> None:
    reader.retain({raw.key for raw in found})
    for number, raw in enumerate(found, 1):
        reader.put(raw)
        if not number % _BATCH:
            await asyncio.sleep(0)


async def _watch(events: AsyncGenerator[WatchEvent, None], reader: Reader) -> None:
    number = 0
    async for event in events:
        if event.type == "DELETED":
            reader.remove(_own(event.object))
        elif event.type != "BOOKMARK":
            reader.put(_own(event.object))
        number += 1
        if not number % _BATCH:
            await asyncio.sleep(0)


async def follow_warnings(client: Client, tell: Callable[[Raw], None]) -> None:
    """Of a cluster's Warnings of before, only some."""
    reader = Reader(lambda _: None, tell, lambda _: None)
    await follow(client, EVENTS, reader, chosen=_WARNINGS, most=_OLD_WARNINGS)


async def ask_now_and_then(client: Client, resource: Resource, clock: Clock) -> None:
    """Raises when it does not answer, or not in time. One of this process always does."""
    while True:
        await clock.sleep(_ASK_SECONDS)
        if isinstance(client, LocalClient):
            continue
        await within_patience(client, resource)


async def within_patience(client: Client, resource: Resource) -> None:
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await client.list(resource, limit=1)
    except TimeoutError:
        raise Timeout(f"no answer within {_PATIENCE_SECONDS:g} s") from None
    except StatusError as error:
        # Whoever refuses, answers.
        if isinstance(error, ServiceUnavailable | Timeout):
            raise


def reason(error: BaseException) -> str:
    """In a few words, for people."""
    if isinstance(error, BaseExceptionGroup):
        return reason(error.exceptions[0])
    if isinstance(error, Unreachable):
        return error.why
    said = plain(error.message) if isinstance(error, StatusError) else str(error)
    return said or type(error).__name__


def _own(raw: Raw) -> Raw:
    """Not a piece of an answer, which it would keep from being forgotten."""
    if isinstance(raw.body, bytes):
        return raw
    body = bytes(raw.body)
    return Raw(raw.resource, body, raw.namespace, raw.name, raw.revision, raw.bare)
