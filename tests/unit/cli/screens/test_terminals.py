"""A real (pseudo) terminal is given back as it was, whatever ends the program that took it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

PROGRAM = """
import asyncio, os, sys
from argosy.cli.screens.terminals import Terminal
from argosy.cli.screens.texts import cell

async def main(how):
    terminal = Terminal()
    resized = asyncio.Event()
    typed = []
    terminal.enter(typed.append, resized.set)
    try:
        terminal.show([cell("here I am"), cell(terminal.size)])
        if how == "raise":
            raise ValueError("no more")
        if how == "exit":
            sys.exit(7)
        while b"q" not in b"".join(typed):
            await asyncio.sleep(0.01)
            if resized.is_set():
                resized.clear()
                terminal.show([cell("resized"), cell(terminal.size)])
    finally:
        if how != "forget":
            terminal.leave()

asyncio.run(main(sys.argv[1]))
"""
RESTORED = b"\x1b[?7h\x1b[?25h\x1b[?1049l"


class Pty:
    """A program on a terminal of its own."""

    def __init__(self, how: str) -> None:
        self._ours, theirs = pty.openpty()
        self.resize(24, 80)
        self.before = termios.tcgetattr(theirs)
        self._theirs = theirs
        self.said = b""

        def begin() -> None:
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        environment = {
            **os.environ,
            "TERM": "xterm",
            "LANG": "C.UTF-8",
            "PYTHONIOENCODING": "utf-8",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, how],
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
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
        self.process.communicate()
        os.close(self._ours)
        os.close(self._theirs)


@contextmanager
def on_terminal(how: str = "stay") -> Iterator[Pty]:
    terminal = Pty(how)
    try:
        yield terminal
    finally:
        terminal.close()


def _restored(terminal: Pty) -> None:
    terminal.hear(RESTORED)
    terminal.process.wait(30)
    assert terminal.now() == terminal.before


def test_keys_come_one_by_one_and_are_not_echoed() -> None:
    with on_terminal() as terminal:
        terminal.hear(b"here I am")
        assert terminal.now() != terminal.before
        terminal.type(b"xq")
        _restored(terminal)
        assert terminal.process.returncode == 0
        assert (
            b"x"
            not in terminal.said.replace(b"\x1b[", b"")
            .partition(b"here I am")[2]
            .partition(b"columns")[0]
        )


@pytest.mark.parametrize("how", ["raise", "exit"])
def test_a_program_that_fails(how: str) -> None:
    with on_terminal(how) as terminal:
        _restored(terminal)
        assert terminal.process.returncode == {"raise": 1, "exit": 7}[how]


def test_a_program_that_forgets_it() -> None:
    with on_terminal("forget") as terminal:
        terminal.hear(b"here I am")
        terminal.type(b"q")
        _restored(terminal)


def test_ctrl_c() -> None:
    with on_terminal() as terminal:
        terminal.hear(b"here I am")
        terminal.type(b"\x03")
        _restored(terminal)
        assert terminal.process.returncode == -signal.SIGINT


def test_ctrl_backslash() -> None:
    with on_terminal() as terminal:
        terminal.hear(b"here I am")
        terminal.type(b"\x1c")
        _restored(terminal)
        assert terminal.process.returncode == -signal.SIGQUIT


def test_resizing() -> None:
    with on_terminal() as terminal:
        terminal.hear(b"columns=80, rows=24")
        terminal.resize(40, 120)
        terminal.hear(b"columns=120, rows=40")
        terminal.type(b"q")
        _restored(terminal)


def test_ctrl_z_gives_it_back_for_a_while() -> None:
    with on_terminal() as terminal:
        terminal.hear(b"here I am")
        os.kill(terminal.process.pid, signal.SIGTSTP)
        terminal.hear(RESTORED)
        _, status = os.waitpid(terminal.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        assert terminal.now() == terminal.before
        terminal.said = b""
        os.kill(terminal.process.pid, signal.SIGCONT)
        terminal.hear(b"resized")
        assert terminal.now() != terminal.before
        terminal.type(b"q")
        _restored(terminal)
