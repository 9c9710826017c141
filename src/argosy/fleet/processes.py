"""The processes that serve a fleet's members, started and watched by the one that serves its hub.

One that ends although nobody told it to is started again, after a pause that doubles while it does not stay, and what
became of it is written to run.json. One that cannot even begin (a store that is damaged, say) ends the start of the
fleet with its reason; later it is only told about, because the rest of the fleet goes on. They are ended by SIGTERM,
all at once, and killed if they do not end.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Final, TypeAlias

import msgspec

from argosy.base.clock import Clock, RealClock
from argosy.fleet import runs
from argosy.fleet.children import News, Task
from argosy.fleet.runs import ProcessRun

_LOG: Final = logging.getLogger(__name__)
_FIRST_PAUSE_SECONDS: Final = 0.25
_MOST_PAUSE_SECONDS: Final = 30.0
# Who lived this long is started again without delay.
_STEADY_SECONDS: Final = 60.0
_END_SECONDS: Final = 10.0
# How often one may end before it ever worked, without saying why.
_TRIES: Final = 3

_news: Final = msgspec.json.Decoder(News).decode

# Is told what a child says.
Hear: TypeAlias = Callable[["Child", News], None]


class ChildFailed(Exception):
    """A process of the fleet cannot begin; the message is for the user."""


class Child:
    """One process and its successors. `record` tells of it; `changed` is called when it has changed."""

    def __init__(
        self, task: Task, hear: Hear, changed: Callable[[Child], None], clock: Clock | None = None
    ) -> None:
        names = tuple(shape.name for shape in task.settings.members)
        self.record: Final = ProcessRun(name=task.name, clusters=names)
        self._task = task
        self._hear = hear
        self._changed = changed
        self._clock = clock or RealClock()
        self._works: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Whoever waits for it may have been interrupted before it failed.
        self._works.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._reason = ""

    async def working(self) -> None:
        """Wait until it works for the first time. Raises ChildFailed."""
        await asyncio.shield(self._works)

    def kill(self) -> None:
        if self.record.pid:
            with suppress(ProcessLookupError):
                os.kill(self.record.pid, signal.SIGKILL)

    async def run(self) -> None:
        """Have it running until cancelled."""
        pause = _FIRST_PAUSE_SECONDS
        while True:
            begun = self._clock.monotonic()
            try:
                await self._once()
            except OSError as error:
                self._reason = self.record.last_exit = f"it cannot be started: {error}"
            self._judge()
            if self._clock.monotonic() - begun > _STEADY_SECONDS:
                pause = _FIRST_PAUSE_SECONDS
            _LOG.warning(
                "process %s (%s) ended: %s; it is started again in %g s",
                self.record.name,
                ", ".join(self.record.clusters),
                self.record.last_exit,
                pause,
            )
            await self._clock.sleep(pause)
            pause = min(2 * pause, _MOST_PAUSE_SECONDS)
            self.record.restarts += 1

    async def _once(self) -> None:
        """From its start to its end."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "argosy.fleet.children", self.record.name),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        self._reason = ""
        self.record.pid, self.record.started = process.pid, runs.now()
        self._changed(self)
        try:
            await self._follow(process)
        finally:
            await _end(process)
            self.record.pid = 0
            self.record.last_exit = _how(process.returncode, self._reason)
            self.record.last_exit_time = runs.now()
            self._changed(self)

    async def _follow(self, process: asyncio.subprocess.Process) -> None:
        """Hear what it says until it ends."""
        assert process.stdin is not None
        assert process.stdout is not None
        # It stays open: its end is how the other side learns that this process is gone.
        process.stdin.write(self._task.packed())
        while line := await process.stdout.readline():
            news = _news(line)
            self._reason = news.failed or self._reason
            self._hear(self, news)
            if news.works and not self._works.done():
                self._works.set_result(None)
                # A successor finds what people have made of its members since.
                self._task = replace(self._task, settings=self._task.settings.settled())
        await process.wait()

    def _judge(self) -> None:
        if self._works.done():
            return
        if self._reason:
            self._works.set_exception(ChildFailed(self._reason))
        elif self.record.restarts + 1 == _TRIES:
            self._works.set_exception(
                ChildFailed(
                    f"process {self.record.name} ended {_TRIES} times before it worked, the last time by "
                    f"{self.record.last_exit}; what it logged says more"
                )
            )


@asynccontextmanager
async def supervised(children: Sequence[Child]) -> AsyncIterator[None]:
    """Have them running for the length of a block."""
    tasks = [asyncio.ensure_future(child.run()) for child in children]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(_END_SECONDS):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _how(code: int | None, reason: str) -> str:
    """How a process ended."""
    if code is not None and code < 0:
        with suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
    return f"exit code {code}: {reason}" if reason else f"exit code {code}"
