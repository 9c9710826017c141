"""Two ends of one connection in memory; WebSockets and SPDY seen from the client."""

from __future__ import annotations

import asyncio
import base64
import os
import struct

from argosy.apiserver.http.frames import Message, Opcode, encode, unmasked
from argosy.apiserver.http.spdy.frames import Decoder, Encoder, Frame
from argosy.apiserver.http.spdy.headers import Deflater


class Wire:
    """The server's `Duplex`; the test holds the other end: `say`, `heard`, `hang_up`."""

    def __init__(self) -> None:
        self._to_server: asyncio.Queue[bytes] = asyncio.Queue()
        self._arrived = asyncio.Event()
        self._gone = False
        self.heard = b""
        # Cleared by a test that plays a slow client.
        self.taking = asyncio.Event()
        self.taking.set()

    # the server's side

    async def read(self) -> bytes:
        if self._gone and self._to_server.empty():
            return b""
        return await self._to_server.get()

    def write(self, data: bytes) -> None:
        if self._gone:
            raise ConnectionResetError("the client is gone")
        self.heard += data
        self._arrived.set()

    async def drain(self) -> None:
        await self.taking.wait()

    # the test's side

    @property
    def unread(self) -> int:
        """How often something was said that the server has not read."""
        return self._to_server.qsize()

    def say(self, data: bytes) -> None:
        self._to_server.put_nowait(data)

    def hang_up(self) -> None:
        self._gone = True
        self._to_server.put_nowait(b"")

    async def hear(self, size: int) -> bytes:
        """The next bytes that the server wrote."""
        while len(self.heard) < size:
            self._arrived.clear()
            await self._arrived.wait()
        data, self.heard = self.heard[:size], self.heard[size:]
        return data


class Caller:
    """A WebSocket's client on a wire."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def send(self, payload: bytes, opcode: Opcode = Opcode.BINARY) -> None:
        self._wire.say(client_frame(opcode, payload))

    async def receive(self) -> Message:
        """The server's next message, whatever it is."""
        first, size = await self._wire.hear(2)
        if size > 125:
            size = int.from_bytes(await self._wire.hear(2 if size == 126 else 8), "big")
        return Message(Opcode(first & 0x0F), await self._wire.hear(size))

    async def until_close(self) -> list[Message]:
        """Everything up to and with the server's close, which is answered."""
        got = [await self.receive()]
        while got[-1].opcode is not Opcode.CLOSE:
            got.append(await self.receive())
        self.send(got[-1].payload, Opcode.CLOSE)
        return got


class SpdyPeer:
    """The client: opens streams and reads what the server said."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self._deflater = Deflater()
        self._decoder = Decoder()

    def open(self, number: int, *, fin: bool = False, **headers: str) -> None:
        payload = struct.pack(">IIH", number, 0, 0) + self._deflater.write(headers)
        self.wire.say(struct.pack(">II", 0x8003_0001, fin << 24 | len(payload)) + payload)

    def send(self, number: int, data: bytes, *, fin: bool = False) -> None:
        self.wire.say(Encoder.data(number, data, fin=fin))

    def reset(self, number: int) -> None:
        self.wire.say(struct.pack(">IIII", 0x8003_0003, 8, number, 5))

    async def said(self) -> list[Frame]:
        """What the server said since the last time."""
        await asyncio.sleep(0.001)
        heard, self.wire.heard = self.wire.heard, b""
        return list(self._decoder.feed(heard))


def client_frame(opcode: Opcode, payload: bytes) -> bytes:
    frame = encode(opcode, payload)
    size, mask = {126: 4, 127: 10}.get(frame[1], 2), b"\x0a\x0b\x0c\x0d"
    return bytes((frame[0], frame[1] | 0x80)) + frame[2:size] + mask + unmasked(frame[size:], mask)


def handshake(*protocols: str) -> dict[str, str]:
    """The headers of a request for a WebSocket."""
    return {
        "connection": "Upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": base64.b64encode(os.urandom(16)).decode(),
        "sec-websocket-protocol": ", ".join(protocols),
    }
