"""Ctrl-C at any moment, once.

The first signal (SIGINT, SIGTERM, SIGHUP) raises `Interrupted` wherever the demo is, but for moments in which something
begins that has to be known before it can be ended (`shielded`): there it is raised when they are over. It is raised one
time only, and never after `close`: clearing away is not interrupted. Whoever presses Ctrl-C again has it done in a
hurry (`is_hurried`): the fleet is killed instead of asked to end.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(KeyboardInterrupt):
    """The demo was told to end."""


class Interrupts:
    """Of this process, from `listen` on."""

    def __init__(self) -> None:
        # The first signal, 0 if there was none.
        self.number = 0
        self.is_hurried = False
        self._shields = 0
        self._is_closed = False

    def listen(self) -> None:
        for number in _SIGNALS:
            # Under nohup SIGHUP is ignored, and stays so.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._hear)

    def close(self) -> None:
        """From now on nothing is raised."""
        self._is_closed = True

    @property
    def code(self) -> int:
        """The exit code of a command that was ended by the signal."""
        return 128 + self.number

    @contextmanager
    def shielded(self) -> Iterator[None]:
        """What is done here is done whole."""
        self._shields += 1
        try:
            yield
        finally:
            self._shields -= 1
        self._raise()

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.number:
            self.is_hurried = True
        self.number = self.number or number
        self._raise()

    def _raise(self) -> None:
        if self.number and not self._shields and not self._is_closed:
            self._is_closed = True
            raise Interrupted
