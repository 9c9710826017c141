"""What a silent cluster loses: on which terms, when, and only if there is somebody to take it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import msgspec
import pytest

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.works import SentWork
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.placement.rescheduling.deciding import Stake, is_replaced, overdue, terms
from argosy.placement.rescheduling.wishes import problem
from argosy.placement.scheduling.deciding import decide
from argosy.placement.scheduling.snapshots import take
from argosy.placement.working.building import wishes_of
from tests.support.placing import NOW, agent, binding, member, pick_n, policy_snapshot
from tests.unit.placement.golden import view
from tests.unit.placement.working.builders import condition

TEN = {names.RESCHEDULE: "after=10m"}
AGREED = {**TEN, names.RESCHEDULE_ACCEPTED: "after=10m"}
POLICY = policy_snapshot(pick_n(1))


def placement(
    annotations: Object | None = None, policy: Object | None = None, **more: Object
) -> Placement:
    meta = {"name": "web", "annotations": TEN if annotations is None else annotations}
    meta |= more.pop("metadata", {})
    return view(
        {"metadata": meta, "spec": {"policy": policy or pick_n(1), **more}},
        Placement,
    )


def work(annotations: Object, *finalizers: str, finished: tuple[str, ...] = ()) -> SentWork:
    entries = [
        {
            "identifier": {"ordinal": number, "kind": "Job", "name": f"j{number}"},
            "conditions": [condition("Finished", status)],
        }
        for number, status in enumerate(finished)
    ]
    meta = {"name": "web-work", "annotations": annotations, "finalizers": list(finalizers)}
    return view({"metadata": meta, "status": {"manifestConditions": entries}}, SentWork)


@dataclass
class Case:
    want: float | None
    binding: Binding = field(default_factory=lambda: binding("m1"))
    works: list[SentWork] = field(default_factory=lambda: [work(AGREED, names.WORK_CLEANUP)])
    placement: Placement = field(default_factory=placement)


TERMS = {
    "an agent that has accepted": Case(600),
    "a placement that does not want to": Case(None, placement=placement({})),
    "a placement whose wish cannot be read": Case(
        None, placement=placement({names.RESCHEDULE: "soon"})
    ),
    "a placement that takes all": Case(None, placement=placement(policy={"placementType": "PickAll"})),
    "a placement of fixed clusters": Case(
        None, placement=placement(policy={"placementType": "PickFixed", "clusterNames": ["m1"]})
    ),
    "a placement that somebody else rolls out": Case(
        None, placement=placement(strategy={"type": "External"})
    ),
    "a placement on its way out": Case(
        None, placement=placement(metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    ),
    "an agent that has begun and not accepted": Case(None, works=[work(TEN, names.WORK_CLEANUP)]),
    "an agent that has accepted something nobody can read": Case(
        None, works=[work({**TEN, names.RESCHEDULE_ACCEPTED: "yes"}, names.WORK_CLEANUP)]
    ),
    "an agent that has not begun": Case(600, works=[work(TEN)]),
    "a Work that does not tell the terms yet": Case(None, works=[work({})]),
    "no Work at all": Case(600, works=[]),
    "one of two Works without an agreement": Case(
        None, works=[work(AGREED, names.WORK_CLEANUP), work(TEN, names.WORK_CLEANUP)]
    ),
    "an agent that goes by longer terms of before": Case(
        3600, works=[work({**TEN, names.RESCHEDULE_ACCEPTED: "after=1h"}, names.WORK_CLEANUP)]
    ),
    "an agent that goes by shorter terms of before": Case(
        600, works=[work({**TEN, names.RESCHEDULE_ACCEPTED: "after=1m"}, names.WORK_CLEANUP)]
    ),
    "jobs that run": Case(600, works=[work(AGREED, names.WORK_CLEANUP, finished=("False", "True"))]),
    "jobs that have all finished": Case(
        None, works=[work(AGREED, names.WORK_CLEANUP, finished=("True", "True"))]
    ),
    "a binding that is not bound yet": Case(600, binding=binding("m1", "Scheduled"), works=[]),
    "a binding that is given up already": Case(None, binding=binding("m1", "Unscheduled", previous="Bound")),
    "a binding that is being deleted": Case(None, binding=binding("m1", deleting=True)),
    "a binding of an older policy": Case(None, binding=binding("m1", policy="web-9")),
}  # fmt: skip


@pytest.mark.parametrize("case", TERMS.values(), ids=TERMS)
def test_the_terms_of_a_binding(case: Case) -> None:
    assert terms(case.placement, POLICY, case.binding, case.works) == case.want


def test_nothing_is_at_stake_without_a_placement_or_a_policy() -> None:
    assert terms(None, POLICY, binding("m1"), []) is None
    assert terms(placement(), None, binding("m1"), []) is None


def test_those_whose_time_has_come_go_the_shortest_first() -> None:
    stakes = [
        Stake(binding("m1", placement="c"), 120),
        Stake(binding("m1", placement="b"), 60),
        Stake(binding("m1", placement="a"), 120),
        Stake(binding("m1", placement="d"), 600),
    ]
    found = overdue(stakes, 120)
    assert [each.binding.metadata.name[0] for each in found.due] == ["b", "a", "c"]
    assert found.next_look == 480
    assert overdue(stakes, 59.5).due == ()
    assert overdue(stakes, 59.5).next_look == 0.5
    assert overdue(stakes, 1000).next_look is None
    assert overdue([], 1000).next_look is None


MINUTES = timedelta(minutes=3)
FLEET = (member("m1"), member("m2"), member("m3"))
OLD = agent(silent=timedelta(minutes=9))


@dataclass
class Move:
    want: bool
    bindings: tuple[Binding, ...] = (binding("m1"),)
    clusters: tuple[MemberCluster, ...] = FLEET
    lost: tuple[str, ...] = ("m1",)
    policy: Object = field(default_factory=lambda: pick_n(1))


MOVES = {
    "there is another cluster": Move(True),
    "there is none": Move(False, clusters=FLEET[:1]),
    "the others are lost, too": Move(False, lost=("m1", "m2", "m3")),
    "the other's heartbeat is old": Move(False, clusters=(FLEET[0], member("m2", agent=OLD))),
    "the others have it already": Move(
        False, (binding("m1"), binding("m2"), binding("m3")), policy=pick_n(3)
    ),
    "one of the others does not have it": Move(
        True, (binding("m1"), binding("m2")), policy=pick_n(2)
    ),
    "it had too few before": Move(
        False, (binding("m1"), binding("m2")), clusters=FLEET[:2], policy=pick_n(3)
    ),
    "two are lost, the first is on its way out, and one cluster is left": Move(
        False,
        (binding("m1"), binding("m2", deleting=True)),
        lost=("m1", "m2"),
        policy=pick_n(2),
    ),
    "a policy that no other cluster fits": Move(
        False,
        policy=pick_n(
            1,
            affinity={
                "clusterAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "clusterSelectorTerms": [{"labelSelector": {"matchLabels": {"gpu": "yes"}}}]
                    }
                }
            },
        ),
    ),
}


@pytest.mark.parametrize("case", MOVES.values(), ids=MOVES)
def test_a_binding_is_given_up_only_for_another(case: Move) -> None:
    snapshot = take(
        Key("", "web"),
        policy_snapshot(case.policy),
        case.clusters,
        case.bindings,
        NOW,
        lost=dict.fromkeys(case.lost, MINUTES),
    )
    assert is_replaced(snapshot, case.bindings[0]) is case.want


def test_a_wish_that_will_not_come_true_is_told() -> None:
    assert problem(placement()) == ""
    assert problem(placement({})) == ""
    assert "only PickN" in problem(placement(policy={"placementType": "PickAll"}))
    assert "External" in problem(placement(strategy={"type": "External"}))
    assert '"soon"' in problem(placement({names.RESCHEDULE: "soon"}))


CARRIED: dict[str, tuple[Placement, Object]] = {
    "nothing, as upstream": (placement({"other": "x"}), {}),
    "the time until it leaves": (placement(TEN), TEN),
    "no time that nobody can read": (placement({names.RESCHEDULE: "soon"}), {}),
    "no time where nothing is left": (placement(TEN, {"placementType": "PickAll"}), {}),
    "what queues may do": (
        placement({names.QUEUE_MANAGED: "ignore", "other": "x"}),
        {names.QUEUE_MANAGED: "ignore"},
    ),
}


@pytest.mark.parametrize(("said", "want"), CARRIED.values(), ids=CARRIED)
def test_what_works_have_from_their_placement(said: Placement, want: Object) -> None:
    assert wishes_of(said) == want


def test_a_lost_cluster_is_told_as_silent() -> None:
    snapshot = take(
        Key("", "web"), policy_snapshot(pick_n(1)), FLEET[:1], (), NOW, lost={"m1": MINUTES}
    )
    decision = decide(snapshot)
    assert decision.created == ()
    assert decision.status is not None
    (told,) = msgspec.to_builtins(decision.status.target_clusters)
    assert told["reason"] == (
        "ClusterUnschedulable, cluster is not connected to the fleet: "
        "no recent heartbeat signals (last received 3.00 minutes ago)"
    )
