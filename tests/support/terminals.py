"""Programs on a (pseudo) terminal of their own."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

# Wrapping, the cursor and the screen as they were.
RESTORED = b"\x1b[?7h\x1b[?25h\x1b[?1049l"


class Pty:
    """A program on a terminal of its own."""

    def __init__(self, *command: str, **env: str) -> None:
        self._ours, theirs = pty.openpty()
        self.resize(24, 80)
        self.before = termios.tcgetattr(theirs)
        self._theirs = theirs
        self.said = b""

        def begin() -> None:
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        environment = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **env}
        self.process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            preexec_fn=begin,  # noqa: PLW1509  (this process has one thread)
            env=environment,
        )

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, typed: bytes) -> None:
        os.write(self._ours, typed)

    def hear(self, text: bytes, seconds: float = 30.0) -> None:
        until = time.monotonic() + seconds
        while text not in self.said:
            assert time.monotonic() < until, f"{text!r} is not in {self.said!r}"
            if select.select([self._ours], [], [], 0.1)[0]:
                self.said += os.read(self._ours, 4096)

    def now(self) -> list[object]:
        return termios.tcgetattr(self._theirs)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._ours)
        os.close(self._theirs)

    def end(self) -> int:
        """Wait for its end; the terminal is as it was before."""
        self.hear(RESTORED)
        code = self.process.wait(30)
        assert self.now() == self.before
        return code


@contextmanager
def on_terminal(*command: str, **env: str) -> Iterator[Pty]:
    terminal = Pty(*command, **env)
    try:
        yield terminal
    finally:
        terminal.close()
