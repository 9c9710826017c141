"""The streams of one SPDY connection, from the server's side: the client opens them, both sides write and end them.

A stream that nobody reads holds up the whole connection after 256 KiB: without flow control there is no other way to be
slow, and buffering without end is none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from argosy.apiserver.http.messages import Duplex
from argosy.apiserver.http.spdy.frames import (
    MAX_FRAME_BYTES,
    Data,
    Decoder,
    Encoder,
    Opened,
    Ping,
    Reset,
    ResetStatus,
    SpdyError,
)
from argosy.apiserver.http.spdy.headers import HeaderError

MAX_STREAMS: Final = 1024
MAX_UNREAD_BYTES: Final = 256 * 1024


class Refused(Exception):
    """A stream that is not wanted: it is reset."""


class Stream:
    """One stream that the client opened. `headers` have lower-case names."""

    def __init__(self, session: Session, number: int, headers: dict[str, str]) -> None:
        self.headers = headers
        self.number = number
        self._session = session
        self._unread = bytearray()
        self._changed = asyncio.Event()
        # No more comes from there, no more goes from here.
        self._peer_ended = False
        self._ended = False
        self._is_deaf = False

    async def read(self) -> bytes:
        """Some bytes; b"" when the client has ended or reset the stream, or is gone."""
        while not self._unread and not self._peer_ended:
            await self._next_change()
        data = bytes(self._unread)
        self._unread.clear()
        self._changed.set()
        return data

    def stop_reading(self) -> None:
        """Throw away what still comes, so that it holds up nobody else."""
        self._is_deaf = True
        self._unread.clear()
        self._changed.set()

    async def write(self, data: bytes) -> None:
        """Raises ConnectionError when nobody takes it any more."""
        if self._ended:
            raise ConnectionResetError("the stream has been ended")
        for start in range(0, len(data), MAX_FRAME_BYTES):
            await self._session.send(
                Encoder.data(self.number, data[start : start + MAX_FRAME_BYTES])
            )

    async def end(self) -> None:
        """Say that no more is coming from here."""
        if not self._ended:
            self._ended = True
            self._session.forget(self)
            await self._session.send(Encoder.data(self.number, b"", fin=True))

    async def reset(self) -> None:
        """Give up both directions."""
        if not (self._ended and self._peer_ended):
            self.cut()
            await self._session.send(Encoder.reset(self.number, ResetStatus.CANCEL))

    # the session's side

    @property
    def is_over(self) -> bool:
        return self._ended and self._peer_ended

    async def take(self, data: bytes, *, fin: bool) -> None:
        """Keep what came; waits while too much is unread."""
        if not self._peer_ended:
            if not self._is_deaf:
                self._unread += data
            self._peer_ended = fin
            self._changed.set()
            while len(self._unread) > MAX_UNREAD_BYTES and not self.is_over:
                await self._next_change()
        self._session.forget(self)

    def cut(self) -> None:
        """Over in both directions, without a word."""
        self._ended = self._peer_ended = True
        self._changed.set()
        self._session.forget(self)

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()


class Session:
    """One connection. `accept` is told of every stream before the client is answered, and may raise `Refused`."""

    def __init__(self, duplex: Duplex, accept: Callable[[Stream], None]) -> None:
        self._duplex = duplex
        self._accept = accept
        self._decoder = Decoder()
        self._encoder = Encoder()
        self._streams: dict[int, Stream] = {}

    async def run(self) -> None:
        """Serve the streams until the client is gone or breaks the protocol; then all of them are over."""
        try:
            while data := await self._duplex.read():
                for frame in self._decoder.feed(data):
                    match frame:
                        case Opened():
                            await self._open(frame)
                        case Data() if frame.stream in self._streams:
                            await self._streams[frame.stream].take(frame.payload, fin=frame.fin)
                        case Reset() if frame.stream in self._streams:
                            self._streams[frame.stream].cut()
                        # Even numbers are answers to pings of ours, of which there are none.
                        case Ping() if frame.number % 2:
                            await self.send(Encoder.ping(frame.number))
        except (SpdyError, HeaderError) as error:
            raise ConnectionAbortedError(str(error)) from error
        finally:
            for stream in list(self._streams.values()):
                stream.cut()

    async def send(self, frame: bytes) -> None:
        self._duplex.write(frame)
        await self._duplex.drain()

    def forget(self, stream: Stream) -> None:
        if stream.is_over:
            self._streams.pop(stream.number, None)

    async def _open(self, frame: Opened) -> None:
        # A client's streams have odd numbers; one that is open cannot be opened.
        if frame.stream % 2 == 0 or frame.stream in self._streams:
            await self.send(Encoder.reset(frame.stream, ResetStatus.PROTOCOL_ERROR))
            return
        stream = Stream(self, frame.stream, frame.headers)
        try:
            if len(self._streams) >= MAX_STREAMS:
                raise Refused(f"more than {MAX_STREAMS} streams are open")
            self._accept(stream)
        except Refused:
            stream.cut()
            await self.send(Encoder.reset(frame.stream, ResetStatus.REFUSED_STREAM))
            return
        self._streams[frame.stream] = stream
        if frame.fin:
            await stream.take(b"", fin=True)
        await self.send(self._encoder.reply(frame.stream))
