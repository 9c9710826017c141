"""A run from a scenario to the files of its directory.

The loop is virtual: it sleeps for nothing and jumps to the next event. The only real time anybody looks at is that of
the progress line, which nothing depends on.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from argosy.base.clock import VirtualClock
from argosy.base.collecting import settle
from argosy.base.errors import StatusError
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.member.assembling import MemberSettings
from argosy.queueing.configuration import Configuration, decode
from argosy.simulation.arriving import arrivals
from argosy.simulation.driving import Driver, Refused, Stage
from argosy.simulation.fleets import FleetSettings, VirtualFleet
from argosy.simulation.ledgers import Ledger, Sink
from argosy.simulation.outputs import EVENTS, REPORT, logged, write_jobs, write_summary
from argosy.simulation.pages import page
from argosy.simulation.plans import Scenario
from argosy.simulation.summaries import summarize
from argosy.simulation.watching import Watcher

# How often somebody is told how far it is, in parts of the whole.
_TICKS: Final = 2000
_TELL_SECONDS: Final = 0.2


@dataclass(slots=True, frozen=True)
class Progress:
    """How far a run is: seconds of the scenario (some have passed), writes on all clusters, and real seconds."""

    at: float
    until: float
    writes: int
    elapsed: float
    jobs: int

    @property
    def remaining(self) -> float:
        """Real seconds until the end, if it goes on like this."""
        return self.elapsed * (self.until - self.at) / self.at


Tell = Callable[[Progress], None]


@dataclass(slots=True)
class Outcome:
    """What came of a run."""

    ledger: Ledger
    summary: Object
    elapsed: float
    writes: int


def simulate(
    scenario: Scenario, directory: Path, *, seed: int, until: float, tell: Tell | None = None
) -> Outcome:
    """Play the scenario and write its directory."""
    with logged(directory), (directory / EVENTS).open("wb", buffering=1 << 16) as sink:
        outcome = play(scenario, sink, seed=seed, until=until, tell=tell)
    write(scenario, directory, outcome, until)
    return outcome


def write(scenario: Scenario, directory: Path, outcome: Outcome, until: float) -> None:
    """All that is written at the end of a run."""
    write_jobs(directory, outcome.ledger.jobs.values(), until)
    write_summary(directory, outcome.summary)
    (directory / REPORT).write_text(page(scenario, outcome.ledger, outcome.summary))


def play(
    scenario: Scenario, sink: Sink, *, seed: int, until: float, tell: Tell | None = None
) -> Outcome:
    """Play the scenario in virtual time; nothing but the event log is written."""
    return run_virtual(
        _play(scenario, sink, seed, until, tell), start=scenario.start.timestamp() - scenario.settle
    )


async def _play(
    scenario: Scenario, sink: Sink, seed: int, until: float, tell: Tell | None
) -> Outcome:
    began_real = time.perf_counter()
    clock = VirtualClock()
    began = clock.monotonic() + scenario.settle
    # What happens while the fleet is put up happened at the beginning.
    ledger = Ledger(until, lambda: max(0.0, clock.monotonic() - began), sink)
    fleet = VirtualFleet(_settings(scenario, seed), clock)
    await fleet.build_hub()
    watchers = []
    for plan in scenario.members:
        watcher = Watcher(plan, ledger, scenario.unit)
        watcher.follow((await fleet.build_member(plan)).assembly)
        watchers.append(watcher)
    driver = Driver(scenario, fleet, ledger, clock, began)
    running = asyncio.create_task(_run(fleet, driver, scenario, seed))
    telling = asyncio.create_task(_tell(tell, fleet, ledger, clock, began, until, began_real))
    ending = asyncio.create_task(clock.sleep(began + until - clock.monotonic()))
    try:
        # The time ends first, unless something goes wrong.
        done, _ = await asyncio.wait(
            {running, telling, ending}, return_when=asyncio.FIRST_COMPLETED
        )
        for task in done:
            task.result()
        await look_for_lost(scenario, fleet, ledger)
        for watcher in watchers:
            watcher.close()
        ledger.close()
    finally:
        for task in (running, telling, ending):
            task.cancel()
        await asyncio.wait({running, telling, ending})
    summary = summarize(scenario, ledger, seed=seed, until=until)
    return Outcome(ledger, summary, time.perf_counter() - began_real, fleet.writes())


async def _run(fleet: VirtualFleet, driver: Driver, scenario: Scenario, seed: int) -> None:
    try:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(fleet.run())
            await fleet.joined()
            await driver.prepare()
            settle()
            tasks.create_task(driver.run(arrivals(scenario, seed)))
    except* (Refused, StatusError) as group:
        # One thing went wrong first, and that is what is told.
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


async def look_for_lost(scenario: Scenario, fleet: Stage, ledger: Ledger) -> None:
    """A job that has not ended and is not on the hub any more is lost: nobody will ever run it."""
    known = await fleet.jobs()
    direct = {each.name for each in scenario.streams if each.cluster}
    for record in ledger.jobs.values():
        if record.ended is None and record.key not in known and record.stream not in direct:
            ledger.note("lost", job=f"{record.namespace}/{record.name}")


async def _tell(
    tell: Tell | None,
    fleet: VirtualFleet,
    ledger: Ledger,
    clock: VirtualClock,
    began: float,
    until: float,
    began_real: float,
) -> None:
    said = 0.0
    while True:
        await clock.sleep(until / _TICKS)
        now = time.perf_counter()
        at = clock.monotonic() - began
        if at > 0 and now - said >= _TELL_SECONDS:
            said = now
            if tell is not None:
                tell(Progress(at, until, fleet.writes(), now - began_real, len(ledger.jobs)))


def _settings(scenario: Scenario, seed: int) -> FleetSettings:
    queueing = Configuration()
    if scenario.queueing is not None:
        body = msgspec.json.encode(scenario.queueing)
        queueing = decode(body, name=f"{scenario.path}: queueing")
    return FleetSettings(
        seed,
        member=MemberSettings(pace=scenario.pace),
        queueing=queueing,
        upkeep=scenario.upkeep,
    )
