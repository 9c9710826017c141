"""Submitting: where a job goes, what is refused before anything is written, and what is only warned of."""

from __future__ import annotations

import msgspec
import pytest

from argosy.api.needs import needs
from argosy.api.objects.fleet.members import ResourceUsage
from argosy.base.errors import AlreadyExists
from argosy.base.errors import NotFound as NoObject
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.resources import JOBS, NAMESPACES, RESOURCE_PLACEMENTS
from argosy.sdk import AsyncFleet
from argosy.sdk.considering import choose
from argosy.sdk.errors import FleetError, NotFound, Unplaceable
from argosy.sdk.preferring import policy_of
from argosy.sdk.submitting import _warnings
from tests.behaviour.fleet.worlds import Fleet
from tests.behaviour.sdk.fleets import QUEUED, job, told, with_queue


async def stored(here: Fleet, name: str) -> tuple[Object, Object]:
    client = here.hub.client
    placement = await client.get(RESOURCE_PLACEMENTS, f"{name}-placement", namespace="app")
    return decode(await client.get(JOBS, name, namespace="app")), decode(placement)


def test_considering_writes_nothing_and_agrees_with_the_hub() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        choice = await fleet.consider(job("a"))
        assert [each.cluster for each in choice.considered if each.is_chosen] == list(
            choice.clusters
        )
        assert {each.cluster for each in choice.considered} == set(here.members)
        assert choice.needs == {"cpu": 1.0}
        assert all(each.can_ever_fit for each in choice.considered)
        assert await fleet.jobs("app") == []
        done = await fleet.submit(job("a", 100))
        await here.settle()
        assert (await fleet.job("a")).clusters == done.choice.clusters == choice.clusters

    told(story)


def test_a_dry_run_is_checked_by_the_hub_and_keeps_nothing() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        done = await fleet.submit(job("a"), dry_run=True)
        assert done.is_dry_run
        assert done.job["metadata"]["name"] == "a"  # type: ignore[index]
        with pytest.raises(NoObject):
            await stored(here, "a")

    told(story)


def test_what_is_stored_names_queue_owner_and_how_long_to_keep() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await with_queue(here)
        await fleet.submit(job("a", 100), queue="main", clusters=2, keep="1h")
        made, placement = await stored(here, "a")
        assert made["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "main"
        assert made["metadata"]["annotations"]["argosy.dev/keep-after-end"] == "1h"
        assert made["spec"]["suspend"] is True
        [owner] = placement["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"]) == ("Job", made["metadata"]["uid"])
        assert placement["spec"]["policy"]["numberOfClusters"] == 2

    told(story, QUEUED)


def test_a_generated_name_is_the_placements_too() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        unnamed = job("x")
        del unnamed["metadata"]["name"]
        unnamed["metadata"]["generateName"] = "train-"
        done = await fleet.submit(unnamed)
        assert done.name.startswith("train-")
        assert done.placement == f"{done.name}-placement"

    told(story)


def test_a_job_larger_than_every_cluster_is_warned_of() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        from argosy.sdk.clusters import members

        found = await members(fleet._connections)
        small = ResourceUsage({"cpu": "8"}, {"cpu": "8"}, {"cpu": "8"})
        told_of = [
            msgspec.structs.replace(
                each, status=msgspec.structs.replace(each.status, resource_usage=small)
            )
            for each in found
        ]
        policy = policy_of(1, "", needs(job("a")), told_of)
        fits = choose(job("a", cpu="8"), policy, told_of, here.clock.now())
        assert all(each.fits and each.can_ever_fit for each in fits.considered)
        choice = choose(job("a", cpu="9"), policy, told_of, here.clock.now())
        assert not any(each.can_ever_fit for each in choice.considered)
        assert "larger than the whole cluster: cpu 9 of 8" in choice.considered[0].reason
        [warning] = _warnings(choice, "", "app")
        assert warning.startswith("it asks for more than any cluster has in all, so it waits until")

    told(story)


def test_a_queue_that_is_nowhere_is_warned_of() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await with_queue(here)
        done = await fleet.submit(job("a"), queue="nope", dry_run=True)
        [warning] = done.warnings
        assert warning.startswith('LocalQueue "nope" of namespace "app" is not on ')

    told(story, QUEUED)


def test_namespaces_that_are_not_there_are_refused() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        lost = job("a")
        lost["metadata"]["namespace"] = "nowhere"
        with pytest.raises(NotFound, match=r'namespace "nowhere" does not exist on the hub'):
            await fleet.submit(lost)
        await here.hub.client.create(NAMESPACES, {"metadata": {"name": "nowhere"}})
        with pytest.raises(Unplaceable, match=r'namespace "nowhere" does not exist on '):
            await fleet.submit(lost)
        with pytest.raises(NoObject):
            await here.hub.client.get(JOBS, "a", namespace="nowhere")

    told(story)


def test_a_job_whose_placement_cannot_be_made_is_taken_back() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await here.place(
            "app/a-placement",
            {"group": "batch", "version": "v1", "kind": "Job", "name": "other"},
        )
        with pytest.raises(FleetError, match=r"already exists: it is another job's") as refused:
            await fleet.submit(job("a"))
        assert isinstance(refused.value.__cause__, AlreadyExists)
        with pytest.raises(NoObject):
            await here.hub.client.get(JOBS, "a", namespace="app")

    told(story)


def test_a_name_that_is_taken_is_told_with_what_to_do() -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        await fleet.submit(job("a", 100))
        with pytest.raises(FleetError, match=r'jobs.batch "a" already exists: cancel that one'):
            await fleet.submit(job("a"))

    told(story)


@pytest.mark.parametrize(
    ("asked", "want"),
    [
        ({"prefer": "best"}, r'prefer: "best" is no preference: say cheapest, fastest or region='),
        ({"prefer": "region=mars"}, r'no cluster of the fleet is in region "mars"'),
        ({"clusters": 0}, r"clusters: 0: a job goes to at least one cluster"),
        ({"keep": "long"}, r'keep: "long" is no duration such as 10m'),
        ({"keep": "-1s"}, r'keep: "-1s" is negative'),
    ],
)
def test_wrong_wishes_are_refused(asked: dict[str, object], want: str) -> None:
    async def story(here: Fleet, fleet: AsyncFleet) -> None:
        with pytest.raises(FleetError, match=want):
            await fleet.submit(job("a"), **asked)  # type: ignore[arg-type]
        assert await fleet.jobs("app") == []

    told(story)
