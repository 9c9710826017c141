"""What the Works of a binding say, as the binding says it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from argosy.api.objects.conditions import condition_documents
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding, BindingStatus
from argosy.api.objects.fleet.works import SentWork
from argosy.api.objects.metadata import Condition
from argosy.base.types import Json, Object
from argosy.placement.working.reporting import LIMIT, Report, report
from argosy.placement.working.statuses import Failure, Stage, patch, status_of
from tests.unit.placement.golden import TIME, beside, objects, placements, view, views
from tests.unit.placement.working.builders import binding, condition, manifest, work

NOW = datetime(2026, 1, 1, 0, 10, tzinfo=UTC)
APPLIED = condition("Applied", "True")
NOT_APPLIED = condition("Applied", "False")
AVAILABLE = condition("Available", "True")
NOT_AVAILABLE = condition("Available", "False")
UNTRACKABLE = condition("Available", "True", "WorkNotTrackable")
DIFFED = condition("DiffReported", "True")
NOT_DIFFED = condition("DiffReported", "False")
ALL_APPLIED = "Applied True AllWorkHaveBeenApplied: All corresponding work objects are applied"
ALL_AVAILABLE = "Available True AllWorkAreAvailable: All corresponding work objects are available"

SAID: dict[str, tuple[list[SentWork], bool, list[str]]] = {
    "all is well": (
        [work("a", APPLIED, AVAILABLE), work("b", APPLIED, AVAILABLE)],
        False,
        [ALL_APPLIED, ALL_AVAILABLE],
    ),
    "nobody has said anything ever": (
        [work("a"), work("b")],
        False,
        ["Applied False ApplyInProgress: Resources are being applied"],
    ),
    "somebody has said something": (
        [work("c"), work("b"), work("a", APPLIED, AVAILABLE)],
        False,
        ["Applied False NotAllWorkHaveBeenApplied: Work object b has not yet completed the apply op"],
    ),
    "what was said is of an older generation": (
        [work("a", APPLIED, AVAILABLE, generation=2)],
        False,
        ["Applied False NotAllWorkHaveBeenApplied: Work object a has not yet completed the apply op"],
    ),
    "nobody knows": (
        [work("a", condition("Applied", "Unknown"))],
        False,
        ["Applied False NotAllWorkHaveBeenApplied: Work object a has not yet completed the apply op"],
    ),
    "some failed": (
        [work("c", NOT_APPLIED), work("b", NOT_APPLIED), work("a", APPLIED, AVAILABLE)],
        False,
        ["Applied False NotAllWorkHaveBeenApplied: Work object b has failed to apply"],
    ),
    "some failed and some have yet to say": (
        [work("a", NOT_APPLIED), work("b")],
        False,
        ["Applied False NotAllWorkHaveBeenApplied: Work object b has not yet completed the apply op"],
    ),
    "nobody looked for availability yet": (
        [work("a", APPLIED), work("b", APPLIED, NOT_AVAILABLE)],
        False,
        [
            ALL_APPLIED,
            "Available False NotAllWorkAreAvailable: Work object a has not yet completed availability check",
        ],
    ),
    "some are not available": (
        [work("a", APPLIED, AVAILABLE), work("b", APPLIED, NOT_AVAILABLE)],
        False,
        [ALL_APPLIED, "Available False NotAllWorkAreAvailable: Work object b is not yet available"],
    ),
    "some cannot be tracked": (
        [work("a", APPLIED, AVAILABLE), work("b", APPLIED, UNTRACKABLE)],
        False,
        [
            ALL_APPLIED,
            "Available True NotAllWorkAreAvailabilityTrackable: The availability of work object b is not trackable",
        ],
    ),
    "some cannot be tracked, in the word to come": (
        [
            work("a", APPLIED, condition("Available", "True", "SomeManifestsAreNotAvailabilityTrackable"))
        ],
        False,
        [
            ALL_APPLIED,
            "Available True NotAllWorkAreAvailabilityTrackable: The availability of work object a is not trackable",
        ],
    ),
    "some cannot be tracked and others are not available": (
        [work("a", APPLIED, UNTRACKABLE), work("b", APPLIED, NOT_AVAILABLE)],
        False,
        [ALL_APPLIED, "Available False NotAllWorkAreAvailable: Work object b is not yet available"],
    ),
    "diffs: all is told": (
        [work("a", DIFFED)],
        True,
        ["DiffReported True AllWorkHaveDiffReported: All corresponding work objects have reported diff"],
    ),
    "diffs: nobody has said anything ever": (
        [work("a")],
        True,
        ["DiffReported False DiffReportInProgress: Diff reporting on resources is in progress"],
    ),
    "diffs: it was applied before": (
        [work("a", APPLIED, AVAILABLE)],
        True,
        ["DiffReported False NotAllWorkHaveDiffReported: Work object a has not yet completed diff reporting"],
    ),
    "diffs: some failed": (
        [work("a", DIFFED), work("b", NOT_DIFFED)],
        True,
        ["DiffReported False NotAllWorkHaveDiffReported: Work object b has failed to report diff"],
    ),
}  # fmt: skip


def _texts(conditions: tuple[Condition, ...]) -> list[str]:
    return [f"{each.type} {each.status} {each.reason}: {each.message}" for each in conditions]


@pytest.mark.parametrize(("works", "is_diffing", "want"), SAID.values(), ids=SAID)
def test_conditions(works: list[SentWork], is_diffing: bool, want: list[str]) -> None:
    assert _texts(report(works, is_diffing=is_diffing).conditions) == want


DRIFT: Object = {
    "observationTime": "t2",
    "firstDriftedObservedTime": "t1",
    "observedInMemberClusterGeneration": 0,
    "observedDrifts": [{"path": "/a", "valueInMember": "x"}],
}
DIFF: Object = {
    "observationTime": "t2",
    "firstDiffedObservedTime": "t1",
    "observedDiffs": [{"path": "/", "valueInHub": "y"}],
}
ALL = [
    manifest("failed", NOT_APPLIED),
    manifest("unavailable", APPLIED, NOT_AVAILABLE),
    manifest("drifted", NOT_APPLIED, driftDetails=DRIFT),
    manifest("differs", NOT_APPLIED, diffDetails=DIFF),
    manifest("fine", APPLIED, AVAILABLE),
]
FINE = [manifest("late", APPLIED, driftDetails=DRIFT)]
LISTS: dict[str, tuple[list[SentWork], bool, tuple[list[str], list[str], list[str]]]] = {
    "some failed": (
        [work("b", APPLIED, AVAILABLE, manifests=FINE), work("a", NOT_APPLIED, manifests=ALL)],
        False,
        (["failed", "unavailable", "drifted", "differs"], ["drifted", "late"], ["differs"]),
    ),
    "some have yet to say": ([work("a", NOT_APPLIED, manifests=ALL), work("b")], False, ([], [], [])),
    "all are applied, some not available": (
        [work("a", APPLIED, NOT_AVAILABLE, manifests=ALL[1:]), work("b", APPLIED, AVAILABLE)],
        False,
        (["unavailable", "drifted", "differs"], ["drifted"], []),
    ),
    "availability has yet to be looked at": (
        [work("a", APPLIED, NOT_AVAILABLE, manifests=ALL), work("b", APPLIED)],
        False,
        ([], ["drifted"], []),
    ),
    "all is well but drifted": (
        [work("a", APPLIED, AVAILABLE, manifests=FINE)], False, ([], ["late"], []),
    ),
    "what a Work that is well says of its manifests is no failure": (
        [work("a", NOT_APPLIED), work("b", APPLIED, AVAILABLE, manifests=[ALL[0]])],
        False,
        ([], [], []),
    ),
    "diffs": ([work("a", DIFFED, manifests=ALL)], True, ([], [], ["differs"])),
    "diffs that failed": ([work("a", NOT_DIFFED, manifests=ALL)], True, ([], [], [])),
}  # fmt: skip


@pytest.mark.parametrize(("works", "is_diffing", "want"), LISTS.values(), ids=LISTS)
def test_what_is_listed(
    works: list[SentWork], is_diffing: bool, want: tuple[list[str], list[str], list[str]]
) -> None:
    got = report(works, is_diffing=is_diffing)
    lists = (got.failed, got.drifted, got.diffed)
    assert tuple([each["name"] for each in found] for found in lists) == want


def test_entries_tell_the_object_and_the_envelope_it_came_in() -> None:
    labels = {
        names.ENVELOPE_TYPE: "ResourceEnvelope",
        names.ENVELOPE_NAME: "box",
        names.ENVELOPE_NAMESPACE: "ns",
    }
    got = report([work("a", NOT_APPLIED, manifests=ALL, labels=labels)], is_diffing=False)
    who: Object = {
        "group": "apps",
        "version": "v1",
        "kind": "Deployment",
        "namespace": "ns",
        "envelope": {"name": "box", "namespace": "ns", "type": "ResourceEnvelope"},
    }
    assert got.failed[0] == {**who, "name": "failed", "condition": NOT_APPLIED}
    assert got.drifted[0] == {
        **who,
        "name": "drifted",
        "observationTime": "t2",
        "firstDriftedObservedTime": "t1",
        "targetClusterObservedGeneration": 0,
        "observedDrifts": DRIFT["observedDrifts"],
    }
    assert got.diffed[0] == {
        **who,
        "name": "differs",
        "observationTime": "t2",
        "firstDiffedObservedTime": "t1",
        "observedDiffs": DIFF["observedDiffs"],
    }


def test_lists_end_at_a_hundred_and_leave_out_the_same_ones_always() -> None:
    many = [
        manifest(f"m{number:03}", NOT_APPLIED, driftDetails=DRIFT, diffDetails=DIFF)
        for number in reversed(range(70))
    ]
    more = [
        manifest(f"m{number:03}", NOT_APPLIED, driftDetails=DRIFT, diffDetails=DIFF)
        for number in reversed(range(70, 140))
    ]
    works = [work("b", NOT_APPLIED, manifests=many), work("a", NOT_APPLIED, manifests=more)]
    got = report(works, is_diffing=False)
    first = [f"m{number:03}" for number in range(LIMIT)]
    assert [each["name"] for each in got.drifted] == first
    assert [each["name"] for each in got.diffed] == first
    assert len(got.failed) == LIMIT
    assert got.failed[0]["name"] == "m139"
    # One that is not too long keeps the order of its Works.
    few = report([work("a", NOT_APPLIED, manifests=many)], is_diffing=False)
    assert few.drifted[0]["name"] == "m069"


# Statuses.

STARTED = condition("RolloutStarted", "True", generation=3)
OVERRIDDEN = "Overridden True NoOverrideSpecified: No override rules are configured for the selected resources"
SYNCED = "WorkSynchronized True AllWorkSynced: All of the works are synchronized to the latest"
DONE = Report((Condition(type="Applied", status="True", reason="r", message="m"),))


def _with(*conditions: Object, **spec: Json) -> Binding:
    status = view({"status": {"conditions": list(conditions)}}, Binding).status
    return msgspec.structs.replace(binding(**spec), status=status)


STATUSES: dict[str, tuple[Binding, Report | Failure, list[str]]] = {
    "all is well": (_with(), DONE, [OVERRIDDEN, SYNCED, "Applied True r: m"]),
    "with overrides": (
        _with(clusterResourceOverrideSnapshots=["a"]),
        DONE,
        [
            "Overridden True OverriddenSucceeded: Successfully applied the override rules on the resources",
            SYNCED,
            "Applied True r: m",
        ],
    ),
    "overrides fail": (
        _with(condition("WorkSynchronized", "True"), APPLIED, AVAILABLE),
        Failure(Stage.OVERRIDING, "no"),
        ["Overridden False OverriddenFailed: Failed to apply the override rules on the resources: no"],
    ),
    "writing fails": (
        _with(APPLIED, AVAILABLE, DIFFED),
        Failure(Stage.SYNCING, "no"),
        [
            OVERRIDDEN,
            "WorkSynchronized False SyncWorkFailed: Failed to synchronize the work to the latest: no",
        ],
    ),
    "conditions are put in order, whatever it was": (
        _with(AVAILABLE, condition("Overridden", "True")),
        DONE,
        [OVERRIDDEN, SYNCED, "Applied True r: m"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("bound", "verdict", "want"), STATUSES.values(), ids=STATUSES)
def test_the_status_of_a_binding(
    bound: Binding, verdict: Report | Failure, want: list[str]
) -> None:
    got = status_of(bound, verdict, NOW)
    assert _texts(got.conditions) == want
    assert {each.observed_generation for each in got.conditions} == {3}


def test_conditions_of_others_stay_in_front() -> None:
    got = status_of(_with(APPLIED, STARTED), DONE, NOW).conditions
    assert [each.type for each in got] == [
        "RolloutStarted",
        "Overridden",
        "WorkSynchronized",
        "Applied",
    ]


def test_a_status_that_is_said_again_is_not_written() -> None:
    first = status_of(_with(STARTED), DONE, NOW)
    again = msgspec.structs.replace(binding(), status=first)
    later = datetime(2026, 1, 2, tzinfo=UTC)
    assert patch(first, status_of(again, DONE, later)) is None


def test_a_patch_names_what_changed_and_takes_away_what_is_empty() -> None:
    old = status_of(_with(), DONE._replace(failed=({"name": "a"},), drifted=({"name": "b"},)), NOW)
    new = status_of(_with(), DONE._replace(drifted=({"name": "b"},), diffed=({"name": "c"},)), NOW)
    assert patch(old, new) == {"failedPlacements": None, "diffedPlacements": [{"name": "c"}]}


def test_statuses_are_those_of_a_real_kubefleet(shared: Path) -> None:
    """Conditions in order, what failed, drifted and differs, from the Works of the same case."""
    checked = 0
    for title, prefix in placements(shared):
        works = [
            each
            for each in views(beside(prefix, "works"), SentWork)
            if not each.metadata.deletion_timestamp
        ]
        for raw in objects(beside(prefix, "bindings")):
            golden = view(raw, Binding)
            name = golden.metadata.name
            own = [each for each in works if each.metadata.labels[names.PARENT_BINDING] == name]
            if not own or golden.metadata.deletion_timestamp is not None:
                continue
            kept = [each for each in golden.status.conditions if each.type == "RolloutStarted"]
            fresh = msgspec.structs.replace(golden, status=BindingStatus(conditions=tuple(kept)))
            is_diffing = raw["spec"]["applyStrategy"]["type"] == "ReportDiff"
            got = status_of(fresh, report(own, is_diffing=is_diffing), datetime.fromisoformat(TIME))
            document: Object = {"conditions": condition_documents(got.conditions)}
            document |= {
                field: list(found)
                for field, found in (
                    ("failedPlacements", got.failed_placements),
                    ("driftedPlacements", got.drifted_placements),
                    ("diffedPlacements", got.diffed_placements),
                )
                if found
            }
            assert document == raw["status"], f"{title} {name}"
            checked += 1
    assert checked >= 30
