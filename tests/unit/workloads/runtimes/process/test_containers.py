"""A container's run and its end, in whatever order the news comes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from argosy.api.objects import Container, Pod
from argosy.base.clock import RealClock
from argosy.workloads.runtimes.process.containers import ContainerLife
from argosy.workloads.runtimes.process.environments import Surroundings
from argosy.workloads.runtimes.process.hosts import Host
from argosy.workloads.runtimes.process.keeping import Known
from argosy.workloads.runtimes.runs import Terminated
from argosy.workloads.runtimes.statuses import CREATING
from tests.unit.workloads.runtimes.making import pod

RUN = "u/a/0"


class Ends:
    """The keeper's word on one run."""

    def __init__(self) -> None:
        self.end: asyncio.Future[Known] = asyncio.get_running_loop().create_future()

    def end_of(self, run: str) -> asyncio.Future[Known]:
        assert run == RUN
        return self.end


class Owner:
    """A pod that nobody asks."""

    volumes: Mapping[str, str] = {}
    around = Surroundings()

    def __init__(self, folder: Path, ends: Ends) -> None:
        nobody = cast("Any", None)
        keeping = cast("Any", ends)
        self.host = Host(nobody, RealClock(), nobody, keeping, folder, folder, None)
        self.pod: Pod = pod()
        self.reports = 0

    def report(self) -> None:
        self.reports += 1

    def event(self, type_: str, reason: str, message: str, container: str) -> None:
        raise AssertionError(message)


@pytest.mark.parametrize("is_late", [False, True], ids=["there first", "a turn later"])
def test_the_end_of_a_run_that_ends_at_once(tmp_path: Path, is_late: bool) -> None:
    async def story() -> None:
        ends = Ends()
        owner = Owner(tmp_path, ends)
        life = ContainerLife(owner, Container(name="a"), CREATING)
        known = Known(RUN, 1, 100.0)
        life.adopt(known, 0, None, None)
        waiting = asyncio.create_task(life.once())
        if is_late:
            await asyncio.sleep(0)
        # Whoever waits may be woken before the callbacks of the future.
        ends.end.set_result(known._replace(ended=101.0, code=3))
        got = await waiting if is_late else await life.once()
        assert isinstance(got, Terminated)
        assert (got.exit_code, got.reason) == (3, "Error")
        assert await waiting == got
        assert owner.reports == 1

    asyncio.run(story())
