"""What a preemption writes and says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from argosy.queueing.preemption.issuing import preemptions
from argosy.queueing.preemption.targets import IN_CLUSTER_QUEUE, IN_COHORT_FAIR_SHARING, Target
from argosy.queueing.quotas.nodes import Quota
from tests.unit.queueing.preemption.scenes import (
    CPU,
    NOW,
    Cohort,
    Load,
    Queue,
    Scene,
    holding,
    incoming,
)

SCENE = Scene(
    {"a": Queue("left", {CPU: Quota(2)}), "b": Queue("root", {CPU: Quota(2)}), "c": Queue()},
    cohorts={"left": Cohort("root")},
)
ASKING = Load("asking", "a", {"cpu": 1}, priority=7)
WHEN = datetime.fromtimestamp(NOW, UTC)
VICTIM = Load("victim", "b", {"cpu": 1}, priority=3)


def test_a_victim_is_told_by_whom_and_why() -> None:
    target = Target(holding(VICTIM), IN_COHORT_FAIR_SHARING)
    (issued,) = preemptions(incoming(ASKING), [target], SCENE.snapshot(), WHEN)
    said = (
        "Preempted to accommodate a workload (UID: uid-asking, JobUID: UNKNOWN) due to Fair Sharing"
        " within the cohort; preemptor path: /root/left/a; preemptee path: /root/b"
    )
    got = {
        name: (condition.status, condition.reason, condition.message)
        for name in ("Preempted", "Evicted")
        if (condition := issued.draft.workload.condition(name))
    }
    assert got == {
        "Preempted": ("True", "InCohortFairSharing", said),
        "Evicted": ("True", "Preempted", said),
    }
    priorities = (
        "; preemptor effective priority: 7 (base: 7, boost: 0)"
        "; preemptee effective priority: 3 (base: 3, boost: 0)"
    )
    told = [(about.metadata.name, one.reason, one.message) for about, one in issued.events]
    assert told == [
        ("victim", "EvictedDueToPreempted", said),
        ("victim", "Preempted", said + priorities),
        (
            "asking",
            "PreemptedWorkload",
            "Preempted workload ns/victim (UID: uid-victim) in ClusterQueue b" + priorities,
        ),
    ]


def test_a_boost_is_told() -> None:
    preemptor = incoming(ASKING)
    preemptor.priority += 5
    target = Target(holding(replace(VICTIM, queue="c")), IN_CLUSTER_QUEUE)
    (issued,) = preemptions(preemptor, [target], SCENE.snapshot(), WHEN)
    assert "preemptor effective priority: 12 (base: 7, boost: 5)" in issued.events[1][1].message
    assert "preemptee path: /c" in issued.events[0][1].message


def test_who_is_evicted_already_is_not_written_again() -> None:
    target = Target(holding(replace(VICTIM, is_evicted=True)), IN_COHORT_FAIR_SHARING)
    assert list(preemptions(incoming(ASKING), [target], SCENE.snapshot(), WHEN)) == []
