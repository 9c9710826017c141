"""A hub that is killed at any step, that loses answers, or whose history is full: each job is remembered once."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from argosy.base.errors import ServiceUnavailable
from argosy.client.resources import JOBS, RESOURCE_PLACEMENTS
from argosy.dispatch.assembling import HistorySettings
from argosy.dispatch.pages import Limits
from tests.behaviour.dispatch.memories import (
    ONE,
    RUNS,
    deleted,
    guided,
    pages,
    record,
    records,
    space,
    submitted,
)
from tests.behaviour.fleet.worlds import Fleet, told
from tests.fakes.clients import Fault

SMALL = replace(RUNS, remembers=HistorySettings(Limits(page_size=4)))


async def killed_at(fleet: Fleet, step: int, *, lost: bool) -> bool:
    """Kill the hub's controllers at one of the next steps of their memory, before it is done or before that is known,
    and start them anew; returns whether there was such a step.
    """
    hub, count = fleet.hub, 0

    def fate(verb: str) -> Fault:
        nonlocal count
        what = hub.line.client.calls[-1][1]
        is_step = what == "jobhistories" and verb in {"create", "patch"}
        if is_step or (verb == "delete" and what in {"jobs", "resourceplacements"}):
            count += 1
        # Once it is killed, nothing gets through.
        return Fault(ServiceUnavailable("killed"), lost=lost) if count > step else Fault()

    hub.line.fate = fate
    for _ in range(1200):
        if count > step:
            break
        await fleet.pass_time(0.1)
    await hub.kill()
    hub.line.fate = None
    await hub.start()
    return count > step


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("step", [0, 1, 4, 9, 17])
def test_a_hub_killed_at_any_step_remembers_every_job_once_and_lets_go_of_it(
    step: int, lost: bool
) -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        uids = []
        for number in range(6):
            uids.append(await submitted(fleet, f"j{number}", seconds=5, keep="1m"))
            uids.append(
                await guided(fleet, f"k{number}", seconds=5, keep="1m", keep_placement="1m")
            )
            await fleet.pass_time(1)
        assert await killed_at(fleet, step, lost=lost)
        # And again, if there is something left to do.
        await killed_at(fleet, 1, lost=not lost)
        await fleet.pass_time(600)
        found = await records(fleet)
        assert sorted(each.uid for each in found) == sorted(uids)
        assert {each.outcome for each in found} == {"Complete"}
        assert await fleet.hub.list(JOBS) == []
        assert await fleet.hub.list(RESOURCE_PLACEMENTS) == []

    told(story, replace(SMALL, members=("m1",), seed=step + 1))


@pytest.mark.parametrize("seed", range(4))
def test_lost_answers_and_refused_writes_make_no_record_twice(seed: int) -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        source = random.Random(seed)

        def fate(verb: str) -> Fault:
            if verb in {"get", "list", "watch"} or source.random() > 0.2:
                return Fault()
            return Fault(ServiceUnavailable("lost"), lost=source.random() < 0.6)

        fleet.hub.line.fate = fate
        uids = [await submitted(fleet, f"j{number}", seconds=5, keep="1m") for number in range(12)]
        await fleet.pass_time(600)
        fleet.hub.line.fate = None
        await fleet.pass_time(600)
        assert sorted(each.uid for each in await records(fleet)) == sorted(uids)
        assert [len(each.records) for each in await pages(fleet)] == [4, 4, 4]
        assert await fleet.hub.list(JOBS) == []

    told(story, replace(SMALL, seed=seed + 1))


def test_an_answer_that_is_lost_while_the_watch_is_down_is_made_up_for_by_a_look() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await submitted(fleet, "first", seconds=1)
        await fleet.pass_time(30)
        line, losses = fleet.hub.line, 1

        def fate(verb: str) -> Fault:
            nonlocal losses
            if line.client.calls[-1][1] != "jobhistories":
                return Fault()
            if verb == "patch" and losses:
                losses -= 1
                return Fault(ServiceUnavailable("lost"), lost=True)
            return Fault(ServiceUnavailable("down")) if verb == "watch" else Fault()

        line.fate = fate
        line.client.cut()
        line.writes()
        uid = await submitted(fleet, "second", seconds=1, keep="5s")
        await fleet.pass_time(40)
        assert losses == 0
        # It was found on the page without the watch: so it may go, and was not sent a third time.
        assert [each.uid for each in await records(fleet)][1:] == [uid]
        assert line.writes()["patch jobhistories"] == 2
        assert await fleet.hub.get(JOBS, "second", "app") is None
        line.fate = None
        await fleet.pass_time(60)

    told(story, ONE)


def test_a_submitted_job_that_was_deleted_while_the_hub_was_down_is_told_of() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        uid = await submitted(fleet, seconds=3600)
        await fleet.pass_time(60)
        await fleet.hub.kill()
        await deleted(fleet, "j")
        await fleet.pass_time(60)
        await fleet.hub.start()
        await fleet.pass_time(60)
        found = await record(fleet)
        assert found is not None
        assert (found.uid, found.outcome, found.clusters) == (uid, "Cancelled", ("m1",))
        assert (found.placement, found.pods) == ("rp/j-placement", 1)
        assert found.started is not None
        assert await fleet.hub.list(RESOURCE_PLACEMENTS) == []

    told(story, ONE)


def test_a_hub_that_starts_anew_writes_nothing_of_what_it_remembers() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        for number in range(10):
            await guided(fleet, f"j{number}")
        await fleet.pass_time(120)
        before = await pages(fleet)
        await fleet.hub.kill()
        fleet.hub.line.writes()
        await fleet.hub.start()
        await fleet.pass_time(600)
        assert await pages(fleet) == before
        assert [each for each in fleet.hub.line.writes() if "jobhistories" in each] == []

    told(story, SMALL)


def test_a_history_has_a_bound_and_what_was_dropped_is_not_written_again() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        for number in range(20):
            await guided(fleet, f"j{number:02d}", seconds=1)
            await fleet.pass_time(20)
        await fleet.pass_time(60)
        names = [each.name for each in await records(fleet)]
        assert names == [f"j{number:02d}" for number in range(8, 20)]
        last = (await pages(fleet))[-1]
        assert last.summary.forgotten_until is not None
        # The jobs are all there still, and tell how they ended; a new process knows no more than that.
        assert len(await fleet.hub.list(JOBS)) == 20
        await fleet.hub.kill()
        await fleet.hub.start()
        await fleet.pass_time(300)
        assert [each.name for each in await records(fleet)] == names

    limits = Limits(page_size=4, most=10)
    told(story, replace(ONE, remembers=HistorySettings(limits)))


def test_pages_go_when_they_are_too_old_but_the_last() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        for number in range(6):
            await guided(fleet, f"j{number}", seconds=1)
            await fleet.pass_time(20)
        assert [len(each.records) for each in await pages(fleet)] == [4, 2]
        await fleet.pass_time(3600)
        (page,) = await pages(fleet)
        assert [each.name for each in page.records] == ["j4", "j5"]
        assert page.summary.forgotten_until is not None

    limits = Limits(page_size=4, age=timedelta(minutes=30))
    told(story, replace(ONE, remembers=HistorySettings(limits)))
