"""Manifests that cannot be applied, and Works that somebody meddles with: each says why, and stops nobody else."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, WORKS
from tests.behaviour.member.pairs import SPACE, Pair, config_map, paired

WIDGETS: Object = {
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "names": {"kind": "Widget", "plural": "widgets"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object"}},
            }
        ],
    },
}


def failed(reason: str, error: str) -> str:
    return f"False {reason}: Failed to apply the manifest (error: {error})"


def test_every_manifest_tells_its_own_failure() -> None:
    async def story(pair: Pair) -> None:
        unknown = {
            "apiVersion": "example.com/v1",
            "kind": "Gadget",
            "metadata": {"name": "g", "namespace": "ns"},
        }
        generated: Object = config_map(a="1")
        generated["metadata"] = {"generateName": "c-", "namespace": "ns"}
        homeless: Object = config_map(a="1")
        homeless["metadata"] = {"name": "homeless"}
        await pair.send(
            unknown,
            generated,
            config_map("good", a="1"),
            config_map("good", a="2"),
            config_map("bad", **{"no such key!": "1"}),
            homeless,
        )
        said = [(await pair.said_of(place))["Applied"] for place in range(6)]
        assert said[:4] == [
            failed(
                "DecodingErred",
                "failed to decode manifest: failed to find GVR from member cluster client REST mapping: "
                'no matches for kind "Gadget" in version "example.com/v1"',
            ),
            failed("FoundGenerateName", "objects with only generate name are not supported"),
            "True Applied: Manifest has been applied successfully",
            failed("Duplicated", "a duplicate manifest has been found"),
        ]
        assert said[4].startswith(
            "False ManifestApplyFailed: Failed to apply the manifest (error: failed to apply the manifest: failed to "
            'create manifest object: error returned by the API server: ConfigMap "bad" is invalid: data[no such key!]'
        )
        assert said[5].startswith("False ManifestApplyFailed: ")
        assert (await pair.said())["Applied"] == (
            "False SomeManifestsAreNotApplied: Failed to apply all manifests (1 of 6 manifests are applied)"
        )
        assert await pair.data("good") == {"a": "1"}
        identifiers = [each["identifier"] for each in (await pair.status())["manifestConditions"]]
        assert identifiers[0] == {
            "ordinal": 0,
            "group": "example.com",
            "version": "v1",
            "kind": "Gadget",
            "namespace": "ns",
            "name": "g",
        }

    paired(story)


def test_a_kind_that_comes_later_is_applied_when_it_comes() -> None:
    async def story(pair: Pair) -> None:
        widget = {
            "apiVersion": "example.com/v1",
            "kind": "Widget",
            "metadata": {"name": "w", "namespace": "ns"},
        }
        await pair.send(widget)
        assert (await pair.said_of())["Applied"].startswith("False DecodingErred")
        await pair.pass_time(3600)
        await pair.member.create(CUSTOM_RESOURCE_DEFINITIONS, WIDGETS, "")
        await pair.pass_time(2)
        assert (await pair.said_of())["Applied"].startswith("True Applied")
        assert (await pair.said())["Available"].startswith("True WorkNotTrackable")

    paired(story)


def test_a_namespace_of_the_same_work_comes_first() -> None:
    async def story(pair: Pair) -> None:
        inside = config_map(a="1")
        inside["metadata"]["namespace"] = "fresh"
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "fresh"}}
        await pair.send(inside, space)
        assert (await pair.said())["Applied"].startswith("True")

    paired(story)


def test_what_was_refused_is_tried_again() -> None:
    async def story(pair: Pair) -> None:
        inside = config_map(a="1")
        inside["metadata"]["namespace"] = "later"
        await pair.send(inside)
        assert (await pair.said_of())["Applied"].endswith('namespaces "later" not found)')
        await pair.send(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "later"}}, name="n"
        )
        await pair.pass_time(10)
        assert (await pair.said())["Applied"].startswith("True")

    paired(story)


def test_a_status_wiped_by_hand_comes_back() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"))
        before = await pair.status()
        wiped = {"status": {"conditions": [], "manifestConditions": None}}
        await pair.hub.client.patch(WORKS, "w", wiped, namespace=SPACE, subresource="status")
        await pair.pass_time(10)
        after = await pair.status()
        assert [each["reason"] for each in after["conditions"]] == [
            each["reason"] for each in before["conditions"]
        ]
        assert len(after["manifestConditions"]) == 1

    paired(story)


def test_an_empty_work_is_applied() -> None:
    async def story(pair: Pair) -> None:
        await pair.send()
        assert (await pair.said())["Available"].startswith("True AllManifestsAvailable")

    paired(story)


def test_nobody_applies_before_joining() -> None:
    async def story(pair: Pair) -> None:
        pair.joined = False
        await pair.send(config_map(a="1"))
        await pair.pass_time(30)
        assert await pair.member.get(CONFIG_MAPS, "c") is None
        assert "finalizers" not in (await pair.work())["metadata"]
        pair.joined = True
        await pair.pass_time(6)
        assert await pair.data() == {"a": "1"}

    paired(story)
