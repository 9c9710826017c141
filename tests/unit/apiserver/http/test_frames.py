"""WebSocket frames: what a client may send, in any pieces, and what each broken rule is told."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.apiserver.http.frames import (
    CloseCode,
    Decoder,
    FrameError,
    Message,
    Opcode,
    close_code,
    encode,
    encode_close,
    unmasked,
)

LIMIT = 100_000
MASK = b"\x01\x02\x03\x04"


def masked(frame: bytes, mask: bytes = MASK) -> bytes:
    """A server's frame as a client would send it."""
    size = {126: 2, 127: 8}.get(frame[1], 0)
    head, payload = frame[: 2 + size], frame[2 + size :]
    return bytes((head[0], head[1] | 0x80)) + head[2:] + mask + unmasked(payload, mask)


def part(opcode: Opcode, payload: bytes, *, final: bool = False) -> bytes:
    frame = masked(encode(opcode, payload))
    return bytes((frame[0] & (0xFF if final else 0x7F),)) + frame[1:]


@dataclass(frozen=True)
class Good:
    sent: bytes
    want: list[Message]


GOOD = {
    "a short text": Good(masked(encode(Opcode.TEXT, b"hi")), [Message(Opcode.TEXT, b"hi")]),
    "an empty message": Good(masked(encode(Opcode.BINARY, b"")), [Message(Opcode.BINARY, b"")]),
    "the longest short frame": Good(
        masked(encode(Opcode.BINARY, b"x" * 125)), [Message(Opcode.BINARY, b"x" * 125)]
    ),
    "the shortest frame of two length bytes": Good(
        masked(encode(Opcode.BINARY, b"x" * 126)), [Message(Opcode.BINARY, b"x" * 126)]
    ),
    "the shortest frame of eight length bytes": Good(
        masked(encode(Opcode.BINARY, b"x" * 65536)), [Message(Opcode.BINARY, b"x" * 65536)]
    ),
    "a message in fragments": Good(
        part(Opcode.BINARY, b"a") + part(Opcode.CONTINUATION, b"b") + part(Opcode.CONTINUATION, b"c", final=True),
        [Message(Opcode.BINARY, b"abc")],
    ),
    "a ping between fragments": Good(
        part(Opcode.TEXT, b"a") + masked(encode(Opcode.PING, b"?")) + part(Opcode.CONTINUATION, b"b", final=True),
        [Message(Opcode.PING, b"?"), Message(Opcode.TEXT, b"ab")],
    ),
    "a character that is cut by a fragment": Good(
        part(Opcode.TEXT, b"\xc3") + part(Opcode.CONTINUATION, b"\xa9", final=True),
        [Message(Opcode.TEXT, "é".encode())],
    ),
    "two messages at once": Good(
        masked(encode(Opcode.BINARY, b"a")) + masked(encode(Opcode.CLOSE, b"")),
        [Message(Opcode.BINARY, b"a"), Message(Opcode.CLOSE, b"")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("size", [1, 3, 1 << 20])
@pytest.mark.parametrize("case", GOOD.values(), ids=GOOD)
def test_messages_are_read_in_whatever_pieces_they_come(case: Good, size: int) -> None:
    if size == 1 and len(case.sent) > 1000:
        size = 1000
    decoder = Decoder(LIMIT)
    got = [
        message
        for start in range(0, len(case.sent), size)
        for message in decoder.feed(case.sent[start : start + size])
    ]
    assert got == case.want


@dataclass(frozen=True)
class Bad:
    sent: bytes
    code: CloseCode
    text: str


BAD = {
    "no mask": Bad(encode(Opcode.TEXT, b"hi"), CloseCode.PROTOCOL_ERROR, "a client's frame has no mask"),
    "a reserved bit": Bad(b"\xc1\x80", CloseCode.PROTOCOL_ERROR, "reserved bits are set"),
    "an unknown opcode": Bad(b"\x83\x80", CloseCode.PROTOCOL_ERROR, "opcode 3 is unknown"),
    "a fragmented ping": Bad(part(Opcode.PING, b""), CloseCode.PROTOCOL_ERROR, "a control frame is fragmented"),
    "a long ping": Bad(
        masked(encode(Opcode.PING, b"x" * 126)), CloseCode.PROTOCOL_ERROR, "a control frame has more than 125 bytes"
    ),
    "a continuation of nothing": Bad(
        part(Opcode.CONTINUATION, b"a", final=True), CloseCode.PROTOCOL_ERROR,
        "a message is continued that was not begun, or begun within another",
    ),
    "a message within another": Bad(
        part(Opcode.BINARY, b"a") + masked(encode(Opcode.BINARY, b"b")), CloseCode.PROTOCOL_ERROR,
        "a message is continued that was not begun, or begun within another",
    ),
    "text that is no UTF-8": Bad(
        masked(encode(Opcode.TEXT, b"\xff")), CloseCode.INVALID_TEXT, "text is not UTF-8"
    ),
    "a message over the limit, of which only the length has come": Bad(
        b"\x82\xff" + (LIMIT + 1).to_bytes(8, "big"), CloseCode.TOO_BIG, "messages may have 100000 bytes"
    ),
    "fragments over the limit together": Bad(
        part(Opcode.BINARY, b"x" * LIMIT) + part(Opcode.CONTINUATION, b"y"), CloseCode.TOO_BIG,
        "messages may have 100000 bytes",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD.values(), ids=BAD)
def test_a_broken_rule_has_its_code(case: Bad) -> None:
    with pytest.raises(FrameError, match=case.text) as caught:
        list(Decoder(LIMIT).feed(case.sent))
    assert caught.value.code is case.code


CODES: dict[str, tuple[bytes, int | None]] = {
    "none": (b"", 1005),
    "normal": (b"\x03\xe8", 1000),
    "with a text": (b"\x03\xe9bye", 1001),
    "an application's own": (b"\x0f\xa0", 4000),
    "half a code": (b"\x03", None),
    "one that is never sent": (b"\x03\xee", None),
    "one of nobody": (b"\x07\xd0", None),
    "with a text that is no UTF-8": (b"\x03\xe8\xff", None),
}


@pytest.mark.parametrize("case", CODES.values(), ids=CODES)
def test_close_codes(case: tuple[bytes, int | None]) -> None:
    payload, want = case
    if want is not None:
        assert close_code(payload) == want
        return
    with pytest.raises(FrameError):
        close_code(payload)


def test_the_text_of_a_close_is_cut_between_characters() -> None:
    got = list(Decoder(LIMIT).feed(masked(encode_close(CloseCode.TOO_BIG, "é" * 100))))
    assert got == [Message(Opcode.CLOSE, b"\x03\xf1" + "é".encode() * 61)]


@given(
    messages=st.lists(
        st.tuples(st.sampled_from([Opcode.BINARY, Opcode.PING]), st.binary(max_size=125)),
        max_size=5,
    ),
    mask=st.binary(min_size=4, max_size=4),
    cuts=st.lists(st.integers(0, 700), max_size=6),
)
def test_what_is_encoded_is_decoded(
    messages: list[tuple[Opcode, bytes]], mask: bytes, cuts: list[int]
) -> None:
    sent = b"".join(masked(encode(opcode, payload), mask) for opcode, payload in messages)
    decoder, got = Decoder(LIMIT), []
    edges = [0, *sorted(cuts), len(sent)]
    for start, end in itertools.pairwise(edges):
        got += list(decoder.feed(sent[start:end]))
    assert got == [Message(opcode, payload) for opcode, payload in messages]


@given(st.binary(max_size=400))
def test_noise_is_messages_or_an_error(noise: bytes) -> None:
    decoder = Decoder(200)
    try:
        got = list(decoder.feed(noise))
    except FrameError as error:
        assert error.code in {CloseCode.PROTOCOL_ERROR, CloseCode.INVALID_TEXT, CloseCode.TOO_BIG}  # noqa: PT017
    else:
        assert all(len(message.payload) <= 200 for message in got)


@given(st.binary(max_size=200), st.binary(min_size=4, max_size=4))
def test_a_mask_taken_twice_is_none(payload: bytes, mask: bytes) -> None:
    got = unmasked(payload, mask)
    assert got == bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
    assert unmasked(got, mask) == payload
