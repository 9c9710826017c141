"""WebSocket frames (RFC 6455): bytes to messages and back, without any socket.

A `Decoder` takes bytes as they come and gives whole messages: fragments are joined, masks taken off. It holds the peer
to the rules a server must hold a client to, and says with which code a connection ends that breaks one:

    1002  bad framing: no mask, reserved bits, unknown opcode, control frames that are long or fragmented
    1007  text that is no UTF-8
    1009  a message over the limit; its length is refused before its bytes are taken in

Extensions are not spoken, so reserved bits are always zero. Servers do not mask.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

# The longest payload of a control frame, and of a frame without an extended length.
MAX_CONTROL_BYTES: Final = 125
_FINAL: Final = 0x80
_RESERVED: Final = 0x70
_MASKED: Final = 0x80


class Opcode(IntEnum):
    """What a frame is."""

    CONTINUATION = 0
    TEXT = 1
    BINARY = 2
    CLOSE = 8
    PING = 9
    PONG = 10


class CloseCode(IntEnum):
    """Why a connection ends."""

    NORMAL = 1000
    GOING_AWAY = 1001
    PROTOCOL_ERROR = 1002
    INVALID_TEXT = 1007
    TOO_BIG = 1009
    INTERNAL_ERROR = 1011


class FrameError(Exception):
    """The peer broke a rule; `code` is the close code that tells it."""

    def __init__(self, code: CloseCode, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(slots=True, frozen=True)
class Message:
    """A whole message: TEXT, BINARY, CLOSE, PING or PONG."""

    opcode: Opcode
    payload: bytes


class Decoder:
    """The reading side of one connection. After an error nothing more may be fed."""

    def __init__(self, max_message_bytes: int) -> None:
        self._limit = max_message_bytes
        self._buffer = bytearray()
        self._fragments: list[bytes] = []
        self._fragments_bytes = 0
        # What the fragments are parts of; None between messages.
        self._opcode: Opcode | None = None

    def feed(self, data: bytes) -> Iterator[Message]:
        """The messages that these bytes complete. Linear in the bytes, as long as the iterator is exhausted."""
        self._buffer += data
        taken = 0
        try:
            while True:
                frame = self._frame(taken)
                if frame is None:
                    return
                first, payload, taken = frame
                message = self._message(bool(first & _FINAL), Opcode(first & 0x0F), payload)
                if message is not None:
                    yield message
        finally:
            del self._buffer[:taken]

    def _frame(self, start: int) -> tuple[int, bytes, int] | None:
        """First byte, payload and end of the frame at `start`; None while it is not all there."""
        buffer, at = self._buffer, start + 2
        if len(buffer) < at:
            return None
        first, second = buffer[start], buffer[start + 1]
        self._check_head(first, second)
        size = second & 0x7F
        if size > MAX_CONTROL_BYTES:
            wide = 2 if size == MAX_CONTROL_BYTES + 1 else 8
            if len(buffer) < at + wide:
                return None
            size = int.from_bytes(buffer[at : at + wide], "big")
            at += wide
        if not first & 0x08 and size + self._fragments_bytes > self._limit:
            raise FrameError(CloseCode.TOO_BIG, f"messages may have {self._limit} bytes")
        end = at + 4 + size
        if len(buffer) < end:
            return None
        return first, unmasked(bytes(buffer[at + 4 : end]), bytes(buffer[at : at + 4])), end

    def _check_head(self, first: int, second: int) -> None:
        """What the first two bytes must fulfil whatever follows."""
        opcode = first & 0x0F
        problem = ""
        if first & _RESERVED:
            problem = "reserved bits are set"
        elif opcode not in _OPCODES:
            problem = f"opcode {opcode} is unknown"
        elif not second & _MASKED:
            problem = "a client's frame has no mask"
        elif opcode >= Opcode.CLOSE:
            if not first & _FINAL:
                problem = "a control frame is fragmented"
            elif second & 0x7F > MAX_CONTROL_BYTES:
                problem = f"a control frame has more than {MAX_CONTROL_BYTES} bytes"
        elif (opcode == Opcode.CONTINUATION) is (self._opcode is None):
            problem = "a message is continued that was not begun, or begun within another"
        if problem:
            raise FrameError(CloseCode.PROTOCOL_ERROR, problem)

    def _message(self, final: bool, opcode: Opcode, payload: bytes) -> Message | None:
        """The message this frame completes, if it does. Control frames may come between fragments."""
        if opcode >= Opcode.CLOSE:
            return Message(opcode, payload)
        whole = opcode if self._opcode is None else self._opcode
        if not final:
            self._opcode = whole
            self._fragments.append(payload)
            self._fragments_bytes += len(payload)
            return None
        if self._fragments:
            payload = b"".join((*self._fragments, payload))
            self._fragments, self._fragments_bytes = [], 0
        self._opcode = None
        if whole is Opcode.TEXT:
            _check_text(payload)
        return Message(whole, payload)


_OPCODES: Final = frozenset(Opcode)


def encode(opcode: Opcode, payload: bytes) -> bytes:
    """One whole frame of a server."""
    size = len(payload)
    if size <= MAX_CONTROL_BYTES:
        head = bytes((_FINAL | opcode, size))
    elif size < 1 << 16:
        head = bytes((_FINAL | opcode, 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((_FINAL | opcode, 127)) + size.to_bytes(8, "big")
    return head + payload


def encode_close(code: CloseCode, text: str = "") -> bytes:
    """A close frame; the text is cut to what fits."""
    said = text.encode()[: MAX_CONTROL_BYTES - 2].decode("utf-8", "ignore").encode()
    return encode(Opcode.CLOSE, code.to_bytes(2, "big") + said)


def close_code(payload: bytes) -> int:
    """The code of a received close frame; 1005 where it names none. Codes that nobody may send are refused."""
    if not payload:
        return 1005
    code = int.from_bytes(payload[:2], "big")
    valid = 1000 <= code <= 1014 and code not in {1004, 1005, 1006}
    if len(payload) == 1 or not (valid or 3000 <= code <= 4999):
        raise FrameError(CloseCode.PROTOCOL_ERROR, f"close code {code} may not be sent")
    _check_text(payload[2:])
    return code


def unmasked(payload: bytes, mask: bytes) -> bytes:
    """The payload under a mask, or the mask put on it: one operation on a big number, not one per byte."""
    size = len(payload)
    repeated = (mask * (size // 4 + 1))[:size]
    mixed = int.from_bytes(payload, "little") ^ int.from_bytes(repeated, "little")
    return mixed.to_bytes(size, "little")


def _check_text(payload: bytes) -> None:
    try:
        payload.decode()
    except UnicodeDecodeError:
        raise FrameError(CloseCode.INVALID_TEXT, "text is not UTF-8") from None
