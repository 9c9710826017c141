"""The event loop that clusters are served in, and work in it that is ended from outside."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop

    def make() -> asyncio.AbstractEventLoop:
        loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
        loop.set_exception_handler(_told)
        return loop

    return make


def _told(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What went wrong in a callback is logged; but not that somebody hung up while TLS had a last word for him: uvloop
    calls that a fatal error of a protocol whose transport is closed already.
    """
    error = context.get("exception")
    if isinstance(error, RuntimeError) and "the handler is closed" in str(error):
        return
    loop.default_exception_handler(context)


async def until(stopped: asyncio.Event, work: Awaitable[None]) -> None:
    """Have it done until it is not wanted any more, at whatever point it is then; what goes wrong in it is raised, as
    itself where task groups wrapped it up.
    """
    task = asyncio.ensure_future(work)
    stop = asyncio.ensure_future(stopped.wait())
    await asyncio.wait((task, stop), return_when=asyncio.FIRST_COMPLETED)
    stop.cancel()
    task.cancel()
    await asyncio.wait((task,))
    if not task.cancelled() and (error := task.exception()) is not None:
        raise _bare(error)


def _bare(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
