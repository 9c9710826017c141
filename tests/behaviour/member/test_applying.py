"""What a Work does on its member, from the first pass to rest."""

from __future__ import annotations

from argosy.client.resources import CONFIG_MAPS
from tests.behaviour.member.pairs import Pair, config_map, paired


def test_a_work_is_applied_and_says_so() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"))
        assert await pair.data() == {"a": "1"}
        assert await pair.said() == {
            "Applied": "True AllManifestsApplied: All the specified manifests have been applied",
            "Available": "True AllManifestsAvailable: All of the applied manifests are available",
        }
        assert await pair.said_of() == {
            "Applied": "True Applied: Manifest has been applied successfully",
            "Available": "True Available: Manifest is available",
        }
        assert (await pair.work())["metadata"]["finalizers"] == ["kubernetes-fleet.io/work-cleanup"]

    paired(story)


def test_a_work_costs_few_writes_and_at_rest_none() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"))
        assert pair.hub_calls.taken() == {"patch works": 1, "patch works status": 2}
        assert pair.member_calls.taken() == {
            "create appliedworks": 1,
            "create configmaps": 1,
            "patch appliedworks status": 1,
        }
        await pair.pass_time(7200)
        assert pair.hub_calls.taken() == {}
        assert pair.member_calls.taken() == {}

    paired(story)


def test_always_puts_an_edit_back() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"))
        await pair.edit(CONFIG_MAPS, "c", {"data": {"a": "2", "b": "mine"}})
        await pair.pass_time(6)
        assert await pair.data() == {"a": "1", "b": "mine"}

    paired(story)
