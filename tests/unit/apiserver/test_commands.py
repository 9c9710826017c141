"""A command and its client: whoever ends first ends the other, and nothing is left to be told of."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from argosy.apiserver.specials.commands import first_of


async def fails() -> None:
    raise ConnectionResetError("the client is gone")


async def lasts() -> None:
    await asyncio.Event().wait()


async def ends() -> None:
    """At once."""


def test_whether_the_work_ended_first() -> None:
    assert asyncio.run(first_of(ends(), lasts()))
    assert not asyncio.run(first_of(lasts(), ends()))
    with pytest.raises(ConnectionResetError):
        asyncio.run(first_of(fails(), lasts()))


@pytest.mark.parametrize("turns", range(1, 6))
def test_a_failure_that_nobody_waits_for_any_more_is_not_reported_as_lost(turns: int) -> None:
    reported: list[dict[str, Any]] = []

    async def story() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: reported.append(told))
        task = asyncio.create_task(first_of(fails(), lasts()))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        del task
        gc.collect()

    asyncio.run(story())
    assert reported == []
