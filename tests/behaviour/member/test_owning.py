"""Whose an object is: taking over, sharing, and what is somebody else's."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import APPLIED_WORKS, CONFIG_MAPS, NAMESPACES, RESOURCE_OVERRIDES
from tests.behaviour.member.pairs import Pair, config_map, paired

APPLIED = "True Applied: Manifest has been applied successfully"


async def _owned_by_namespace(pair: Pair, **data: str) -> Object:
    owner = await pair.there(NAMESPACES, "ns", "")
    reference = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "name": "ns",
        "uid": owner["metadata"]["uid"],
    }
    body = {"metadata": {"name": "c", "ownerReferences": [reference]}, "data": data}
    await pair.member.create(CONFIG_MAPS, body)
    return reference


def test_what_differs_is_not_taken_over_if_that_was_asked_for() -> None:
    async def story(pair: Pair) -> None:
        await pair.member.create(CONFIG_MAPS, {"metadata": {"name": "c"}, "data": {"a": "2"}})
        await pair.send(config_map(a="1"), whenToTakeOver="IfNoDiff")
        assert (await pair.said_of())["Applied"] == (
            "False FailedToTakeOver: Failed to apply the manifest (error: cannot take over object: configuration "
            "differences are found between the manifest object and the corresponding object in the member cluster)"
        )
        details = (await pair.status())["manifestConditions"][0]["diffDetails"]
        assert details["observedDiffs"] == [
            {"path": "/data/a", "valueInHub": "1", "valueInMember": "2"}
        ]
        await pair.edit(CONFIG_MAPS, "c", {"data": {"a": "1"}})
        await pair.pass_time(6)
        assert (await pair.said_of())["Applied"] == APPLIED
        assert "diffDetails" not in (await pair.status())["manifestConditions"][0]

    paired(story)


def test_what_others_own_is_theirs_unless_it_may_be_shared() -> None:
    async def story(pair: Pair) -> None:
        reference = await _owned_by_namespace(pair, a="2")
        await pair.send(config_map(a="1"))
        uid = reference["uid"]
        assert (await pair.said_of())["Applied"] == (
            "False FailedToTakeOver: Failed to apply the manifest (error: failed to take over a pre-existing object: the "
            "object is already owned by some other sources(s) and co-ownership is disallowed (existingOwnerRefs: "
            f"[{{APIVersion:v1 Kind:Namespace Name:ns UID:{uid} Controller:<nil> BlockOwnerDeletion:<nil>}}]))"
        )
        await pair.change(allowCoOwnership=True)
        assert await pair.data() == {"a": "1"}
        owners = (await pair.there(CONFIG_MAPS, "c"))["metadata"]["ownerReferences"]
        assert [each["kind"] for each in owners] == ["Namespace", "AppliedWork"]
        await pair.change(allowCoOwnership=None)
        assert (await pair.said_of())["Applied"] == (
            "False ManifestApplyFailed: Failed to apply the manifest (error: failed to apply the manifest: failed to "
            "validate owner references: object is co-owned by multiple objects but co-ownership has been disallowed)"
        )

    paired(story)


def test_two_works_never_share_an_object() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"), name="first")
        await pair.send(config_map(a="2"), name="second", allowCoOwnership=True)
        assert (await pair.said_of(name="second"))["Applied"] == (
            "False FailedToTakeOver: Failed to apply the manifest (error: failed to take over a pre-existing object: the "
            "object is already owned by another Fleet AppliedWork object)"
        )
        assert await pair.data() == {"a": "1"}

    paired(story)


def test_an_applied_work_of_a_fleet_before_loses_its_objects() -> None:
    async def story(pair: Pair) -> None:
        spec = {"workName": "old", "workNamespace": "fleet-member-old"}
        body = {"metadata": {"name": "old"}, "spec": spec}
        old = await pair.member.create(APPLIED_WORKS, body, "")
        reference = {
            "apiVersion": "placement.kubernetes-fleet.io/v1beta1",
            "kind": "AppliedWork",
            "name": "old",
            "uid": old["metadata"]["uid"],
        }
        meta = {"name": "c", "ownerReferences": [reference]}
        await pair.member.create(CONFIG_MAPS, {"metadata": meta, "data": {"a": "2"}})
        await pair.send(config_map(a="1"))
        owners = (await pair.there(CONFIG_MAPS, "c"))["metadata"]["ownerReferences"]
        assert [each["name"] for each in owners] == ["w"]
        assert await pair.data() == {"a": "1"}

    paired(story)


def test_other_owners_of_a_custom_resource_stay() -> None:
    async def story(pair: Pair) -> None:
        budget = {
            "apiVersion": "placement.kubernetes-fleet.io/v1beta1",
            "kind": "ResourceOverride",
            "metadata": {"name": "o", "namespace": "ns", "labels": {"a": "1"}},
            "spec": {
                "resourceSelectors": [{"group": "", "version": "v1", "kind": "X", "name": "x"}],
                "policy": {"overrideRules": [{"overrideType": "Delete"}]},
            },
        }
        await pair.send(budget, allowCoOwnership=True)
        found = await pair.there(RESOURCE_OVERRIDES, "o")
        space = await pair.there(NAMESPACES, "ns", "")
        other = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "name": "ns",
            "uid": space["metadata"]["uid"],
        }
        owners = [*found["metadata"]["ownerReferences"], other]
        await pair.edit(RESOURCE_OVERRIDES, "o", {"metadata": {"ownerReferences": owners}})
        budget["metadata"]["labels"] = {"a": "2"}
        await pair.change(budget)
        after = (await pair.there(RESOURCE_OVERRIDES, "o"))["metadata"]
        assert after["labels"] == {"a": "2"}
        assert after["ownerReferences"] == owners

    paired(story)


def test_a_manifest_with_owners_of_its_own_is_refused() -> None:
    async def story(pair: Pair) -> None:
        manifest = config_map(a="1")
        manifest["metadata"]["ownerReferences"] = [
            {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}
        ]
        await pair.send(manifest)
        assert (await pair.said_of())["Applied"].endswith(
            "failed to validate owner references: manifest is set to have owner references but co-ownership is "
            "disallowed)"
        )

    paired(story)
