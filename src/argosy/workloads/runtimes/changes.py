"""Who has changed and has not been looked at yet: each once, in the order they came."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable


class Changes:
    """Keys in the order they came, each once."""

    __slots__ = ("_keys", "_order")

    def __init__(self) -> None:
        self._keys: set[tuple[str, str]] = set()
        self._order: deque[tuple[str, str]] = deque()

    def add(self, key: tuple[str, str]) -> None:
        if key not in self._keys:
            self._keys.add(key)
            self._order.append(key)

    def pop(self) -> tuple[str, str] | None:
        """The first; None when there is none."""
        if not self._order:
            return None
        key = self._order.popleft()
        self._keys.discard(key)
        return key

    def sort(self, key: Callable[[tuple[str, str]], bool]) -> None:
        """Those for which `key` is false come first."""
        self._order = deque(sorted(self._order, key=key))
