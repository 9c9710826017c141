"""Laws of the deciding core, on tiny clusters with everything in them."""

from __future__ import annotations

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.api.nodefit import requested
from argosy.api.objects import Node, Pod
from argosy.base.types import Object
from argosy.workloads.scheduling.deciding import Assigned, Decider
from argosy.workloads.scheduling.screening import Screen
from tests.unit.workloads.scheduling import brute
from tests.unit.workloads.scheduling.builders import (
    APP,
    HOST,
    ZONE,
    decide,
    decider,
    node,
    outcome,
    pod,
    required,
    spread,
    term,
)

TAINT = {"key": "k", "value": "v", "effect": "NoSchedule"}
ANY = {"key": "k", "operator": "Exists"}

topologies = st.sampled_from([ZONE, HOST])
labels = st.sampled_from([{}, APP, {"app": "db"}])
selectors = st.sampled_from([APP, {"app": "db"}, {}])


@st.composite
def nodes(draw: st.DrawFn) -> list[Node]:
    return [
        node(
            f"n{number}",
            cpu=draw(st.integers(0, 4)),
            pods=draw(st.integers(0, 4)),
            zone=draw(st.sampled_from(["", "a", "b"])),
            taints=draw(st.sampled_from([[], [], [TAINT]])),
            cordoned=draw(st.sampled_from([False, False, True])),
            x_io__gpu=draw(st.integers(0, 2)),
        )
        for number in range(draw(st.integers(1, 4)))
    ]


@st.composite
def rules(draw: st.DrawFn) -> Object:
    spec: Object = {}
    if draw(st.booleans()):
        spec["tolerations"] = [ANY]
    if draw(st.booleans()):
        spec["nodeSelector"] = {ZONE: draw(st.sampled_from("ab"))}
    if draw(st.booleans()):
        spec["topologySpreadConstraints"] = [
            spread(
                draw(topologies),
                skew=draw(st.integers(1, 2)),
                selector=draw(selectors),
                minDomains=draw(st.sampled_from([None, 2])),
                nodeAffinityPolicy=draw(st.sampled_from(["Honor", "Ignore"])),
                nodeTaintsPolicy=draw(st.sampled_from(["Honor", "Ignore"])),
            )
            for _ in range(draw(st.integers(1, 2)))
        ]
    kinds = draw(st.sampled_from([[], [], ["podAffinity"], ["podAntiAffinity"]]))
    if kinds:
        terms = [term(draw(topologies), draw(selectors)) for _ in range(draw(st.integers(1, 2)))]
        spec["affinity"] = required(kinds[0], *terms)
    return spec


@st.composite
def pods(draw: st.DrawFn, name: str, on: str = "") -> Pod:
    gpus = draw(st.integers(0, 1))
    return pod(
        name,
        on=on,
        cpu=draw(st.integers(0, 2)),
        labels=draw(labels),
        namespace=draw(st.sampled_from(["ns", "ns", "other"])),
        priority=draw(st.integers(0, 2)),
        ports=draw(st.sampled_from([[], [], [80]])),
        requests={"x.io/gpu": str(gpus)} if gpus else {},
        **draw(rules()),
    )


@st.composite
def clusters(draw: st.DrawFn) -> tuple[list[Node], list[Pod]]:
    given_nodes = draw(nodes())
    names = st.sampled_from([each.metadata.name for each in given_nodes])
    placed = [draw(pods(f"p{number}", on=draw(names))) for number in range(draw(st.integers(0, 5)))]
    return given_nodes, placed


@settings(max_examples=150)
@given(clusters(), pods("asking"))
def test_filters_mean_what_plain_loops_say(
    cluster: tuple[list[Node], list[Pod]], asking: Pod
) -> None:
    made = decider(*cluster)
    want = brute.feasible(*cluster, asking)
    rows = np.flatnonzero(Screen(made._cluster, made.profiles.of(asking)).feasible())
    assert {made.ledger.name(row) for row in rows} == want
    (got,) = decide(made, asking)
    assert isinstance(got, Assigned) == bool(want)
    if isinstance(got, Assigned):
        assert got.node in want


@settings(max_examples=60)
@given(clusters(), st.lists(st.integers(0, 2), min_size=1, max_size=6), st.data())
def test_a_batch_decides_as_its_pods_one_by_one(
    cluster: tuple[list[Node], list[Pod]], kinds: list[int], data: st.DataObject
) -> None:
    templates = [data.draw(pods(f"t{number}")) for number in range(3)]
    asking = [copied(templates[kind], f"a{number}") for number, kind in enumerate(sorted(kinds))]
    one_by_one = [outcome(each) for each in decide(decider(*cluster), *asking)]
    batching = decider(*cluster)
    batched: list[str] = []
    candidates = [batching.candidate(each) for each in asking]
    while candidates:
        size = 1
        while size < len(candidates) and batching.are_alike(candidates[0], candidates[size]):
            size += 1
        decided = batching.decide(candidates[:size])
        batched += [outcome(each) for each in decided]
        candidates = candidates[len(decided) :]
    assert batched == one_by_one


class Step(msgspec.Struct, frozen=True):
    """A change of the cluster, by numbers that are taken modulo what there is."""

    kind: str
    number: int
    pod: Pod | None = None
    node: Node | None = None


