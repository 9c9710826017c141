"""Keys in order, under change.

A sorted list in chunks of at most a thousand: adding and removing cost one bisection and one short move of
memory, also among a hundred thousand keys, and walking costs nothing extra. (A plain sorted list moves half of
everything per insert, a balanced tree costs a Python object per key.) One pointer of memory per key.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from argosy.store.records import Key

_CHUNK: Final = 1024


class SortedKeys:
    """A set of keys that is walked in order."""

    __slots__ = ("_chunks", "_count", "_tops")

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        ordered = sorted(keys)
        half = _CHUNK // 2
        self._chunks = [ordered[i : i + half] for i in range(0, len(ordered), half)]
        self._tops = [chunk[-1] for chunk in self._chunks]
        self._count = len(ordered)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Key]:
        return chain.from_iterable(self._chunks)

    def __contains__(self, key: Key) -> bool:
        at = bisect_left(self._tops, key)
        if at == len(self._tops):
            return False
        chunk = self._chunks[at]
        return chunk[bisect_left(chunk, key)] == key

    def add(self, key: Key) -> None:
        """`key` must be absent."""
        self._count += 1
        if not self._chunks:
            self._chunks.append([key])
            self._tops.append(key)
            return
        at = min(bisect_left(self._tops, key), len(self._tops) - 1)
        chunk = self._chunks[at]
        insort(chunk, key)
        if len(chunk) > _CHUNK:
            half = len(chunk) // 2
            self._chunks.insert(at + 1, chunk[half:])
            self._tops.insert(at + 1, chunk[-1])
            del chunk[half:]
        self._tops[at] = chunk[-1]

    def remove(self, key: Key) -> None:
        """`key` must be present."""
        at = bisect_left(self._tops, key)
        chunk = self._chunks[at]
        del chunk[bisect_left(chunk, key)]
        self._count -= 1
        if chunk:
            self._tops[at] = chunk[-1]
        else:
            del self._chunks[at]
            del self._tops[at]

    def last(self) -> Key:
        return self._tops[-1]

    def walk(self, start: Key, *, inclusive: bool, end: Key | None) -> Iterator[list[Key]]:
        """Runs of keys from `start` up to but without `end`, chunk by chunk."""
        cut = bisect_left if inclusive else bisect_right
        at = cut(self._tops, start)
        begin = cut(self._chunks[at], start) if at < len(self._chunks) else 0
        for i in range(at, len(self._chunks)):
            chunk = self._chunks[i]
            if end is not None and chunk[-1] >= end:
                yield chunk[begin : bisect_left(chunk, end)]
                return
            yield chunk[begin:] if begin else chunk
            begin = 0

    def position(self, key: Key, *, inclusive: bool = False) -> int:
        """How many keys come before `key`; with `inclusive`, `key` itself counts too. O(number of chunks)."""
        cut = bisect_right if inclusive else bisect_left
        at = cut(self._tops, key)
        before = sum(map(len, self._chunks[:at]))
        return before + (cut(self._chunks[at], key) if at < len(self._chunks) else 0)
