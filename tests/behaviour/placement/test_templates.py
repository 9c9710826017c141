"""Placement templates: each object that one selects gets a placement of its own, in virtual time."""

from __future__ import annotations

from pathlib import Path

from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import JOBS, RESOURCE_PLACEMENTS
from argosy.placement.templating.children import EACH, TEMPLATE, Chosen, child_name
from tests.behaviour.placement.hubs import Hub, on_hub

TEMPLATE_KEY = Key("ns", "train")
SELECTOR: Object = {
    "group": "batch",
    "version": "v1",
    "kind": "Job",
    "labelSelector": {"matchLabels": {"team": "a"}},
}
PICK_ONE: Object = {"placementType": "PickN", "numberOfClusters": 1}


async def _template(hub: Hub, **policy: object) -> None:
    body: Object = {
        "metadata": {"name": TEMPLATE_KEY.name, "annotations": {TEMPLATE: EACH}},
        "spec": {"resourceSelectors": [SELECTOR], "policy": {**PICK_ONE, **policy}},
    }
    await hub.client.create(RESOURCE_PLACEMENTS, body, namespace="ns")
    await hub.settle()


async def _job(hub: Hub, name: str, team: str = "a") -> None:
    await hub.job(name)
    await hub.client.patch(JOBS, name, {"metadata": {"labels": {"team": team}}}, namespace="ns")
    await hub.settle()


async def _children(hub: Hub) -> list[Object]:
    return await hub.world.list(RESOURCE_PLACEMENTS, f"{TEMPLATE}={TEMPLATE_KEY.name}")


async def _names(hub: Hub) -> list[str]:
    return [each["metadata"]["name"] for each in await _children(hub)]


def test_every_job_that_comes_gets_a_placement_of_its_own(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _template(hub)
        await _job(hub, "one")
        await _job(hub, "two")
        await _job(hub, "other", team="b")
        one, two = await _children(hub)
        assert [one["metadata"]["name"], two["metadata"]["name"]] == ["train-one", "train-two"]
        job = await hub.world.get(JOBS, "one")
        assert job is not None
        assert one["metadata"]["ownerReferences"] == [
            {"apiVersion": "batch/v1", "kind": "Job", "name": "one", "uid": job["metadata"]["uid"]}
        ]
        assert one["spec"]["resourceSelectors"][0]["name"] == "one"
        assert one["spec"]["policy"] == PICK_ONE
        assert await hub.selected(Key("ns", "train-one")) == ["one"]

    on_hub(shared, story)


def test_a_template_says_how_many_and_is_not_placed_itself(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _template(hub)
        await _job(hub, "one")
        found = await hub.placement(TEMPLATE_KEY)
        assert found is not None
        (condition,) = found["status"]["conditions"]
        assert (condition["type"], condition["status"], condition["reason"]) == (
            "ResourcePlacementScheduled", "True", "TemplateExpanded",
        )  # fmt: skip
        assert condition["message"] == "1 selected object(s) have a placement of their own"
        assert await hub.policies(TEMPLATE_KEY) == []

    on_hub(shared, story)


def test_a_change_of_the_template_reaches_its_children(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _template(hub)
        await _job(hub, "one")
        await hub.respecify(TEMPLATE_KEY, policy={"numberOfClusters": 3}, revisionHistoryLimit=4)
        await hub.settle()
        (child,) = await _children(hub)
        assert child["spec"]["policy"]["numberOfClusters"] == 3
        assert child["spec"]["revisionHistoryLimit"] == 4

    on_hub(shared, story)


def test_a_job_that_is_selected_no_more_loses_its_placement(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _template(hub)
        await _job(hub, "one")
        await _job(hub, "two")
        patch = {"metadata": {"labels": {"team": "b"}}}
        await hub.client.patch(JOBS, "one", patch, namespace="ns")
        await hub.settle()
        assert await _names(hub) == ["train-two"]

    on_hub(shared, story)


def test_a_placement_deleted_by_hand_is_made_again(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _template(hub)
        await _job(hub, "one")
        await hub.client.delete(RESOURCE_PLACEMENTS, "train-one", namespace="ns")
        await hub.settle(1)
        assert await _names(hub) == ["train-one"]

    on_hub(shared, story)


def test_placements_go_with_their_template(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _template(hub)
        await _job(hub, "one")
        await hub.client.delete(RESOURCE_PLACEMENTS, TEMPLATE_KEY.name, namespace="ns")
        await hub.settle(1)
        assert await hub.world.list(RESOURCE_PLACEMENTS) == []

    on_hub(shared, story)


def test_a_template_that_is_none_any_more_places_its_objects_together(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _template(hub)
        await _job(hub, "one")
        patch = {"metadata": {"annotations": {TEMPLATE: None}}}
        await hub.client.patch(RESOURCE_PLACEMENTS, TEMPLATE_KEY.name, patch, namespace="ns")
        await hub.settle(1)
        assert await _names(hub) == []
        assert await hub.selected(TEMPLATE_KEY) == ["one"]

    on_hub(shared, story)


def test_a_stream_of_jobs_costs_one_placement_each_and_rests(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await _template(hub)
        for number in range(20):
            await hub.job(f"job-{number:02}")
            patch = {"metadata": {"labels": {"team": "a"}}}
            await hub.client.patch(JOBS, f"job-{number:02}", patch, namespace="ns")
        await hub.settle(2)
        writes = hub.writes()
        assert writes.count(("create", "resourceplacements")) == 20
        await hub.settle(3600)
        assert hub.writes() == []

    on_hub(shared, story)


def test_names_of_children_fit_into_a_label() -> None:
    long = Chosen("batch", "v1", "Job", "x" * 80, "1")
    assert len(child_name("template", long)) <= 63
    ray = Chosen("ray.io", "v1", "RayJob", "same", "2")
    assert child_name("t", ray) != child_name("t", Chosen("batch", "v1", "Job", "same", "3"))
