"""When a fleet is told to end: SIGTERM, SIGINT (Ctrl-C) or a terminal that closes end it in order, at any moment; a
Ctrl-C after that ends it at once, whatever it is doing. Nothing acknowledged is lost either way: stores are written as
if a crash were always near.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from types import FrameType
from typing import Final

INTERRUPTED: Final = 130


class Interrupted(Exception):
    """It was told to end before it was ready."""


class Stopping:
    """`wanted` is set by the first signal. `force` is what is to be cleared away if there is no time."""

    def __init__(self) -> None:
        self.wanted = asyncio.Event()
        self.force: Callable[[], None] = lambda: None

    def listen(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop, number)
        # Under nohup it is ignored, and stays so.
        if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
            loop.add_signal_handler(signal.SIGHUP, self._stop, signal.SIGHUP)

    def _stop(self, number: signal.Signals) -> None:
        if self.wanted.is_set() and number == signal.SIGINT:
            self._end(number, None)
        self.wanted.set()
        # From now on Ctrl-C does not wait for its turn in the loop.
        asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, self._end)

    def _end(self, number: int, frame: FrameType | None) -> None:
        self.force()
        os._exit(INTERRUPTED)
