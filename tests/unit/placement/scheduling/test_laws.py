"""Laws of scheduling: the same as a brute-force reading of the contract; order does not matter; rest is rest."""

from __future__ import annotations

import random
from datetime import timedelta

import msgspec
from hypothesis import event, given
from hypothesis import strategies as st

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.snapshots import ClusterDecision, ClusterScore, PolicySnapshot
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.placement.scheduling.deciding import decide
from argosy.placement.scheduling.snapshots import Decision, Snapshot, take
from tests.support.placing import (
    NOW,
    RESOURCES,
    agent,
    binding,
    member,
    policy_snapshot,
    taint,
)
from tests.unit.placement.scheduling.readings import World

KEY = Key("", "web")
NAMES = ("a", "b", "b-x", "c", "d")
ZONES = st.sampled_from(["a", "b", "c", None])
LABELS = st.fixed_dictionaries({"zone": ZONES, "rack": st.sampled_from(["1", "2", None])}).map(
    lambda labels: {key: value for key, value in labels.items() if value is not None}
)
AMOUNTS = st.fixed_dictionaries(
    {
        "cpu": st.sampled_from(["1", "2", "3500m", "7", "0", None]),
        "memory": st.sampled_from(["1Gi", "3Gi", None]),
    }
).map(lambda found: {key: value for key, value in found.items() if value is not None})

CLUSTER = st.fixed_dictionaries(
    {
        "labels": LABELS,
        "available": AMOUNTS,
        "health": st.sampled_from(["well", "well", "well", "leaving", "silent", "unjoined"]),
        "taints": st.sampled_from([[], [], ["gpu"], ["spot", "gpu"]]),
    }
)
TERM = st.one_of(
    st.fixed_dictionaries({"labels": LABELS}),
    st.tuples(
        st.sampled_from(["cpu", "memory"]),
        st.sampled_from(["Eq", "Ne", "Gt", "Ge", "Lt", "Le"]),
        st.sampled_from(["1", "2", "3500m", "2Gi"]),
    ).map(lambda found: {"property": found}),
)
SORTER = st.tuples(st.sampled_from(["cpu", "memory"]), st.sampled_from(["Ascending", "Descending"]))
PREFERENCE = st.tuples(
    st.integers(-100, 100).filter(bool),
    st.one_of(
        st.fixed_dictionaries({"labels": LABELS}),
        st.fixed_dictionaries({"labels": LABELS, "sorter": SORTER}),
        st.fixed_dictionaries({"sorter": SORTER}),
    ),
)
CONSTRAINT = st.fixed_dictionaries(
    {
        "topologyKey": st.sampled_from(["zone", "rack"]),
        "maxSkew": st.integers(1, 2),
        "whenUnsatisfiable": st.sampled_from(["DoNotSchedule", "ScheduleAnyway"]),
    }
)
POLICY = st.fixed_dictionaries(
    {
        "placementType": st.sampled_from(["PickAll", "PickN", "PickN", "PickFixed"]),
        "clusterNames": st.lists(st.sampled_from([*NAMES, "gone"]), unique=True, max_size=4),
        "required": st.one_of(st.just([]), st.lists(TERM, max_size=2)),
        "preferred": st.lists(PREFERENCE, max_size=2),
        "topologySpreadConstraints": st.one_of(st.just([]), st.lists(CONSTRAINT, max_size=2)),
        "tolerated": st.sampled_from([[], ["gpu"], ["gpu", "spot"]]),
    }
)
BINDING = st.fixed_dictionaries(
    {
        "state": st.sampled_from(["Scheduled", "Bound", "Unscheduled"]),
        "previous": st.sampled_from(["Scheduled", "Bound"]),
        "policy": st.sampled_from(["web-0", "web-0", "web-old"]),
        "deleting": st.sampled_from([False, False, False, True]),
        "score": st.one_of(st.none(), st.tuples(st.integers(-3, 3), st.integers(-1, 1))),
    }
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    present = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=5))
    clusters = [{"name": name, **draw(CLUSTER)} for name in present]
    policy = draw(POLICY)
    if policy["placementType"] != "PickN":
        policy["topologySpreadConstraints"] = []
        policy["preferred"] = []
    bindings = []
    for name in draw(st.lists(st.sampled_from([*NAMES, "gone"]), unique=True, max_size=4)):
        found = draw(BINDING)
        score = found.pop("score")
        decision = {
            "cluster": name,
            "selected": True,
            "score": score,
            "reason": f"picked {name}",
        }
        bindings.append(
            {"name": f"web-{name}-00000000", "cluster": name, "decision": decision, **found}
        )
    return World(policy, draw(st.integers(0, 6)), clusters, bindings)


# From the dictionaries of the reading to objects.

HEALTH = {
    "well": agent(),
    "leaving": agent(),
    "silent": agent(silent=timedelta(minutes=7)),
    "unjoined": agent(joined="False"),
}


def _member(each: Object) -> MemberCluster:
    return member(
        each["name"],
        labels=each["labels"],
        available=each["available"],
        taints=[taint(key) for key in each["taints"]],
        agent=HEALTH[each["health"]],
        leaving=each["health"] == "leaving",
    )


def _term(term: Object) -> Object:
    found: Object = {}
    if term.get("labels") is not None:
        found["labelSelector"] = {"matchLabels": term["labels"]}
    if "property" in term:
        name, operator, value = term["property"]
        expression = {
            "name": f"{RESOURCES}available-{name}",
            "operator": operator,
            "values": [value],
        }
        found["propertySelector"] = {"matchExpressions": [expression]}
    if "sorter" in term:
        name, order = term["sorter"]
        found["propertySorter"] = {"name": f"{RESOURCES}available-{name}", "sortOrder": order}
    return found


