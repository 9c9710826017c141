"""What commands about a fleet share: how long they try, writes that others may be faster with, and kinds that are not
installed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from argosy.base.durations import parse_duration
from argosy.base.errors import Conflict, NotFound
from argosy.cli.connecting import CommandError

T = TypeVar("T")

# Between two tries of a write that came second.
_PAUSE_SECONDS: Final = 0.1


def seconds_of(timeout: str) -> float:
    try:
        seconds = parse_duration(timeout)
    except ValueError:
        seconds = 0
    if seconds <= 0:
        raise CommandError(
            f'--timeout "{timeout}" is no time to wait: give a duration such as 90s, 5m or 1h'
        )
    return seconds


async def within(timeout: str, work: Callable[[], Awaitable[T]], late: str) -> T:
    """The result of `work`; what to say if it takes too long."""
    try:
        async with asyncio.timeout(seconds_of(timeout)):
            return await work()
    except TimeoutError:
        raise CommandError(late) from None


async def insisting(write: Callable[[], Awaitable[T]]) -> T:
    """Look and write again while others write first."""
    while True:
        try:
            return await write()
        except Conflict:
            await asyncio.sleep(_PAUSE_SECONDS)


def absent(error: NotFound, group: str, what: str, hint: str) -> CommandError:
    """The object is not there, or its whole kind."""
    if error.details is None or not error.details.name:
        return CommandError(
            f'the server has no {what} in the group "{group}": KubeFleet\'s kinds are not installed there'
        )
    return CommandError(f'there is no {what} "{error.details.name}": {hint}')
