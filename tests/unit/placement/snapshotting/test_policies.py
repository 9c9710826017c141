"""When a placement gets another policy snapshot, and what the one it has is told."""

from __future__ import annotations

import msgspec

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import Placement, PlacementSpec
from argosy.api.objects.fleet.policies import (
    PICK_N,
    PlacementPolicy,
)
from argosy.api.objects.fleet.snapshots import PolicySnapshot, PolicySnapshotSpec
from argosy.api.objects.metadata import ObjectMeta, OwnerReference
from argosy.placement.snapshotting.plans import Plan
from argosy.placement.snapshotting.policies import plan_policy, policy_hash

ALL = PlacementPolicy("PickAll")
ONE = PlacementPolicy(PICK_N, number_of_clusters=1)


def placement(
    policy: PlacementPolicy | None, *, generation: int = 1, limit: int = 10, namespace: str = ""
) -> Placement:
    meta = ObjectMeta("web", namespace=namespace, uid="u1", generation=generation)
    return Placement(meta, PlacementSpec(policy=policy, revision_history_limit=limit))


def snapshot(
    index: int,
    policy: PlacementPolicy | None,
    *,
    latest: bool = False,
    generation: int = 1,
    clusters: int | None = None,
    owner: str = "u1",
) -> PolicySnapshot:
    annotations = {names.PLACEMENT_GENERATION: str(generation)}
    if clusters is not None:
        annotations[names.NUMBER_OF_CLUSTERS] = str(clusters)
    meta = ObjectMeta(
        f"web-{index}",
        labels={names.IS_LATEST: str(latest).lower(), names.POLICY_INDEX: str(index)},
        annotations=annotations,
        owner_references=(OwnerReference(uid=owner, controller=True),),
    )
    return PolicySnapshot(meta, PolicySnapshotSpec(policy, policy_hash(policy)))


def told(plan: Plan) -> dict[str, object]:
    return {
        "changes": {each.meta.name: each.patch["metadata"] for each in plan.changes},
        "removals": [each.name for each in plan.removals],
        "creations": [each["metadata"]["name"] for each in plan.creations],
    }


NOTHING: dict[str, object] = {"changes": {}, "removals": [], "creations": []}
UNMARK = {"labels": {names.IS_LATEST: "false"}}


def test_the_first_one() -> None:
    (document,) = plan_policy(placement(ONE, generation=3, namespace="ns"), []).creations
    assert document == {
        "metadata": {
            "name": "web-0",
            "namespace": "ns",
            "labels": {
                names.PARENT: "web",
                names.IS_LATEST: "true",
                names.POLICY_INDEX: "0",
            },
            "annotations": {names.PLACEMENT_GENERATION: "3", names.NUMBER_OF_CLUSTERS: "1"},
            "ownerReferences": [
                {
                    "apiVersion": "placement.kubernetes-fleet.io/v1beta1",
                    "kind": "ResourcePlacement",
                    "name": "web",
                    "uid": "u1",
                    "controller": True,
                    "blockOwnerDeletion": True,
                }
            ],
        },
        "spec": {
            "policyHash": policy_hash(ONE),
            "policy": {"placementType": "PickN", "numberOfClusters": 1},
        },
    }


def test_a_placement_without_a_policy_has_a_snapshot_without_one() -> None:
    (document,) = plan_policy(placement(None), []).creations
    assert document["spec"] == {"policyHash": policy_hash(None)}


def test_nothing_to_do() -> None:
    plan = plan_policy(placement(ONE), [snapshot(0, ONE, latest=True, clusters=1)])
    assert told(plan) == NOTHING


def test_another_number_of_clusters_and_generation_are_told_to_the_one_there_is() -> None:
    more = msgspec.structs.replace(ONE, number_of_clusters=5)
    plan = plan_policy(placement(more, generation=2), [snapshot(0, ONE, latest=True, clusters=1)])
    annotations = {names.PLACEMENT_GENERATION: "2", names.NUMBER_OF_CLUSTERS: "5"}
    assert told(plan) == {**NOTHING, "changes": {"web-0": {"annotations": annotations}}}


def test_another_policy() -> None:
    plan = plan_policy(placement(ALL), [snapshot(0, ONE, latest=True, clusters=1)])
    assert told(plan) == {**NOTHING, "changes": {"web-0": UNMARK}, "creations": ["web-1"]}


def test_an_old_policy_again_is_a_new_snapshot() -> None:
    there = [snapshot(0, ALL), snapshot(1, ONE, latest=True, clusters=1)]
    plan = plan_policy(placement(ALL), there)
    assert told(plan) == {**NOTHING, "changes": {"web-1": UNMARK}, "creations": ["web-2"]}


def test_a_hub_that_died_before_the_new_one_goes_on() -> None:
    plan = plan_policy(
        placement(ALL), [snapshot(9, ONE, clusters=1), snapshot(10, ONE, clusters=1)]
    )
    assert told(plan) == {**NOTHING, "creations": ["web-11"]}


def test_a_hub_that_died_before_the_new_one_takes_the_old_one_if_the_policy_came_back() -> None:
    plan = plan_policy(placement(ALL), [snapshot(0, ALL)])
    assert told(plan) == {**NOTHING, "changes": {"web-0": {"labels": {names.IS_LATEST: "true"}}}}


def test_of_two_latest_ones_the_newer_is() -> None:
    there = [snapshot(0, ALL, latest=True), snapshot(1, ALL, latest=True)]
    assert told(plan_policy(placement(ALL), there)) == {**NOTHING, "changes": {"web-0": UNMARK}}


def test_the_oldest_make_room() -> None:
    there = [snapshot(index, ONE, latest=index == 12, clusters=1) for index in (10, 11, 12, 9)]
    plan = plan_policy(placement(ALL, limit=3), there)
    want = {"changes": {"web-12": UNMARK}, "removals": ["web-9", "web-10"], "creations": ["web-13"]}
    assert told(plan) == want


def test_what_an_earlier_placement_of_the_name_left_goes() -> None:
    plan = plan_policy(placement(ALL), [snapshot(0, ALL, latest=True, owner="u0")])
    assert told(plan) == {"changes": {}, "removals": ["web-0"], "creations": ["web-0"]}


def test_hashes_are_those_of_go() -> None:
    assert policy_hash(ONE) == policy_hash(msgspec.structs.replace(ONE, number_of_clusters=7))
    assert policy_hash(None) != policy_hash(ALL)
    # echo -n 'null' | sha256sum | base64, without the newline
    null = (
        "NzQyMzRlOThhZmU3NDk4ZmI1ZGFmMWYzNmFjMmQ3OGFjYzMzOTQ2NGY5NTA3MDNiOGMwMTk4OTJmOTgyYjkwYg=="
    )
    assert policy_hash(None) == null
