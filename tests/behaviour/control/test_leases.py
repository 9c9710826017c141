"""Leader election in virtual time: one works, another takes over."""

from __future__ import annotations

import asyncio
import random
from itertools import pairwise

import pytest

from argosy.base.clock import VirtualClock
from argosy.base.errors import ServiceUnavailable
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.resources import LEASES
from argosy.control.leases import LeaderElector, LeadershipLost, LeaseTimes
from tests.fakes.clients import FaultyClient
from tests.fakes.clusters import memory_client


class Candidate:
    def __init__(self, client: FaultyClient, name: str) -> None:
        self.clock = VirtualClock()
        self.elector = LeaderElector(
            client,
            namespace="ns",
            name="lock",
            identity=name,
            clock=self.clock,
            source=random.Random(name),
        )
        self.leading: list[float] = []
        self.stopped: list[float] = []
        self.task = asyncio.create_task(self.elector.run(self._lead))

    async def _lead(self) -> None:
        self.leading.append(self.clock.monotonic())
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped.append(self.clock.monotonic())

    async def end(self) -> None:
        self.task.cancel()
        await asyncio.wait({self.task})


async def lease(client: FaultyClient) -> Object:
    (found,) = await client.objects(LEASES)
    spec: Object = found["spec"]
    return spec


def test_the_first_one_leads_and_renews() -> None:
    async def main() -> tuple[list[float], list[float], Object]:
        client = FaultyClient(await memory_client())
        one, two = Candidate(client, "one"), Candidate(client, "two")
        await asyncio.sleep(100)
        spec = await lease(client)
        await two.end()
        await one.end()
        return one.leading, two.leading, spec

    leading, waiting, spec = run_virtual(main())
    assert (leading, waiting) == ([0], [])
    assert spec == {
        "holderIdentity": "one",
        "leaseDurationSeconds": 15,
        "acquireTime": "2026-01-01T00:00:00.000000Z",
        "renewTime": "2026-01-01T00:01:38.000000Z",
        "leaseTransitions": 0,
    }


def test_a_released_lease_is_taken_at_once() -> None:
    async def main() -> tuple[Object, float, str]:
        client = FaultyClient(await memory_client())
        one, two = Candidate(client, "one"), Candidate(client, "two")
        await asyncio.sleep(50)
        await one.end()
        released = await lease(client)
        await asyncio.sleep(10)
        leader = two.elector.leader
        await two.end()
        return released, two.leading[0], leader

    released, taken, leader = run_virtual(main())
    assert "holderIdentity" not in released
    assert released["leaseDurationSeconds"] == 1
    assert 50 <= taken <= 56
    assert leader == "two"


def test_a_silent_leader_is_replaced_after_the_lease_and_has_stopped_before() -> None:
    async def main() -> tuple[float, float, int, type[BaseException | None]]:
        client = FaultyClient(await memory_client())
        one, two = Candidate(client, "one"), Candidate(client, "two")
        await asyncio.sleep(50)
        # The first one is cut off; the second one still reaches the server.
        real = one.elector._client
        one.elector._client = Dead()  # type: ignore[assignment]
        assert real is client
        await asyncio.sleep(50)
        transitions = (await lease(client))["leaseTransitions"]
        error = one.task.exception()
        await two.end()
        return one.stopped[0], two.leading[0], transitions, type(error)

    stopped, taken, transitions, error = run_virtual(main())
    assert 58 <= stopped <= 60
    assert 65 <= taken <= 70
    assert (transitions, error) == (1, LeadershipLost)


class Dead:
    def __getattr__(self, name: str) -> object:
        async def fail(*_: object, **__: object) -> None:
            raise ServiceUnavailable("unplugged")

        return fail


def test_a_short_outage_is_survived() -> None:
    async def main() -> tuple[list[float], bool]:
        client = FaultyClient(await memory_client())
        one = Candidate(client, "one")
        await asyncio.sleep(5)
        client.fail("update", *[ServiceUnavailable("down")] * 2)
        client.fail("get", *[ServiceUnavailable("down")] * 2)
        await asyncio.sleep(20)
        state = (one.stopped[:], one.elector.is_leader)
        await one.end()
        return state

    assert run_virtual(main()) == ([], True)


def test_it_ends_when_the_work_ends_and_passes_its_error_on() -> None:
    async def main() -> Object:
        client = FaultyClient(await memory_client())
        elector = LeaderElector(
            client, namespace="ns", name="lock", identity="one", clock=VirtualClock()
        )

        async def lead() -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await elector.run(lead)
        return await lease(client)

    assert "holderIdentity" not in run_virtual(main())


def test_never_two_leaders_at_once() -> None:
    async def main() -> list[tuple[float, float]]:
        client = FaultyClient(await memory_client())
        candidates = [Candidate(client, str(i)) for i in range(4)]
        terms: list[tuple[float, float]] = []
        for _ in range(4):
            await asyncio.sleep(30)
            (holder,) = [c for c in candidates if c.leading and not c.stopped]
            await holder.end()
            terms.append((holder.leading[0], holder.stopped[0]))
        return terms

    terms = run_virtual(main())
    assert all(before[1] <= after[0] for before, after in pairwise(terms))


def test_times_must_leave_room_for_each_other() -> None:
    with pytest.raises(ValueError, match="lease times must fall"):
        LeaseTimes(duration=10, renew_deadline=10)
