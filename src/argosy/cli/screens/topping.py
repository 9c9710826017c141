"""`argosy top`. `q` ends it with 0; signals with what shells expect: Ctrl-C 130, SIGTERM 143, a closed terminal 129."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import signal
import sys
from datetime import datetime
from typing import Final

from argosy.base.errors import StatusError
from argosy.cli.printing import DOCUMENTS, check_output
from argosy.cli.printing import document as printed
from argosy.cli.sailing import seconds_of, warn
from argosy.cli.screens.documents import document
from argosy.cli.screens.pictures import Picture
from argosy.cli.screens.rendering import report
from argosy.cli.screens.screens import Manner, Screen, beside, telling
from argosy.cli.screens.sections import Part
from argosy.cli.screens.terminals import Terminal, glyphs_of, is_usable, wants_colors
from argosy.cli.screens.texts import painted
from argosy.cli.screens.views import View
from argosy.cli.screens.watching import Watching
from argosy.sdk.errors import FleetError
from argosy.sdk.fleets import AsyncFleet

_FOOT: Final = "q quits"
# Where nobody looks at a terminal, lines are as long as they need to be.
_ENDLESS: Final = 1 << 16
_SIGNALED: Final = 128


async def top(fleet: AsyncFleet, parsed: argparse.Namespace) -> int:
    check_output(parsed.output, DOCUMENTS)
    interval = seconds_of("--interval", parsed.interval) or 1.0
    namespace = getattr(parsed, "namespace", "") or None
    part = Part(parsed.part) if parsed.part else None
    watching = Watching(fleet.connections, namespace=namespace)
    is_live = not (parsed.once or parsed.output) and is_usable(sys.stdout)
    async with telling(watching), beside(watching.run()) as run:
        await _first(watching, run)
        if is_live:
            return await _live(watching, View(part), interval)
        picture = watching.picture()
    _print(picture, fleet.connections.clock.now().astimezone(), part, parsed.output)
    told = {each.cluster for each in fleet.problems}
    for name in sorted(picture.problems.keys() - told):
        warn(f"cluster {name} cannot be asked: {picture.problems[name]}")
    return 0


async def _first(watching: Watching, run: asyncio.Task[None]) -> None:
    """Wait for the first picture; what keeps the hub from telling is raised as itself."""
    seen = asyncio.create_task(watching.seen())
    try:
        await asyncio.wait((seen, run), return_when=asyncio.FIRST_COMPLETED)
    finally:
        seen.cancel()
    if run.done():
        try:
            run.result()
        except* (StatusError, FleetError) as group:
            raise _bare(group) from None


def _bare(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _live(watching: Watching, view: View, interval: float) -> int:
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[int] = loop.create_future()

    def end(code: int) -> None:
        if not ended.done():
            ended.set_result(code)

    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, end, _SIGNALED + number)
    screen = Screen(Terminal(), watching, Manner(_FOOT, lambda: end(os.EX_OK), interval))
    async with beside(screen.run(view)) as showing:
        await asyncio.wait((ended, showing), return_when=asyncio.FIRST_COMPLETED)
        if showing.done():
            showing.result()
        return ended.result()


def _print(picture: Picture, now: datetime, part: Part | None, form: str) -> None:
    if form:
        sys.stdout.write(printed(document(picture, now, part), form))
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _ENDLESS
    colors, glyphs = wants_colors(sys.stdout), glyphs_of(sys.stdout)
    for line in report(picture, width, now, part, glyphs):
        print(painted(line, colors=colors))
