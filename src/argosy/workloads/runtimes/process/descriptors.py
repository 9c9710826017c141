"""Pipes and terminals in an event loop: read what comes, write as the other side takes it.

asyncio's own transports close what they hold in ways that terminals do not like; these few lines only wait until a
descriptor is ready. All descriptors have to be non-blocking.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
from collections.abc import Callable
from typing import Final

CHUNK_BYTES: Final = 64 * 1024


async def read_some(descriptor: int) -> bytes:
    """Some bytes; b"" at the end, of a terminal too."""
    while True:
        try:
            return os.read(descriptor, CHUNK_BYTES)
        except BlockingIOError:
            loop = asyncio.get_running_loop()
            await _ready(descriptor, loop.add_reader, loop.remove_reader)
        except OSError as error:
            if error.errno == errno.EIO:
                return b""
            raise


async def write_all(descriptor: int, data: bytes) -> None:
    """Write everything. BrokenPipeError when nobody reads any more."""
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except BlockingIOError:
            loop = asyncio.get_running_loop()
            await _ready(descriptor, loop.add_writer, loop.remove_writer)


async def _ready(
    descriptor: int, add: Callable[..., object], remove: Callable[[int], object]
) -> None:
    ready = asyncio.Event()
    add(descriptor, ready.set)
    try:
        await ready.wait()
    finally:
        remove(descriptor)


def close_all(*descriptors: int) -> None:
    for one in descriptors:
        with contextlib.suppress(OSError):
            os.close(one)
