"""SPDY frames and header blocks: what a client may say, and what it must not."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.apiserver.http.spdy.frames import (
    MAX_FRAME_BYTES,
    Data,
    Decoder,
    Encoder,
    Frame,
    GoAway,
    Opened,
    Ping,
    Reset,
    ResetStatus,
    SpdyError,
)
from argosy.apiserver.http.spdy.headers import (
    DICTIONARY,
    MAX_BLOCK_BYTES,
    Deflater,
    HeaderError,
    Inflater,
)

CONTROL = 0x8003_0000
HEADERS = st.dictionaries(
    st.text("abcdefghij-", min_size=1, max_size=20), st.text("klmn0123 ", max_size=20), max_size=5
)


def control(kind: int, payload: bytes, flags: int = 0) -> bytes:
    return struct.pack(">II", CONTROL | kind, flags << 24 | len(payload)) + payload


def opening(deflater: Deflater, stream: int, headers: dict[str, str], flags: int = 0) -> bytes:
    return control(1, struct.pack(">IIH", stream, 0, 0) + deflater.write(headers), flags)


def test_the_dictionary_is_that_of_the_specification() -> None:
    assert (len(DICTIONARY), zlib.adler32(DICTIONARY)) == (1423, 0xE3C6A7C2)


SAID: dict[str, tuple[bytes, list[Frame]]] = {
    "data": (struct.pack(">II", 5, 3) + b"abc", [Data(5, b"abc", fin=False)]),
    "the last data": (struct.pack(">II", 5, 1 << 24), [Data(5, b"", fin=True)]),
    "a reset": (control(3, struct.pack(">II", 7, 5)), [Reset(7)]),
    "a ping": (control(6, struct.pack(">I", 9)), [Ping(9)]),
    "a farewell": (control(7, struct.pack(">II", 3, 0)), [GoAway()]),
    "settings say nothing": (control(4, b"\0\0\0\0"), []),
    "a wider window says nothing": (control(9, b"\0" * 8), []),
    "an unknown frame says nothing": (control(200, b"x"), []),
    "an answer of a stream's says nothing": (control(2, b"\0\0\0\1" + Deflater().write({})), []),
}


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("case", SAID.values(), ids=SAID)
def test_what_a_client_says(case: tuple[bytes, list[Frame]], size: int) -> None:
    sent, want = case
    decoder = Decoder()
    got = [f for at in range(0, len(sent), size) for f in decoder.feed(sent[at : at + size])]
    assert got == want


def test_headers_build_on_the_headers_before_them() -> None:
    deflater, decoder = Deflater(), Decoder()
    first = {"streamtype": "error", "port": "80", "requestid": "0"}
    second = {"streamtype": "data", "port": "80", "requestid": "0"}
    sent = opening(deflater, 1, first, flags=1)
    # Headers that nobody needs have to be read for the sake of those after them.
    sent += control(8, struct.pack(">I", 1) + deflater.write({"more": "x"}))
    sent += opening(deflater, 3, second)
    assert list(decoder.feed(sent)) == [Opened(1, first, fin=True), Opened(3, second, fin=False)]


BROKEN: dict[str, tuple[bytes, type[Exception], str]] = {
    "another version": (struct.pack(">II", 0x8002_0006, 4) + b"\0" * 4, SpdyError, "version 2"),
    "a long frame": (struct.pack(">II", 1, MAX_FRAME_BYTES + 1), SpdyError, "1048577 bytes"),
    "a short reset": (control(3, b"\0"), SpdyError, "too short"),
    "a block that is no zlib": (control(1, b"\0" * 10 + b"nonsense"), HeaderError, "inflated"),
    "no block": (control(1, b"\0" * 10), HeaderError, "ends within"),
    "a block that unpacks to too much": (
        opening(Deflater(), 1, {"a": "x" * MAX_BLOCK_BYTES}),
        HeaderError,
        "more than 16384 bytes",
    ),
}


@pytest.mark.parametrize("case", BROKEN.values(), ids=BROKEN)
def test_a_broken_frame_ends_the_connection(case: tuple[bytes, type[Exception], str]) -> None:
    sent, kind, text = case
    with pytest.raises(kind, match=text):
        list(Decoder().feed(sent))


def test_a_block_may_not_promise_more_headers_than_it_has() -> None:
    packer = zlib.compressobj(zdict=DICTIONARY)
    raw = struct.pack(">II", 1, 1000) + b"short"
    block = packer.compress(raw) + packer.flush(zlib.Z_SYNC_FLUSH)
    with pytest.raises(HeaderError, match="ends within a header"):
        Inflater().read(block)


def test_what_a_server_says() -> None:
    encoder = Encoder()
    said = (
        encoder.reply(1) + encoder.data(1, b"abc") + encoder.data(1, b"", fin=True)
        + encoder.reset(3, ResetStatus.CANCEL) + encoder.ping(5)
    )  # fmt: skip
    want = [Data(1, b"abc", fin=False), Data(1, b"", fin=True), Reset(3), Ping(5)]
    assert list(Decoder().feed(said)) == want


@given(st.lists(HEADERS, max_size=4))
def test_headers_that_are_deflated_are_inflated(blocks: list[dict[str, str]]) -> None:
    deflater, inflater = Deflater(), Inflater()
    assert [inflater.read(deflater.write(block)) for block in blocks] == blocks


@given(st.binary(max_size=300))
def test_noise_is_frames_or_an_error(noise: bytes) -> None:
    try:
        got = list(Decoder().feed(noise))
    except (SpdyError, HeaderError):
        return
    assert sum(len(f.payload) for f in got if isinstance(f, Data)) <= len(noise)
