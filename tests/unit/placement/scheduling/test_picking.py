"""What a scheduling cycle decides: the three ways to pick, what becomes of bindings, and what is told."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec
import pytest

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.snapshots import PolicySnapshotStatus
from argosy.api.objects.metadata import Quantities, find_condition
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.placement.scheduling.deciding import decide
from argosy.placement.scheduling.snapshots import Decision, take
from tests.support.placing import (
    NOW,
    RESOURCES,
    agent,
    binding,
    labelled,
    member,
    pick_n,
    policy_snapshot,
    preferred,
    required,
    sorted_by,
    spread_over,
    taint,
    where,
)

KEY = Key("", "web")
CPU = RESOURCES + "available-cpu"
ONE, TWO, THREE = (
    member("c1", labels={"zone": "a"}, available={"cpu": "10"}),
    member("c2", labels={"zone": "b"}, available={"cpu": "30"}),
    member("c3", labels={"zone": "b"}, available={"cpu": "20"}),
)
FLEET = (ONE, TWO, THREE)
LOST = member("lost", agent=agent(joined="False"))
LOST_WHY = "cluster is not connected to the fleet: member agent not joined yet"
TAINTED = member("tainted", taints=[taint("gpu")])
UNMATCHED = (
    "ClusterUnschedulable, cluster does not match with any of the required cluster affinity terms"
)


def picked(cluster: str, affinity: int = 0, spread: int = 0) -> tuple[str, bool, str]:
    return (
        cluster,
        True,
        (
            f'Successfully scheduled resources for placement in "{cluster}" (affinity score: {affinity},'
            f" topology spread score: {spread}): picked by scheduling policy"
        ),
    )


def named(cluster: str) -> tuple[str, bool, str]:
    said = f'Successfully scheduled resources for placement in "{cluster}": picked by scheduling policy'
    return cluster, True, said


def held(cluster: str) -> tuple[str, bool, str]:
    """As the binding of the cluster tells."""
    return cluster, True, f"picked {cluster}"


def low(cluster: str, affinity: int = 0, spread: int = 0) -> tuple[str, bool, str]:
    return (
        cluster,
        False,
        (
            f'Cluster "{cluster}" does not score high enough (affinity score: {affinity},'
            f" topology spread score: {spread})"
        ),
    )


def unfit(cluster: str, reason: str) -> tuple[str, bool, str]:
    return cluster, False, f"ClusterUnschedulable, {reason}"


FOUND = "found all cluster needed as specified by the scheduling policy, found {} cluster(s)"
MISSED = (
    "could not find all clusters needed as specified by the scheduling policy,"
    " found {} cluster(s) instead"
)


@dataclass
class Case:
    policy: Object | None
    told: list[tuple[str, bool, str]]
    # How many are found, and whether that is enough.
    found: int
    enough: bool = True
    clusters: tuple[MemberCluster, ...] = FLEET
    bindings: tuple[Binding, ...] = ()
    created: list[str] = field(default_factory=list)
    # Clusters of bindings that are taken up again, with their state.
    renewed: list[tuple[str, str]] = field(default_factory=list)
    unscheduled: list[str] = field(default_factory=list)
    reserved: dict[str, Quantities] = field(default_factory=dict)
    placement: Key = KEY


BY_CPU = preferred((40, sorted_by(CPU)))
IN_B = required(labelled(zone="b"))

CASES = {
    # All.
    "all: every cluster that passes, by name": Case(
        {"placementType": "PickAll"},
        [picked("c1"), picked("c2"), picked("c3")],
        3,
        created=["c1", "c2", "c3"],
    ),
    "all: no policy is the same": Case(
        None, [picked("c1"), picked("c2"), picked("c3")], 3, created=["c1", "c2", "c3"]
    ),
    "all: those that do not pass are told by name, and it is enough": Case(
        {"placementType": "PickAll"},
        [picked("c1"), unfit("lost", LOST_WHY), unfit("tainted", "taint &{Key:gpu Value: Effect:NoSchedule} cannot be tolerated")],
        1,
        clusters=(TAINTED, LOST, ONE),
        created=["c1"],
    ),
    "all: nobody is enough": Case({"placementType": "PickAll"}, [], 0, clusters=()),
    "all: what is held stays although it would not pass, and is not told twice": Case(
        {"placementType": "PickAll"},
        [picked("c1"), held("lost"), held("tainted")],
        3,
        clusters=(ONE, LOST, TAINTED),
        bindings=(binding("tainted"), binding("lost", "Scheduled")),
        created=["c1"],
    ),
    "all: an older policy's bindings are taken up or given up": Case(
        {"placementType": "PickAll", **IN_B},
        [picked("c3"), picked("c2"), (*unfit("c1", "")[:2], UNMATCHED)],
        2,
        bindings=(binding("c1", policy="old"), binding("c2", policy="old")),
        created=["c3"],
        renewed=[("c2", "Bound")],
        unscheduled=["c1"],
    ),
    "all: what was given up gets its state back": Case(
        {"placementType": "PickAll"},
        [picked("c2"), picked("c3"), picked("c1")],
        3,
        bindings=(binding("c1", "Unscheduled", previous="Bound"),),
        created=["c2", "c3"],
        renewed=[("c1", "Bound")],
    ),
    "all: a required property counts with what was promised": Case(
        {"placementType": "PickAll", **required(where(CPU, "Ge", "20"))},
        [picked("c2"), (*unfit("c1", "")[:2], UNMATCHED), (*unfit("c3", "")[:2], UNMATCHED)],
        1,
        reserved={"c3": {"cpu": "1"}},
        created=["c2"],
    ),
    "all: a placement of a namespace goes where that is": Case(
        {"placementType": "PickAll"},
        [picked("c1"), unfit("bare", "target namespace does not exist on cluster")],
        1,
        clusters=(
            ONE,
            member("bare", namespaces={}, conditions=[{"type": "NamespaceCollectionSucceeded", "status": "True"}]),
        ),
        created=["c1"],
        placement=Key("team", "web"),
    ),
    # Fixed.
    "fixed: in the order of the policy, whatever their taints": Case(
        {"placementType": "PickFixed", "clusterNames": ["tainted", "c1"]},
        [named("tainted"), named("c1")],
        2,
        clusters=(ONE, TAINTED),
        created=["tainted", "c1"],
    ),
    "fixed: whoever cannot be given anything or is not there is told": Case(
        {"placementType": "PickFixed", "clusterNames": ["gone", "lost", "c1"]},
        [
            named("c1"),
            ("lost", False, f'Cluster "lost" is not eligible for resource placement yet: {LOST_WHY}'),
            ("gone", False, 'Specified cluster "gone" is not found'),
        ],
        1,
        enough=False,
        clusters=(ONE, LOST),
        created=["c1"],
    ),
    "fixed: what is held under this policy stays when it could not be given now": Case(
        {"placementType": "PickFixed", "clusterNames": ["lost"]},
        [("lost", False, f'Cluster "lost" is not eligible for resource placement yet: {LOST_WHY}')],
        0,
        enough=False,
        clusters=(LOST,),
        bindings=(binding("lost", score=None),),
    ),
    "fixed: other names of an older policy are given up": Case(
        {"placementType": "PickFixed", "clusterNames": ["c2", "c3"]},
        [named("c2"), named("c3")],
        2,
        bindings=(
            binding("c1", policy="old", score=None),
            binding("c2", policy="old", score=None),
            binding("c3", "Unscheduled", previous="Scheduled", score=None),
        ),
        renewed=[("c2", "Bound"), ("c3", "Scheduled")],
        unscheduled=["c1"],
    ),
    # N.
    "n: on equal scores the last name wins": Case(
        pick_n(2), [picked("c3"), picked("c2"), low("c1")], 2, created=["c3", "c2"]
    ),
    "n: the best score wins": Case(
        pick_n(1, **BY_CPU), [picked("c2", 40), low("c3", 20), low("c1", 0)], 1, created=["c2"]
    ),
    "n: promises change who is best": Case(
        pick_n(1, **BY_CPU),
        [picked("c3", 40), low("c2", 20), low("c1", 0)],
        1,
        reserved={"c2": {"cpu": "15"}},
        created=["c3"],
    ),
    "n: too few are all taken, and it is not enough": Case(
        pick_n(5),
        [picked("c1"), unfit("lost", LOST_WHY)],
        1,
        enough=False,
        clusters=(ONE, LOST),
        created=["c1"],
    ),
    "n: what is held stays, and only what is missing is picked": Case(
        pick_n(2, **BY_CPU),
        [picked("c2", 40), held("c1"), low("c3", 20)],
        2,
        bindings=(binding("c1"),),
        created=["c2"],
    ),
    "n: new ones are told first, then scheduled, then bound ones": Case(
        pick_n(3),
        [picked("c2"), held("c3"), held("c1")],
        3,
        bindings=(binding("c1"), binding("c3", "Scheduled")),
        created=["c2"],
    ),
    "n: the annotation counts, not the policy": Case(
        {**pick_n(1), "wanted": 2}, [picked("c3"), picked("c2"), low("c1")], 2, created=["c3", "c2"]
    ),
    "n: too many go, those not bound yet first": Case(
        pick_n(1),
        [held("c3")],
        1,
        bindings=(binding("c1"), binding("c2", "Scheduled", score=(90, 0)), binding("c3")),
        unscheduled=["c2", "c1"],
    ),
    "n: too many go, lowest scores first, those without a score before": Case(
        pick_n(1),
        [held("c1")],
        1,
        bindings=(
            binding("c1", score=(5, 1)),
            binding("c2", score=(9, 0)),
            binding("c3", score=None),
        ),
        unscheduled=["c3", "c2"],
    ),
    "n: none is wanted": Case(pick_n(0), [], 0, bindings=(binding("c1"),), unscheduled=["c1"]),
    "n: with enough, an older policy's are given up at once": Case(
        pick_n(1),
        [held("c1")],
        1,
        bindings=(binding("c1"), binding("c2", policy="old")),
        unscheduled=["c2"],
    ),
    "n: an older policy's cluster wins a tie": Case(
        pick_n(1),
        [picked("c1"), low("c3"), low("c2")],
        1,
        bindings=(binding("c1", "Scheduled", policy="old"),),
        renewed=[("c1", "Scheduled")],
    ),
    "n: but not against a better score": Case(
        pick_n(1, **BY_CPU),
        [picked("c2", 40), low("c3", 20), low("c1", 0)],
        1,
        bindings=(binding("c1", policy="old"),),
        created=["c2"],
        unscheduled=["c1"],
    ),
    "n: a cluster that left is replaced": Case(
        pick_n(1, **BY_CPU),
        [picked("c2", 40), low("c3", 20), low("c1", 0)],
        1,
        bindings=(binding("gone"),),
        created=["c2"],
    ),
    "n: spread picks one after the other, and is told as the last one saw it": Case(
        pick_n(2, topologySpreadConstraints=[spread_over("zone")]),
        [picked("c1", 0, 1), picked("c3", 0, -1), unfit("c2", 'violated doNotSchedule topology spread constraint "zone" (max skew 1)')],
        2,
        created=["c3", "c1"],
    ),
    "n: spread that leaves no room is not enough": Case(
        pick_n(2, topologySpreadConstraints=[spread_over("zone")]),
        [
            picked("c3", 0, -1),
            unfit("c2", 'violated doNotSchedule topology spread constraint "zone" (max skew 1)'),
            unfit("far", LOST_WHY),
        ],
        1,
        enough=False,
        clusters=(TWO, THREE, member("far", labels={"zone": "a"}, agent=agent(joined=""))),
        created=["c3"],
    ),
    "n: with spread an older policy's binding is given up and may be taken up after all": Case(
        pick_n(2, topologySpreadConstraints=[spread_over("zone")], **BY_CPU),
        [picked("c1", 0, 1), picked("c2", 40, -1), unfit("c3", 'violated doNotSchedule topology spread constraint "zone" (max skew 1)')],
        2,
        bindings=(binding("c1", policy="old"), binding("c3", policy="old")),
        created=["c2"],
        renewed=[("c1", "Bound")],
        unscheduled=["c3"],
    ),
}  # fmt: skip


def _decide(case: Case) -> Decision:
    policy = dict(case.policy) if case.policy is not None else None
    wanted = policy.pop("wanted", None) if policy is not None else None
    snapshot = policy_snapshot(policy, wanted=wanted)
    return decide(take(case.placement, snapshot, case.clusters, case.bindings, NOW, case.reserved))


def _told(status: PolicySnapshotStatus | None) -> list[tuple[str, bool, str]]:
    assert status is not None
    return [(each.cluster_name, each.selected, each.reason) for each in status.target_clusters]


def _targets(bindings: tuple[Binding, ...]) -> list[str]:
    return [each.spec.target_cluster for each in bindings]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_cycle_picks(case: Case) -> None:
    got = _decide(case)
    assert got.failure == ""
    assert _told(got.status) == case.told
    assert [each.cluster_name for each in got.created] == case.created
    assert [(each.binding.spec.target_cluster, each.state) for each in got.renewed] == case.renewed
    assert _targets(got.unscheduled) == case.unscheduled
    assert got.status is not None
    condition = find_condition(got.status.conditions, "Scheduled")
    assert condition is not None
    assert (condition.status, condition.reason, condition.message) == (
        ("True", "SchedulingPolicyFulfilled", FOUND.format(case.found))
        if case.enough
        else ("False", "SchedulingPolicyUnfulfilled", MISSED.format(case.found))
    )
    assert condition.observed_generation == 1
    assert condition.last_transition_time == NOW
    assert got.status.observed_crp_generation == 1


def test_scores_are_told_with_decisions_of_picked_and_unpicked_but_not_of_unfit_clusters() -> None:
    got = _decide(Case(pick_n(1, **BY_CPU), [], 0, clusters=(*FLEET, LOST)))
    assert got.status is not None
    scores = {each.cluster_name: each.cluster_score for each in got.status.target_clusters}
    assert msgspec.to_builtins(scores) == {
        "c2": {"affinityScore": 40, "priorityScore": 0},
        "c3": {"affinityScore": 20, "priorityScore": 0},
        "c1": {"affinityScore": 0, "priorityScore": 0},
        "lost": None,
    }


def test_bindings_on_their_way_out_are_released_and_replaced() -> None:
    got = _decide(Case(pick_n(1), [], 0, bindings=(binding("c3", deleting=True),)))
    assert _targets(got.released) == ["c3"]
    assert [each.cluster_name for each in got.created] == ["c3"]


def test_a_binding_is_released_once() -> None:
    gone = binding("c3", deleting=True)
    gone = msgspec.structs.replace(
        gone, metadata=msgspec.structs.replace(gone.metadata, finalizers=("x",))
    )
    assert _decide(Case(pick_n(1), [], 0, bindings=(gone,))).released == ()


def test_bindings_of_clusters_that_leave_or_left_are_given_up() -> None:
    leaving = member("c2", leaving=True)
    case = Case(
        pick_n(2), [], 0, clusters=(ONE, leaving), bindings=(binding("c2"), binding("gone"))
    )
    got = _decide(case)
    assert _targets(got.dangling) == ["c2", "gone"]
    assert [each.cluster_name for each in got.created] == ["c1"]
    assert _told(got.status)[1] == unfit("c2", "cluster has left the fleet")


def test_naming_nobody_decides_nothing() -> None:
    got = _decide(
        Case({"placementType": "PickFixed"}, [], 0, bindings=(binding("c1", policy="old"),))
    )
    assert got.is_empty


BROKEN = member("broken", properties={"k8s.io/k8s-version": "v1"})
FAILURES = {
    "a property that is no quantity": (
        Case(
            pick_n(1, **preferred((1, sorted_by("k8s.io/k8s-version")))),
            [],
            0,
            clusters=(ONE, BROKEN),
        ),
        "value v1 of property k8s.io/k8s-version from cluster broken is not a valid quantity",
    ),
    "a way to pick that nobody knows": (
        Case({"placementType": "PickSome"}, [], 0),
        "The placement type PickSome is unknown",
    ),
    "a given-up binding that does not tell its state": (
        Case({"placementType": "PickAll"}, [], 0, bindings=(binding("c1", "Unscheduled"),)),
        "failed to find the previous state of an unscheduled binding: web-c1-00000000",
    ),
    "a number of clusters that is none": (
        Case({"placementType": "PickN"}, [], 0),
        f"policy snapshot web-0: annotation {names.NUMBER_OF_CLUSTERS} is '' and no number",
    ),
}


@pytest.mark.parametrize(("case", "want"), FAILURES.values(), ids=FAILURES.keys())
def test_a_cycle_that_cannot_be_finished_says_why_and_still_gives_up_what_dangles(
    case: Case, want: str
) -> None:
    case = Case(
        case.policy, [], 0, clusters=case.clusters, bindings=(*case.bindings, binding("gone"))
    )
    got = _decide(case)
    assert got.failure.startswith(want)
    assert (_targets(got.dangling), got.created, got.status) == (["gone"], (), None)


def test_a_snapshot_without_the_placements_generation_is_not_scheduled() -> None:
    snapshot = policy_snapshot(None)
    snapshot = msgspec.structs.replace(
        snapshot, metadata=msgspec.structs.replace(snapshot.metadata, annotations={})
    )
    got = decide(take(KEY, snapshot, FLEET, (), NOW))
    assert "annotation kubernetes-fleet.io/CRP-generation is ''" in got.failure


def test_twenty_unpicked_clusters_are_told_scored_ones_first() -> None:
    fits = tuple(member(f"fits-{n:02}") for n in range(15))
    lost = tuple(member(f"lost-{n:02}", agent=agent(joined="")) for n in range(15))
    got = _told(_decide(Case(pick_n(1), [], 0, clusters=(*lost, *fits))).status)
    assert [each[0] for each in got] == [f"fits-{n:02}" for n in reversed(range(15))] + [
        f"lost-{n:02}" for n in range(6)
    ]


def test_a_thousand_clusters_are_told() -> None:
    many = tuple(member(f"c{n:04}") for n in range(1005))
    got = _decide(Case(None, [], 0, clusters=(*many, LOST)))
    assert len(_told(got.status)) == 1000
    assert len(got.created) == 1005


def _status(*decisions: Binding, enough: bool = True, generation: int = 1) -> Object:
    condition = {
        "type": "Scheduled",
        "status": str(enough),
        "reason": "SchedulingPolicyFulfilled" if enough else "SchedulingPolicyUnfulfilled",
        "message": "",
        "observedGeneration": 1,
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    targets = [msgspec.to_builtins(each.spec.cluster_decision) for each in decisions]
    return {
        "observedCRPGeneration": generation,
        "conditions": [condition],
        "targetClusters": targets,
    }


def _retold(status: Object, policy: Object, *bindings: Binding) -> PolicySnapshotStatus | None:
    snapshot = policy_snapshot(policy, status)
    return decide(take(KEY, snapshot, (ONE, TWO), bindings, NOW)).status


C1, C2 = binding("c1"), binding("c2")


def test_what_is_told_already_is_not_told_again_in_another_order() -> None:
    assert _retold(_status(C2, C1), {"placementType": "PickAll"}, C1, C2) is None


def test_what_was_told_of_others_stays_while_nobody_looks_at_them() -> None:
    said = _status(C2)
    said["targetClusters"].append({"clusterName": "c1", "selected": False, "reason": "low"})
    assert _retold(said, pick_n(1), C2) is None


RETELLINGS = {
    "another generation of the placement": (_status(C1, C2, generation=7), {"placementType": "PickAll"}),
    "another cluster": (_status(C1), {"placementType": "PickAll"}),
    "another verdict": (_status(C1, C2, enough=False), {"placementType": "PickAll"}),
    "another generation of the placement, with enough": (_status(C1, C2, generation=7), pick_n(2)),
}  # fmt: skip


@pytest.mark.parametrize(("said", "policy"), RETELLINGS.values(), ids=RETELLINGS.keys())
def test_what_has_changed_is_told(said: Object, policy: Object) -> None:
    got = _retold(said, policy, C1, C2)
    assert got is not None
    assert [each.cluster_name for each in got.target_clusters] == ["c1", "c2"]
    assert got.observed_crp_generation == 1


def test_the_time_of_a_verdict_stays_while_the_verdict_does() -> None:
    got = _retold(_status(C1), {"placementType": "PickAll"}, C1, C2)
    assert got is not None
    assert str(got.conditions[0].last_transition_time) == "2026-01-01 00:00:00+00:00"
