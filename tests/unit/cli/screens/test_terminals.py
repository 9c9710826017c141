"""A real (pseudo) terminal is given back as it was, whatever ends the program that took it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.terminals import RESTORED, Pty, on_terminal

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


@contextmanager
def program(how: str = "stay") -> Iterator[Pty]:
    with on_terminal(sys.executable, "-c", PROGRAM, how) as terminal:
        yield terminal


def test_keys_come_one_by_one_and_are_not_echoed() -> None:
    with program() as terminal:
        terminal.hear(b"here I am")
        assert terminal.now() != terminal.before
        terminal.type(b"xq")
        terminal.end()
        assert terminal.process.returncode == 0
        assert (
            b"x"
            not in terminal.said.replace(b"\x1b[", b"")
            .partition(b"here I am")[2]
            .partition(b"columns")[0]
        )


@pytest.mark.parametrize("how", ["raise", "exit"])
def test_a_program_that_fails(how: str) -> None:
    with program(how) as terminal:
        terminal.end()
        assert terminal.process.returncode == {"raise": 1, "exit": 7}[how]


def test_a_program_that_forgets_it() -> None:
    with program("forget") as terminal:
        terminal.hear(b"here I am")
        terminal.type(b"q")
        terminal.end()


def test_ctrl_c() -> None:
    with program() as terminal:
        terminal.hear(b"here I am")
        terminal.type(b"\x03")
        terminal.end()
        assert terminal.process.returncode == -signal.SIGINT


def test_ctrl_backslash() -> None:
    with program() as terminal:
        terminal.hear(b"here I am")
        terminal.type(b"\x1c")
        terminal.end()
        assert terminal.process.returncode == -signal.SIGQUIT


def test_resizing() -> None:
    with program() as terminal:
        terminal.hear(b"columns=80, rows=24")
        terminal.resize(40, 120)
        terminal.hear(b"columns=120, rows=40")
        terminal.type(b"q")
        terminal.end()


def test_ctrl_z_gives_it_back_for_a_while() -> None:
    with program() as terminal:
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
        terminal.end()