@st.composite
def steps(draw: st.DrawFn) -> list[Step]:
    made = []
    for number in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from(["ask", "ask", "ask", "leave", "lose", "join", "shrink"]))
        new_pod = draw(pods(f"s{number}")) if kind == "ask" else None
        new_node = draw(nodes())[0] if kind in {"join", "shrink"} else None
        made.append(Step(kind, draw(st.integers(0, 9)), new_pod, new_node))
    return made


@settings(max_examples=60)
@given(nodes(), steps())
def test_nothing_is_ever_overcommitted_and_the_books_stay_right(
    given_nodes: list[Node], changes: list[Step]
) -> None:
    made = decider(given_nodes)
    asked = {step.pod.metadata.uid: step.pod for step in changes if step.pod is not None}
    for step in changes:
        play(made, step)
        standing = [bound(asked[each.uid], each.node) for each in made.ledger.placements.values()]
        fresh = decider([each for each in made.ledger.nodes if each is not None], standing)
        assert books(made) == books(fresh)
        assert made.nominations.keys().isdisjoint(made.ledger.placements)


def play(made: Decider, step: Step) -> None:
    ledger = made.ledger
    match step.kind:
        case "ask":
            assert step.pod is not None
            before = free(made)
            (got,) = decide(made, step.pod)
            if isinstance(got, Assigned):
                amounts = {**requested(step.pod.spec), "pods": 1}
                for name, amount in amounts.items():
                    assert before[got.node].get(name, 0) >= amount
        case "leave" if ledger.placements:
            ledger.displace(sorted(ledger.placements)[step.number % len(ledger.placements)])
        case "lose" if len(ledger):
            ledger.remove_node(sorted(ledger.rows)[step.number % len(ledger)])
        case "join" | "shrink":
            assert step.node is not None
            names = sorted(ledger.rows) if step.kind == "shrink" else [f"j{step.number}"]
            if names:
                chosen = names[step.number % len(names)]
                renamed = msgspec.structs.replace(step.node.metadata, name=chosen)
                ledger.put_node(msgspec.structs.replace(step.node, metadata=renamed))


def free(made: Decider) -> dict[str, dict[str, int]]:
    ledger = made.ledger
    found = {}
    for name, row in ledger.rows.items():
        amounts = {
            resource: int(ledger.total(resource)[row] - ledger.used(resource)[row])
            for resource in list(ledger.resources)
        }
        found[name] = {**amounts, "pods": int(ledger.most_pods[row] - ledger.pods[row])}
    return found


def books(made: Decider) -> dict[str, object]:
    """Everything the ledger says, by name."""
    ledger = made.ledger
    wide = {name: {k: v for k, v in amounts.items() if v} for name, amounts in free(made).items()}
    ports = {ledger.name(row): dict(counted) for row, counted in ledger.ports.items()}
    scoring = {
        n: (int(ledger.scoring(0)[r]), int(ledger.scoring(1)[r])) for n, r in ledger.rows.items()
    }
    return {"free": wide, "ports": ports, "scoring": scoring, "lowest": ledger.lowest_priority()}


def bound(given_pod: Pod, name: str) -> Pod:
    return msgspec.structs.replace(
        given_pod, spec=msgspec.structs.replace(given_pod.spec, node_name=name)
    )


def copied(template: Pod, name: str) -> Pod:
    meta = msgspec.structs.replace(template.metadata, name=name, uid=name)
    return msgspec.structs.replace(template, metadata=meta)


@settings(max_examples=60)
@given(clusters(), pods("asking"))
def test_asking_again_without_a_change_changes_nothing(
    cluster: tuple[list[Node], list[Pod]], asking: Pod
) -> None:
    made = decider(*cluster)
    (first,) = decide(made, asking)
    before = books(made)
    if isinstance(first, Assigned):
        made.forget(asking)
        (second,) = decide(made, asking)
        assert outcome(second) == first.node
        assert books(made) == before
    else:
        (second,) = decide(made, asking)
        assert (outcome(second), books(made)) == (outcome(first), before)


@given(clusters(), pods("asking"))
def test_a_preemptor_takes_the_place_of_its_victims_and_stays(
    cluster: tuple[list[Node], list[Pod]], asking: Pod
) -> None:
    """Victims are of lower priority, the preemptor fits without them, and a victim that comes back ends nobody."""
    made = decider(*cluster)
    (refused,) = decide(made, asking)
    if isinstance(refused, Assigned) or not refused.victims:
        return
    by_name = {each.metadata.name: each for each in cluster[1]}
    for victim in refused.victims:
        assert victim.profile.priority < (asking.spec.priority or 0)
        made.ledger.displace(victim.uid)
    (placed,) = decide(made, asking)
    assert isinstance(placed, Assigned)
    for victim in refused.victims:
        (again,) = decide(made, bound(by_name[victim.name], ""))
        if not isinstance(again, Assigned):
            assert asking.metadata.uid not in {each.uid for each in again.victims}


@settings(max_examples=150)
@given(clusters(), pods("asking"))
def test_who_waits_is_helped_just_when_there_is_something_for_him(
    cluster: tuple[list[Node], list[Pod]], asking: Pod
) -> None:
    """A node, or victims: then he is woken, and never in vain."""
    made = decider(*cluster)
    before = books(made)
    got = made.helped(made.profiles.of(asking), list(made.ledger.rows))
    assert books(made) == before
    (decided,) = decide(made, asking)
    want = isinstance(decided, Assigned) or bool(decided.victims)
    assert got == want
