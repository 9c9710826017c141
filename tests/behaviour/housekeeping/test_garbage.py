"""Objects whose owners are gone."""

from __future__ import annotations

from tests.behaviour.housekeeping.houses import MAPS, House, keeping, owned_by


def test_in_the_background_dependents_go_after_their_owner() -> None:
    async def story(house: House) -> None:
        top = await house.map("top")
        middle = await house.map("middle", top)
        await house.map("bottom", middle)
        await house.map("bystander")
        await house.delete(f"{MAPS}/top")
        assert await house.names() == ["bottom", "bystander", "middle"]
        await house.settle()
        assert await house.names() == ["bystander"]

    keeping(story)


def test_in_the_foreground_the_owner_goes_last() -> None:
    async def story(house: House) -> None:
        top = await house.map("top")
        middle = await house.map("middle", top)
        await house.map("held", middle, finalizers=["example.com/hold"])
        await house.delete(f"{MAPS}/top", "Foreground")
        await house.settle()
        waiting = await house.get(f"{MAPS}/top")
        assert waiting["metadata"]["finalizers"] == ["foregroundDeletion"]
        assert await house.names() == ["held", "middle", "top"]
        await house.ask("PATCH", f"{MAPS}/held", {"metadata": {"finalizers": None}})
        await house.settle()
        assert await house.names() == []

    keeping(story)


def test_in_the_foreground_who_does_not_block_is_not_waited_for() -> None:
    async def story(house: House) -> None:
        top = await house.map("top")
        loose = owned_by(top, blocks=False)
        body = {
            "metadata": {
                "name": "loose", "ownerReferences": [loose], "finalizers": ["example.com/hold"],
            }
        }  # fmt: skip
        await house.create(MAPS, body)
        await house.delete(f"{MAPS}/top", "Foreground")
        await house.settle()
        assert await house.names() == ["loose"]
        assert (await house.get(f"{MAPS}/loose"))["metadata"]["deletionTimestamp"]

    keeping(story)


def test_orphans_stay_and_forget_their_owner() -> None:
    async def story(house: House) -> None:
        top = await house.map("top")
        await house.map("orphan", top)
        await house.delete(f"{MAPS}/top", "Orphan")
        await house.settle()
        assert await house.names() == ["orphan"]
        assert "ownerReferences" not in (await house.get(f"{MAPS}/orphan"))["metadata"]

    keeping(story)


def test_one_of_two_owners_is_enough_to_stay() -> None:
    async def story(house: House) -> None:
        first, second = await house.map("first"), await house.map("second")
        await house.map("shared", first, second)
        await house.delete(f"{MAPS}/first")
        await house.settle()
        owners = (await house.get(f"{MAPS}/shared"))["metadata"]["ownerReferences"]
        assert [owner["name"] for owner in owners] == ["second"]
        await house.delete(f"{MAPS}/second")
        await house.settle()
        assert await house.names() == []

    keeping(story)


def test_a_dependent_that_comes_late_goes_too() -> None:
    async def story(house: House) -> None:
        top = await house.map("top")
        await house.delete(f"{MAPS}/top")
        await house.settle()
        await house.map("late", top)
        await house.settle()
        assert await house.names() == []

    keeping(story)


def test_an_owner_made_anew_under_the_same_name_is_another() -> None:
    async def story(house: House) -> None:
        old = await house.map("top")
        await house.delete(f"{MAPS}/top")
        await house.map("top")
        await house.map("child", old)
        await house.settle()
        assert await house.names() == ["top"]

    keeping(story)


def test_a_cycle_goes_with_any_of_its_members() -> None:
    async def story(house: House) -> None:
        first = await house.map("first")
        second = await house.map("second", first)
        owners = {"metadata": {"ownerReferences": [owned_by(second)]}}
        code, _ = await house.ask("PATCH", f"{MAPS}/first", owners)
        assert code == 200
        await house.delete(f"{MAPS}/first")
        await house.settle()
        assert await house.names() == []

    keeping(story)


def test_a_cycle_in_the_foreground_does_not_wait_for_itself() -> None:
    async def story(house: House) -> None:
        first = await house.map("first")
        second = await house.map("second", first)
        owners = {"metadata": {"ownerReferences": [owned_by(second)]}}
        await house.ask("PATCH", f"{MAPS}/first", owners)
        await house.delete(f"{MAPS}/first", "Foreground")
        await house.settle()
        assert await house.names() == []

    keeping(story)


def test_a_namespaced_owner_of_a_cluster_wide_object_is_never_judged_missing() -> None:
    async def story(house: House) -> None:
        owner = await house.map("owner")
        roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
        await house.create(
            roles, {"metadata": {"name": "wide", "ownerReferences": [owned_by(owner)]}, "rules": []}
        )
        await house.delete(f"{MAPS}/owner")
        await house.settle()
        assert await house.exists(f"{roles}/wide")

    keeping(story)


def test_thousands_of_dependents_go() -> None:
    async def story(house: House) -> None:
        top = await house.map("top")
        for number in range(2000):
            await house.map(f"one-{number}", top)
        await house.delete(f"{MAPS}/top")
        await house.settle()
        assert await house.names() == []

    keeping(story)
