"""SPDY frames: bytes to what they say, and back, without any socket.

    data       0 | stream (31)             flags (8) | length (24) | payload
    control    1 | version (15) | type (16)   flags (8) | length (24) | payload

Frames that say nothing to a server without flow control (SETTINGS, WINDOW_UPDATE, ...) are passed over; their header
blocks are inflated nevertheless, because later blocks build on them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from argosy.apiserver.http.spdy.headers import Deflater, Inflater

_HEAD: Final = struct.Struct(">II")
_CONTROL: Final = 1 << 31
_VERSION: Final = 3
_FIN: Final = 0x01
_ID: Final = 0x7FFF_FFFF
# Clients send 32 KiB at a time.
MAX_FRAME_BYTES: Final = 1024 * 1024


class Type(IntEnum):
    SYN_STREAM = 1
    SYN_REPLY = 2
    RST_STREAM = 3
    PING = 6
    GOAWAY = 7
    HEADERS = 8


# Where the header block of a frame begins.
_BLOCKS: Final = {Type.SYN_STREAM: 10, Type.SYN_REPLY: 4, Type.HEADERS: 4}


class ResetStatus(IntEnum):
    PROTOCOL_ERROR = 1
    REFUSED_STREAM = 3
    CANCEL = 5
    INTERNAL_ERROR = 6


class SpdyError(Exception):
    """The peer broke the protocol; the connection cannot go on."""


@dataclass(slots=True, frozen=True)
class Opened:
    """The peer opens a stream; with `fin` it sends nothing on it."""

    stream: int
    headers: dict[str, str]
    fin: bool


@dataclass(slots=True, frozen=True)
class Data:
    stream: int
    payload: bytes
    fin: bool


@dataclass(slots=True, frozen=True)
class Reset:
    stream: int


@dataclass(slots=True, frozen=True)
class Ping:
    number: int


@dataclass(slots=True, frozen=True)
class GoAway:
    """The peer opens no more streams."""


Frame = Opened | Data | Reset | Ping | GoAway


class Decoder:
    """The reading side of one connection. Raises SpdyError and HeaderError; then nothing more may be fed."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._inflater = Inflater()

    def feed(self, data: bytes) -> Iterator[Frame]:
        self._buffer += data
        taken = 0
        try:
            while len(self._buffer) >= taken + _HEAD.size:
                first, second = _HEAD.unpack_from(self._buffer, taken)
                size = second & 0xFF_FFFF
                if size > MAX_FRAME_BYTES:
                    raise SpdyError(f"a frame has {size} bytes, more than {MAX_FRAME_BYTES}")
                start = taken + _HEAD.size
                if len(self._buffer) < start + size:
                    return
                taken = start + size
                frame = self._frame(first, second >> 24, bytes(self._buffer[start:taken]))
                if frame is not None:
                    yield frame
        finally:
            del self._buffer[:taken]

    def _frame(self, first: int, flags: int, payload: bytes) -> Frame | None:
        if not first & _CONTROL:
            return Data(first, payload, bool(flags & _FIN))
        version, kind = (first & _ID) >> 16, first & 0xFFFF
        if version != _VERSION:
            raise SpdyError(f"SPDY version {version} is not spoken here, only {_VERSION}")
        block = _BLOCKS.get(Type(kind)) if kind in _TYPES else None
        if block is not None:
            headers = self._inflater.read(payload[block:])
            if kind == Type.SYN_STREAM:
                return Opened(_number(payload) & _ID, headers, bool(flags & _FIN))
            return None
        match kind:
            case Type.RST_STREAM:
                return Reset(_number(payload) & _ID)
            case Type.PING:
                return Ping(_number(payload))
            case Type.GOAWAY:
                return GoAway()
        return None


_TYPES: Final = frozenset(Type)


class Encoder:
    """The writing side of one connection."""

    def __init__(self) -> None:
        self._deflater = Deflater()

    def reply(self, stream: int) -> bytes:
        """Take a stream that the peer opened."""
        return _control(Type.SYN_REPLY, struct.pack(">I", stream) + self._deflater.write({}))

    @staticmethod
    def data(stream: int, payload: bytes, *, fin: bool = False) -> bytes:
        return _HEAD.pack(stream, (_FIN if fin else 0) << 24 | len(payload)) + payload

    @staticmethod
    def reset(stream: int, status: ResetStatus) -> bytes:
        return _control(Type.RST_STREAM, struct.pack(">II", stream, status))

    @staticmethod
    def ping(number: int) -> bytes:
        return _control(Type.PING, struct.pack(">I", number))


def _control(kind: Type, payload: bytes) -> bytes:
    return _HEAD.pack(_CONTROL | _VERSION << 16 | kind, len(payload)) + payload


def _number(payload: bytes) -> int:
    if len(payload) < 4:
        raise SpdyError("a control frame is too short")
    return int.from_bytes(payload[:4], "big")
