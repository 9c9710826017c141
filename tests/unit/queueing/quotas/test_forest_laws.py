"""Laws of the quota tree, over random trees, quotas and usage."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from argosy.queueing.quotas.amounts import FlavorResource, Usage
from argosy.queueing.quotas.forest import Forest
from argosy.queueing.quotas.nodes import Node, Quota
from argosy.queueing.quotas.shares import share_of

FRS = [FlavorResource("red", "cpu"), FlavorResource("blue", "cpu"), FlavorResource("red", "gpu")]
_amounts = st.integers(0, 20)
_limits = st.none() | _amounts
_quotas = st.dictionaries(
    st.sampled_from(FRS), st.builds(Quota, _amounts, _limits, _limits), max_size=3
)
_usages = st.dictionaries(st.sampled_from(FRS), _amounts, max_size=3)


@dataclass(frozen=True)
class Change:
    """A ClusterQueue's or cohort's description, or usage that comes (and may go)."""

    kind: str
    name: str
    parent: str
    quotas: dict[FlavorResource, Quota]
    usage: Usage


# Cohort c2 under c1 under c0, so that no cycle is possible.
_cohorts = st.sampled_from(["c0", "c1", "c2"])
_changes = st.builds(
    Change,
    kind=st.sampled_from(["queue", "cohort", "use", "drop queue", "drop cohort"]),
    name=st.sampled_from(["a", "b", "c"]),
    parent=st.sampled_from(["", "c0", "c1", "c2"]),
    quotas=_quotas,
    usage=_usages,
)


def _play(
    forest: Forest, change: Change, queues: dict[str, Change], used: dict[str, Usage]
) -> None:
    match change.kind:
        case "queue":
            forest.put_cluster_queue(change.name, change.quotas, cohort=change.parent)
            queues[change.name] = change
            used.setdefault(change.name, {})
        case "drop queue" if change.name in queues:
            forest.drop_cluster_queue(change.name)
            del queues[change.name], used[change.name]
        case "use" if change.name in queues:
            forest.add(change.name, change.usage)
            for fr, value in change.usage.items():
                used[change.name][fr] = used[change.name].get(fr, 0) + value
        case _:
            pass


def _state(node: Node | None) -> object:
    if node is None:
        return None
    vectors = {
        fr: (
            node.subtree[place], node.local[place], node.usage[place],
            node.potential[place], node.available_at(place),
        )
        for fr, place in node.layout.positions.items()
    }  # fmt: skip
    known = {fr: values for fr, values in vectors.items() if any(values)}
    return node.name, node.height, known, share_of(node), node.parent and node.parent.name


@given(st.lists(_changes, max_size=12), st.data())
def test_what_was_kept_by_deltas_equals_what_is_built_anew(
    changes: list[Change], data: st.DataObject
) -> None:
    forest, queues, used = Forest(), {}, {}
    cohorts: dict[str, tuple[str, dict[FlavorResource, Quota]]] = {}
    for change in changes:
        if change.kind == "cohort":
            name = data.draw(_cohorts)
            parent = {"c0": "", "c1": "c0", "c2": "c1"}[name]
            forest.put_cohort(name, change.quotas, parent=parent)
            cohorts[name] = parent, change.quotas
        elif change.kind == "drop cohort" and cohorts:
            name = data.draw(st.sampled_from(sorted(cohorts)))
            forest.drop_cohort(name)
            del cohorts[name]
        else:
            _play(forest, change, queues, used)
        if data.draw(st.booleans()):
            forest.settle()
    anew = Forest()
    for name, (parent, quotas) in sorted(cohorts.items()):
        anew.put_cohort(name, quotas, parent=parent)
    for name, change in sorted(queues.items()):
        anew.put_cluster_queue(name, change.quotas, cohort=change.parent)
        anew.add(name, used[name])
    for name in "abc":
        assert _state(forest.cluster_queue(name)) == _state(anew.cluster_queue(name))
    for name in ("c0", "c1", "c2"):
        assert _state(forest.cohort(name)) == _state(anew.cohort(name))


def _tree(data: st.DataObject) -> Forest:
    forest = Forest()
    for name, parent in (("c0", ""), ("c1", "c0"), ("c2", "c0")):
        forest.put_cohort(name, data.draw(_quotas), parent=parent)
    for name in "abcd":
        parent = data.draw(st.sampled_from(["c0", "c1", "c2"]))
        forest.put_cluster_queue(name, data.draw(_quotas), cohort=parent)
    return forest


def _everything(forest: Forest) -> list[object]:
    nodes = [forest.cluster_queue(name) for name in "abcd"]
    return [_state(node) for node in (*nodes, *map(forest.cohort, ("c0", "c1", "c2")))]


@given(st.data())
def test_trials_in_any_order_leave_no_trace(data: st.DataObject) -> None:
    forest = _tree(data)
    for name in "abcd":
        forest.add(name, data.draw(_usages))
    before = _everything(forest)
    trials = data.draw(st.lists(st.tuples(st.sampled_from("abcd"), _usages), max_size=5))
    nodes = [(forest.cluster_queue(name), usage) for name, usage in trials]
    for node, usage in nodes:
        assert node is not None
        node.add(usage)
    for node, usage in data.draw(st.permutations(nodes)):
        assert node is not None
        node.remove(usage)
    assert _everything(forest) == before


@given(st.data())
def test_who_takes_only_what_is_available_breaks_no_quota_and_no_limit(data: st.DataObject) -> None:
    """At every node: usage stays within the subtree's quota plus what it may borrow, and what a child with a lending
    limit keeps for itself is always there for it."""
    forest = _tree(data)
    for _ in range(data.draw(st.integers(0, 8))):
        node = forest.cluster_queue(data.draw(st.sampled_from("abcd")))
        fr = data.draw(st.sampled_from(FRS))
        assert node is not None
        forest.add(node.name, {fr: data.draw(st.integers(0, node.available(fr)))})
    for name in "abcd":
        leaf = forest.cluster_queue(name)
        assert leaf is not None
        for node in leaf.path():
            for place, used in enumerate(node.usage):
                limit = node.borrowing_limits[place]
                if node.parent is None:
                    assert used <= node.subtree[place]
                elif limit is not None:
                    assert used <= node.subtree[place] + limit
                assert used <= node.potential[place]
                kept = max(0, node.local[place] - used)
                assert node.available_at(place) >= kept


@given(st.data())
def test_more_usage_never_makes_a_share_smaller(data: st.DataObject) -> None:
    forest = _tree(data)
    for name in "abcd":
        forest.add(name, data.draw(_usages))
    node = forest.cluster_queue(data.draw(st.sampled_from("abcd")))
    assert node is not None
    before = [share_of(one).order for one in node.path()]
    node.add(data.draw(_usages))
    assert all(share_of(one).order >= was for one, was in zip(node.path(), before, strict=True))
