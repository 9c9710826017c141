"""The text of an expression and the errors found in it, shown the way cel-go shows them:

ERROR: <input>:1:5: undefined field 'foo'
 | self.foo == 1
 | ....^
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

_REPORTED: Final = 100


class CompileError(Exception):
    """The expression does not parse or does not type-check; `str` shows every problem with its place."""


class Problems:
    """Errors of one expression, printed in order of place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0] + [i + 1 for i, ch in enumerate(text) if ch == "\n"]
        self._found: list[tuple[int, int, str]] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def report(self, at: int, message: str) -> None:
        """Records an error at an offset."""
        line = bisect_right(self._starts, at)
        self._found.append((line, at - self._starts[line - 1], message))

    def check(self) -> None:
        """Raises if anything has been reported."""
        if self._found:
            raise CompileError(str(self))

    def __str__(self) -> str:
        shown = sorted(self._found[:_REPORTED], key=lambda f: (f[0], f[1]))
        texts = [self._show(*found) for found in shown]
        if len(self._found) > _REPORTED:
            texts.append(f"{len(self._found) - _REPORTED} more errors were truncated")
        return "\n".join(texts)

    def _show(self, line: int, column: int, message: str) -> str:
        snippet = self.text.split("\n")[line - 1].replace("\t", " ")
        dots = "".join("." if ch.isascii() else "\uff0e" for ch in snippet[:column])
        wide = column < len(snippet) and not snippet[column].isascii()
        mark = "\uff3e" if wide else "^"
        return f"ERROR: <input>:{line}:{column + 1}: {message}\n | {snippet}\n | {dots}{mark}"
