"""Laws: updates of StatefulSets and DaemonSets keep their limits at every step, and end."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects import ObjectMeta, Pod
from argosy.api.objects.apps import (
    DaemonSet,
    DaemonSetSpec,
    DaemonSetUpdateStrategy,
    RollingUpdateDaemonSet,
    RollingUpdateStatefulSet,
    StatefulSet,
    StatefulSetSpec,
    StatefulSetUpdateStrategy,
)
from argosy.workloads.apps.availability import is_ready
from argosy.workloads.apps.daemonsets.placing import Fit, by_node, place
from argosy.workloads.apps.daemonsets.rolling import roll
from argosy.workloads.apps.histories import REVISION_LABEL
from argosy.workloads.apps.statefulsets.ordering import (
    POD_NAME,
    Claims,
    Do,
    Revisions,
    plan,
)
from tests.unit.workloads.apps.building import NOW, pod

OWNED = Claims(is_held=lambda _: False, are_owned=lambda _: True)


def _member(ordinal: int, revision: str, *, ready: bool) -> Pod:
    name = f"db-{ordinal}"
    return pod(name, ready=ready, labels={POD_NAME: name, REVISION_LABEL: revision})


@given(
    before=st.integers(0, 6),
    after=st.integers(0, 6),
    partition=st.integers(0, 7),
    most=st.none() | st.integers(1, 3),
    parallel=st.booleans(),
    data=st.data(),
)
def test_a_stateful_set_ends_up_as_asked_for(
    before: int,
    after: int,
    partition: int,
    most: int | None,
    *,
    parallel: bool,
    data: st.DataObject,
) -> None:
    """Pods become ready at any time, in any order; those that are deleted are gone at once."""
    owner = StatefulSet(
        ObjectMeta(name="db", namespace="ns"),
        StatefulSetSpec(
            replicas=after,
            pod_management_policy="Parallel" if parallel else "OrderedReady",
            update_strategy=StatefulSetUpdateStrategy(
                "RollingUpdate", RollingUpdateStatefulSet(partition, most)
            ),
        ),
    )
    pods = {ordinal: _member(ordinal, "old", ready=True) for ordinal in range(before)}
    for _ in range(200):
        made = plan(owner, list(pods.values()), Revisions("old", "new"), OWNED, NOW)
        steps = [step for phase in made.phases for step in phase]
        if not parallel:
            unready = [ordinal for ordinal, each in pods.items() if not is_ready(each)]
            assert len([step for step in steps if step.do is Do.CREATE]) <= 1
            assert not unready or not steps
        updated = [step for step in steps if step.do is Do.DELETE and step.ordinal < after]
        assert len(updated) <= (most or 1)
        for step in steps:
            if step.do is Do.CREATE:
                pods[step.ordinal] = _member(step.ordinal, step.revision, ready=False)
            else:
                del pods[step.ordinal]
        waiting = sorted(ordinal for ordinal, each in pods.items() if not is_ready(each))
        if not steps and not waiting:
            break
        if waiting and (not steps or data.draw(st.booleans())):
            ordinal = data.draw(st.sampled_from(waiting))
            revision = pods[ordinal].metadata.labels[REVISION_LABEL]
            pods[ordinal] = _member(ordinal, revision, ready=True)
    got = {ordinal: each.metadata.labels[REVISION_LABEL] for ordinal, each in pods.items()}
    want = {ordinal: "old" if ordinal < partition else "new" for ordinal in range(after)}
    assert got == want


def _daemon(number: int, node: str, revision: str, *, ready: bool) -> Pod:
    return pod(
        f"agent-{number}",
        node=node,
        ready=ready,
        age=1000.0 - number,
        labels={REVISION_LABEL: revision},
    )


@given(
    nodes=st.integers(1, 6),
    surge=st.integers(0, 3),
    unavailable=st.integers(0, 3),
    data=st.data(),
)
def test_a_daemon_set_keeps_its_limits_and_ends(
    nodes: int, surge: int, unavailable: int, data: st.DataObject
) -> None:
    strategy = DaemonSetUpdateStrategy(
        "RollingUpdate", RollingUpdateDaemonSet(0 if surge else unavailable, surge)
    )
    owner = DaemonSet(ObjectMeta(name="agent"), DaemonSetSpec(update_strategy=strategy))
    names = [f"n{number}" for number in range(nodes)]
    fits = dict.fromkeys(names, Fit(runs=True, stays=True))
    pods = {number: _daemon(number, name, "old", ready=True) for number, name in enumerate(names)}
    least = nodes - (0 if surge else min(nodes, max(1, unavailable)))
    for _ in range(200):
        placed = place(owner, fits, by_node(pods.values()), "new", NOW)
        created, deleted = placed.nodes, placed.delete
        if not created and not deleted:
            step = roll(owner, fits, by_node(pods.values()), "new", NOW)
            created, deleted = step.nodes, step.delete
        for each in deleted:
            del pods[int(each.metadata.name.removeprefix("agent-"))]
        for name in created:
            number = max(pods, default=-1) + 1
            pods[number] = _daemon(number, name, "new", ready=False)
        served = {each.spec.node_name for each in pods.values() if is_ready(each)}
        assert len(served) >= least
        assert len(pods) <= nodes + surge
        waiting = sorted(number for number, each in pods.items() if not is_ready(each))
        if not created and not deleted and not waiting:
            break
        if waiting and (not (created or deleted) or data.draw(st.booleans())):
            number = data.draw(st.sampled_from(waiting))
            pods[number] = _daemon(number, pods[number].spec.node_name, "new", ready=True)
    got = sorted(
        (each.spec.node_name, each.metadata.labels[REVISION_LABEL]) for each in pods.values()
    )
    assert got == [(name, "new") for name in names]
