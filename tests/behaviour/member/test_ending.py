"""What goes: manifests that a Work no longer has, and Works themselves."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import APPLIED_WORKS, CONFIG_MAPS, NAMESPACES, WORKS
from tests.behaviour.member.pairs import SPACE, Pair, config_map, paired


async def _deleted(pair: Pair, name: str = "w") -> None:
    await pair.hub.client.delete(WORKS, name, namespace=SPACE)
    await pair.pass_time(2)


async def _shared_with_namespace(pair: Pair, name: str, **more: object) -> None:
    space = await pair.there(NAMESPACES, "ns", "")
    other = {"apiVersion": "v1", "kind": "Namespace", "name": "ns"}
    found = await pair.there(CONFIG_MAPS, name)
    uid = more.get("uid", space["metadata"]["uid"])
    owners = [*found["metadata"]["ownerReferences"], {**other, "uid": uid}]
    await pair.edit(CONFIG_MAPS, name, {"metadata": {"ownerReferences": owners}})


def test_a_manifest_that_goes_takes_its_object_along() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map("one", a="1"), config_map("two", a="1"))
        await pair.change(config_map("two", a="1"))
        assert await pair.member.get(CONFIG_MAPS, "one") is None
        assert await pair.data("two") == {"a": "1"}
        entries = (await pair.status())["manifestConditions"]
        assert [each["identifier"]["ordinal"] for each in entries] == [0]
        applied = await pair.applied()
        assert applied is not None
        assert [each["name"] for each in applied["status"]["appliedResources"]] == ["two"]

    paired(story)


def test_a_shared_object_that_goes_is_only_let_go() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map("one", a="1"), config_map("two", a="1"), allowCoOwnership=True)
        await _shared_with_namespace(pair, "one")
        await pair.change(config_map("two", a="1"))
        owners = (await pair.there(CONFIG_MAPS, "one"))["metadata"]["ownerReferences"]
        assert [each["kind"] for each in owners] == ["Namespace"]

    paired(story)


def test_an_object_made_again_by_somebody_else_stays() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map("one", a="1"), config_map("two", a="1"))
        await pair.stop()
        await pair.member.client.delete(CONFIG_MAPS, "one", namespace="ns")
        await pair.member.create(CONFIG_MAPS, {"metadata": {"name": "one"}, "data": {"mine": "x"}})
        await pair.change(config_map("two", a="1"))
        await pair.start()
        await pair.pass_time(2)
        assert await pair.data("one") == {"mine": "x"}

    paired(story)


def test_a_manifest_that_changes_its_kind_of_name_is_another() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map("one", a="1"))
        await pair.change(config_map("renamed", a="1"))
        assert await pair.member.get(CONFIG_MAPS, "one") is None
        assert await pair.data("renamed") == {"a": "1"}

    paired(story)


def test_whoever_reports_diffs_removes_nothing() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map("one", a="1"), config_map("two", a="1"))
        await pair.change(type="ReportDiff")
        await pair.change(config_map("two", a="1"))
        assert await pair.data("one") == {"a": "1"}
        assert set(await pair.said()) == {"DiffReported"}

    paired(story)


def test_a_work_that_goes_takes_everything_along() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"))
        await _deleted(pair)
        assert await pair.hub.get(WORKS, "w", SPACE) is None
        assert await pair.applied() is None
        assert await pair.member.get(CONFIG_MAPS, "c") is None

    paired(story)


def test_a_work_waits_for_an_agent_that_is_away() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"))
        await pair.stop()
        await _deleted(pair)
        work = await pair.work()
        assert work["metadata"]["finalizers"] == ["kubernetes-fleet.io/work-cleanup"]
        assert work["metadata"]["generation"] == 2
        assert work["status"]["conditions"][0]["observedGeneration"] == 1
        await pair.start()
        await pair.pass_time(2)
        assert await pair.hub.get(WORKS, "w", SPACE) is None
        assert await pair.member.get(CONFIG_MAPS, "c") is None

    paired(story)


def test_a_work_of_the_same_name_begins_anew() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map("one", a="1"))
        before = await pair.applied()
        await pair.hub.client.delete(WORKS, "w", namespace=SPACE)
        await pair.pass_time(2)
        await pair.send(config_map("one", a="2"), settle=3)
        after = await pair.applied()
        assert before is not None
        assert after is not None
        assert after["metadata"]["uid"] != before["metadata"]["uid"]
        assert await pair.data("one") == {"a": "2"}

    paired(story)


def test_an_owner_that_is_no_more_does_not_hold_up_the_end_for_ever() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"), allowCoOwnership=True)
        await _shared_with_namespace(pair, "c")
        await _deleted(pair)
        await pair.pass_time(250)
        assert _blocks(await pair.there(CONFIG_MAPS, "c")) == [True, None]
        await pair.pass_time(60)
        assert _blocks(await pair.there(CONFIG_MAPS, "c")) == [False, None]
        assert (await pair.work())["metadata"]["finalizers"]
        await pair.member.client.patch(APPLIED_WORKS, "w", {"metadata": {"finalizers": None}})
        await pair.pass_time(10)
        assert await pair.hub.get(WORKS, "w", SPACE) is None

    paired(story, has_collector=False)


def _blocks(obj: Object) -> list[bool | None]:
    return [each.get("blockOwnerDeletion") for each in obj["metadata"].get("ownerReferences", ())]


def test_an_applied_work_deleted_by_hand_comes_back_with_its_objects() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"))
        await pair.member.client.delete(APPLIED_WORKS, "w")
        await pair.pass_time(10)
        owners = (await pair.there(CONFIG_MAPS, "c"))["metadata"]["ownerReferences"]
        applied = await pair.applied()
        assert applied is not None
        assert [each["uid"] for each in owners] == [applied["metadata"]["uid"]]
        assert (await pair.said())["Applied"].startswith("True")

    paired(story)
