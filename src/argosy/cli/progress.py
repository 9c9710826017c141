"""What a command is doing while somebody waits: one line that is written over on a terminal, a line each elsewhere.

It goes to standard error. The line is taken away before anything else is written there.
"""

from __future__ import annotations

import shutil
import sys
from typing import Final, TextIO

_CLEAR: Final = "\r\x1b[K"


class Progress:
    """`subject` opens every line: `argosy: starting: cluster-1 (1 of 3) ...`."""

    def __init__(self, subject: str, stream: TextIO | None = None) -> None:
        self._subject = subject
        self._stream = stream if stream is not None else sys.stderr
        self._rewrites = self._stream.isatty()
        self._said = ""

    def __call__(self, step: str) -> None:
        if step == self._said:
            return
        self._said = step
        line = f"{self._subject} {step} ..."
        if self._rewrites:
            width = shutil.get_terminal_size().columns - 1
            self._stream.write(f"{_CLEAR}{line[:width]}")
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()

    def clear(self) -> None:
        """Leave nothing behind."""
        if self._rewrites and self._said:
            self._stream.write(_CLEAR)
            self._stream.flush()
        self._said = ""
