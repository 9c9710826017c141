"""Explanations of workloads in small clusters: the state, the words, the numbers, and what would help."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from argosy.queueing.explaining.explaining import explain
from argosy.queueing.explaining.explanations import Explanation, Outlook, Position
from argosy.queueing.explaining.pictures import Picture
from argosy.queueing.workloads.phases import Phase
from tests.unit.queueing.explaining.drawing import NOW, Drawing, at, cpu, is_

NOBODY = "Nobody can be preempted for it: ClusterQueue a has withinClusterQueue Never and reclaimWithinCohort Never."
SHORT = "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, {} more needed"


def explained(drawing: Drawing, name: str = "w", **options: Any) -> Explanation:
    return explain(drawing.workload(name), drawing.picture(), now=NOW, **options)


@dataclass
class Case:
    """A cluster with a workload `w`, and what is to be told of it."""

    drawing: Drawing
    outlook: Outlook
    reason: str = ""
    message: str = ""
    remedies: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def lab(**more: Any) -> Drawing:
    """Two ClusterQueues of 8 CPUs in a cohort; the first is full."""
    return (
        Drawing()
        .queue("a", "lab", ("default", cpu(8)), **more)
        .queue("b", "lab", ("default", cpu(8)))
        .holds("w1", "a", 4)
        .holds("w2", "a", 4)
    )


CASES: dict[str, Case] = {
    "it fits": Case(lab().waits("w", "a", 8), Outlook.FITS),
    "the whole tree is full": Case(
        lab().holds("w3", "b", 7).waits("w", "a", 2),
        Outlook.WAITS,
        "WaitingForQuota",
        SHORT.format(1),
        [
            "raise nominalQuota of ClusterQueue a by 1 cpu (flavor default)",
            "wait until ns/w1 (4 cpu) ends",
        ],
        [NOBODY],
    ),
    "its own borrowing limit is in the way": Case(
        Drawing()
        .queue("a", "lab", ("default", cpu(8, borrow=1)))
        .queue("b", "lab", ("default", cpu(8)))
        .holds("w1", "a", 8)
        .waits("w", "a", 3),
        Outlook.WAITS,
        "WaitingForQuota",
        SHORT.format(2),
        [
            "raise nominalQuota of ClusterQueue a by 2 cpu (flavor default)",
            "raise borrowingLimit of ClusterQueue a by 2 cpu (flavor default)",
            "wait until ns/w1 (8 cpu) ends",
        ],
        [NOBODY],
    ),
    "borrowing limits on two levels are in the way": Case(
        Drawing()
        .cohort("top", "")
        .cohort("lab", "top", ("default", cpu(0, borrow=1)))
        .queue("a", "lab", ("default", cpu(2, borrow=2)))
        .queue("b", "top", ("default", cpu(8)))
        .holds("w1", "a", 2)
        .waits("w", "a", 4),
        Outlook.WAITS,
        "ExceedsMaxQuota",
        "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor default, previously considered "
        "podsets requests (0) + current podset request (4) > maximum capacity (3)",
        [
            "raise nominalQuota of ClusterQueue a by 3 cpu (flavor default); by 1 cpu it would fit once others have ended",
            "raise borrowingLimit of ClusterQueue a by 2 cpu (flavor default) and borrowingLimit of Cohort lab by 3 cpu (flavor default)",
            "ask for at most 3 cpu (flavor default)",
        ],
    ),
    "a neighbor keeps what it does not use": Case(
        Drawing()
        .queue("a", "lab", ("default", cpu(4)))
        .queue("b", "lab", ("default", cpu(8, lend=2)))
        .holds("w1", "a", 4)
        .waits("w", "a", 4),
        Outlook.WAITS,
        "WaitingForQuota",
        SHORT.format(2),
        [
            "raise nominalQuota of ClusterQueue a by 2 cpu (flavor default)",
            "raise lendingLimit of ClusterQueue b by 2 cpu (flavor default): it is not used there",
            "wait until ns/w1 (4 cpu) ends",
        ],
        [NOBODY],
    ),
    "more than there will ever be": Case(
        Drawing().queue("a", "", ("default", cpu(4))).waits("w", "a", 3, count=2),
        Outlook.WAITS,
        "ExceedsMaxQuota",
        "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor default, previously considered "
        "podsets requests (0) + current podset request (6) > maximum capacity (4)",
        [
            "raise nominalQuota of ClusterQueue a by 2 cpu (flavor default); by 2 cpu it would fit once others have ended",
            "ask for at most 4 cpu (flavor default)",
        ],
        ["1 of its 2 pods would fit in flavor default: a job that may run with fewer pods could start with these."],
    ),
    "it can make room itself": Case(
        Drawing()
        .queue("a", "", ("default", cpu(4)), preemption={"withinClusterQueue": "LowerPriority"})
        .holds("w1", "a", 4)
        .waits("w", "a", 2, priority=5),
        Outlook.PREEMPTS,
        "WaitingForPreemptedWorkloads",
        SHORT.format(2),
        ["it makes room itself, by preempting ns/w1"],
    ),
    "nobody may be preempted": Case(
        Drawing().queue("a", "", ("default", cpu(4))).holds("w1", "a", 4).waits("w", "a", 2, priority=5),
        Outlook.WAITS,
        "WaitingForQuota",
        SHORT.format(2),
        ["raise nominalQuota of ClusterQueue a by 2 cpu (flavor default)", "wait until ns/w1 (4 cpu) ends"],
        [NOBODY],
    ),
    "either of two flavors would do": Case(
        Drawing()
        .flavor("spot")
        .flavor("solid")
        .queue("a", "", ("spot", cpu(2)), ("solid", cpu(4)))
        .holds("w1", "a", 2, flavor="spot")
        .holds("w2", "a", 4, flavor="solid")
        .waits("w", "a", 2),
        Outlook.WAITS,
        "WaitingForQuota",
        "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor solid, 2 more needed, "
        "insufficient unused quota for cpu in flavor spot, 2 more needed",
        [
            "raise nominalQuota of ClusterQueue a by 2 cpu (flavor spot)",
            "wait until ns/w1 (2 cpu) ends",
            "raise nominalQuota of ClusterQueue a by 2 cpu (flavor solid)",
            "wait until ns/w2 (4 cpu) ends",
        ],
        [NOBODY],
    ),
    "its pods suit no flavor": Case(
        Drawing()
        .flavor("spot", nodeTaints=[{"key": "spot", "value": "yes", "effect": "NoSchedule"}])
        .queue("a", "", ("spot", cpu(8)))
        .waits("w", "a", 1),
        Outlook.WAITS,
        "NoMatchingFlavor",
        "couldn't assign flavors to pod set main: untolerated taint {spot yes NoSchedule <nil>} in flavor spot",
        [
            "give the pods tolerations and node selectors that suit a flavor of ClusterQueue a, or the ClusterQueue a flavor that suits the pods"
        ],
    ),
    "it is deactivated": Case(
        lab().waits("w", "a", 1, active=False),
        Outlook.BLOCKED,
        "Deactivated",
        "The workload is deactivated",
        ["activate it"],
    ),
    "its LocalQueue is not there": Case(
        lab().waits("w", "nope", 1),
        Outlook.BLOCKED,
        "Misconfigured",
        "LocalQueue nope doesn't exist",
        ["create LocalQueue nope in namespace ns, or label the job with one that exists"],
    ),
    "its LocalQueue is stopped": Case(
        lab().local("held", "a", stopPolicy="Hold").waits("w", "held", 1),
        Outlook.BLOCKED,
        "Suspended",
        "LocalQueue held is inactive",
        ["let LocalQueue held go on"],
    ),
    "its ClusterQueue is not there": Case(
        lab().local("lost", "gone").waits("w", "lost", 1),
        Outlook.BLOCKED,
        "Misconfigured",
        "ClusterQueue gone doesn't exist",
        ["create ClusterQueue gone"],
    ),
    "its ClusterQueue is stopped": Case(
        Drawing().queue("a", "", ("default", cpu(4)), stopPolicy="HoldAndDrain").waits("w", "a", 1),
        Outlook.BLOCKED,
        "Suspended",
        "ClusterQueue a is inactive",
        ["let ClusterQueue a go on"],
    ),
    "its ClusterQueue lacks a flavor": Case(
        Drawing().queue("a", "", ("gone", cpu(4))).waits("w", "a", 1),
        Outlook.BLOCKED,
        "Suspended",
        "ClusterQueue a is inactive",
        ["mend ClusterQueue a: it references missing ResourceFlavor(s): gone"],
    ),
    "its namespace is not wanted": Case(
        Drawing()
        .queue("a", "", ("default", cpu(4)), namespaceSelector={"matchLabels": {"team": "x"}})
        .waits("w", "a", 1),
        Outlook.BLOCKED,
        "Misconfigured",
        "workload namespace doesn't match ClusterQueue selector",
        ["label namespace ns as the namespaceSelector of ClusterQueue a wants it"],
    ),
    "somebody gates it": Case(
        lab().waits("w", "a", 1, annotations={"kueue.x-k8s.io/admission-gated-by": "x.io/y"}),
        Outlook.BLOCKED,
        "AdmissionGated",
        "Admission is gated by: x.io/y",
        ["have whoever gates it take their name out of the annotation kueue.x-k8s.io/admission-gated-by"],
    ),
    "it is sent back for a while": Case(
        lab().waits("w", "a", 1, status={"requeueState": {"count": 1, "requeueAt": at(-60)}}),
        Outlook.FITS,
        notes=["It was sent back and is not tried again before 2026-01-02T12:01:00Z."],
    ),
    "it was preempted and waits again": Case(
        lab().waits("w", "a", 1, conditions=[is_("Preempted", reason="InClusterQueue", message="Preempted to make room.")]),
        Outlook.FITS,
        notes=["It was preempted (InClusterQueue): Preempted to make room."],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_pending_workloads(case: Case) -> None:
    got = explained(case.drawing)
    assert got.phase is Phase.PENDING
    assert got.outlook is case.outlook
    now = got.now
    assert ((now.reason, now.message) if now else ("", "")) == (case.reason, case.message)
    assert [remedy.text for remedy in got.remedies] == case.remedies
    assert got.notes == case.notes


def test_what_the_scheduler_said_is_not_said_twice() -> None:
    condition = is_("QuotaReserved", "False", "WaitingForQuota", SHORT.format(1), ago=300)
    got = explained(lab().holds("w3", "b", 7).waits("w", "a", 2, conditions=[condition]))
    assert got.now is None
    assert got.said is not None
    assert (got.said.reason, got.said.message) == ("WaitingForQuota", SHORT.format(1))


def test_numbers_and_holders() -> None:
    got = explained(
        lab().holds("w3", "b", 7, priority=9, conditions=[is_("Evicted")]).waits("w", "a", 2)
    )
    (look,) = got.looks
    (need,) = look.needs
    assert (need.requested, need.free, need.used, need.nominal, need.maximum, need.missing) == (
        2000, 1000, 8000, 8000, 16000, 1000,
    )  # fmt: skip
    assert [(level.kind, level.name, level.quota, level.used) for level in got.levels] == [
        ("ClusterQueue", "a", 8000, 8000),
        ("Cohort", "lab", 16000, 15000),
    ]
    held = [
        (one.key, one.info.cluster_queue, one.info.priority, one.is_leaving) for one in got.holders
    ]
    assert held == [("ns/w1", "a", 0, False), ("ns/w2", "a", 0, False), ("ns/w3", "b", 9, True)]
    assert got.cohorts == ("lab",)


def test_several_workloads_have_to_end() -> None:
    drawing = Drawing().queue("a", "", ("default", cpu(8)))
    for name, size in (("x", 1), ("y", 2), ("z", 5)):
        drawing.holds(name, "a", size)
    got = explained(drawing.waits("w", "a", 7))
    assert got.remedies[-1].workloads == ("ns/z", "ns/y")


def test_positions() -> None:
    drawing = (
        Drawing()
        .queue("a", "", ("default", cpu(8)), queueingStrategy="StrictFIFO")
        .local("held", "a", stopPolicy="Hold")
        .waits("first", "a", 9, priority=5)
        .waits("w", "a", 1, ago=50)
        .waits("later", "a", 1, ago=10)
        .waits("nowhere", "held", 1, priority=9)
    )
    got = explained(drawing)
    assert got.position == Position(1, 3, "ns/first")
    assert got.is_strict
    assert explained(drawing, position=Position(7, 9)).position == Position(7, 9)


def test_partial_admission_is_told() -> None:
    drawing = Drawing().queue("a", "", ("default", cpu(4))).waits("w", "a", 1, count=6)
    drawing.workloads[-1]["spec"]["podSets"][0]["minCount"] = 2
    got = explained(drawing)
    assert (got.outlook, got.notes) == (Outlook.FITS, ["Of pod set main 4 of 6 pods fit."])


def test_requests_that_the_configuration_transforms_are_those_of_the_status() -> None:
    told = {"resourceRequests": [{"name": "main", "resources": {"cpu": "9"}}]}
    drawing = Drawing().queue("a", "", ("default", cpu(8))).waits("w", "a", 1, status=told)
    (look,) = explained(drawing).looks
    assert look.needs[0].requested == 9000


def test_fair_sharing_is_seen_by_its_shares() -> None:
    preempting = {"preemption": {"reclaimWithinCohort": "Any"}}

    def drawing(status: Any) -> Drawing:
        return (
            Drawing()
            .queue("a", "lab", ("default", cpu(2)), status=status, **preempting)
            .queue("b", "lab", ("default", cpu(2)), **preempting)
            .queue("c", "lab", ("default", cpu(2)), **preempting)
            .holds("w1", "a", 2)
            .holds("w2", "b", 1)
            .holds("w3", "b", 1)
            .holds("w4", "b", 1)
            .holds("w5", "b", 1)
            .waits("w", "a", 1)
        )

    assert explained(drawing({})).outlook is Outlook.WAITS
    assert explained(drawing({"fairSharing": {"weightedShare": 0}})).outlook is Outlook.PREEMPTS


def test_users_who_see_only_their_own_are_told_amounts() -> None:
    reserved = [{"name": "default", "resources": [{"name": "cpu", "total": "7", "borrowed": "0"}]}]
    drawing = (
        Drawing(sees_all=False)
        .queue("a", "", ("default", cpu(8)), status={"flavorsReservation": reserved})
        .holds("mine", "a", 2)
        .waits("w", "a", 2)
    )
    got = explained(drawing)
    assert got.looks[0].needs[0].used == 7000
    assert [one.key for one in got.holders] == ["ns/mine"]
    assert "cannot be seen" in got.notes[0]


OTHERS: dict[str, tuple[Drawing, Phase, str, list[str]]] = {
    "admitted": (
        lab().holds("w", "b", 2, conditions=[is_("PodsReady", "False", message="Not all pods are ready or succeeded")]),
        Phase.ADMITTED,
        "Admitted",
        ["Its pods are not all ready: Not all pods are ready or succeeded."],
    ),
    "admitted and leaving": (
        lab().holds("w", "b", 2, conditions=[is_("Evicted", reason="Preempted", message="Preempted to make room.")]),
        Phase.ADMITTED,
        "Admitted",
        ["It is being evicted (Preempted): Preempted to make room."],
    ),
    "finished": (
        lab().holds("w", "b", 2, conditions=[is_("Finished", reason="Succeeded", message="Job finished successfully")]),
        Phase.FINISHED,
        "Succeeded",
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHERS.values(), ids=OTHERS)
def test_workloads_that_do_not_wait(case: tuple[Drawing, Phase, str, list[str]]) -> None:
    drawing, phase, reason, notes = case
    got = explained(drawing)
    assert got.said is not None
    assert (got.phase, got.said.reason, got.notes) == (phase, reason, notes)
    assert got.outlook is Outlook.NONE
    assert got.position is None


def test_checks_that_are_not_ready() -> None:
    drawing = lab().holds("w", "b", 2)
    drawing.workloads[-1]["status"] |= {
        "conditions": [
            is_("QuotaReserved"),
            is_(
                "Admitted",
                "False",
                "UnsatisfiedAdmissionChecks",
                "The workload has not all checks ready",
            ),
        ],
        "admissionChecks": [
            {"name": "budget", "state": "Pending", "message": "waiting for an approval"},
            {"name": "nodes", "state": "Ready"},
        ],
    }
    got = explained(drawing)
    assert got.phase is Phase.QUOTA_RESERVED
    assert got.notes == ["Admission check budget is Pending (waiting for an approval)."]


def test_pictures_stay_as_they_are() -> None:
    drawing = lab().holds("w3", "b", 7).waits("w", "a", 6)
    picture = drawing.picture()
    node = picture.cache.forest.cluster_queue("a")
    assert node is not None
    before = [list(level.usage) for level in node.path()]
    explain(drawing.workload("w"), picture, now=NOW)
    assert [list(level.usage) for level in node.path()] == before


def test_a_thousand_workloads_are_explained_in_a_tenth_of_a_second() -> None:
    drawing = Drawing()
    for index in range(20):
        drawing.queue(f"q{index}", "lab", ("default", cpu(20)))
    for index in range(500):
        drawing.holds(f"h{index}", f"q{index % 20}", 1).waits(f"p{index}", f"q{index % 20}", 2)
    drawing.waits("w", "q0", 9)
    workload, objects = drawing.workload("w"), drawing.picture().objects
    started = time.process_time()
    got = explain(workload, Picture(objects), now=NOW)
    # Some 20 ms where nothing else runs.
    assert time.process_time() - started < 0.1
    assert len(got.holders) == 500
