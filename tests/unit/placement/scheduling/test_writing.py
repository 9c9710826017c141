"""What the scheduler sends: new bindings, and patches of those there are."""

from __future__ import annotations

import msgspec

from argosy.api.objects.fleet import names
from argosy.client.objects import Key
from argosy.placement.scheduling.ranking import Score
from argosy.placement.scheduling.snapshots import Renewal
from argosy.placement.scheduling.statuses import named_decision, picked_decision
from argosy.placement.scheduling.writing import new_binding, renewal_patch, unscheduled_patch
from tests.support.placing import binding

UID = "0123abcd-0000-4000-8000-000000000000"


def test_a_new_binding_is_scheduled_and_has_no_resources() -> None:
    got = new_binding(Key("ns", "web"), "web-3", picked_decision("c1", Score(-1, affinity=70)), UID)
    assert got == {
        "metadata": {
            "name": "web-c1-0123abcd",
            "labels": {"kubernetes-fleet.io/parent-CRP": "web"},
            "finalizers": ["kubernetes-fleet.io/scheduler-crb-cleanup"],
        },
        "spec": {
            "state": "Scheduled",
            "resourceSnapshotName": "",
            "schedulingPolicySnapshotName": "web-3",
            "targetCluster": "c1",
            "clusterDecision": {
                "clusterName": "c1",
                "selected": True,
                "clusterScore": {"affinityScore": 70, "priorityScore": -1},
                "reason": 'Successfully scheduled resources for placement in "c1" (affinity score: 70,'
                " topology spread score: -1): picked by scheduling policy",
            },
        },
    }


def test_a_bindings_name_fits_a_label() -> None:
    got = new_binding(Key("", "p" * 60), "x-0", named_decision("c" * 63), UID)
    name = got["metadata"]["name"]
    assert name == f"{'p' * 26}-{'c' * 27}-0123abcd"
    assert len(name) == 63


def test_giving_up_replaces_all_annotations() -> None:
    given = binding("c1")
    meta = msgspec.structs.replace(given.metadata, annotations={"other": "x"})
    got = unscheduled_patch(msgspec.structs.replace(given, metadata=meta))
    assert got == {
        "metadata": {
            "annotations": {"other": None, names.PREVIOUS_STATE: "Bound"},
            "resourceVersion": "7",
        },
        "spec": {"state": "Unscheduled"},
    }


def test_taking_up_again_takes_the_old_score_away() -> None:
    got = renewal_patch(Renewal(binding("c1"), "Bound", named_decision("c1")), "web-3")
    assert got["spec"]["clusterDecision"]["clusterScore"] is None
    assert got["spec"]["state"] == "Bound"
    assert got["spec"]["schedulingPolicySnapshotName"] == "web-3"
    assert got["metadata"] == {
        "annotations": {names.PREVIOUS_STATE: None},
        "resourceVersion": "7",
    }
