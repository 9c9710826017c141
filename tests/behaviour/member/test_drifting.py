"""What the member finds changed, and what it does about it, by apply strategy."""

from __future__ import annotations

import pytest

from argosy.base.types import Object
from argosy.client.protocol import PatchType
from argosy.client.resources import CONFIG_MAPS, DEPLOYMENTS, SECRETS
from tests.behaviour.member.pairs import Pair, config_map, paired

DRIFTED = (
    "False FoundDrifts: Failed to apply the manifest (error: cannot apply manifest: drifts are found between the "
    "manifest and the object from the member cluster)"
)
APPLIED = "True Applied: Manifest has been applied successfully"


def deployment(**spec: object) -> Object:
    container = {"name": "main", "image": "busybox:1", "ports": [{"containerPort": 80}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "namespace": "ns"},
        "spec": {
            "selector": {"matchLabels": {"app": "d"}},
            "template": {
                "metadata": {"labels": {"app": "d"}},
                "spec": {"containers": [container]},
            },
            **spec,
        },
    }


def test_drift_is_told_from_when_it_was_first_seen() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"), whenToApply="IfNotDrifted")
        await pair.edit(CONFIG_MAPS, "c", {"data": {"a": "2", "b": "unmanaged"}})
        await pair.pass_time(6)
        first = (await pair.status())["manifestConditions"][0]["driftDetails"]
        await pair.pass_time(10)
        later = (await pair.status())["manifestConditions"][0]["driftDetails"]
        assert later["firstDriftedObservedTime"] == first["firstDriftedObservedTime"]
        assert later["observationTime"] > first["observationTime"]
        drift = {"path": "/data/a", "valueInHub": "1", "valueInMember": "2"}
        assert later["observedDrifts"] == [drift]
        assert (await pair.said_of())["Applied"] == DRIFTED
        assert "Available" not in await pair.said()

    paired(story)


def test_drift_that_is_undone_is_forgotten() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"), whenToApply="IfNotDrifted")
        await pair.edit(CONFIG_MAPS, "c", {"data": {"a": "2"}})
        await pair.pass_time(6)
        await pair.edit(CONFIG_MAPS, "c", {"data": {"a": "1"}})
        await pair.pass_time(10)
        assert (await pair.said_of())["Applied"] == APPLIED
        assert "driftDetails" not in (await pair.status())["manifestConditions"][0]

    paired(story)


def test_a_changed_manifest_is_applied_over_drift() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"), whenToApply="IfNotDrifted")
        await pair.edit(CONFIG_MAPS, "c", {"data": {"a": "2"}})
        await pair.pass_time(6)
        await pair.change(config_map(a="3"))
        assert await pair.data() == {"a": "3"}
        assert (await pair.said_of())["Applied"] == APPLIED

    paired(story)


def test_what_a_manifest_no_longer_says_is_removed_and_others_fields_stay() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1", b="2"))
        await pair.edit(CONFIG_MAPS, "c", {"data": {"mine": "x"}})
        await pair.change(config_map(a="1"))
        assert await pair.data() == {"a": "1", "mine": "x"}

    paired(story)


def test_lists_of_built_in_kinds_merge_by_key() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(deployment())
        sidecar = {"containers": [{"name": "sidecar", "image": "envoy"}]}
        await pair.member.client.patch(
            DEPLOYMENTS,
            "d",
            {"spec": {"template": {"spec": sidecar}}},
            kind=PatchType.STRATEGIC,
            namespace="ns",
        )
        changed = deployment(replicas=3)
        changed["spec"]["template"]["spec"]["containers"][0]["image"] = "busybox:2"
        await pair.change(changed)
        spec = (await pair.there(DEPLOYMENTS, "d"))["spec"]
        images = {each["name"]: each["image"] for each in spec["template"]["spec"]["containers"]}
        assert images == {"main": "busybox:2", "sidecar": "envoy"}
        assert spec["replicas"] == 3
        assert (await pair.said())["Available"].startswith("False SomeManifestsAreNotAvailable")

    paired(story)


