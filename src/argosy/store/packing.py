"""Objects made alike share their bytes in memory.

Ten thousand pods of one Job differ in name, uid and little else: what they own in managedFields and everything after
their metadata is equal to the byte. A record's bytes are cut at those places, and pieces that were seen before are
kept once, so such a pod takes a few hundred bytes instead of four thousand. Where to cut is a guess at the canonical
form; a wrong guess shares less and is never wrong, because the pieces in a row are the bytes again.

An object that is like no other stays whole: its pieces only pass through the pool, which is emptied when it is full.
"""

from __future__ import annotations

from typing import Final, TypeAlias

# The bytes of an object, whole or in pieces.
Body: TypeAlias = bytes | tuple[bytes, ...]

# Smaller objects are not worth the pieces' own weight.
SMALLEST_BYTES: Final = 512
SMALLEST_PIECE: Final = 128


class Packing:
    """A pool of pieces."""

    __slots__ = ("_pool",)

    LIMIT: Final = 4096

    def __init__(self) -> None:
        self._pool: dict[bytes, bytes] = {}

    def pack(self, raw: bytes) -> Body:
        """`raw` in pieces where some of them are known, else as it is."""
        if len(raw) < SMALLEST_BYTES:
            return raw
        start = raw.find(b'"managedFields":[')
        end = raw.find(b',"name":"', start) if start >= 0 else -1
        if end < 0:
            start = end = 0
        tail = raw.find(b'},"spec":', end)
        if tail < 0:
            tail = len(raw)
        owned = self._known(raw[start:end])
        rest = self._known(raw[tail:])
        if owned is None and rest is None:
            return raw
        if owned is None:
            return (raw[:tail], rest or b"")
        return (
            (raw[:start], owned, raw[end:tail], rest) if rest else (raw[:start], owned, raw[end:])
        )

    def _known(self, piece: bytes) -> bytes | None:
        """The piece as it was seen before; None the first time."""
        if len(piece) < SMALLEST_PIECE:
            return None
        found = self._pool.get(piece)
        if found is None:
            if len(self._pool) >= self.LIMIT:
                self._pool.clear()
            self._pool[piece] = piece
        return found
