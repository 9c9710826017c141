"""Bindings become Works, and what members say of Works becomes the status of bindings."""

from __future__ import annotations

from pathlib import Path

from argosy.api.objects.fleet import names
from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_RESOURCE_BINDINGS,
    CLUSTER_RESOURCE_PLACEMENTS,
    CLUSTER_RESOURCE_SNAPSHOTS,
    MEMBER_CLUSTERS,
    NAMESPACES,
    RESOURCE_BINDINGS,
    WORKS,
)
from tests.behaviour.placement.harbours import (
    APPLIED,
    AVAILABLE,
    STRATEGY,
    Hub,
    cluster_role,
    config_map,
    envelope,
    on_hub,
)

PLAIN = "Overridden True NoOverrideSpecified: No override rules are configured for the selected resources"
SYNCED = "WorkSynchronized True AllWorkSynced: All of the works are synchronized to the latest"
IN_PROGRESS = "Applied False ApplyInProgress: Resources are being applied"
ALL_APPLIED = "Applied True AllWorkHaveBeenApplied: All corresponding work objects are applied"
ALL_AVAILABLE = "Available True AllWorkAreAvailable: All corresponding work objects are available"
NULL = "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"


def pending(work: str) -> str:
    return f"Applied False NotAllWorkHaveBeenApplied: Work object {work} has not yet completed the apply op"


async def placed(hub: Hub, *resources: Object) -> None:
    """The placement `crp` with these resources on m1, applied there."""
    await hub.snapshot("crp", *(resources or (cluster_role("r"),)))
    await hub.binding("b", "crp", "m1")
    await hub.settle()
    await hub.answer("m1", "crp-work", APPLIED, AVAILABLE)
    await hub.settle()


