"""What a player shows things on, and has things done by: a screen of 100 columns at most, a shell, and the fleet.

Colors and lines that are written over are for terminals only (and not where NO_COLOR says so). A command runs in a
shell of its own process group, so that Ctrl-C is the demo's, and the demo ends the whole group.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TextIO

from argosy.cli.demos.interrupts import Interrupts

if TYPE_CHECKING:
    from argosy.sdk import Fleet

_WIDTH: Final = 100
_CLEAR: Final = "\r\x1b[K"
_BOLD: Final = "1"
_DIM: Final = "2"
_COMMAND: Final = "1;36"
# In the shell `argosy` is this one, wherever it is installed, and so is what plays kubectl where there is none.
_ARGOSY: Final = 'argosy() { "$ARGOSY_DEMO_PYTHON" -m argosy "$@"; }; '
_STAND_IN: Final = 'kubectl() { "$ARGOSY_DEMO_PYTHON" -m argosy.cli.demos.standins "$@"; }; '
# What fails anywhere in a pipe fails, in shells that know how.
_STRICT: Final = "(set -o pipefail) 2>/dev/null && set -o pipefail; "
_TIMED_OUT: Final = 124


class Screen:
    """Standard output."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self.is_terminal: Final = self._stream.isatty()
        dumb = os.environ.get("TERM") == "dumb" or bool(os.environ.get("NO_COLOR"))
        self._has_colors = self.is_terminal and not dumb
        self._is_dirty = False

    def title(self, number: str, text: str) -> None:
        lead = f"── {number} · {text} "
        self._write("\n" + self._colored(lead + "─" * max(0, _WIDTH - len(lead)), _BOLD) + "\n")

    def say(self, text: str) -> None:
        """A paragraph."""
        self._write(textwrap.fill(" ".join(text.split()), _WIDTH) + "\n")

    def command(self, text: str) -> None:
        lines = " \\\n    ".join(broken(text, _WIDTH - 6))
        self._write(self._colored(f"$ {lines}", _COMMAND) + "\n")

    def output(self, line: str) -> None:
        """A line that a command wrote. What is too long goes on below its beginning."""
        indent = " " * (len(line) - len(line.lstrip()))
        lines = textwrap.wrap(
            line.strip(),
            _WIDTH - 2 - len(indent),
            subsequent_indent="    ",
            break_on_hyphens=False,
            break_long_words=False,
        )
        text = "\n".join(f"  {indent}{each}" for each in lines)
        self._write(text + "\n")

    def progress(self, line: str) -> None:
        """What is going on; written over on a terminal."""
        if self.is_terminal:
            width = shutil.get_terminal_size().columns - 1
            self._write(self._colored(f"  {line}"[:width], _DIM))
            self._is_dirty = True
        else:
            self._write(f"  {line}\n")

    def clear(self) -> None:
        """Take the line of progress away."""
        self._write("")

    def _write(self, text: str) -> None:
        if self._is_dirty:
            self._stream.write(_CLEAR)
            self._is_dirty = False
        self._stream.write(text)
        self._stream.flush()

    def _colored(self, text: str, color: str) -> str:
        return f"\x1b[{color}m{text}\x1b[0m" if self._has_colors else text


def broken(command: str, width: int) -> list[str]:
    """A command in lines of this width, where that can be: they end between words, never within quotes."""
    words, word, quote = [], "", ""
    for character in command:
        if character == " " and not quote:
            words.append(word)
            word = ""
            continue
        if character in "'\"" and quote in {"", character}:
            quote = "" if quote else character
        word += character
    lines = [""]
    for each in [*words, word]:
        if lines[-1] and len(lines[-1]) + 1 + len(each) > width:
            lines.append(each)
        else:
            lines[-1] = f"{lines[-1]} {each}" if lines[-1] else each
    return lines


@dataclass(slots=True)
class Shell:
    """Runs commands, as a user of the demo's fleet would."""

    interrupts: Interrupts
    environment: Mapping[str, str]
    has_kubectl: bool = field(default_factory=lambda: shutil.which("kubectl") is not None)

    def run(self, command: str, tell: Callable[[str], None], seconds: float) -> int:
        """The exit code; 124 if it had to be ended. `tell` gets each line that it writes."""
        script = _STRICT + _ARGOSY + ("" if self.has_kubectl else _STAND_IN) + command
        with self._started(script) as process:
            assert process.stdout is not None
            end = time.monotonic() + seconds
            os.set_blocking(process.stdout.fileno(), False)
            for line in _lines(process, end):
                tell(line)
            if process.poll() is None and time.monotonic() >= end:
                return _TIMED_OUT
            return process.wait()

    @contextmanager
    def _started(self, script: str) -> Iterator[subprocess.Popen[bytes]]:
        process: subprocess.Popen[bytes] | None = None
        try:
            with self.interrupts.shielded():
                process = subprocess.Popen(
                    [shutil.which("bash") or "/bin/sh", "-c", script],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env={**self.environment, "ARGOSY_DEMO_PYTHON": sys.executable},
                    process_group=0,
                )
            yield process
        finally:
            if process is not None:
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                assert process.stdout is not None
                process.stdout.close()


def _lines(process: subprocess.Popen[bytes], end: float) -> Iterator[str]:
    """What it writes, line by line, until it closes its output or time is over."""
    import selectors

    assert process.stdout is not None
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while (left := end - time.monotonic()) > 0:
            if not selector.select(left):
                continue
            read = os.read(process.stdout.fileno(), 1 << 16)
            *whole, rest = (rest + read).split(b"\n")
            yield from (line.decode(errors="replace") for line in whole)
            if not read:
                break
    if rest:
        yield rest.decode(errors="replace")


@dataclass(slots=True)
class Stage:
    """Everything that a part of a story may use."""

    screen: Screen
    shell: Shell
    fleet: Fleet
    # How {examples} and the like read in commands.
    names: Mapping[str, str]
    # Seconds between steps; None to ask for a key.
    pause: float | None = 0.0
