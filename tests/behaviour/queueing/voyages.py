"""Random plays of admissions and preemptions whose controllers die, and what is watched meanwhile.

A `Voyage` says what a seed means: queues of one cohort, Jobs, and deaths. `sail` plays it in virtual time. Calls of
controllers take some milliseconds each way, so a death comes between writes that are done, on their way and not yet
decided; those on their way arrive. The next controllers start when nothing is on its way any more, as a lease grants.

A `Watchman` sees every state of every Workload and notes whenever more is reserved than there is.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections import Counter
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final

import msgspec

from argosy.api.objects.kueue.workloads import Workload
from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.servers import ClusterServer
from argosy.base.clock import VirtualClock
from argosy.base.errors import ServiceUnavailable
from argosy.base.ids import SeededIds
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import WatchEvent
from argosy.client.resources import JOBS, WORKLOAD_PRIORITY_CLASSES, WORKLOADS, Resource
from argosy.control.assemblies import Assembly
from argosy.queueing.assembling import add_queueing, build_engine
from argosy.queueing.cache.caches import Cache
from argosy.queueing.cache.holdings import Holdings
from argosy.queueing.configuration import Configuration
from argosy.queueing.configuration.settings import FairSharing
from argosy.queueing.controllers.neighborhoods import Neighborhood
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.workloads.phases import holds_quota
from argosy.workloads.housekeeping import keep_house
from argosy.workloads.jobs import add_jobs
from argosy.workloads.scheduling import add_scheduler
from tests.behaviour.queueing.wired import Port, prepared, quotas
from tests.behaviour.workloads.runtimes.simulating import add_agent, add_node
from tests.fakes.clients import Fault, FaultyClient
from tests.fakes.worlds import _Failures

PRIORITIES: Final = {"low": 10, "middle": 100, "high": 1000}
WRITES: Final = frozenset({"create", "update", "patch", "apply", "delete"})
# How long a write is on its way, at most; each way.
SECONDS_OF_A_WRITE: Final = 0.05
# When everybody has to be done.
HORIZON: Final = 1200.0


@dataclass(slots=True, frozen=True)
class Quota:
    """A ClusterQueue of the cohort, and the LocalQueue of that name."""

    name: str
    nominal: int
    borrowing: int | None
    spec: Object

    def limit(self, whole: int) -> int:
        return whole if self.borrowing is None else min(whole, self.nominal + self.borrowing)


@dataclass(slots=True, frozen=True)
class Cargo:
    """A Job."""

    name: str
    at: float
    queue: str
    pods: int
    seconds: int
    priority: str


class Amid(Enum):
    """What controllers do when they die."""

    ANYTHING = auto()
    # A decision is made and not yet written.
    ADMISSION = auto()
    # Victims still hold their quota.
    PREEMPTION = auto()


@dataclass(slots=True, frozen=True)
class Death:
    """After a moment, controllers die amid something, some writes into it; soon, if it does not happen. Others start
    after a pause.
    """

    at: float
    amid: Amid
    writes: int
    pause: float


@dataclass(slots=True, frozen=True)
class Voyage:
    """What a seed means."""

    seed: int
    is_fair: bool
    quotas: tuple[Quota, ...]
    cargo: tuple[Cargo, ...]
    deaths: tuple[Death, ...]

    @property
    def whole(self) -> int:
        return sum(quota.nominal for quota in self.quotas)

    @property
    def configuration(self) -> Configuration:
        return Configuration(fair_sharing=FairSharing() if self.is_fair else None)


def chart(seed: int) -> Voyage:
    """The voyage of a seed."""
    source = random.Random(seed)
    found = tuple(_quota(source, f"q{number}") for number in range(source.randint(2, 4)))
    whole = sum(quota.nominal for quota in found)
    cargo = tuple(
        _cargo(source, f"job-{number}", source.choice(found), whole)
        for number in range(source.choice([6, 6, 7, 8, 9, 12]))
    )
    deaths = tuple(
        Death(
            at,
            source.choice(list(Amid)),
            source.choice([0, 0, 0, 1, 2, 6]),
            source.uniform(3 * SECONDS_OF_A_WRITE, 5),
        )
        for at in sorted(source.uniform(1, 60) for _ in range(source.randint(1, 3)))
    )
    by_time = tuple(sorted(cargo, key=lambda one: one.at))
    return Voyage(seed, source.random() < 0.4, found, by_time, deaths)


def _quota(source: random.Random, name: str) -> Quota:
    nominal, borrowing = source.randint(1, 3), source.choice([None, None, 0, 2])
    preemption = {
        "withinClusterQueue": source.choice(["Never", "LowerPriority", "LowerPriority"]),
        "reclaimWithinCohort": source.choice(["Never", "Any", "Any"]),
    }
    limits = {} if borrowing is None else {"borrowingLimit": str(borrowing)}
    spec: Object = {
        "cohortName": "all",
        "resourceGroups": quotas(str(nominal), **limits),
        "preemption": preemption,
        "queueingStrategy": source.choice(["BestEffortFIFO", "BestEffortFIFO", "StrictFIFO"]),
    }
    return Quota(name, nominal, borrowing, spec)


def _cargo(source: random.Random, name: str, quota: Quota, whole: int) -> Cargo:
    pods = source.randint(1, min(4, quota.limit(whole)))
    at = source.uniform(0, 60)
    # Later ones matter more, so that there is something to preempt.
    priority = source.choice(["low", "middle"] if at < 20 else list(PRIORITIES))
    return Cargo(name, at, quota.name, pods, source.randint(5, 50), priority)


@dataclass(slots=True)
class Watchman:
    """Keeps account of what Workloads reserve, state by state."""

    voyage: Voyage
    held: dict[str, tuple[str, int]] = field(default_factory=dict)
    # Those that have to go; and how often that was said.
    evicted: set[str] = field(default_factory=set)
    evictions: set[tuple[str, str]] = field(default_factory=set)
    excesses: list[str] = field(default_factory=list)
    # What was going on when controllers died.
    interruptions: Counter[Amid] = field(default_factory=Counter)

    async def watch(self, client: LocalClient) -> None:
        async with contextlib.aclosing(client.watch(WORKLOADS)) as events:
            async for event in events:
                if event.type != "BOOKMARK":
                    self.note(event.type, msgspec.json.decode(event.object.body, type=Workload))

    def note(self, change: str, workload: Workload) -> None:
        name = f"{workload.metadata.namespace}/{workload.metadata.name}"
        self.evicted.discard(name)
        evicted = workload.condition("Evicted")
        if evicted is not None and evicted.status == "True":
            self.evicted.add(name)
            self.evictions.add((name, str(evicted.last_transition_time)))
        self.held.pop(name, None)
        if change != "DELETED" and holds_quota(workload):
            self.held[name] = reserved(workload)
            self.check()

    def check(self) -> None:
        by_queue: Counter[str] = Counter()
        for queue, cpus in self.held.values():
            by_queue[queue] += cpus
        whole = self.voyage.whole
        over = [q.name for q in self.voyage.quotas if by_queue[q.name] > q.limit(whole)]
        if over or by_queue.total() > whole:
            self.excesses.append(f"{dict(by_queue)} of {whole}, too much in {over}: {self.held}")


def reserved(workload: Workload) -> tuple[str, int]:
    """The queue that is charged, and the CPUs of pods that are not done: every pod asks for one."""
    admission = workload.status.admission
    assert admission is not None, f"{workload.metadata.name} has a reservation of nothing"
    done = sum(pods.count for pods in workload.status.reclaimable_pods)
    return admission.cluster_queue, sum(p.count or 0 for p in admission.pod_set_assignments) - done


class SlowClient(FaultyClient):
    """Delays calls and leaves watches alone."""

    def watch(self, resource: Resource, **options: Any) -> AsyncGenerator[WatchEvent, None]:
        return self._client.watch(resource, **options)


class Ship(Port):
    """A cluster with queueing whose controllers can die and be replaced."""

    def __init__(self, voyage: Voyage, server: ClusterServer, clock: VirtualClock) -> None:
        client = LocalClient(server, ADMIN, agent="test", namespace="ns")
        super().__init__(server, client, clock)
        self.voyage: Final = voyage
        self._source = random.Random(voyage.seed)
        self._starts = 0
        self.watchman: Final = Watchman(voyage)
        self._fate: Amid | None = None
        self._fuse = 0
        self._doom = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self.engine: Engine

    async def start(self) -> None:
        """New controllers, which know nothing."""
        self._starts += 1
        self._doom.clear()
        assembly = Assembly(
            SlowClient(self.client, self._delay),
            clock=self.clock,
            ids=SeededIds(1000 + self._starts),
            source=random.Random(self._starts),
        )
        for add in (add_agent, add_scheduler, add_jobs):
            add(assembly)
        self.engine = add_queueing(assembly, self.voyage.configuration)
        self._running = asyncio.create_task(assembly.run())
        await assembly.started()

    def _delay(self, verb: str) -> Fault:
        if verb not in WRITES:
            return Fault()
        if self._fate is not None and self.amid(self._fate):
            self._fate = Amid.ANYTHING
            self._fuse -= 1
            if self._fuse < 0:
                self._doom.set()
        there, back = (self._source.uniform(0, SECONDS_OF_A_WRITE) for _ in range(2))
        if self._doom.is_set() and self._source.random() < 0.5:
            return Fault(ServiceUnavailable("never sent"), before=there)
        return Fault(before=there, after=back)

    def amid(self, what: Amid) -> bool:
        """Whether that is going on."""
        held = self.watchman.held
        if what is Amid.ADMISSION:
            return any(key not in held for key in self.engine.cache.workloads)
        return what is Amid.ANYTHING or any(name in held for name in self.watchman.evicted)

    async def face(self, death: Death) -> None:
        """Wait for the moment."""
        self._doom.clear()
        self._fate, self._fuse = death.amid, death.writes
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._doom.wait(), 30)
        self._fate = None
        self.watchman.interruptions.update(what for what in Amid if self.amid(what))

    async def die(self) -> None:
        """End the controllers in the middle of what they do."""
        assert self._running is not None
        self._running.cancel()
        await asyncio.wait({self._running})

    async def fit_out(self) -> None:
        await self.flavor()
        for quota in self.voyage.quotas:
            await self.cluster_queue(quota.name, **quota.spec)
            await self.local_queue(quota.name, quota.name)
        for name, value in PRIORITIES.items():
            body = {"metadata": {"name": name}, "value": value}
            await self.create(WORKLOAD_PRIORITY_CLASSES, body)
        for number in range(2):
            await add_node(self, f"n{number}")

    async def submit(self) -> None:
        began = self.clock.time()
        for one in self.voyage.cargo:
            await self.pass_time(began + one.at - self.clock.time())
            labels: Object = {"kueue.x-k8s.io/priority-class": one.priority}
            await self.job(
                one.name, queue=one.queue, seconds=one.seconds, pods=one.pods, labels=labels
            )

    async def meet_fate(self) -> None:
        began = self.clock.time()
        for death in self.voyage.deaths:
            await self.pass_time(max(0.0, began + death.at - self.clock.time()))
            await self.face(death)
            await self.die()
            await self.pass_time(death.pause)
            await self.start()
            await self.agree()

    async def arrive(self) -> None:
        """Wait until all Jobs are done."""
        until = self.clock.time() + HORIZON
        while self.clock.time() < until:
            jobs = await self.list(JOBS)
            if all("completionTime" in job.get("status", {}) for job in jobs):
                return
            await self.agree()
            await self.pass_time(15)

    async def agree(self) -> None:
        """What the running engine counts is what a new one reads from the objects, once no write is on its way."""
        for _ in range(40):
            got, want = accounts(self.engine.cache), accounts(await self.afresh())
            if got == want:
                return
            await self.pass_time(0.11)
        assert got == want, "the running engine counts something that no object says"

    async def afresh(self) -> Cache:
        assembly = Assembly(self.client, clock=self.clock)
        engine = build_engine(self.voyage.configuration, Neighborhood(assembly))
        for raw in (await self.client.list(WORKLOADS)).items:
            workload = msgspec.json.decode(raw.body, type=Workload)
            engine.put_workload(workload, self.clock.time())
        return engine.cache


def accounts(cache: Cache) -> dict[str, dict[str, Holdings]]:
    """What every queue holds, without zeros."""
    return {
        "cluster queues": _held(cache.holdings.items()),
        "local queues": _held(cache.local_holdings.items()),
    }


def _held(found: Iterable[tuple[str, Holdings]]) -> dict[str, Holdings]:
    some = {
        name: Holdings(
            one.reserving,
            one.admitted,
            {key: value for key, value in one.reserved.items() if value},
            {key: value for key, value in one.used.items() if value},
        )
        for name, one in found
    }
    return {name: one for name, one in some.items() if one != Holdings()}


async def sail(voyage: Voyage) -> Ship:
    """Play it until all Jobs are done and statuses say so."""
    clock = VirtualClock()
    server = await prepared(clock, voyage.configuration)
    ship = Ship(voyage, server, clock)
    failures = _Failures()
    logging.getLogger("argosy").addHandler(failures)
    tasks = {
        asyncio.create_task(keep_house(server.cluster, ca="CERTIFICATE")),
        asyncio.create_task(ship.watchman.watch(ship.client)),
    }
    try:
        await ship.start()
        await ship.fit_out()
        await asyncio.gather(ship.submit(), ship.meet_fate())
        await ship.arrive()
        await ship.pass_time(10)
        await ship.agree()
        await ship.die()
    finally:
        logging.getLogger("argosy").removeHandler(failures)
        for task in tasks:
            assert not task.done(), task
            task.cancel()
        await asyncio.wait(tasks)
    assert failures.seen == []
    return ship
