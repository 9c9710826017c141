"""A terminal that is taken over for a while, and given back as it was, whatever happens.

Taken over: the alternate screen, no cursor, no wrapping of long lines, keys that come one by one without an echo.
Ctrl-C stays a signal, and is for whoever handles signals. `leave` may be called at any time and from a signal handler,
more than once; it is also called when the program exits. Ctrl-Z gives the terminal back until the program is in the
foreground again.

What is written never blocks: the terminal is opened once more with a mode of our own (the shell's is not touched), and
a frame that a slow line has not taken yet holds back the next one. A fleet does not stand still because somebody
pressed Ctrl-S.
"""

from __future__ import annotations

import asyncio
import atexit
import fcntl
import os
import select
import signal
import struct
import sys
import termios
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import FrameType
from typing import Final, TextIO

from argosy.cli.screens.drawing import changes
from argosy.cli.screens.rendering import Size
from argosy.cli.screens.texts import ASCII, UNICODE, Glyphs, Line, painted

_ENTER: Final = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
# Colors, wrapping and the cursor first: a terminal without an alternate screen has them, too.
_LEAVE: Final = "\x1b[?2026l\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
_CLEAR: Final = "\x1b[0m\x1b[2J"
_LEAST: Final = Size(80, 24)
# How long a stalled terminal is waited for when it is to be given back.
_PATIENCE_SECONDS: Final = 0.3
_LOCAL: Final = 3
_INPUT_CONTROL: Final = 6


def is_usable(stream: TextIO, env: Mapping[str, str] = os.environ) -> bool:
    """Whether there is a terminal that a screen can be shown on, and that is ours: a program in the background would be
    stopped.
    """
    try:
        descriptor = stream.fileno()
        if not os.isatty(descriptor) or env.get("TERM", "") in {"", "dumb"}:
            return False
        os.ttyname(descriptor)
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except (OSError, ValueError):
        return False


def wants_colors(stream: TextIO, env: Mapping[str, str] = os.environ) -> bool:
    """On terminals, unless NO_COLOR says otherwise (no-color.org)."""
    return stream.isatty() and not env.get("NO_COLOR") and env.get("TERM") != "dumb"


def glyphs_of(stream: TextIO) -> Glyphs:
    encoding = (getattr(stream, "encoding", "") or "").lower().replace("-", "")
    return UNICODE if encoding == "utf8" else ASCII


