"""A placement told to people: the tree of all that came of it, and why it stands as it does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest
import yaml

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import PolicySnapshot, ResourceSnapshot
from argosy.api.objects.fleet.updateruns import ApprovalRequest, ApprovalRequestSpec, UpdateRun
from argosy.api.objects.fleet.works import SentWork
from argosy.api.objects.metadata import Condition, ObjectMeta, View
from argosy.placement.explaining.families import Family
from argosy.placement.explaining.trees import Branch, tree
from argosy.placement.explaining.whys import told

V = TypeVar("V", bound=View)


def _read(path: Path, view: type[V]) -> tuple[V, ...]:
    if not path.exists():
        return ()
    text = path.read_text().replace("<time>", "2026-01-02T03:04:05Z")
    documents = [each for each in yaml.safe_load_all(text) if each]
    return tuple(msgspec.json.decode(msgspec.json.encode(each), type=view) for each in documents)


def _family(shared: Path, case: str, name: str) -> Family:
    start = shared / "fixtures" / "kubefleet" / "cases" / case / name
    (placement,) = _read(start.with_name(f"{name}.yaml"), Placement)
    return Family(
        "ResourcePlacement" if placement.metadata.namespace else "ClusterResourcePlacement",
        placement,
        _read(start.with_name(f"{name}.policysnapshots.yaml"), PolicySnapshot),
        _read(start.with_name(f"{name}.resourcesnapshots.yaml"), ResourceSnapshot),
        _read(start.with_name(f"{name}.bindings.yaml"), Binding),
        _read(start.with_name(f"{name}.works.yaml"), SentWork),
    )


def _lines(branch: Branch, depth: int = 0) -> list[tuple[int, str, str, str, str]]:
    line = (
        depth,
        branch.kind,
        branch.name,
        branch.cluster,
        f"{branch.state} {branch.reason}".strip(),
    )
    return [line, *(each for child in branch.children for each in _lines(child, depth + 1))]


def test_the_tree_of_a_job_that_drifted(shared: Path) -> None:
    found = tree(_family(shared, "01-guide", "rp-job1-placement"))
    assert _lines(found) == [
        (0, "placement", "compute-jobs/job1-placement", "", "ResourcePlacementApplied=False ApplyFailed"),
        (1, "policy", "job1-placement-0", "", "Scheduled=True SchedulingPolicyFulfilled"),
        (1, "resources", "job1-placement-0-snapshot", "", ""),
        (1, "binding, bound", "job1-placement-member-1-<hash>", "member-1", "Applied=False NotAllWorkHaveBeenApplied"),
        (2, "work", "compute-jobs.job1-placement-work", "member-1", "Applied=False SomeManifestsAreNotApplied"),
        (3, "Job", "compute-jobs/mock-workload", "", "Applied=False FoundDriftsInDegradedMode"),
    ]  # fmt: skip


WHYS = {
    "a Job that drifted": (
        ("01-guide", "rp-job1-placement"),
        [
            "ResourcePlacement compute-jobs/job1-placement: Failed to apply resources to 1 cluster(s), please check",
            "  + member-1: picked, affinity score 70, topology spread score 0",
            '  - member-2: Cluster "member-2" does not score high enough (affinity score: 0, topology spread score: 0)',
            "On member-1: Work object compute-jobs.job1-placement-work has failed to apply",
            "    /spec/selector/matchLabels/batch.kubernetes.io~1controller-uid: (not there) on the hub, <uuid> on the",
            "  - annotate the placement argosy.dev/queue-managed=ignore",
            "  - give a Job that nobody queues a selector of its own (manualSelector: true) and no suspend",
        ],
    ),
    "one that is where it belongs": (
        ("01-guide", "crp-sample-kueue"),
        [
            "ClusterResourcePlacement sample-kueue is where it belongs: The selected resources in 2 cluster(s)"
        ],
    ),
    "one that finds too few clusters": (
        ("05-unfulfilled", "crp-uf-taint"),
        [
            "ClusterResourcePlacement uf-taint: could not find all clusters needed as specified",
            "  - member-2: ClusterUnschedulable, taint &{Key:gpu Value:yes Effect:NoSchedule} cannot be tolerated",
            "  - ask for fewer clusters, widen spec.policy",
        ],
    ),
    "one whose override cannot be applied": (
        ("04-override", "rp-ro-bad-rp"),
        [
            "On member-1: Failed to apply the override rules",
            "  - correct the override that is named",
        ],
    ),
    "one whose namespace is missing": (
        ("06-applyfail", "rp-af-nons"),
        [
            'namespaces "nowhere" not found)',
            "  - correct the object, or create on the member what it needs",
        ],
    ),
}


@pytest.mark.parametrize("case", WHYS)
def test_why(shared: Path, case: str) -> None:
    where, want = WHYS[case]
    got = told(_family(shared, *where))
    position = 0
    for line in want:
        assert line in got[position:], got
        position = got.index(line, position)


def _with(family: Family, **status: object) -> Family:
    placement = msgspec.structs.replace(
        family.placement, status=msgspec.structs.replace(family.placement.status, **status)
    )
    return replace(family, placement=placement)


def test_a_job_that_failed_is_said_to_have_failed(shared: Path) -> None:
    family = _family(shared, "01-guide", "crp-sample-kueue")
    said = Condition("ClusterResourcePlacementFinished", "True", "JobFailed", "Job a: 1 failed")
    failed = _with(family, conditions=(*family.placement.status.conditions, said))
    assert "What was placed failed: Job a: 1 failed." in told(failed).splitlines()


def test_a_placement_that_selects_nothing_says_so(shared: Path) -> None:
    family = _family(shared, "01-guide", "crp-sample-kueue")
    assert "It selects nothing" in told(_with(family, selected_resources=()))
    assert "It selects nothing" not in told(family)


def test_a_run_that_waits_names_what_is_to_be_approved(shared: Path) -> None:
    family = _family(shared, "08-staged-a-before-run", "crp-st-crp")
    assert "  - create a staged update run for this placement" in told(family).splitlines()
    run = UpdateRun(ObjectMeta("st-run"))
    request = ApprovalRequest(
        ObjectMeta("st-run-after-canary"), ApprovalRequestSpec("st-run", "canary")
    )
    waiting = told(replace(family, runs=(run,), approvals=(request,)))
    want = "approve stage canary: argosy approve clusterapprovalrequest st-run-after-canary"
    assert want in waiting
    assert "create a staged update run" not in waiting


def test_the_tree_of_a_template_has_its_placements(shared: Path) -> None:
    family = _family(shared, "01-guide", "rp-queue-placement")
    child = _family(shared, "01-guide", "rp-job1-placement").placement
    (branch,) = tree(
        replace(family, policies=(), resources=(), bindings=(), children=(child,))
    ).children
    assert (branch.kind, branch.name, branch.cluster) == ("placement", "job1-placement", "member-1")


def test_advice_is_given_to_those_who_need_it(shared: Path) -> None:
    assert "What would help" not in told(_family(shared, "01-guide", "crp-sample-kueue"))
