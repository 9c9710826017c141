"""The hands: a picture that changes, keys and a clock in, a terminal that shows it.

It is drawn once an interval, for ages grow even where nothing happens, and at once when somebody presses a key or
resizes the window. That costs what fits on the screen; lines that differ are sent, and no others.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

from argosy.cli.screens.happenings import HappeningHandler
from argosy.cli.screens.rendering import page, render
from argosy.cli.screens.terminals import Terminal
from argosy.cli.screens.views import Key, View, keys
from argosy.cli.screens.watching import Watching

# However fast somebody types.
_LEAST_SECONDS: Final = 0.03


@dataclass(slots=True, frozen=True)
class Manner:
    """How a screen is shown: what its last line says, what `q` does, how often it is drawn."""

    foot: str
    quit: Callable[[], None]
    interval_seconds: float = 1.0


class Screen:
    """One screen on one terminal."""

    def __init__(self, terminal: Terminal, watching: Watching, manner: Manner) -> None:
        self._terminal = terminal
        self._watching = watching
        self._manner = manner
        self._clock = watching.clock
        self._view = View()
        self._urgent = asyncio.Event()

    async def run(self, view: View | None = None) -> None:
        """Show it until cancelled."""
        self._view = view or View()
        self._terminal.enter(self._typed, self._urgent.set)
        try:
            while True:
                self._draw()
                await self._pause()
        finally:
            self._terminal.leave()

    def _draw(self) -> None:
        terminal = self._terminal
        lines = render(
            self._watching.picture(),
            terminal.size,
            self._clock.now().astimezone(),
            self._view,
            foot=self._manner.foot,
            glyphs=terminal.glyphs,
        )
        terminal.show(lines)

    async def _pause(self) -> None:
        """Until there is a reason to draw."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._manner.interval_seconds):
                await self._urgent.wait()
        if self._urgent.is_set():
            self._urgent.clear()
            await self._clock.sleep(_LEAST_SECONDS)

    def _typed(self, typed: bytes) -> None:
        for key in keys(typed):
            if key is Key.QUIT:
                self._manner.quit()
                return
            view = self._view.after(key, page(self._terminal.size))
            self._view = view if view.part is None else self._held(view)
        self._urgent.set()

    def _held(self, view: View) -> View:
        """Not beyond the last row."""
        picture = self._watching.picture()
        counts = {
            "clusters": len(picture.clusters),
            "queues": len(picture.queues),
            "jobs": len(picture.jobs),
            "events": len(picture.happenings),
        }
        return view.within(counts[str(view.part)], page(self._terminal.size))


@asynccontextmanager
async def beside(work: Coroutine[None, None, None]) -> AsyncIterator[asyncio.Task[None]]:
    """Have it done for the length of a block."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait((task,))


@asynccontextmanager
async def telling(watching: Watching) -> AsyncIterator[None]:
    """Have the program's own warnings among what happened."""
    handler = HappeningHandler(watching.happenings.add)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