def test_a_binding_becomes_a_work_and_its_result_a_status(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.snapshot("rp", config_map("one"), config_map("two"), namespace="ns")
        await hub.binding("b", "rp", "m1", "ns")
        await hub.settle()
        work = await hub.work("m1", "ns.rp-work")
        meta = work["metadata"]
        assert meta["labels"] == {
            names.PARENT: "rp",
            names.PARENT_NAMESPACE: "ns",
            names.PARENT_BINDING: "b",
            names.PARENT_SNAPSHOT_INDEX: "0",
        }
        assert meta["annotations"] == {
            names.PARENT_SNAPSHOT_NAME: "rp-0-snapshot",
            names.OVERRIDE_HASH: NULL,
            names.CLUSTER_OVERRIDE_HASH: NULL,
        }
        assert work["spec"] == {
            "applyStrategy": STRATEGY,
            "workload": {"manifests": [config_map("one"), config_map("two")]},
        }
        assert await hub.says("b", "ns") == [PLAIN, SYNCED, IN_PROGRESS]
        binding = await hub.found(RESOURCE_BINDINGS, "b", "ns")
        assert binding["metadata"]["finalizers"] == [names.BINDING_CLEANUP, names.WORK_CLEANUP]

        await hub.answer("m1", "ns.rp-work", APPLIED, AVAILABLE)
        await hub.settle()
        assert await hub.says("b", "ns") == [PLAIN, SYNCED, ALL_APPLIED, ALL_AVAILABLE]

    on_hub(shared, story)


def test_nothing_happens_before_the_rollout_has_started(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.snapshot("crp", cluster_role("r"))
        await hub.binding("b", "crp", "m1")
        await hub.settle()
        await hub.snapshot("crp", cluster_role("s"), index=1)
        body = {"spec": {"resourceSnapshotName": "crp-1-snapshot"}}
        await hub.patch(CLUSTER_RESOURCE_BINDINGS, "b", body)
        await hub.settle(100)
        work = await hub.work("m1", "crp-work")
        assert work["metadata"]["labels"][names.PARENT_SNAPSHOT_INDEX] == "0"
        assert await hub.says("b") == []

        await hub.start("b")
        await hub.settle()
        work = await hub.work("m1", "crp-work")
        assert work["metadata"]["labels"][names.PARENT_SNAPSHOT_INDEX] == "1"
        assert work["spec"]["workload"]["manifests"][0]["metadata"]["name"] == "s"

    on_hub(shared, story)


def test_a_binding_that_is_only_scheduled_gets_no_works(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.snapshot("crp", cluster_role("r"))
        await hub.binding("b", "crp", "m1", state="Scheduled")
        await hub.settle(100)
        assert await hub.works() == []
        binding = await hub.found(CLUSTER_RESOURCE_BINDINGS, "b")
        assert binding["metadata"]["finalizers"] == [names.BINDING_CLEANUP]

    on_hub(shared, story)


def test_a_changed_snapshot_drops_what_was_said_of_the_old_one(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await placed(hub)
        assert await hub.says("b") == [PLAIN, SYNCED, ALL_APPLIED, ALL_AVAILABLE]
        await hub.snapshot("crp", cluster_role("s"), index=1)
        await hub.respecify("b", resourceSnapshotName="crp-1-snapshot")
        await hub.settle()
        assert await hub.says("b") == [PLAIN, SYNCED, pending("crp-work")]
        await hub.answer("m1", "crp-work", APPLIED, AVAILABLE)
        await hub.settle()
        assert await hub.says("b") == [PLAIN, SYNCED, ALL_APPLIED, ALL_AVAILABLE]

    on_hub(shared, story)


def test_a_new_snapshot_with_the_same_content_is_applied_already(shared: Path) -> None:
    """The Work's generation stays, so its member says nothing more."""

    async def story(hub: Hub) -> None:
        await placed(hub)
        await hub.snapshot("crp", cluster_role("r"), index=1)
        await hub.respecify("b", resourceSnapshotName="crp-1-snapshot")
        await hub.settle()
        assert (await hub.work("m1", "crp-work"))["metadata"]["generation"] == 1
        assert await hub.says("b") == [PLAIN, SYNCED, ALL_APPLIED, ALL_AVAILABLE]

    on_hub(shared, story)


def test_a_new_apply_strategy_reaches_works_whose_snapshot_is_gone(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await placed(hub)
        forced: Object = {"type": "ServerSideApply", "serverSideApplyConfig": {"force": True}}
        await hub.client.delete(CLUSTER_RESOURCE_SNAPSHOTS, "crp-0-snapshot")
        await hub.respecify("b", applyStrategy=forced)
        await hub.settle()
        work = await hub.work("m1", "crp-work")
        assert work["spec"]["applyStrategy"] == {**STRATEGY, **forced}
        assert len(work["spec"]["workload"]["manifests"]) == 1
        assert await hub.says("b") == [PLAIN, SYNCED, IN_PROGRESS]

        # A merge patch leaves what it does not name: the old strategy must not shine through.
        back: Object = {**STRATEGY, "serverSideApplyConfig": None}
        await hub.respecify("b", applyStrategy=back)
        await hub.settle()
        work = await hub.work("m1", "crp-work")
        assert work["spec"]["applyStrategy"] == STRATEGY

    on_hub(shared, story)


def test_a_binding_without_snapshot_and_without_works_says_so(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.binding("b", "crp", "m1")
        await hub.settle()
        text = "Failed to apply the override rules on the resources: the master resource snapshot is not found"
        assert await hub.says("b") == [f"Overridden False OverriddenFailed: {text}"]
        await hub.snapshot("crp", cluster_role("r"))
        await hub.settle()
        assert await hub.says("b") == [PLAIN, SYNCED, IN_PROGRESS]

    on_hub(shared, story)


def test_shards_are_waited_for_and_have_works_of_their_own(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.snapshot("crp", cluster_role("a"), shards=3)
        await hub.binding("b", "crp", "m1")
        await hub.shard("crp", 1, cluster_role("c"))
        await hub.settle(100)
        assert (await hub.works(), await hub.says("b")) == ([], [])
        await hub.shard("crp", 0, cluster_role("b"))
        await hub.settle()
        assert await hub.works() == ["m1/crp-0", "m1/crp-1", "m1/crp-work"]
        await hub.answer("m1", "crp-work", APPLIED, AVAILABLE)
        await hub.settle()
        assert await hub.says("b") == [PLAIN, SYNCED, pending("crp-0")]

        # The next index needs one Work only.
        await hub.snapshot("crp", cluster_role("a"), index=1)
        await hub.respecify("b", resourceSnapshotName="crp-1-snapshot")
        await hub.settle()
        assert await hub.works() == ["m1/crp-work"]
        assert await hub.says("b") == [PLAIN, SYNCED, ALL_APPLIED, ALL_AVAILABLE]

    on_hub(shared, story)


def test_envelopes_have_works_of_their_own(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        box = envelope("box", config_map("a"), config_map("b"))
        await hub.snapshot("rp", box, config_map("c"), namespace="ns", envelopes=1)
        await hub.binding("b", "rp", "m1", "ns")
        await hub.settle()
        name = "ns.rp-work-envelope-f692435a8a2f20d5"
        assert await hub.works() == ["m1/ns.rp-work", f"m1/{name}"]
        work = await hub.work("m1", name)
        labels = work["metadata"]["labels"]
        assert labels[names.ENVELOPE_TYPE] == "ResourceEnvelope"
        assert (labels[names.ENVELOPE_NAME], labels[names.ENVELOPE_NAMESPACE]) == ("box", "ns")
        assert work["spec"]["workload"]["manifests"] == [config_map("b"), config_map("a")]
        plain = await hub.work("m1", "ns.rp-work")
        assert plain["spec"]["workload"]["manifests"] == [config_map("c")]

        failed: Object = {
            "identifier": {
                "ordinal": 0,
                "version": "v1",
                "kind": "ConfigMap",
                "resource": "configmaps",
                "namespace": "ns",
                "name": "b",
            },
            "conditions": [
                {
                    "type": "Applied",
                    "status": "False",
                    "reason": "ManifestApplyFailed",
                    "message": "no",
                    "lastTransitionTime": "2026-01-01T00:00:00Z",
                }
            ],
        }
        await hub.answer("m1", "ns.rp-work", APPLIED, AVAILABLE)
        await hub.answer("m1", name, ("Applied", "False", "x"), manifests=[failed])
        await hub.settle()
        binding = await hub.found(RESOURCE_BINDINGS, "b", "ns")
        assert binding["status"]["failedPlacements"] == [
            {
                "version": "v1",
                "kind": "ConfigMap",
                "namespace": "ns",
                "name": "b",
                "envelope": {"name": "box", "namespace": "ns", "type": "ResourceEnvelope"},
                "condition": failed["conditions"][0],
            }
        ]

        # It got better.
        await hub.answer("m1", name, APPLIED, AVAILABLE)
        await hub.settle()
        binding = await hub.found(RESOURCE_BINDINGS, "b", "ns")
        assert "failedPlacements" not in binding["status"]

    on_hub(shared, story)


def test_an_envelope_that_holds_what_it_must_not_is_refused(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        box = envelope("box", config_map("a"), namespace="")
        await hub.snapshot("crp", box, envelopes=1)
        await hub.binding("b", "crp", "m1")
        await hub.settle()
        text = "a namespaced object o0 (ns/a) has been wrapped in a cluster resource envelope box"
        failed = f"Failed to synchronize the work to the latest: {text}"
        assert await hub.says("b") == [PLAIN, f"WorkSynchronized False SyncWorkFailed: {failed}"]
        assert await hub.works() == []

    on_hub(shared, story)


def test_two_works_for_one_envelope_are_left_to_people(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.snapshot("rp", envelope("box", config_map("a")), namespace="ns", envelopes=1)
        await hub.binding("b", "rp", "m1", "ns")
        await hub.settle()
        (name,) = [each for each in await hub.works() if "envelope" in each]
        twin = await hub.work("m1", name.removeprefix("m1/"))
        meta = {"name": "twin", "labels": twin["metadata"]["labels"]}
        await hub.create(WORKS, {"metadata": meta, "spec": {"workload": {}}}, "fleet-member-m1")
        await hub.start("b", "ns")
        await hub.answer("m1", "ns.rp-work", APPLIED, AVAILABLE)
        await hub.settle()
        text = "2 work objects found for the same envelope ns/box, only one expected"
        failed = f"Failed to synchronize the work to the latest: {text}"
        assert (await hub.says("b", "ns"))[-1] == f"WorkSynchronized False SyncWorkFailed: {failed}"
        assert len(await hub.works()) == 3
        assert [each for each in await hub.events() if "DuplicateEnvelopeWorks" in each]

        await hub.client.delete(WORKS, "twin", namespace="fleet-member-m1")
        await hub.settle()
        assert (await hub.says("b", "ns"))[1] == SYNCED

    on_hub(shared, story)


def test_a_work_that_finds_no_namespace_is_told_and_tried_again(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.snapshot("crp", cluster_role("r"))
        identity = {"kind": "User", "name": "m3"}
        await hub.create(
            MEMBER_CLUSTERS, {"metadata": {"name": "m3"}, "spec": {"identity": identity}}
        )
        await hub.binding("b", "crp", "m3")
        await hub.settle()
        text = 'namespaces "fleet-member-m3" not found'
        failed = f"Failed to synchronize the work to the latest: {text}"
        assert await hub.says("b") == [PLAIN, f"WorkSynchronized False SyncWorkFailed: {failed}"]
        await hub.create(NAMESPACES, {"metadata": {"name": "fleet-member-m3"}})
        await hub.settle(60)
        assert await hub.says("b") == [PLAIN, SYNCED, IN_PROGRESS]

    on_hub(shared, story)


def test_a_binding_waits_for_its_cluster(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.snapshot("crp", cluster_role("r"))
        await hub.binding("b", "crp", "m3")
        await hub.settle()
        assert await hub.says("b") == []
        await hub.member("m3")
        await hub.settle()
        assert await hub.works() == ["m3/crp-work"]

    on_hub(shared, story)


def test_a_deleted_work_is_made_again(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await placed(hub)
        await hub.client.delete(WORKS, "crp-work", namespace="fleet-member-m1")
        await hub.settle()
        assert await hub.works() == ["m1/crp-work"]
        assert await hub.says("b") == [PLAIN, SYNCED, IN_PROGRESS]

    on_hub(shared, story)


def test_a_deleted_work_that_its_member_still_holds_is_waited_for(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await placed(hub)
        held = {"metadata": {"finalizers": [names.WORK_CLEANUP]}}
        await hub.patch(WORKS, "crp-work", held, "fleet-member-m1")
        await hub.client.delete(WORKS, "crp-work", namespace="fleet-member-m1")
        await hub.settle(100)
        text = (
            'object is being deleted: works.placement.kubernetes-fleet.io "crp-work" already exists'
        )
        failed = f"Failed to synchronize the work to the latest: {text}"
        assert await hub.says("b") == [PLAIN, f"WorkSynchronized False SyncWorkFailed: {failed}"]
        await hub.patch(WORKS, "crp-work", {"metadata": {"finalizers": None}}, "fleet-member-m1")
        await hub.settle()
        assert await hub.says("b") == [PLAIN, SYNCED, IN_PROGRESS]

    on_hub(shared, story)


def test_labels_and_annotations_edited_by_hand_are_put_back_with_the_content(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await placed(hub)
        good = await hub.work("m1", "crp-work")
        for meta in (
            {"annotations": {names.OVERRIDE_HASH: "no"}},
            {"labels": {names.PARENT_SNAPSHOT_INDEX: "7"}},
            {"labels": {names.PARENT_BINDING: None}},
            {"labels": {names.PARENT_BINDING: "other"}},
        ):
            body = {"metadata": meta, "spec": {"workload": {"manifests": []}}}
            await hub.patch(WORKS, "crp-work", body, "fleet-member-m1")
            await hub.settle()
            got = await hub.work("m1", "crp-work")
            assert got["spec"] == good["spec"], meta
            for field in ("labels", "annotations"):
                assert got["metadata"][field] == good["metadata"][field], meta

    on_hub(shared, story)


def test_a_binding_at_rest_does_no_writes(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        box = envelope("box", config_map("a"))
        await hub.snapshot("rp", box, config_map("c"), namespace="ns", envelopes=1)
        await hub.binding("b", "rp", "m1", "ns")
        await hub.binding("c", "rp", "m2", "ns")
        await hub.settle()
        await hub.answer("m1", "ns.rp-work", APPLIED, AVAILABLE)
        await hub.settle()
        before = {each["metadata"]["uid"]: each for each in await hub.list(RESOURCE_BINDINGS)}
        works = await hub.list(WORKS)
        # What does not matter, and what is said again.
        await hub.patch(
            WORKS, "ns.rp-work", {"metadata": {"labels": {"x": "y"}}}, "fleet-member-m2"
        )
        await hub.settle(3600)
        after = {each["metadata"]["uid"]: each for each in await hub.list(RESOURCE_BINDINGS)}
        assert after == before
        revisions = {each["metadata"]["uid"]: each["metadata"]["resourceVersion"] for each in works}
        touched = [
            each["metadata"]["name"]
            for each in await hub.list(WORKS)
            if revisions[each["metadata"]["uid"]] != each["metadata"]["resourceVersion"]
        ]
        assert touched == ["ns.rp-work"]

    on_hub(shared, story)


def test_a_deleted_binding_keeps_its_finalizer_until_its_works_are_gone(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await placed(hub)
        held = {"metadata": {"finalizers": [names.WORK_CLEANUP]}}
        await hub.patch(WORKS, "crp-work", held, "fleet-member-m1")
        await hub.patch(
            CLUSTER_RESOURCE_BINDINGS, "b", {"metadata": {"finalizers": [names.WORK_CLEANUP]}}
        )
        await hub.client.delete(CLUSTER_RESOURCE_BINDINGS, "b")
        await hub.settle(100)
        work = await hub.work("m1", "crp-work")
        assert "deletionTimestamp" in work["metadata"]
        assert await hub.get(CLUSTER_RESOURCE_BINDINGS, "b") is not None
        await hub.patch(WORKS, "crp-work", {"metadata": {"finalizers": None}}, "fleet-member-m1")
        await hub.settle()
        assert await hub.get(CLUSTER_RESOURCE_BINDINGS, "b") is None

    on_hub(shared, story)


def test_a_new_binding_waits_for_the_works_of_the_old_one(shared: Path) -> None:
    """An evicted placement may come back to its cluster before the member has cleaned up."""

    async def story(hub: Hub) -> None:
        await placed(hub)
        await hub.patch(
            CLUSTER_RESOURCE_BINDINGS, "b", {"metadata": {"finalizers": [names.WORK_CLEANUP]}}
        )
        held = {"metadata": {"finalizers": [names.WORK_CLEANUP]}}
        await hub.patch(WORKS, "crp-work", held, "fleet-member-m1")
        await hub.binding("b2", "crp", "m1")
        await hub.settle()
        text = 'works.placement.kubernetes-fleet.io "crp-work" already exists'
        failed = f"Failed to synchronize the work to the latest: {text}"
        assert (await hub.says("b2"))[-1] == f"WorkSynchronized False SyncWorkFailed: {failed}"
        await hub.client.delete(CLUSTER_RESOURCE_BINDINGS, "b")
        await hub.settle()
        await hub.patch(WORKS, "crp-work", {"metadata": {"finalizers": None}}, "fleet-member-m1")
        await hub.settle()
        assert await hub.says("b2") == [PLAIN, SYNCED, IN_PROGRESS]
        work = await hub.work("m1", "crp-work")
        assert work["metadata"]["labels"][names.PARENT_BINDING] == "b2"

    on_hub(shared, story)


def test_a_binding_on_its_way_out_still_tells(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.snapshot("crp", cluster_role("r"))
        await hub.binding("b", "crp", "m1")
        await hub.patch(CLUSTER_RESOURCE_BINDINGS, "b", {"spec": {"state": "Unscheduled"}})
        await hub.settle()
        await hub.answer("m1", "crp-work", APPLIED, AVAILABLE)
        await hub.settle()
        assert await hub.says("b") == [PLAIN, SYNCED, ALL_APPLIED, ALL_AVAILABLE]

    on_hub(shared, story)


def test_diffs_are_reported_instead_of_applying(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await hub.snapshot("crp", cluster_role("r"))
        await hub.binding("b", "crp", "m1", applyStrategy={**STRATEGY, "type": "ReportDiff"})
        await hub.settle()
        text = "DiffReported False DiffReportInProgress: Diff reporting on resources is in progress"
        assert await hub.says("b") == [PLAIN, SYNCED, text]
        await hub.answer("m1", "crp-work", ("DiffReported", "True", "x"))
        await hub.settle()
        text = "DiffReported True AllWorkHaveDiffReported: All corresponding work objects have reported diff"
        assert await hub.says("b") == [PLAIN, SYNCED, text]

        # Back to applying: what was said of diffs goes.
        await hub.respecify("b", applyStrategy=STRATEGY)
        await hub.settle()
        assert await hub.says("b") == [PLAIN, SYNCED, IN_PROGRESS]

    on_hub(shared, story)


def test_a_condition_keeps_its_time_while_its_status_stays(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await placed(hub)
        before = await hub.found(CLUSTER_RESOURCE_BINDINGS, "b")
        await hub.settle(60)
        await hub.answer("m1", "crp-work", APPLIED, ("Available", "False", "x"))
        await hub.settle()
        after = await hub.found(CLUSTER_RESOURCE_BINDINGS, "b")
        moved = {
            old["type"]
            for old, new in zip(
                before["status"]["conditions"], after["status"]["conditions"], strict=True
            )
            if old["lastTransitionTime"] != new["lastTransitionTime"]
        }
        assert moved == {"Available"}

    on_hub(shared, story)


def test_what_a_placement_wishes_of_its_members_stands_on_its_works(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        selector = {"group": "", "version": "v1", "kind": "Namespace", "name": "ns"}
        placement: Object = {"metadata": {"name": "crp"}, "spec": {"resourceSelectors": [selector]}}
        await hub.create(CLUSTER_RESOURCE_PLACEMENTS, placement)
        await placed(hub)
        for wish in ("ignore", None):
            wished: Object = {"metadata": {"annotations": {names.QUEUE_MANAGED: wish}}}
            await hub.patch(CLUSTER_RESOURCE_PLACEMENTS, "crp", wished)
            await hub.settle()
            meta = (await hub.work("m1", "crp-work"))["metadata"]
            assert meta["annotations"].get(names.QUEUE_MANAGED) == wish
            assert meta["generation"] == 1
            assert await hub.says("b") == [PLAIN, SYNCED, ALL_APPLIED, ALL_AVAILABLE]

    on_hub(shared, story)
