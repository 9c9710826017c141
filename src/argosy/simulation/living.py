"""A run in real time: the fleet of `argosy up`, the scenario played on it over HTTPS, the same records at the end.

The fleet lives in a directory of its own below that of the run, in as many processes as one likes; this process serves
its hub, and what plays the scenario runs beside it. It goes on until the horizon is over and every job has ended, or
until somebody has had enough: whatever was recorded by then is written, and the fleet's state stays, to be looked at
with `argosy up`. A fleet of an earlier run in the same directory is deleted first.
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from argosy.base.clock import Clock, RealClock
from argosy.client.protocol import Client
from argosy.control.assemblies import Assembly
from argosy.fleet import states
from argosy.fleet.doors import Doors
from argosy.fleet.fleets import FleetSettings
from argosy.fleet.running import Tell as Step
from argosy.fleet.running import up
from argosy.queueing.configuration import Configuration, decode
from argosy.simulation.arriving import arrivals
from argosy.simulation.counting import Counting
from argosy.simulation.driving import Driver, apply
from argosy.simulation.ledgers import Ledger
from argosy.simulation.outputs import EVENTS
from argosy.simulation.plans import Scenario
from argosy.simulation.running import Outcome, Progress, Tell, look_for_lost, write
from argosy.simulation.stages import LiveFleet
from argosy.simulation.summaries import summarize

_LOG: Final = logging.getLogger(__name__)
FLEET: Final = "fleet"
_LANES: Final = 16
_LOOK_SECONDS: Final = 0.5
_TELL_SECONDS: Final = 2.0


@dataclass(slots=True, frozen=True)
class Listeners:
    """Who is told what: the steps of the start, the line that says the fleet is ready, how far the scenario is."""

    step: Step
    ready: Callable[[str], None]
    progress: Tell


async def simulate_live(
    scenario: Scenario,
    directory: Path,
    *,
    seed: int,
    until: float,
    processes: int,
    told: Listeners,
) -> Outcome:
    """Play the scenario and write its directory. Raises what went wrong in the fleet or in the play."""
    settings = fleet_settings(scenario, directory / FLEET, processes)
    _remove(settings.directory)
    doors = Doors() if scenario.outages else None
    with (directory / EVENTS).open("wb", buffering=1 << 16) as sink:
        play = Play(scenario, settings.kubeconfig, sink, doors, seed, until, told.progress)
        await up(settings, told.ready, tell=told.step, beside=play, doors=doors)
    if play.failure is not None:
        raise play.failure
    outcome = play.outcome()
    write(scenario, directory, outcome, play.ended)
    return outcome


def fleet_settings(scenario: Scenario, directory: Path, processes: int) -> FleetSettings:
    """What `argosy up` would be told."""
    queueing = Configuration()
    if scenario.queueing is not None:
        body = msgspec.json.encode(scenario.queueing)
        queueing = decode(body, name=f"{scenario.path}: queueing")
    return FleetSettings(
        directory / states.KUBECONFIG,
        directory,
        scenario.members,
        queueing=queueing,
        processes=min(processes, len(scenario.members) + 1),
    )


def _remove(directory: Path) -> None:
    if states.look(directory) is not None:
        with states.opened(directory):
            states.remove(directory)


class Play:
    """The scenario, beside a fleet. `failure` is why it could not be played; `is_whole` whether nobody cut it short;
    `ended` the moment of its end.
    """

    def __init__(
        self,
        scenario: Scenario,
        kubeconfig: Path,
        sink: BinaryIO,
        doors: Doors | None,
        seed: int,
        until: float,
        tell: Tell,
    ) -> None:
        self._scenario = scenario
        self._kubeconfig = kubeconfig
        self._sink = sink
        self._doors = doors or Doors()
        self._seed = seed
        self._until = until
        self._tell = tell
        self._clock: Clock = RealClock()
        self._began = float("inf")
        self._writes = 0
        self._watchers: list[Counting] = []
        self.ledger: Final = Ledger(until, self._moment, sink)
        self.failure: Exception | None = None
        self.is_whole = False
        self.ended = 0.0

    def __call__(self, hub: Client, members: Callable[[str], Client]) -> Awaitable[None]:
        return self._run(members)

    def clear(self) -> None:
        self._sink.flush()

    def outcome(self) -> Outcome:
        summary = summarize(self._scenario, self.ledger, seed=self._seed, until=self.ended)
        summary["live"] = True
        summary["isWhole"] = self.is_whole
        return Outcome(self.ledger, summary, self.ended, self._writes)

    def _moment(self) -> float:
        """What happens before the beginning happens at the beginning."""
        return max(0.0, self._clock.monotonic() - self._began)

    async def _run(self, members: Callable[[str], Client]) -> None:
        try:
            await self._play(members)
            self.is_whole = True
        except Exception as error:  # noqa: BLE001  (it is raised again when the fleet has ended)
            self.failure = _first(error)
        finally:
            self.ended = self._moment()
            for watcher in self._watchers:
                watcher.close()
            self.ledger.close()
        # As Ctrl-C would: in order.
        signal.raise_signal(signal.SIGTERM)

    async def _play(self, members: Callable[[str], Client]) -> None:
        scenario = self._scenario
        async with (
            LiveFleet(self._kubeconfig, self._doors, self._clock) as fleet,
            self._watched(members),
            asyncio.TaskGroup() as tasks,
        ):
            await apply(fleet, scenario.objects)
            if not await fleet.settled(scenario.objects, scenario.settle):
                _LOG.warning("not everything that was placed is there after %g s", scenario.settle)
            before = await self._count(fleet)
            self._began = self._clock.monotonic()
            driver = Driver(scenario, fleet, self.ledger, self._clock, self._began, lanes=_LANES)
            jobs = (each for each in arrivals(scenario, self._seed) if each.at < self._until)
            running = (
                tasks.create_task(driver.run(jobs)),
                tasks.create_task(self._telling(fleet, before)),
            )
            await self._over(driver)
            await look_for_lost(scenario, fleet, self.ledger)
            self._writes = await self._count(fleet) - before
            for task in running:
                task.cancel()

    @asynccontextmanager
    async def _watched(self, members: Callable[[str], Client]) -> AsyncIterator[None]:
        """Have every member looked at, for the length of a block."""
        async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
            assemblies = []
            for plan in self._scenario.members:
                client = members(plan.name)
                stack.push_async_callback(client.close)
                assemblies.append(Assembly(client, clock=self._clock))
                self._watchers.append(Counting(plan, self.ledger, self._scenario.unit))
                self._watchers[-1].follow(assemblies[-1])
            running = [tasks.create_task(each.run()) for each in assemblies]
            for each in assemblies:
                await each.started()
            try:
                yield
            finally:
                for task in running:
                    task.cancel()

    async def _over(self, driver: Driver) -> None:
        """Wait until the horizon is over and every job has ended."""
        while not (
            self._moment() >= self._until
            and driver.has_submitted_all
            and all(each.ended is not None for each in self.ledger.jobs.values())
        ):
            await self._clock.sleep(_LOOK_SECONDS)

    async def _telling(self, fleet: LiveFleet, before: int) -> None:
        while True:
            await self._clock.sleep(_TELL_SECONDS)
            self._writes = await self._count(fleet) - before
            at = self._moment()
            within = min(at, self._until)
            self._tell(Progress(within, self._until, self._writes, at, len(self.ledger.jobs)))

    async def _count(self, fleet: LiveFleet) -> int:
        return await fleet.writes(each.name for each in self._scenario.members)


def _first(error: Exception) -> Exception:
    """What went wrong first, out of the groups it was wrapped in."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
