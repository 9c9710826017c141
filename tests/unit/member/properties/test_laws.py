"""Whatever happens to nodes, pods and Workloads, the sums are those of a recount of what is there."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from argosy.api import podresources
from argosy.api.objects import Node, ObjectMeta, Pod
from argosy.api.objects.metadata import Condition
from argosy.api.objects.nodes import NodeStatus
from argosy.api.objects.pods import Container, PodSpec, PodStatus, ResourceRequirements
from argosy.base.quantities import parse
from argosy.member.properties.counting import Counts
from argosy.member.properties.facts import collect
from argosy.member.properties.waiting import Line, WaitingSpec, WaitingStatus, WaitingWorkload

NOW = datetime(2026, 1, 1, tzinfo=UTC)
AMOUNTS = {
    "cpu": ("500m", "1", "3", "64"),
    "memory": ("1Gi", "512Mi", "3000Ki"),
    "nvidia.com/gpu": ("0", "1", "8"),
    "pods": ("5", "110"),
}
quantities = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in AMOUNTS.items()}
)
requests = st.fixed_dictionaries(
    {}, optional={n: st.sampled_from(v) for n, v in AMOUNTS.items() if n != "pods"}
)
labels = st.fixed_dictionaries(
    {},
    optional={
        "topology.kubernetes.io/region": st.sampled_from(["east", "west"]),
        "topology.kubernetes.io/zone": st.sampled_from(["1", "2", "3"]),
        "node.kubernetes.io/instance-type": st.sampled_from(["D4", "D8"]),
    },
)
prices = st.sampled_from(["", "0", "0.125", "3.2", "nonsense"])


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    price = draw(prices)
    annotations = {"argosy.dev/price-per-hour": price} if price else {}
    return Node(
        ObjectMeta(name=draw(st.sampled_from("abc")), labels=draw(labels), annotations=annotations),
        status=NodeStatus(capacity=draw(quantities), allocatable=draw(quantities)),
    )


@st.composite
def pods(draw: st.DrawFn) -> Pod:
    containers = tuple(
        Container(resources=ResourceRequirements(each))
        for each in draw(st.lists(requests, min_size=1, max_size=2))
    )
    init = tuple(
        Container(resources=ResourceRequirements(each), restart_policy=policy)
        for each, policy in draw(
            st.lists(st.tuples(requests, st.sampled_from(["", "Always"])), max_size=2)
        )
    )
    return Pod(
        ObjectMeta(name=draw(st.sampled_from("pqr")), namespace=draw(st.sampled_from("xy"))),
        PodSpec(containers, init, node_name=draw(st.sampled_from(["", "a", "gone"]))),
        PodStatus(phase=draw(st.sampled_from(["Pending", "Running", "Succeeded", "Failed"]))),
    )


drops = st.one_of(st.sampled_from("abc"), st.tuples(st.sampled_from("xy"), st.sampled_from("pqr")))


@given(st.lists(st.one_of(nodes(), pods(), drops), max_size=40))
def test_sums_kept_by_deltas_are_those_of_a_recount(
    story: list[Node | Pod | str | tuple[str, str]],
) -> None:
    counts = Counts()
    here: dict[str, Node] = {}
    running: dict[tuple[str, str], Pod] = {}
    for each in story:
        if isinstance(each, Node):
            counts.put_node(each)
            here[each.metadata.name] = each
        elif isinstance(each, Pod):
            counts.put_pod(each)
            running[each.metadata.key] = each
        elif isinstance(each, str):
            counts.drop_node(each)
            here.pop(each, None)
        else:
            counts.drop_pod(each)
            running.pop(each, None)
    fresh = Counts()
    for node in here.values():
        fresh.put_node(node)
    for pod in running.values():
        fresh.put_pod(pod)
    got = collect(counts, None, NOW)
    assert got == collect(fresh, None, NOW)
    assert {name: parse(value) for name, value in got.usage.available.items()} == _left(
        list(here.values()), list(running.values())
    )


def _left(here: list[Node], running: list[Pod]) -> dict[str, object]:
    """By the book, with quantities."""
    bound = [
        pod
        for pod in running
        if pod.spec.node_name and pod.status.phase not in {"Succeeded", "Failed"}
    ]
    total, taken = {"cpu": parse("0"), "memory": parse("0")}, {"pods": parse(str(len(bound)))}
    for node in here:
        podresources.add(total, podresources.amounts(node.status.allocatable))
    for pod in bound:
        spec = {
            which: [
                {"resources": {"requests": c.resources.requests}, "restartPolicy": c.restart_policy}
                for c in containers
            ]
            for which, containers in (
                ("containers", pod.spec.containers),
                ("initContainers", pod.spec.init_containers),
            )
        }
        podresources.add(taken, podresources.requests(spec))
    nothing = parse("0")
    return {name: max(nothing, amount - taken.get(name, nothing)) for name, amount in total.items()}


@st.composite
def workloads(draw: st.DrawFn) -> WaitingWorkload:
    when = NOW - timedelta(seconds=draw(st.integers(0, 9)))
    conditions = draw(
        st.sampled_from(
            [
                (),
                (Condition("QuotaReserved", "True"),),
                (Condition("QuotaReserved", "False", last_transition_time=when),),
                (Condition("Finished", "True"),),
            ]
        )
    )
    meta = ObjectMeta(
        name=draw(st.sampled_from("pqr")),
        namespace="x",
        creation_timestamp=NOW - timedelta(seconds=draw(st.integers(0, 99))),
    )
    return WaitingWorkload(meta, WaitingSpec(draw(st.booleans())), WaitingStatus(conditions))


@given(st.lists(st.one_of(workloads(), st.sampled_from("pqr")), max_size=40))
def test_the_line_kept_by_deltas_is_that_of_a_recount(story: list[WaitingWorkload | str]) -> None:
    line = Line()
    waiting: dict[str, datetime] = {}
    for number, each in enumerate(story):
        if isinstance(each, str):
            line.drop(("x", each))
            waiting.pop(each, None)
        else:
            line.put(each)
            waiting.pop(each.metadata.name, None)
            kinds = Counter(f"{c.type}={c.status}" for c in each.status.conditions)
            since = each.metadata.creation_timestamp
            for condition in each.status.conditions:
                since = condition.last_transition_time or since
            if each.spec.active and not kinds["QuotaReserved=True"] + kinds["Finished=True"]:
                assert since is not None
                waiting[each.metadata.name] = since
        if number % 3 == 0:
            # Looking on the way changes nothing.
            line.longest_seconds(NOW)
    longest = max((int((NOW - since).total_seconds()) for since in waiting.values()), default=0)
    assert (len(line), line.longest_seconds(NOW)) == (len(waiting), longest)
