"""The user's guide on a hub and three members, through kubectl: what it prints is what the guide prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compat.fleets import Fleet, fleet

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]

GUIDE = Path(__file__).parents[2] / "examples" / "fleet" / "guide"
NS = ("-n", "compute-jobs")
MEMBERS = ("cluster-1", "cluster-2", "cluster-3")


@pytest.fixture(scope="module")
def sailed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """The guide, step by step, until the jobs run and have drifted."""
    with fleet(tmp_path_factory.mktemp("guide")) as made:
        made("hub", "apply", "-f", str(GUIDE / "1-queues.yaml"))
        made("hub", "apply", "-f", str(GUIDE / "2-everywhere.yaml"))
        made.until("hub", ("crp", "sample-kueue"), "ClusterResourcePlacementAvailable", "True")
        made("hub", "apply", "-f", str(GUIDE / "3-jobs.yaml"))
        made("hub", "apply", "-f", str(GUIDE / "4-placements.yaml"))
        queue = ("rp", "queue-placement", *NS)
        made.until("hub", queue, "ResourcePlacementAvailable", "True")
        for name in ("job1-placement", "job2-placement"):
            made.until("hub", ("rp", name, *NS), "ResourcePlacementApplied", "False")
        yield made


def _described(fleet_: Fleet, *what: str) -> list[str]:
    """What `kubectl describe` prints, without times and blanks."""
    text = fleet_("hub", "describe", *what).stdout
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME", text)
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID", text)
    return [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]


def _in_order(got: list[str], want: list[str]) -> None:
    position = 0
    for line in want:
        assert line in got[position:], f"{line!r} is not among\n" + "\n".join(got[position:])
        position = got.index(line, position) + 1


def test_the_queues_are_everywhere_and_described_as_in_the_guide(sailed: Fleet) -> None:
    got = _described(sailed, "crp", "sample-kueue")
    types = (
        "Scheduled",
        "RolloutStarted",
        "Overridden",
        "WorkSynchronized",
        "Applied",
        "Available",
    )
    messages = (
        "found all cluster needed as specified by the scheduling policy, found 3 cluster(s)",
        "All 3 cluster(s) start rolling out the latest resource",
        "No override rules are configured for the selected resources",
        "Works(s) are succcesfully created or updated in 3 target cluster(s)' namespaces",
        "The selected resources are successfully applied to 3 cluster(s)",
        "The selected resources in 3 cluster(s) are available now",
    )
    conditions = [
        line
        for type_, message in zip(types, messages, strict=True)
        for line in (
            f"Message: {message}",
            "Status: True",
            f"Type: ClusterResourcePlacement{type_}",
        )
    ]
    _in_order(
        got,
        [
            "API Version: placement.kubernetes-fleet.io/v1",
            "Finalizers:",
            "kubernetes-fleet.io/crp-cleanup",
            "kubernetes-fleet.io/scheduler-cleanup",
            "Generation: 1",
            *conditions,
            "Observed Resource Index: 0",
            "Cluster Name: cluster-1",
            (
                'Message: Successfully scheduled resources for placement in "cluster-1" (affinity score: 0, topology spread'
                " score: 0): picked by scheduling policy"
            ),
            "Message: The availability of work object sample-kueue-work is not trackable",
            "Reason: NotAllWorkAreAvailabilityTrackable",
            "Cluster Name: cluster-2",
            "Cluster Name: cluster-3",
            "Selected Resources:",
            "Kind: Namespace",
            "Kind: ClusterQueue",
            "Version: v1beta1",
            "Kind: ResourceFlavor",
            "Version: v1beta1",
        ],
    )
    assert _events(got) == [
        "PlacementRolloutStarted", "PlacementOverriddenSucceeded", "PlacementWorkSynchronized",
        "PlacementApplied", "PlacementAvailable", "PlacementRolloutCompleted",
    ]  # fmt: skip


def _events(described: list[str]) -> list[str]:
    lines = described[described.index("Events:") + 3 :]
    return [line.split()[1] for line in lines if line and "placement-controller" in line]


@pytest.mark.parametrize("cluster", MEMBERS)
def test_every_member_has_the_queues(sailed: Fleet, cluster: str) -> None:
    sailed(cluster, "get", "resourceflavor", "default-flavor")
    wide = sailed(cluster, "get", "clusterqueue", "cluster-queue", "-o", "wide").rows
    assert wide[1][:2] == ["cluster-queue", "compute-workload"]
    sailed(cluster, "get", "ns", "compute-jobs")
    sailed(cluster, "get", "localqueue", "local-queue", *NS)


def test_a_job_goes_where_the_most_room_is_and_drifts_when_its_queue_starts_it(
    sailed: Fleet,
) -> None:
    got = _described(sailed, "resourceplacement", "job1-placement", *NS)
    _in_order(
        got,
        [
            "kubernetes-fleet.io/crp-cleanup",
            "kubernetes-fleet.io/scheduler-cleanup",
            "Message: found all cluster needed as specified by the scheduling policy, found 1 cluster(s)",
            "Message: All 1 cluster(s) start rolling out the latest resource",
            "Message: Works(s) are succcesfully created or updated in 1 target cluster(s)' namespaces",
            "Message: Failed to apply resources to 1 cluster(s), please check the `failedPlacements` status",
            "Reason: ApplyFailed",
            "Status: False",
            "Type: ResourcePlacementApplied",
            "Observed Resource Index: 0",
            "Cluster Name: cluster-3",
            (
                'Message: Successfully scheduled resources for placement in "cluster-3" (affinity score: 70, topology'
                " spread score: 0): picked by scheduling policy"
            ),
            "Message: Work object compute-jobs.job1-placement-work has failed to apply",
            "Reason: NotAllWorkHaveBeenApplied",
            "Drifted Placements:",
            "Kind: Job",
            "Observed Drifts:",
            "Path: /spec/selector/matchLabels/batch.kubernetes.io~1controller-uid",
            "Value In Member: UID",
            "Path: /spec/suspend",
            "Value In Hub: true",
            "Value In Member: false",
            "Path: /spec/template/metadata/labels/batch.kubernetes.io~1controller-uid",
            "Path: /spec/template/metadata/labels/controller-uid",
            "Failed Placements:",
            (
                "Message: Failed to apply the manifest (error: cannot apply manifest: drifts are found between the manifest"
                " and the object from the member cluster in degraded mode (full comparison is performed instead of partial"
                " comparison, as the manifest object is considered to be invalid by the member cluster API server))"
            ),
            "Reason: FoundDriftsInDegradedMode",
            "Selected Resources:",
            "Kind: Job",
            "Name: mock-workload",
        ],
    )
    assert _events(got) == [
        "PlacementRolloutStarted", "PlacementOverriddenSucceeded", "PlacementWorkSynchronized",
        "PlacementApplied", "PlacementAvailable", "PlacementRolloutCompleted",
    ]  # fmt: skip


def test_the_tree_and_the_reason_are_told(sailed: Fleet) -> None:
    tree = sailed.argosy("placement", "tree", "job1-placement", *NS)
    assert "compute-jobs.job1-placement-work" in tree
    assert "FoundDriftsInDegradedMode" in tree
    why = sailed.argosy("why", "rp/job1-placement", *NS)
    assert "/spec/suspend: true on the hub, false on the member" in why
    assert "argosy.dev/queue-managed=ignore" in why


def test_members_are_listed_with_what_they_have(sailed: Fleet) -> None:
    rows = sailed("hub", "get", "memberclusters").rows
    assert rows[0][:2] == ["NAME", "JOINED"]
    assert [row[:2] for row in rows[1:]] == [[name, "True"] for name in MEMBERS]
