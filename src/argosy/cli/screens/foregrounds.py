"""The screen of `argosy up` in the foreground.

From the first step of the start on, whatever is written to standard error goes to argosy.log in the state directory: by
this process, by those that serve members, and by libraries. Warnings are shown among what happened last. When the
screen has gone, in whatever way, standard error is the terminal's again; if the fleet did not come up, what was logged
is said there.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, TextIO

from argosy.cli.progress import Progress
from argosy.cli.screens.happenings import HappeningHandler
from argosy.cli.screens.pictures import Happening
from argosy.cli.screens.screens import Manner, Screen, beside
from argosy.cli.screens.terminals import Terminal, is_usable
from argosy.cli.screens.watching import Watching
from argosy.client.protocol import Client
from argosy.fleet import states
from argosy.fleet.fleets import FleetSettings
from argosy.sdk.connections import Connections

_FOOT: Final = "q or Ctrl-C ends the fleet"
_STDERR: Final = 2
_REMEMBERED: Final = 50


def foreground(parsed: argparse.Namespace, settings: FleetSettings) -> Foreground | None:
    """The screen for a fleet; None where there is no terminal, or nobody wants it."""
    if parsed.no_screen or parsed.background or not is_usable(sys.stdout):
        return None
    return Foreground(settings.directory)


class Foreground:
    """One fleet's. Called beside it; `around` its whole run."""

    def __init__(self, directory: Path) -> None:
        self._log = directory / states.LOG
        self._terminal = Terminal()
        # Standard error as it was.
        self._saved: TextIO | None = None
        self._told: deque[Happening] = deque(maxlen=_REMEMBERED)
        self._handler = HappeningHandler(self._told.append)
        self._is_up = False

    def progress(self, subject: str) -> Progress:
        """What tells the steps of the start, on the terminal. With the first one the log goes to its file."""
        error = os.fdopen(os.dup(_STDERR), "w", buffering=1)
        self._saved = error
        return _Progress(subject, error, self._redirect)

    async def around(self, work: Awaitable[None]) -> None:
        logging.getLogger().addHandler(self._handler)
        try:
            await work
        finally:
            logging.getLogger().removeHandler(self._handler)
            self._restore()
            if not self._is_up:
                for each in self._told:
                    print(f"{each.what}: {each.text}", file=sys.stderr)

    async def __call__(self, hub: Client, members: Callable[[str], Client]) -> None:
        self._is_up = True
        ways = Connections(hub, members)
        watching = Watching(ways)
        for each in self._told:
            watching.happenings.add(each)
        self._handler.tell_to(watching.happenings.add)
        manner = Manner(f"{_FOOT}, log {self._log}", _end)
        try:
            async with beside(watching.run()):
                await Screen(self._terminal, watching, manner).run()
        except asyncio.CancelledError:
            print(f"argosy: the fleet ends (its log is {self._log})", flush=True)
            raise
        finally:
            await ways.close()
            self._handler.tell_to(self._told.append)
            # A screen that failed says so where it can be seen.
            self._restore()

    def clear(self) -> None:
        self._terminal.leave()

    def _redirect(self) -> None:
        """By now the directory is ours."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        descriptor = os.open(self._log, flags, 0o600)
        sys.stderr.flush()
        os.dup2(descriptor, _STDERR)
        os.close(descriptor)

    def _restore(self) -> None:
        if self._saved is not None and not self._saved.closed:
            sys.stderr.flush()
            os.dup2(self._saved.fileno(), _STDERR)


class _Progress(Progress):
    def __init__(self, subject: str, stream: TextIO, begin: Callable[[], None]) -> None:
        super().__init__(subject, stream)
        self._begin: Callable[[], None] | None = begin

    def __call__(self, step: str) -> None:
        if self._begin is not None:
            self._begin()
            self._begin = None
        super().__call__(step)


def _end() -> None:
    """As Ctrl-C does."""
    signal.raise_signal(signal.SIGINT)
