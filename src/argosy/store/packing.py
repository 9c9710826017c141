r"""Objects made alike share their bytes in memory.

Ten thousand pods of one Job differ in name, uid, node, addresses and times: what they and their nodes own in
managedFields and most of their spec is equal to the byte, and so are their conditions within one second. A record's
bytes are cut at those places, and pieces that were seen before are kept once, so a running pod takes two thousand bytes
instead of six:

    {"metadata":{..labels.. | "managedFields":[{..fieldsV1.. | ,"manager":..},| {..fieldsV1.. | "k:{\"ip\"..],"name":..
    | },"spec":{..containers.. | "nodeName":"..| ",..volumes..} | ,"status":{"conditions":[..], | "containerStatuses":.

Where to cut is a guess at the canonical form; a wrong guess shares less and is never wrong, because the pieces in a row
are the bytes again. Looking for a cut ends where the next part begins, so all of them cost about one walk over the
bytes. What an object shared before it mostly shares again: its last pieces are compared first, which costs a tenth of
a look into the pool.

An object that is like no other stays whole: its pieces only pass through the pool, which is bounded. It is made of two
halves: when the new one is full it becomes the old one, and what is still asked for moves on.
"""

from __future__ import annotations

from typing import Final, TypeAlias

# The bytes of an object, whole or in pieces.
Body: TypeAlias = bytes | tuple[bytes, ...]

# Smaller objects are not worth the pieces' own weight.
SMALLEST_BYTES: Final = 512
SMALLEST_PIECE: Final = 128

_MANAGED: Final = b'"managedFields":['
_MANAGER: Final = b',"manager":"'
_ENTRY: Final = b'},{"apiVersion":"'
_ADDRESS: Final = b'"k:{\\"ip\\"'
_NAME: Final = b',"name":"'
_SPEC: Final = b'},"spec":'
_HOST: Final = b'"hostname":"'
_NODE: Final = b'"nodeName":"'
_STATUS: Final = b',"status":'
_CONTAINERS: Final = b'"containerStatuses":['


class Packing:
    """A pool of pieces."""

    __slots__ = ("_new", "_old")

    LIMIT: Final = 2048

    def __init__(self) -> None:
        self._new: dict[bytes, bytes] = {}
        self._old: dict[bytes, bytes] = {}

    def pack(self, raw: bytes, last: Body = b"") -> Body:
        """`raw` in pieces where some of them are known, else as it is; `last` is how the object was packed before."""
        if len(raw) < SMALLEST_BYTES:
            return raw
        before = {len(piece): piece for piece in last} if last.__class__ is tuple else {}
        pieces: list[bytes] = []
        done = 0
        for start, end in _spans(raw):
            size = end - start
            if size < SMALLEST_PIECE:
                continue
            found = before.get(size)
            if found is None or not raw.startswith(found, start):
                found = self._known(raw[start:end])
                if found is None:
                    continue
            if start > done:
                pieces.append(raw[done:start])
            pieces.append(found)
            done = end
        if not pieces:
            return raw
        if done < len(raw):
            pieces.append(raw[done:])
        return tuple(pieces)

    def _known(self, piece: bytes) -> bytes | None:
        """The piece as it was seen before; None the first time."""
        found = self._new.get(piece)
        if found is not None:
            return found
        found = self._old.get(piece)
        if len(self._new) >= self.LIMIT:
            self._old, self._new = self._new, {}
        self._new[piece] = found or piece
        return found


def _spans(raw: bytes) -> list[tuple[int, int]]:
    """Where pieces may begin and end that others have too, in order."""
    spans: list[tuple[int, int]] = []
    start = raw.find(_MANAGED)
    end = raw.find(_NAME, start) if start >= 0 else -1
    if end >= 0:
        _owned_spans(raw, start, end, spans)
    tail = raw.find(_SPEC, max(end, 0))
    if tail < 0:
        return spans
    status = raw.find(_STATUS, tail)
    if status < 0:
        status = len(raw)
    at = tail
    for personal in (_HOST, _NODE):
        found = raw.find(personal, at, status)
        if found >= 0:
            spans.append((at, found))
            at = raw.find(b'"', found + len(personal), status)
            if at < 0:
                return spans
    containers = raw.find(_CONTAINERS, status)
    if containers < 0:
        # Nothing runs yet: a status of a phase, perhaps a condition.
        spans.append((at, len(raw)))
    else:
        spans += ((at, status), (status, containers))
    return spans


def _owned_spans(raw: bytes, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    """What each entry of managedFields owns."""
    while start >= 0:
        manager = raw.find(_MANAGER, start, end)
        stop = manager if manager >= 0 else end
        address = raw.find(_ADDRESS, start, stop)
        spans.append((start, address if address >= 0 else stop))
        if manager < 0:
            return
        start = raw.find(_ENTRY, manager, end)
