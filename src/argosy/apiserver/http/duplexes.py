"""The two ways of a connection that is no longer HTTP: bytes in, bytes out, as an upgrade's handler sees them.

Reading is bounded: while more than `HIGH_WATER_BYTES` wait to be read, the socket is not read, so a peer is never
ahead of who listens to it by more than that and what the kernel holds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

HIGH_WATER_BYTES: Final = 256 * 1024


class Pipe:
    """The `Duplex` of one connection; the connection feeds it."""

    def __init__(self, transport: asyncio.Transport, drain: Callable[[], Awaitable[None]]) -> None:
        self._transport: asyncio.Transport | None = transport
        self._drain = drain
        self._buffer = bytearray()
        self._arrived = asyncio.Event()
        self._paused = False

    # the connection's side

    def feed(self, data: bytes) -> None:
        self._buffer += data
        self._arrived.set()
        if len(self._buffer) > HIGH_WATER_BYTES and not self._paused and self._transport:
            self._paused = True
            self._transport.pause_reading()

    def lose(self) -> None:
        """The peer is gone; what it sent may still be read."""
        self._transport = None
        self._arrived.set()

    # the handler's side

    async def read(self) -> bytes:
        while not self._buffer:
            if self._transport is None:
                return b""
            self._arrived.clear()
            await self._arrived.wait()
        data = bytes(self._buffer)
        self._buffer.clear()
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return data

    def write(self, data: bytes) -> None:
        if self._transport is None:
            raise ConnectionResetError("the client is gone")
        self._transport.write(data)

    async def drain(self) -> None:
        await self._drain()
