"""Losses, returns and restarts at the worst moments, and at random ones: never are there two live copies of a job."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from tests.behaviour.placement.losing import MEMBERS, Fleet, Member, losing

MINUTE = 60.0
STEPS = 16
SEEDS = 20


async def until(fleet: Fleet, holds: Callable[[], Awaitable[bool]], after: float = 0.0) -> float:
    """Wait for something, to the millisecond; when it came."""
    await fleet.pass_time(after)
    limit = fleet.now() + 20
    while not await holds():
        assert fleet.now() < limit
        await fleet.pass_time(0.001)
    return fleet.now()


def has_beaten(member: Member) -> Callable[[], Awaitable[bool]]:
    member.to_hub.client.calls.clear()

    async def beaten() -> bool:
        return ("patch", "internalmemberclusters") in member.to_hub.client.calls

    return beaten


@pytest.mark.parametrize("lag", [0.004, 0.02])
def test_a_cluster_returns_just_when_its_job_is_given_away(lag: float) -> None:
    """Every few milliseconds of the hub's work on it. A new agent knows nothing of before and beats at once; then it is
    cut off again, before it can learn what became of its Work.
    """

    async def story(fleet: Fleet) -> None:
        await fleet.place()
        fleet.line.lag = lag
        for step in range(STEPS):
            (lost,) = fleet.holders()
            fleet.members[lost].to_hub.cut()
            await until(fleet, partial(fleet.is_marked, lost), after=45)
            await fleet.pass_time(step * 0.75 * lag)
            fleet.members[lost].to_hub.mend()
            await fleet.members[lost].restart()
            await fleet.pass_time(0.002)
            fleet.members[lost].to_hub.cut()
            await fleet.pass_time(2 * MINUTE)
            fleet.members[lost].to_hub.mend()
            await fleet.pass_time(2 * MINUTE)
            assert not await fleet.is_marked(lost)
            (holder,) = fleet.holders()
            assert holder != lost
            assert list(await fleet.bindings()) == [holder]

    losing(story)


def test_a_cluster_returns_just_before_its_job_is_given_away() -> None:
    """Its beat is under way when the hub makes up its mind: whoever is first, there is one copy."""

    async def story(fleet: Fleet) -> None:
        await fleet.place()
        outcomes = set()
        for step in range(STEPS):
            (lost,) = fleet.holders()
            member = fleet.members[lost]
            # The last beat is heard now; the next one will be heard in a minute, give or take some milliseconds.
            beaten = has_beaten(member)
            await member.restart()
            heard = await until(fleet, beaten)
            await fleet.pass_time(1)
            member.to_hub.cut()
            fleet.line.lag = 0.004
            await fleet.pass_time(heard + MINUTE - fleet.now() - 0.02 + step * 0.008)
            member.to_hub.mend()
            await member.restart()
            await fleet.pass_time(2 * MINUTE)
            (holder,) = fleet.holders()
            outcomes.add(holder == lost)
            assert list(await fleet.bindings()) == [holder]
        # Some returned in time, some did not.
        assert outcomes == {True, False}

    losing(story)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_whatever_happens_there_are_never_two_copies(seed: int) -> None:
    chance = random.Random(seed)

    async def happen(fleet: Fleet) -> None:
        member = fleet.members[chance.choice(MEMBERS)]
        match chance.randrange(8):
            case 0 | 1 | 2:
                member.to_hub.cut()
            case 3 | 4:
                member.to_hub.mend()
            case 5:
                await member.restart(chance.uniform(0, 10))
            case 6:
                await fleet.restart(chance.uniform(0, 30))
            case _:
                member.to_hub.lag = chance.choice((0.0, 0.1, 3.0))
                fleet.line.lag = chance.choice((0.0, 0.01, 0.3))

    async def story(fleet: Fleet) -> None:
        await fleet.place("short", after="after=1m")
        await fleet.place("long", after="after=3m")
        for _ in range(40):
            await happen(fleet)
            await fleet.pass_time(chance.choice((0.0, 1.0, chance.uniform(5, 90))))
        for member in fleet.members.values():
            member.to_hub.mend()
            member.to_hub.lag = 0.0
        fleet.line.lag = 0.0
        await fleet.pass_time(10 * MINUTE)
        for job in ("short", "long"):
            (holder,) = fleet.holders(job)
            assert list(await fleet.bindings(job)) == [holder]
            for name in MEMBERS:
                work = await fleet.work(name, f"app.{job}-work")
                assert (work is not None) == (name == holder)

    losing(story, seed=seed)
