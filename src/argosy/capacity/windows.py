"""The highest value within the last so many seconds.

A value holds from when it is noted until the next one, so the one in force at the beginning of the window counts too.
Each note is pushed and popped once: O(1) on average.
"""

from __future__ import annotations

from collections import deque


class Window:
    """Follows one number."""

    __slots__ = ("_first", "_last", "_values")

    def __init__(self) -> None:
        # (noted at, value), with falling values: only these can be the highest of any later window.
        self._values: deque[tuple[float, int]] = deque()
        self._first: float | None = None
        self._last = 0

    def note(self, now: float, value: int, seconds: float) -> None:
        """The number is `value` from now on; what no window of `seconds` can see any more is forgotten."""
        if self._first is None:
            self._first = now
        # The last value was in force until now.
        elif self._values and self._last != value:
            self._push(now, self._last)
        self._push(now, value)
        self._last = value
        while len(self._values) > 1 and self._values[0][0] < now - seconds:
            self._values.popleft()

    def highest(self, now: float, seconds: float) -> int | None:
        """The highest within the window before now; None when less than a window was seen."""
        if self._first is None or now - self._first < seconds:
            return None
        return max(self._last, *(value for at, value in self._values if at >= now - seconds), 0)

    def _push(self, now: float, value: int) -> None:
        while self._values and self._values[-1][1] <= value:
            self._values.pop()
        self._values.append((now, value))