def _policy(world: World) -> PolicySnapshot:
    policy = world.policy
    affinity: Object = {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": weight, "preference": _term(term)} for weight, term in policy["preferred"]
        ]
    }
    if policy["required"]:
        terms = [_term(term) for term in policy["required"]]
        wanted = {"clusterSelectorTerms": terms}
        affinity["requiredDuringSchedulingIgnoredDuringExecution"] = wanted
    document = {
        "placementType": policy["placementType"],
        "clusterNames": policy["clusterNames"],
        "affinity": {"clusterAffinity": affinity},
        "topologySpreadConstraints": policy["topologySpreadConstraints"],
        "tolerations": [{"key": key, "operator": "Exists"} for key in policy["tolerated"]],
    }
    return policy_snapshot(document, wanted=world.wanted)


def _binding(each: Object) -> Binding:
    return binding(
        each["cluster"],
        each["state"],
        policy=each["policy"],
        score=each["decision"]["score"],
        deleting=each["deleting"],
        previous=each["previous"] if each["state"] == "Unscheduled" else "",
    )


def _snapshot(world: World, seed: int | None = None) -> Snapshot:
    members = [_member(each) for each in world.clusters]
    bindings = [_binding(each) for each in world.listed()]
    if seed is not None:
        random.Random(seed).shuffle(members)
        random.Random(seed).shuffle(bindings)
    return take(KEY, _policy(world), members, bindings, NOW)


# From decisions to the world they make.


def _carried_out(snapshot: Snapshot, decision: Decision) -> Snapshot:
    """The world after everything that was decided has been written."""
    replace = msgspec.structs.replace
    bindings = {each.metadata.name: each for each in snapshot.bindings}
    for each in decision.released:
        meta = replace(each.metadata, finalizers=())
        bindings[meta.name] = replace(each, metadata=meta)
    for each in (*decision.dangling, *decision.unscheduled):
        kept = {names.PREVIOUS_STATE: each.spec.state}
        meta = replace(each.metadata, annotations=kept)
        spec = replace(each.spec, state="Unscheduled")
        bindings[meta.name] = replace(each, metadata=meta, spec=spec)
    latest = snapshot.policy_snapshot.metadata.name
    for renewed in decision.renewed:
        each = renewed.binding
        meta = replace(each.metadata, annotations={})
        spec = replace(
            each.spec,
            state=renewed.state,
            cluster_decision=renewed.decision,
            scheduling_policy_snapshot_name=latest,
        )
        bindings[meta.name] = replace(each, metadata=meta, spec=spec)
    for made in decision.created:
        each = binding(made.cluster_name, "Scheduled", policy=latest)
        meta = replace(each.metadata, name=f"web-{made.cluster_name}-11111111")
        bindings[meta.name] = replace(
            each, metadata=meta, spec=replace(each.spec, cluster_decision=made)
        )
    policy = snapshot.policy_snapshot
    if decision.status is not None:
        policy = replace(policy, status=decision.status)
    return take(KEY, policy, snapshot.clusters, bindings.values(), snapshot.now)


def _view(decision: Object) -> ClusterDecision:
    score = decision["score"]
    return ClusterDecision(
        decision["cluster"],
        decision["selected"],
        None if score is None else ClusterScore(*score),
        decision["reason"],
    )


@given(worlds())
def test_scheduling_is_what_the_contract_says(world: World) -> None:
    snapshot = _snapshot(world)
    decision = decide(snapshot)
    after = _carried_out(snapshot, decision)
    world.run()
    event(f"{world.policy['placementType']}, told {world.told is not None}")
    assert decision.failure == ""
    got = {
        each.metadata.name: (
            each.spec.state,
            each.spec.scheduling_policy_snapshot_name,
            each.spec.cluster_decision,
        )
        for each in after.bindings
    }
    want = {
        each["name"]: (each["state"], each["policy"], _view(each["decision"]))
        for each in world.listed()
    }
    assert got == want
    if world.told is None:
        assert decision.status is None
        return
    decisions, enough, found = world.told
    assert decision.status is not None
    assert list(decision.status.target_clusters) == [_view(each) for each in decisions]
    condition = decision.status.conditions[0]
    assert condition.status == str(enough)
    assert f"found {found} cluster(s)" in condition.message


@given(worlds(), st.integers())
def test_the_order_of_clusters_and_bindings_does_not_matter(world: World, seed: int) -> None:
    assert decide(_snapshot(world, seed)) == decide(_snapshot(world))


@given(worlds())
def test_once_carried_out_a_decision_leaves_nothing_to_decide(world: World) -> None:
    snapshot = _snapshot(world)
    after = _carried_out(snapshot, decide(snapshot))
    assert decide(after).is_empty


@given(worlds())
def test_no_cluster_is_held_twice_and_never_more_than_wanted_are_picked(world: World) -> None:
    snapshot = _snapshot(world)
    after = _carried_out(snapshot, decide(snapshot))
    held = [
        each.spec.target_cluster
        for each in after.bindings
        if each.spec.state != "Unscheduled" and each.metadata.deletion_timestamp is None
    ]
    assert len(held) == len(set(held))
    if world.policy["placementType"] == "PickN":
        assert len(held) <= world.wanted
