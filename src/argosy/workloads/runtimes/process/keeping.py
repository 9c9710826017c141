"""The keeper as the rest of the runtime sees it: runs that start and end, and commands beside them.

`open` finds the keeper that an earlier Argosy has left, or starts one. A run's end is a future that is always
fulfilled, once: by the keeper's word, or, when the keeper itself has died, by an end that says nobody saw it. Then a
new keeper is started, and processes that the old one left behind are ended first.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final, NamedTuple

from argosy.workloads.runtimes.process import launching
from argosy.workloads.runtimes.process.keeper import processes
from argosy.workloads.runtimes.process.keeper.orders import VERSION, Command, Order
from argosy.workloads.runtimes.process.links import KeeperGone, Link, Message

_LOG: Final = logging.getLogger(__name__)
_EXIT_SECONDS: Final = 5.0


class Known(NamedTuple):
    """A run as the keeper knows it; `code` is None while it goes on.

    `is_lost`: nobody saw it end. `was_cut_off`: it ended because everything was ended, not by itself.
    """

    run: str
    pid: int
    started: float
    ended: float = 0.0
    code: int | None = None
    was_out_of_memory: bool = False
    is_lost: bool = False
    was_cut_off: bool = False

    @staticmethod
    def read(told: Message) -> Known:
        return Known(
            told["run"], told["pid"], told["started"], told["ended"], told["code"], told["outOfMemory"],
            was_cut_off=told["cutOff"],
        )  # fmt: skip

    @staticmethod
    def recalled(told: Message) -> Known:
        """A run that was written down by a keeper that is gone: it has ended, even if nobody saw that."""
        known = Known.read(told)
        return known if known.code is not None else known._replace(code=137, is_lost=True)


class Keeping:
    """One state directory's keeper. `trouble` hears of logs that can not be written: run and why."""

    def __init__(
        self, state: Path, *, orphan_seconds: float, trouble: Callable[[str, str], None]
    ) -> None:
        self._state = state
        self._orphan_seconds = orphan_seconds
        self._trouble = trouble
        self._link: Link | None = None
        self._pid = 0
        self._ends: dict[str, asyncio.Future[Known]] = {}
        # While a keeper is asked for its runs: ends that come on the heels of its answer.
        self._unknown: list[Message] = []
        self._is_opening = False

    async def open(self) -> list[Known]:
        """Connect; the runs of an earlier Argosy."""
        connection = launching.connect(self._state)
        self._is_opening, self._unknown = True, []
        if connection is not None:
            self._link = Link(connection, self._heard)
            # A keeper that ends in this very moment is none.
            with contextlib.suppress(KeeperGone):
                answer = await self._link.ask("hello")
                if answer["version"] != VERSION:
                    _LOG.warning("the keeper of another version ends, and all containers with it")
                    await self._link.ask("shutdown", grace=0)
                elif not answer["leaving"]:
                    return self._know_all(answer["runs"])
                await self._link.gone.wait()
        self._is_opening, self._unknown = False, []
        await self._launch()
        return []

    def _know_all(self, runs: list[Message]) -> list[Known]:
        """The runs, by the last that was told of each."""
        told = {one["run"]: one for one in (*runs, *self._unknown)}
        self._is_opening, self._unknown = False, []
        return [self._know(Known.read(one)) for one in told.values()]

    def _know(self, known: Known) -> Known:
        future = self._ends[known.run] = asyncio.get_running_loop().create_future()
        if known.code is not None:
            future.set_result(known)
        return known

    async def reopen(self) -> None:
        """Wait until the keeper dies, tell those who wait for its runs, and start another."""
        await self._connected().gone.wait()
        await asyncio.to_thread(self._bury)
        _LOG.error(
            "the keeper of the containers' processes has ended; all of them have ended with it"
        )
        await self._launch()
        ends, self._ends = self._ends, {}
        for run, future in ends.items():
            if not future.done():
                future.set_result(Known(run, 0, 0.0, 0.0, 137, is_lost=True))

    async def _launch(self) -> None:
        ended = await asyncio.to_thread(end_leftovers, _pods_of(self._state))
        if ended:
            _LOG.warning("%d processes of containers that nobody kept were ended", ended)
        self._pid = await asyncio.to_thread(launching.launch, self._state, self._orphan_seconds)
        connection = launching.connect(self._state)
        if connection is None:
            raise KeeperGone("the keeper of the containers' processes did not start")
        self._link = Link(connection, self._heard)

    def _bury(self) -> None:
        """Wait for the end of a keeper that was our child."""
        if self._pid:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._pid, 0)
            self._pid = 0

    async def close(self, *, grace_seconds: float | None) -> None:
        """Hang up; with a grace, end all containers and the keeper first."""
        link = self._link
        if link is None:
            return
        if grace_seconds is not None:
            with contextlib.suppress(KeeperGone, TimeoutError):
                async with asyncio.timeout(grace_seconds + _EXIT_SECONDS):
                    await link.ask("shutdown", grace=grace_seconds)
                    await link.gone.wait()
                    await asyncio.to_thread(self._bury)
        link.close()

    async def announce(self) -> None:
        """Say that everything will be ended: what ends from now on has not ended by itself."""
        with contextlib.suppress(KeeperGone):
            await self._connected().ask("announce")

    async def hurry(self) -> None:
        """Kill at once whom `close` has given time to end."""
        if self._link is not None:
            with contextlib.suppress(KeeperGone):
                await self._link.ask("shutdown", grace=0)

    async def start(self, order: Order) -> Known:
        """Start a run. Refused if its command could not begin."""
        self._ends[order.run] = asyncio.get_running_loop().create_future()
        try:
            return Known.read(await self._connected().ask("start", order=asdict(order)))
        except BaseException:
            self._ends.pop(order.run, None)
            raise

    def recall(self, known: Known) -> None:
        """Know again how a run ended that was written down."""
        if known.run not in self._ends:
            self._know(known)

    def end_of(self, run: str) -> asyncio.Future[Known]:
        """How a run that was started ends."""
        return self._ends[run]

    async def signal(self, run: str, number: int) -> None:
        with contextlib.suppress(KeeperGone):
            await self._connected().ask("signal", run=run, signal=number)

    async def kill(self, run: str) -> None:
        """End every process of a run."""
        with contextlib.suppress(KeeperGone):
            await self._connected().ask("kill", run=run)

    async def forget(self, run: str) -> None:
        self._ends.pop(run, None)
        with contextlib.suppress(KeeperGone):
            await self._connected().ask("forget", run=run)

    async def command(
        self, order: Command, descriptors: Sequence[int]
    ) -> tuple[int, asyncio.Future[int]]:
        """Start a command beside a run; its pid and its exit code to come. Refused, KeeperGone."""
        return await self._connected().command(asdict(order), descriptors)

    async def cancel(self, pid: int) -> None:
        """End a command and everything below it."""
        with contextlib.suppress(KeeperGone):
            await self._connected().ask("cancel", pid=pid)

    async def attach(self, run: str, out: int, error: int, *, stdin: bool) -> int | None:
        """Send output from now on to these descriptors; the descriptor of the input, if there is one."""
        link = self._connected()
        answer = await link.ask("attach", [out, error], run=run, stdin=stdin)
        return link.take_descriptor() if answer["descriptors"] else None

    def _connected(self) -> Link:
        if self._link is None:
            raise KeeperGone("there is no keeper yet")
        return self._link

    def _heard(self, told: Message) -> None:
        if told["event"] == "trouble":
            self._trouble(told["run"], told["text"])
            return
        future = self._ends.get(told["run"])
        if future is None:
            if self._is_opening:
                self._unknown.append(told)
        elif not future.done():
            future.set_result(Known.read(told))


def _pods_of(state: Path) -> list[str]:
    folder = state / "pods"
    return [one.name for one in folder.iterdir()] if folder.is_dir() else []


def end_leftovers(pods: Iterable[str]) -> int:
    """End processes that carry the mark of these pods and have no keeper; how many there were."""
    ended = 0
    everybody = list(processes.look())
    for pod in pods:
        for pid in processes.marked(everybody, f"{pod}/"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
                ended += 1
    return ended
