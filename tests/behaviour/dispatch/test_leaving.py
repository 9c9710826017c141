"""Jobs and placements that go some time after their end, and those that stay."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from argosy.base.types import Object
from argosy.client.resources import (
    JOBS,
    RESOURCE_BINDINGS,
    RESOURCE_PLACEMENTS,
    RESOURCE_SNAPSHOTS,
    WORKS,
    Resource,
)
from argosy.dispatch.assembling import HistorySettings
from tests.behaviour.dispatch.memories import (
    KEEP,
    RUNS,
    deleted,
    guided,
    record,
    records,
    space,
    submitted,
)
from tests.behaviour.fleet.worlds import Fleet, job, pick, rolling, told

LEFT_OF_A_JOB = (JOBS, RESOURCE_PLACEMENTS, RESOURCE_BINDINGS, RESOURCE_SNAPSHOTS, WORKS)


async def left(fleet: Fleet, *kinds: Resource) -> list[str]:
    return [
        f"{kind.kind}/{each['metadata']['name']}"
        for kind in kinds
        for each in await fleet.hub.list(kind)
    ]


def test_a_submitted_job_goes_with_all_that_came_of_it_and_its_record_stays() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await submitted(fleet, keep="10m")
        await fleet.pass_time(500)
        assert await record(fleet) is not None
        assert await fleet.hub.get(JOBS, "j", "app") is not None
        await fleet.pass_time(300)
        assert await left(fleet, *LEFT_OF_A_JOB) == []
        assert await fleet.where(JOBS, "j") == []
        assert await record(fleet) is not None
        counted = fleet.hub.series("argosy_jobs_let_go_total")
        assert counted == {'argosy_jobs_let_go_total{kind="Job"}': 1}

    told(story, RUNS)


def test_a_job_and_a_placement_of_the_guide_go_if_both_say_so() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        # The placement would stay longer than its job: then nobody would know when it may go.
        await guided(fleet, keep="1m", keep_placement="1h")
        await fleet.pass_time(200)
        assert await left(fleet, *LEFT_OF_A_JOB) == []
        assert await fleet.where(JOBS, "j") == []
        assert await record(fleet) is not None

    told(story, RUNS)


def test_a_placement_may_go_before_its_job_and_a_job_without_its_placement() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await guided(fleet, "early", keep="10m", keep_placement="1m")
        await guided(fleet, "lone", keep="1m")
        await guided(fleet, "stays")
        await fleet.pass_time(200)
        kinds = (JOBS, RESOURCE_PLACEMENTS)
        want = ["Job/early", "Job/stays", "ResourcePlacement/lone", "ResourcePlacement/stays"]
        assert await left(fleet, *kinds) == want
        await fleet.pass_time(600)
        assert await left(fleet, *kinds) == want[1:]
        assert sorted(each.name for each in await records(fleet)) == ["early", "lone", "stays"]

    told(story, RUNS)


def test_what_cannot_be_read_is_told_in_an_event_and_nothing_is_deleted() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await guided(fleet, keep="ten minutes", keep_placement="-1s")
        await fleet.pass_time(3600)
        assert await left(fleet, JOBS, RESOURCE_PLACEMENTS) == ["Job/j", "ResourcePlacement/j"]
        warned = [each for each in await fleet.hub.events() if each[1] == "InvalidKeepAfterEnd"]
        advice = 'give a duration such as "10m" or "24h". It is not deleted'
        assert sorted(message for _, _, message in warned) == [
            f'{KEEP}: invalid value "-1s": must not be negative; {advice}',
            f'{KEEP}: invalid value "ten minutes": time: invalid duration "ten minutes"; {advice}',
        ]
        # Put right, it goes.
        for kind in (JOBS, RESOURCE_PLACEMENTS):
            await fleet.hub.patch(kind, "j", {"metadata": {"annotations": {KEEP: "1m"}}})
        await fleet.pass_time(60)
        assert await left(fleet, JOBS, RESOURCE_PLACEMENTS) == []

    told(story, RUNS)


def test_children_of_a_template_go_with_their_jobs_and_no_job_runs_twice() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await fleet.place(
            "app/all",
            {"group": "batch", "version": "v1", "kind": "Job"},
            policy=pick("PickN", 1),
            strategy=rolling(),
            annotations={"argosy.dev/placement-template": "each", KEEP: "1m"},
        )
        for number in range(3):
            body = job(f"j{number}")
            body["metadata"]["annotations"] = {KEEP: "1m"}
            await fleet.hub.create(JOBS, body, "app")
        for member in fleet.members.values():
            member.to_self.writes()
        await fleet.pass_time(600)
        assert await left(fleet, JOBS, RESOURCE_PLACEMENTS) == ["ResourcePlacement/all"]
        assert len(await records(fleet)) == 3
        created = [each.to_self.writes()["create jobs"] for each in fleet.members.values()]
        assert sum(created) == 3

    told(story, RUNS)


def test_a_hub_can_let_go_of_what_says_nothing() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await guided(fleet)
        await guided(fleet, "long", keep="2h", keep_placement="2h")
        selector: Object = {"group": "batch", "version": "v1", "kind": "Job"}
        labels = {"matchLabels": {"stream": "yes"}}
        body = job("s")
        body["metadata"]["labels"] = {"stream": "yes"}
        await fleet.hub.create(JOBS, body, "app")
        await fleet.place(
            "app/stream",
            {**selector, "labelSelector": labels},
            policy=pick("PickN", 1),
            strategy=rolling(),
        )
        await fleet.pass_time(1000)
        # A placement that does not name its jobs has more of them to come.
        want = ["Job/long", "ResourcePlacement/long", "ResourcePlacement/stream"]
        assert await left(fleet, JOBS, RESOURCE_PLACEMENTS) == want

    told(story, replace(RUNS, remembers=HistorySettings(keep_after_end=timedelta(minutes=10))))


def test_a_job_that_is_deleted_by_hand_after_its_end_stays_what_it_was() -> None:
    async def story(fleet: Fleet) -> None:
        await space(fleet)
        await submitted(fleet, keep="1h")
        await fleet.pass_time(60)
        before = await records(fleet)
        await deleted(fleet, "j")
        await fleet.pass_time(60)
        assert await left(fleet, *LEFT_OF_A_JOB) == []
        assert await records(fleet) == before

    told(story, RUNS)
