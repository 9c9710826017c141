"""Two electors on one Lease never lead at once, whatever the network does to their calls.

Requests arrive late or not at all, answers come late or get lost, candidates are cancelled and come back. The
server's clock is the only one: virtual time.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Iterator

import pytest

from argosy.base.clock import VirtualClock
from argosy.base.errors import ServiceUnavailable
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.resources import LEASES
from argosy.control.leases import LeaderElector, LeadershipLost
from tests.fakes.clients import Fault, FaultyClient
from tests.fakes.clusters import memory_client

SECONDS = 600


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


class Terms:
    """Who leads when."""

    def __init__(self) -> None:
        self.active: set[str] = set()
        self.begun: list[str] = []
        self.clashes: list[tuple[float, set[str]]] = []

    def begin(self, name: str) -> None:
        self.begun.append(name)
        self.active.add(name)
        if len(self.active) > 1:
            self.clashes.append((VirtualClock().monotonic(), set(self.active)))


def weather(source: random.Random, badness: float) -> Fault:
    if source.random() > badness:
        return Fault()
    return source.choice([
        Fault(ServiceUnavailable("refused")),
        Fault(ServiceUnavailable("answer lost"), lost=True),
        Fault(before=source.uniform(0, 30)),
        Fault(after=source.uniform(0, 30)),
        Fault(before=source.uniform(0, 10), after=source.uniform(0, 30)),
        Fault(ServiceUnavailable("late and lost"), before=source.uniform(0, 20), lost=True),
    ])  # fmt: skip


def play(seed: int) -> tuple[Terms, Object]:
    async def main() -> tuple[Terms, Object]:
        inner = await memory_client()
        terms = Terms()

        async def live(name: str) -> None:
            source = random.Random(f"{seed}/{name}")
            while True:
                badness = source.choice([0.05, 0.3, 0.8])
                client = FaultyClient(inner, lambda _, badness=badness: weather(source, badness))
                elector = LeaderElector(
                    client,
                    namespace="ns",
                    name="lock",
                    identity=name,
                    clock=VirtualClock(),
                    source=source,
                )

                async def lead() -> None:
                    terms.begin(name)
                    try:
                        await asyncio.sleep(source.uniform(1, 200))
                    finally:
                        terms.active.discard(name)

                try:
                    async with asyncio.timeout(source.uniform(20, 400)):
                        await elector.run(lead)
                except (LeadershipLost, TimeoutError):
                    pass
                await asyncio.sleep(source.uniform(0, 20))

        tasks = [asyncio.create_task(live(name)) for name in ("one", "two", "three")]
        await asyncio.sleep(SECONDS)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        return terms, decode(await inner.get(LEASES, "lock", namespace="ns"))["spec"]

    return run_virtual(main())


@pytest.mark.parametrize("seed", range(24))
def test_one_leads_at_a_time(seed: int) -> None:
    terms, lease = play(seed)
    assert terms.clashes == []
    # It does work at all, and every change of hands is counted.
    assert len(terms.begun) > 2
    changes = sum(a != b for a, b in zip(terms.begun, terms.begun[1:], strict=False))
    assert lease["leaseTransitions"] >= changes


def test_a_late_answer_is_no_leadership() -> None:
    """The lease was taken, but the answer came after its end, when somebody else had it."""

    async def main() -> list[tuple[str, float]]:
        inner = await memory_client()
        started: list[tuple[str, float]] = []

        def candidate(name: str, client: FaultyClient) -> asyncio.Task[None]:
            elector = LeaderElector(
                client, namespace="ns", name="lock", identity=name, clock=VirtualClock(),
                source=random.Random(1),
            )  # fmt: skip

            async def lead() -> None:
                started.append((name, VirtualClock().monotonic()))
                await asyncio.Event().wait()

            return asyncio.create_task(elector.run(lead))

        slow = FaultyClient(inner, lambda _: Fault(after=25))
        tasks = [candidate("slow", slow)]
        await asyncio.sleep(1)
        tasks.append(candidate("fast", FaultyClient(inner)))
        await asyncio.sleep(100)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        return started

    ((name, when),) = run_virtual(main())
    assert (name, 15 <= when <= 30) == ("fast", True)


def test_a_slow_answer_does_not_stretch_a_term() -> None:
    """Renewed at 20, answered at 27, silent from then on: the work ends at 30, ten seconds after the request."""

    async def main() -> float:
        inner = await memory_client()
        client = FaultyClient(inner)
        clock = VirtualClock()
        ended = 0.0

        async def lead() -> None:
            nonlocal ended
            try:
                await asyncio.Event().wait()
            finally:
                ended = clock.monotonic()

        elector = LeaderElector(client, namespace="ns", name="lock", identity="one", clock=clock)
        task = asyncio.create_task(elector.run(lead))
        await asyncio.sleep(19)
        client.fault("update", Fault(after=7), *[Fault(before=60)] * 9)
        client.fault("get", *[Fault(before=60)] * 9)
        await asyncio.wait({task})
        assert isinstance(task.exception(), LeadershipLost)
        return ended

    assert run_virtual(main()) == 30
