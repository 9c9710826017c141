"""Virtual time goes on, however close to each other its moments are."""

from __future__ import annotations

import asyncio

from argosy.base.clock import VirtualClock
from argosy.base.loops import run_virtual

# Less than the loop's resolution.
ALMOST_NOTHING = 2.4e-7
ROUNDS = 100


async def waited(clock: VirtualClock, until: float) -> int:
    """How often it takes to wait for a moment, looking at the clock after each."""
    for rounds in range(ROUNDS):
        if clock.monotonic() >= until:
            return rounds
        try:
            async with asyncio.timeout(until - clock.monotonic()):
                await asyncio.Event().wait()
        except TimeoutError:
            continue
    return ROUNDS


async def be_busy() -> None:
    for _ in range(10 * ROUNDS):
        await asyncio.sleep(0)


def test_whoever_is_woken_is_woken_in_time_even_while_others_are_busy() -> None:
    async def main() -> int:
        clock = VirtualClock()
        await asyncio.sleep(140.4 - ALMOST_NOTHING)
        rounds, _ = await asyncio.gather(waited(clock, 140.4), be_busy())
        return rounds

    assert run_virtual(main()) == 1