class Terminal:
    """The terminal of a stream, between `enter` and `leave`. In the loop that is running then."""

    def __init__(self, stream: TextIO | None = None, keyboard: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stdout
        self._keyboard = keyboard if keyboard is not None else sys.stdin
        self._colors = wants_colors(self._stream)
        self.glyphs: Final = glyphs_of(self._stream)
        self._output = -1
        self._input = -1
        self._before: list[object] | None = None
        self._is_taken = False
        self._shown: list[str] = []
        self._pending = b""
        self._on_keys: Callable[[bytes], None] = lambda _: None
        self._on_resize: Callable[[], None] = lambda: None
        self._handlers: dict[int, object] = {}

    @property
    def size(self) -> Size:
        try:
            packed = fcntl.ioctl(self._output, termios.TIOCGWINSZ, b"\0" * 8)
        except OSError:
            return _LEAST
        rows, columns, _, _ = struct.unpack("HHHH", packed)
        # Zero is a terminal that does not know.
        return Size(columns or _LEAST.columns, rows or _LEAST.rows)

    # Taking and giving back.

    def enter(self, on_keys: Callable[[bytes], None], on_resize: Callable[[], None]) -> None:
        self._on_keys, self._on_resize = on_keys, on_resize
        name = os.ttyname(self._stream.fileno())
        flags = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
        self._output = os.open(name, flags)
        with suppress(OSError, ValueError):
            if self._keyboard.isatty():
                self._input = self._keyboard.fileno()
        atexit.register(self.leave)
        loop = asyncio.get_running_loop()
        self._take()
        for number, handler in (
            (signal.SIGWINCH, self._resized),
            (signal.SIGTSTP, self._suspend),
        ):
            self._handlers[number] = signal.getsignal(number)
            loop.add_signal_handler(number, handler)
        self._handlers[signal.SIGQUIT] = signal.signal(signal.SIGQUIT, self._killed)
        if self._input >= 0:
            loop.add_reader(self._input, self._typed)

    def leave(self) -> None:
        """Give it back. What is not given back now never will be: nothing here may fail."""
        if self._output < 0:
            return
        atexit.unregister(self.leave)
        self._release()
        with suppress(RuntimeError):
            loop = asyncio.get_running_loop()
            loop.remove_writer(self._output)
            if self._input >= 0:
                loop.remove_reader(self._input)
            for number, handler in self._handlers.items():
                if number != signal.SIGQUIT:
                    loop.remove_signal_handler(number)
                with suppress(ValueError, TypeError):
                    signal.signal(number, handler)  # type: ignore[arg-type]  # what getsignal gave
        os.close(self._output)
        self._output = self._input = -1

    def _take(self) -> None:
        if self._input >= 0:
            before = termios.tcgetattr(self._input)
            self._before = before
            ours = [*before[:_INPUT_CONTROL], list(before[_INPUT_CONTROL])]
            ours[_LOCAL] &= ~(termios.ICANON | termios.ECHO)
            ours[_INPUT_CONTROL][termios.VMIN] = 1
            ours[_INPUT_CONTROL][termios.VTIME] = 0
            termios.tcsetattr(self._input, termios.TCSANOW, ours)
        self._is_taken = True
        self._shown = []
        self._pending = b""
        self._send(_ENTER)

    def _release(self) -> None:
        if self._before is not None:
            with suppress(termios.error, OSError):
                termios.tcsetattr(self._input, termios.TCSANOW, self._before)  # type: ignore[arg-type]  # its own words
            self._before = None
        # A frame that was cut off may end within a sequence; CAN ends that.
        rest = (b"\x18" if self._pending else b"") + _LEAVE.encode()
        self._pending = b""
        while rest:
            _, able, _ = select.select([], [self._output], [], _PATIENCE_SECONDS)
            if not able:
                return
            try:
                rest = rest[os.write(self._output, rest) :]
            except BlockingIOError:
                continue
            except OSError:
                # It is gone, with everything that was to be given back.
                return

    def _suspend(self) -> None:
        self._release()
        self._is_taken = False
        os.kill(os.getpid(), signal.SIGSTOP)
        # Somebody said `fg`, or `bg`.
        self._on_resize()

    def _killed(self, number: int, frame: FrameType | None) -> None:
        self._release()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    # Showing.

    def show(self, lines: Sequence[Line]) -> None:
        """Unless the last ones are still on their way."""
        if self._output < 0 or self._pending:
            return
        if not self._is_taken:
            if os.tcgetpgrp(self._output) != os.getpgrp():
                return
            self._take()
        new = [painted(line, colors=self._colors) for line in lines]
        text = changes(self._shown, new)
        self._shown = new
        if text:
            self._send(text)

    def _resized(self) -> None:
        # What terminals do to lines when they are resized is their own matter.
        if self._is_taken and not self._pending:
            self._shown = []
            self._send(_CLEAR)
        self._on_resize()

    def _send(self, text: str) -> None:
        encoding = "utf-8" if self.glyphs is UNICODE else "ascii"
        self._pending += text.encode(encoding, errors="replace")
        self._flush()

    def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            written = os.write(self._output, self._pending)
        except BlockingIOError:
            written = 0
        except OSError:
            # The terminal is gone; the signal for that is on its way.
            written = len(self._pending)
        self._pending = self._pending[written:]
        if self._pending:
            loop.add_writer(self._output, self._flush)
        else:
            loop.remove_writer(self._output)

    def _typed(self) -> None:
        try:
            typed = os.read(self._input, 1024)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            typed = b""
        if typed:
            self._on_keys(typed)
        else:
            asyncio.get_running_loop().remove_reader(self._input)
