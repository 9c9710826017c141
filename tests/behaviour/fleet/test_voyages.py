"""Whatever happens on the way, a fleet comes to where its placements want it, and runs nothing twice.

ARGOSY_VOYAGES says how many seeds to sail; each is a voyage of its own (`voyages`).
"""

from __future__ import annotations

import os

import pytest

from argosy.base.loops import run_virtual
from tests.behaviour.fleet.harbours import arrive
from tests.behaviour.fleet.voyages import Ship, shape_of
from tests.behaviour.fleet.worlds import fleet

SEEDS = int(os.environ.get("ARGOSY_VOYAGES", "20"))
# When nobody waits any more: longer than any back-off but that of Works at rest.
CALM_SECONDS = 1000.0


@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
def test_a_fleet_arrives_in_spite_of_the_weather(seed: int) -> None:
    async def voyage() -> None:
        async with fleet(shape_of(seed)) as here:
            ship = Ship(here, seed)
            await ship.fit_out()
            await ship.sail()
            await here.pass_time(CALM_SECONDS)
            await arrive(ship)

    run_virtual(voyage())
