"""The client's ends of forwarded connections: a pair of SPDY streams, or a pair of channels of a WebSocket.

One of a pair is for the bytes, the other for what went wrong. SPDY streams come in any order; their headers say to
which port (`port`), request (`requestid`) and half (`streamtype`) they belong. Channels are numbered: 2i for the bytes
of the i-th port, 2i+1 for its errors, and each begins with the port's number.
"""

from __future__ import annotations

import asyncio
from typing import Final, Protocol

from argosy.apiserver.http.spdy import Stream
from argosy.apiserver.http.spdy.sessions import Refused
from argosy.apiserver.http.websockets import WebSocket

PORTS: Final = range(1, 1 << 16)
# Messages of one port that wait for the pod.
_WAITING: Final = 16


class Local(Protocol):
    """The client's end of one forwarded connection."""

    async def read(self) -> bytes:
        """Some bytes; b"" when no more come."""

    async def write(self, data: bytes) -> None: ...

    async def fail(self, text: str) -> None:
        """Tell what went wrong."""

    async def end(self) -> None:
        """The connection is over."""


class StreamPair:
    """Two SPDY streams of one request."""

    def __init__(self, data: Stream, error: Stream) -> None:
        self._data = data
        self._error = error

    async def read(self) -> bytes:
        return await self._data.read()

    async def write(self, data: bytes) -> None:
        await self._data.write(data)

    async def fail(self, text: str) -> None:
        await self._error.write(text.encode())

    async def end(self) -> None:
        for stream in (self._data, self._error):
            stream.stop_reading()
            await stream.end()


class ChannelPair:
    """Two channels of a WebSocket: `channel` for data, the next one for errors."""

    def __init__(self, socket: WebSocket, channel: int) -> None:
        self._socket = socket
        self._data, self._error = bytes((channel,)), bytes((channel + 1,))
        self._waiting: asyncio.Queue[bytes] = asyncio.Queue(_WAITING)
        self._is_over = False

    async def begin(self, port: int) -> None:
        for channel in (self._data, self._error):
            await self._socket.send(channel + port.to_bytes(2, "little"))

    async def take(self, data: bytes) -> None:
        if data and not self._is_over:
            await self._waiting.put(data)

    async def read(self) -> bytes:
        return await self._waiting.get()

    async def write(self, data: bytes) -> None:
        await self._socket.send(self._data + data)

    async def fail(self, text: str) -> None:
        await self._socket.send(self._error + text.encode())

    async def end(self) -> None:
        self._is_over = True
        while not self._waiting.empty():
            self._waiting.get_nowait()


def pair_of(stream: Stream) -> tuple[int, str, str]:
    """Port, kind (data or error) and request of a stream."""
    port, kind = stream.headers.get("port", ""), stream.headers.get("streamtype", "")
    if not port.isdecimal() or int(port) not in PORTS:
        raise Refused(f"unable to parse {port!r} as a port")
    if kind not in {"data", "error"}:
        raise Refused(f"invalid stream type {kind!r}")
    return int(port), kind, stream.headers.get("requestid", "")
