"""SPDY's header blocks: names and values, deflated with a dictionary that both sides know.

Each direction of a connection is one zlib stream: a block can only be read by who has read all blocks before it.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final

# The words SPDY/3 (2.6.10.1) expects in headers: some with their length before them, then a text without.
_WORDS: Final = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow "
    "authorization cache-control connection content-base content-encoding content-language content-length "
    "content-location content-md5 content-range content-type date etag expect expires from host if-match "
    "if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma "
    "proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade "
    "user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie "
    "keep-alive origin"
)
_TEXT: Final = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden"
    "404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable"
    "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT"
    "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,"
    "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)
DICTIONARY: Final = (
    b"".join(
        struct.pack(">I", len(word)) + word.replace("_", " ").encode() for word in _WORDS.split()
    )
    + _TEXT.encode()
)

# What a block may hold once inflated; Kubernetes' streams have three short headers.
MAX_BLOCK_BYTES: Final = 16 * 1024


class HeaderError(Exception):
    """A block that cannot be read; nothing after it can be either."""


class Inflater:
    """Reads one direction's blocks."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(zdict=DICTIONARY)

    def read(self, block: bytes) -> dict[str, str]:
        """Names in lower case. Of a name with several values the first counts."""
        try:
            raw = self._zlib.decompress(block, MAX_BLOCK_BYTES)
        except zlib.error as error:
            raise HeaderError(f"a header block cannot be inflated: {error}") from error
        if self._zlib.unconsumed_tail:
            raise HeaderError(f"a header block has more than {MAX_BLOCK_BYTES} bytes")
        return _read(raw)


class Deflater:
    """Writes one direction's blocks."""

    def __init__(self) -> None:
        self._zlib = zlib.compressobj(zdict=DICTIONARY)

    def write(self, headers: dict[str, str]) -> bytes:
        pieces = [struct.pack(">I", len(headers))]
        for pair in headers.items():
            for text in pair:
                raw = text.encode()
                pieces += (struct.pack(">I", len(raw)), raw)
        return self._zlib.compress(b"".join(pieces)) + self._zlib.flush(zlib.Z_SYNC_FLUSH)


def _read(raw: bytes) -> dict[str, str]:
    texts: list[str] = []
    try:
        (count,) = struct.unpack_from(">I", raw)
        at = 4
        for _ in range(2 * count):
            (size,) = struct.unpack_from(">I", raw, at)
            at += 4
            if at + size > len(raw):
                raise HeaderError("a header block ends within a header")
            texts.append(raw[at : at + size].decode("latin-1"))
            at += size
    except struct.error as error:
        raise HeaderError("a header block ends within a header") from error
    pairs = zip(texts[::2], texts[1::2], strict=True)
    return {name.lower(): value.split("\0")[0] for name, value in pairs}
