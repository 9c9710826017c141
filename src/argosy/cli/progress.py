"""What a command is doing while somebody waits: one line that is written over on a terminal, a line each elsewhere.

It goes to standard error. The line is taken away before anything else is written there. If it cannot be written (a full
disk, a reader that is gone), the work it tells of goes on all the same.
"""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress
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
            line = f"{_CLEAR}{line[:width]}"
        else:
            line = f"{line}\n"
        self._write(line)

    def clear(self) -> None:
        """Leave nothing behind."""
        if self._rewrites and self._said:
            self._write(_CLEAR)
        self._said = ""

    def tell(self, text: str) -> None:
        """Write lines that stay."""
        self.clear()
        self._write(f"{text}\n")

    def _write(self, text: str) -> None:
        with suppress(OSError):
            self._stream.write(text)
            self._stream.flush()