def test_full_comparison_tells_what_nobody_manages_and_applies_all_the_same() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"), comparisonOption="FullComparison")
        await pair.edit(CONFIG_MAPS, "c", {"data": {"b": "2"}, "metadata": {"labels": {"x": "y"}}})
        await pair.pass_time(6)
        assert (await pair.said_of())["Applied"] == APPLIED
        assert await pair.drifts() == [
            {"path": "/data/b", "valueInMember": "2"},
            {"path": "/metadata/labels/x", "valueInMember": "y"},
        ]

    paired(story)


def test_server_side_apply_leaves_fields_of_others_alone() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"), type="ServerSideApply")
        await pair.edit(CONFIG_MAPS, "c", {"data": {"a": "2"}})
        await pair.pass_time(6)
        said = (await pair.said_of())["Applied"]
        assert said.startswith(
            "False ManifestApplyFailed: Failed to apply the manifest (error: failed to apply the manifest: failed to "
            "apply the manifest object: error returned by the API server: Apply failed with 1 conflict"
        )
        await pair.change(type="ServerSideApply", serverSideApplyConfig={"force": True})
        assert await pair.data() == {"a": "1"}
        await pair.change(config_map(b="1"))
        assert await pair.data() == {"b": "1"}

    paired(story)


def test_a_record_too_large_for_annotations_is_left_to_the_server() -> None:
    async def story(pair: Pair) -> None:
        large = "x" * 300_000
        await pair.send(config_map(a=large, b="1"))
        annotations = (await pair.there(CONFIG_MAPS, "c"))["metadata"]["annotations"]
        assert annotations["kubernetes-fleet.io/last-applied-configuration"] == ""
        await pair.change(config_map(a=large, b="2"))
        assert (await pair.data())["b"] == "2"
        assert (await pair.said_of())["Applied"] == APPLIED

    paired(story)


def test_secrets_do_not_tell_their_values() -> None:
    async def story(pair: Pair) -> None:
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "s", "namespace": "ns"},
            "data": {"key": "aHVi"},
        }
        await pair.send(secret, whenToApply="IfNotDrifted")
        await pair.edit(SECRETS, "s", {"data": {"key": "bWVtYmVy"}})
        await pair.pass_time(6)
        hidden = "(redacted for security reasons)"
        assert await pair.drifts() == [
            {"path": "/data/key", "valueInHub": hidden, "valueInMember": hidden}
        ]

    paired(story)


@pytest.mark.parametrize("take_over", ["Always", "Never"])
def test_a_diff_is_reported_and_nothing_applied(take_over: str) -> None:
    async def story(pair: Pair) -> None:
        await pair.member.create(CONFIG_MAPS, {"metadata": {"name": "c"}, "data": {"a": "2"}})
        await pair.send(config_map(a="1"), type="ReportDiff", whenToTakeOver=take_over)
        assert await pair.said() == {
            "DiffReported": "True AllManifestsDiffReported: All the specified manifests have reported diff"
        }
        assert await pair.data() == {"a": "2"}
        found = await pair.there(CONFIG_MAPS, "c")
        assert ("ownerReferences" in found["metadata"]) == (take_over == "Always")
        await pair.edit(CONFIG_MAPS, "c", {"data": {"a": "1"}})
        await pair.pass_time(6)
        assert await pair.said_of() == {
            "DiffReported": "True NoDiffFound: No diff has been found between the hub cluster and the member cluster"
        }

    paired(story)


def test_a_diff_in_degraded_mode_is_told_and_not_counted() -> None:
    async def story(pair: Pair) -> None:
        there = deployment()
        await pair.member.create(DEPLOYMENTS, there)
        other = deployment(selector={"matchLabels": {"app": "e"}})
        other["spec"]["template"]["metadata"]["labels"] = {"app": "e"}
        await pair.send(other, type="ReportDiff")
        assert (await pair.said_of())["DiffReported"].startswith("True FoundDiffInDegradedMode: ")
        assert (await pair.said())["DiffReported"] == (
            "False SomeManifestsHaveNotReportedDiff: "
            "Failed to report diff on all manifests (0 of 1 manifests have reported diff)"
        )

    paired(story)


def test_an_object_deleted_on_the_member_comes_back() -> None:
    async def story(pair: Pair) -> None:
        await pair.send(config_map(a="1"), whenToApply="IfNotDrifted")
        await pair.member.client.delete(CONFIG_MAPS, "c", namespace="ns")
        await pair.pass_time(6)
        assert await pair.data() == {"a": "1"}

    paired(story)
