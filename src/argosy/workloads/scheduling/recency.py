"""A dict that keeps what was used last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """At most `most` entries; the least recently used one goes first."""

    __slots__ = ("_entries", "_most", "_on_drop")

    def __init__(self, most: int, on_drop: Callable[[K, V], None] | None = None) -> None:
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._most = most
        self._on_drop = on_drop

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The entry of a key, made if need be."""
        found = self._entries.get(key)
        if found is not None:
            self._entries.move_to_end(key)
            return found
        made = self._entries[key] = make()
        if len(self._entries) > self._most:
            dropped = self._entries.popitem(last=False)
            if self._on_drop is not None:
                self._on_drop(*dropped)
        return made

    def drop(self, which: Callable[[K], bool]) -> None:
        """Forget entries by their keys."""
        for key in [key for key in self._entries if which(key)]:
            value = self._entries.pop(key)
            if self._on_drop is not None:
                self._on_drop(key, value)
