"""A command's streams on one WebSocket: Kubernetes' remote command protocols.

The first byte of a message names its channel: 0 stdin, 1 stdout, 2 stderr, 3 the final Status, 4 the terminal's size.
v5 adds 255, by which a side closes a channel: the end of stdin, which v4 could not tell. In the base64 form, for
browsers, messages are text: the channel as a digit, then the payload in base64.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import msgspec

from argosy.apiserver import encoding
from argosy.apiserver.http.frames import CloseCode, Message, Opcode
from argosy.apiserver.http.websockets import WebSocket
from argosy.apiserver.specials.streams import ExecRequest, TerminalSize
from argosy.base.types import Object

V5: Final = "v5.channel.k8s.io"
V4: Final = "v4.channel.k8s.io"
V4_BASE64: Final = "v4.base64.channel.k8s.io"
# The one we like best first.
PROTOCOLS: Final = (V5, V4, V4_BASE64)
# Messages of stdin that wait for the command; a client sends up to 32 KiB in each.
_STDIN_MESSAGES: Final = 16
# Of unread sizes no more than this is kept; one is 30 bytes long.
_LONGEST_SIZE: Final = 4096


class Channel(IntEnum):
    STDIN = 0
    STDOUT = 1
    STDERR = 2
    ERROR = 3
    RESIZE = 4
    CLOSE = 255


class _Size(msgspec.Struct):
    """As clients send it."""

    Width: int = 0
    Height: int = 0


class Sizes:
    """The sizes of a terminal, as clients tell them: JSON objects, one after the other."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[TerminalSize] = asyncio.Queue()
        self._unread = b""

    @property
    def is_empty(self) -> bool:
        return self._queue.empty()

    def take(self, data: bytes) -> None:
        """What came; sizes that are none are passed over."""
        *whole, self._unread = (self._unread + data)[-_LONGEST_SIZE:].split(b"}")
        for text in whole:
            try:
                size = msgspec.json.decode(text + b"}", type=_Size)
            except msgspec.DecodeError:
                continue
            if 0 < size.Width < 1 << 16 and 0 < size.Height < 1 << 16:
                self._queue.put_nowait(TerminalSize(size.Width, size.Height))

    async def next(self) -> TerminalSize:
        return await self._queue.get()


@dataclass(slots=True, frozen=True)
class _Payload:
    channel: int
    data: bytes


class Channels:
    """The `Carrier` of one exec or attach."""

    def __init__(self, socket: WebSocket, request: ExecRequest, protocol: str) -> None:
        self._socket = socket
        self._wanted = request
        self._closes = protocol == V5
        self._base64 = protocol == V4_BASE64
        # b"" is the end of the input.
        self._stdin: asyncio.Queue[bytes] = asyncio.Queue(_STDIN_MESSAGES)
        self._stdin_over = not request.stdin
        self._takes_stdin = request.stdin
        self._sizes = Sizes()

    async def open(self) -> None:
        """Tell the client that it is connected: an empty message on the first channel it can read."""
        if self._wanted.stdout:
            await self._send(Channel.STDOUT, b"")
        elif self._wanted.stderr:
            await self._send(Channel.STDERR, b"")
        else:
            await self._send(Channel.ERROR, b"")

    async def pump(self) -> None:
        """Hand on what the client sends until it closes. A full stdin makes it wait, and the client with it."""
        while (message := await self._socket.receive()) is not None:
            payload = self._payload(message)
            if payload is None:
                continue
            match payload.channel:
                case Channel.STDIN if self._takes_stdin and payload.data:
                    await self._stdin.put(payload.data)
                case Channel.RESIZE if self._wanted.tty:
                    self._sizes.take(payload.data)
                case Channel.CLOSE if self._closes and payload.data == b"\0" and self._takes_stdin:
                    self._takes_stdin = False
                    await self._stdin.put(b"")

    async def tell(self, status: Object) -> None:
        await self._send(Channel.ERROR, encoding.to_json(status))

    async def close(self) -> None:
        await self._socket.close()

    def hang_up(self) -> None:
        self._socket.hang_up(CloseCode.GOING_AWAY)

    # Streams

    async def read_stdin(self) -> bytes:
        if self._stdin_over:
            return b""
        data = await self._stdin.get()
        self._stdin_over = not data
        return data

    async def write_stdout(self, data: bytes) -> None:
        if self._wanted.stdout and data:
            await self._send(Channel.STDOUT, data)

    async def write_stderr(self, data: bytes) -> None:
        if self._wanted.stderr and data:
            await self._send(Channel.STDERR, data)

    async def next_size(self) -> TerminalSize:
        return await self._sizes.next()

    # messages

    async def _send(self, channel: Channel, data: bytes) -> None:
        if self._base64:
            text = str(int(channel)).encode() + base64.b64encode(data)
            await self._socket.send(text, Opcode.TEXT)
        else:
            await self._socket.send(bytes((channel,)) + data)

    def _payload(self, message: Message) -> _Payload | None:
        """What a message says; None for one that says nothing we understand, which is passed over as upstream does."""
        if not message.payload:
            return None
        head, data = message.payload[0], message.payload[1:]
        if not self._base64:
            return _Payload(head, data)
        try:
            return _Payload(head - ord("0"), base64.b64decode(data, validate=True))
        except binascii.Error:
            return None
