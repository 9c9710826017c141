"""WebSockets on an upgraded connection: the handshake, messages both ways, pings, the close.

A `WebSocket` hides frames and control messages: `receive` gives data messages until the peer closes or breaks the
protocol, `send` waits while the peer is slow. Pings are answered; a peer that says nothing is pinged, so that one that
vanished without a word is found out by the transport, also while its messages are not being read.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
from collections.abc import Sequence
from typing import Final

from argosy.apiserver.http.frames import (
    CloseCode,
    Decoder,
    FrameError,
    Message,
    Opcode,
    close_code,
    encode,
    encode_close,
)
from argosy.apiserver.http.messages import Duplex, Headers, Request
from argosy.base.errors import BadRequest

# RFC 6455's fixed word in the handshake.
_WORD: Final = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
VERSION: Final = "13"
# Clients send 32 KiB at a time; nobody needs a message over this.
MAX_MESSAGE_BYTES: Final = 1024 * 1024
PING_SECONDS: Final = 30.0
# How long a peer may take to answer a close; meanwhile what it still sends is thrown away.
CLOSE_SECONDS: Final = 2.0


def choose(request: Request, served: Sequence[str]) -> str:
    """The first of our subprotocols that the client offers. Raises in the words of Kubernetes' stream negotiation."""
    offered = [name.strip() for name in request.header(b"sec-websocket-protocol").split(",")]
    found = next((name for name in served if name in offered), None)
    if found is None:
        raise BadRequest(
            "unable to upgrade: unable to negotiate protocol: client supports "
            f"[{' '.join(filter(None, offered))}], server accepts [{' '.join(served)}]"
        )
    return found


def accept(request: Request, subprotocol: str) -> Headers:
    """The headers of a 101 that completes the handshake."""
    version = request.header(b"sec-websocket-version")
    if version != VERSION:
        raise BadRequest(f'WebSocket version "{version}" is not spoken here, only {VERSION}')
    key = request.headers.get(b"sec-websocket-key", b"").strip()
    try:
        fine = len(base64.b64decode(key, validate=True)) == 16
    except binascii.Error:
        fine = False
    if not fine:
        raise BadRequest("the header Sec-WebSocket-Key must hold 16 bytes in base64")
    answer = base64.b64encode(hashlib.sha1(key + _WORD, usedforsecurity=False).digest()).decode()
    return (
        ("Upgrade", "websocket"),
        ("Connection", "Upgrade"),
        ("Sec-WebSocket-Accept", answer),
        ("Sec-WebSocket-Protocol", subprotocol),
    )


class WebSocket:
    """The server's end. One task may receive, any may send: a message is written in one piece."""

    def __init__(self, duplex: Duplex, max_message_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._duplex = duplex
        self._decoder = Decoder(max_message_bytes)
        self._messages: list[Message] = []
        self._is_over = False
        self._said_close = False
        self._pinging = asyncio.get_running_loop().call_later(PING_SECONDS, self._ping)

    async def receive(self) -> Message | None:
        """The next TEXT or BINARY message; None when there are no more. A broken rule ends the connection too."""
        while not self._is_over:
            if self._messages:
                message = self._messages.pop(0)
                if message.opcode in {Opcode.TEXT, Opcode.BINARY}:
                    return message
                self._control(message)
                continue
            data = await self._duplex.read()
            if not data:
                self._is_over = True
                break
            try:
                self._messages.extend(self._decoder.feed(data))
            except FrameError as error:
                self._end(error.code, str(error))
        return None

    async def send(self, payload: bytes, opcode: Opcode = Opcode.BINARY) -> None:
        """Raises ConnectionError when the peer is gone."""
        self.write(payload, opcode)
        await self._duplex.drain()

    # A WebSocket is a `Duplex` too: a tunnel for bytes, whose messages mean nothing.

    async def read(self) -> bytes:
        while (message := await self.receive()) is not None:
            if message.payload:
                return message.payload
        return b""

    def write(self, data: bytes, opcode: Opcode = Opcode.BINARY) -> None:
        if self._said_close:
            raise ConnectionResetError("the WebSocket is closed")
        self._duplex.write(encode(opcode, data))

    async def drain(self) -> None:
        await self._duplex.drain()

    async def close(self, code: CloseCode = CloseCode.NORMAL, text: str = "") -> None:
        """Say that it is over and hear the peer out, so that it reads everything that was sent to it."""
        self._pinging.cancel()
        if self._said_close:
            return
        self.hang_up(code, text)
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                while await self.receive() is not None:
                    pass
        except TimeoutError:
            self._is_over = True

    def _control(self, message: Message) -> None:
        match message.opcode:
            case Opcode.PING:
                if not self._said_close:
                    self._duplex.write(encode(Opcode.PONG, message.payload))
            case Opcode.CLOSE:
                try:
                    close_code(message.payload)
                except FrameError as error:
                    self._end(error.code, str(error))
                else:
                    self._end(CloseCode.NORMAL, "")

    def _end(self, code: CloseCode, text: str) -> None:
        self._is_over = True
        self.hang_up(code, text)

    def hang_up(self, code: CloseCode, text: str = "") -> None:
        """Say that it is over without waiting: for a handler that is being cancelled."""
        self._pinging.cancel()
        if self._said_close:
            return
        self._said_close = True
        try:
            self._duplex.write(encode_close(code, text))
        except ConnectionError:
            # There is nobody left to tell.
            self._is_over = True

    def _ping(self) -> None:
        try:
            self._duplex.write(encode(Opcode.PING, b""))
        except ConnectionError:
            return
        self._pinging = asyncio.get_running_loop().call_later(PING_SECONDS, self._ping)
