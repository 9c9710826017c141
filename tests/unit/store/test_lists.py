"""Lists: order, selections, pages, and pages of the past."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.store import Bounds, Compacted, FutureRevision, Selection
from argosy.store.state import State
from tests.unit.store.writing import delete, key, names, put, run, selection


def test_lists_are_in_order_of_namespace_then_name(make) -> None:
    async def scenario() -> None:
        store = make()
        for name, namespace in (("b", "x"), ("a", "y"), ("c", "x"), ("a-b", "x"), ("a", "x-y")):
            await put(store, key(name, namespace))
        await put(store, key("other", resource="services"))
        page = store.list("pods")
        got = [(r.key.namespace, r.key.name) for r in page.records]
        want = [("x", "a-b"), ("x", "b"), ("x", "c"), ("x-y", "a"), ("y", "a")]
        assert got == want
        assert page[1:] == (store.revision, False, 0)
        assert [(k.namespace, k.name) for k in store.keys("pods")] == want
        assert names(store.list("pods", Selection("x")).records) == ["a-b", "b", "c"]
        assert store.list("nothing").records == []
        await store.close()

    run(scenario())


@dataclass
class Case:
    select: Selection
    want: set[int]


# Object i of 300: labels job=i%10, even="" on even ones; field node=n<i%50>; namespace ns<i%3>.
SELECTIONS: dict[str, Case] = {
    "a label value": Case(selection("job=3"), {i for i in range(300) if i % 10 == 3}),
    "a label nobody has": Case(selection("nope=3"), set()),
    "a label with an empty value": Case(selection("even="), {i for i in range(300) if i % 2 == 0}),
    "a label that must be absent": Case(selection("!even"), {i for i in range(300) if i % 2}),
    "two labels": Case(selection("job=4,even="), {i for i in range(300) if i % 10 == 4}),
    "a field": Case(selection(fields="node=n7"), {i for i in range(300) if i % 50 == 7}),
    "a field that must differ": Case(
        selection(fields="node!=n7"), {i for i in range(300) if i % 50 != 7}
    ),
    "a field and a label": Case(selection("job=7", "node=n7"), {7, 57, 107, 157, 207, 257}),
    "a field nobody has": Case(selection(fields="other="), set(range(300))),
    "a name in all namespaces": Case(selection(fields="metadata.name=p007"), {7}),
    "a name in its namespace": Case(selection(fields="metadata.name=p007", namespace="ns1"), {7}),
    "a name in another namespace": Case(
        selection(fields="metadata.name=p007", namespace="ns2"), set()
    ),
    "everything but a name": Case(selection(fields="metadata.name!=p007"), set(range(300)) - {7}),
    "a namespace as a field": Case(
        selection(fields="metadata.namespace=ns1"), {i for i in range(300) if i % 3 == 1}
    ),
    "two namespaces at once": Case(
        selection(fields="metadata.namespace=ns1", namespace="ns2"), set()
    ),
    "a label in a namespace": Case(
        selection("job=3", namespace="ns0"), {i for i in range(300) if i % 30 == 3}
    ),
}


@pytest.mark.parametrize("limit", [0, 1, 4, 1000])
@pytest.mark.parametrize("case", SELECTIONS.values(), ids=SELECTIONS.keys())
def test_selections_page_through_exactly_their_objects(
    populated: State, case: Case, limit: int
) -> None:
    got: list[str] = []
    after = None
    while True:
        page = populated.list("pods", case.select, limit=limit, after=after)
        got += names(page.records)
        if not page.more:
            break
        assert len(page.records) == limit
        after = page.records[-1].key[1:]
    want = [f"p{i:03d}" for i in sorted(case.want, key=lambda i: (i % 3, i))]
    assert got == want


@pytest.fixture(scope="module")
def populated() -> State:
    from argosy.store import MemoryStore

    async def fill() -> State:
        store = MemoryStore()
        for i in range(300):
            labels = {"job": str(i % 10)} | ({"even": ""} if i % 2 == 0 else {})
            await put(store, key(f"p{i:03d}", f"ns{i % 3}"), labels, fields={"node": f"n{i % 50}"})
        return store

    return run(fill())


def test_what_remains_is_counted_where_kubernetes_counts_it(populated: State) -> None:
    page = populated.list("pods", limit=10)
    assert (len(page.records), page.more, page.remaining) == (10, True, 290)
    page = populated.list("pods", Selection("ns1"), limit=10)
    assert page.remaining == 90
    page = populated.list("pods", limit=10, after=("ns1", "p007"))
    assert page.remaining == 187
    page = populated.list("pods", selection("even="), limit=10)
    assert (page.more, page.remaining) == (True, -1)
    page = populated.list("pods", limit=300)
    assert (page.more, page.remaining) == (False, 0)


def test_indexes_follow_changes(make) -> None:
    async def scenario() -> None:
        store = make()
        for i in range(200):
            await put(store, key(f"p{i:03d}"), {"job": str(i)})
        assert names(store.list("pods", selection("job=7")).records) == ["p007"]
        await put(store, key("p007"), {"job": "8"})
        await put(store, key("p009"), {})
        await put(store, key("new"), {"job": "7"})
        await delete(store, key("p008"))
        assert names(store.list("pods", selection("job=7")).records) == ["new"]
        assert names(store.list("pods", selection("job=8")).records) == ["p007"]
        assert names(store.list("pods", selection("job=9")).records) == []
        await store.close()

    run(scenario())


def test_pages_stay_consistent_under_writes(make) -> None:
    async def scenario() -> None:
        store = make()
        for i in range(10):
            await put(store, key(f"p{i}"), body="old")
        want = store.list("pods").records
        first = store.list("pods", limit=4)
        await delete(store, key("p5"))
        await delete(store, key("p1"))
        await put(store, key("p6"), body="new")
        await put(store, key("p55"))
        await put(store, key("p7"))
        await delete(store, key("p7"))
        second = store.list("pods", limit=3, after=("default", "p3"), revision=first.revision)
        rest = store.list("pods", after=("default", "p6"), revision=first.revision)
        assert first.records + second.records + rest.records == want
        assert [first[1:], second[1:], rest[1:]] == [(11, True, 6), (11, True, 3), (11, False, 0)]
        assert names(store.list("pods").records) == [
            "p0",
            "p2",
            "p3",
            "p4",
            "p55",
            "p6",
            "p8",
            "p9",
        ]
        await store.close()

    run(scenario())


def test_a_past_list_selects_by_what_objects_were_then(make) -> None:
    async def scenario() -> None:
        store = make()
        for i in range(150):
            await put(store, key(f"p{i:03d}"), {"job": "a" if i < 3 else "b"})
        then = store.revision
        await put(store, key("p000"), {"job": "b"})
        await put(store, key("p149"), {"job": "a"})
        await delete(store, key("p001"))
        past = store.list("pods", selection("job=a"), revision=then)
        now = store.list("pods", selection("job=a"))
        assert names(past.records) == ["p000", "p001", "p002"]
        assert names(now.records) == ["p002", "p149"]
        await store.close()

    run(scenario())


def test_a_revision_outside_the_history_cannot_be_listed(make) -> None:
    async def scenario() -> None:
        store = make(Bounds(3, 1 << 20))
        for i in range(6):
            await put(store, key(f"p{i}"))
        assert (store.revision, store.compacted) == (7, 4)
        assert names(store.list("pods", revision=4).records) == ["p0", "p1", "p2"]
        with pytest.raises(Compacted) as gone:
            store.list("pods", revision=3)
        assert (gone.value.requested, gone.value.oldest) == (3, 4)
        with pytest.raises(FutureRevision):
            store.list("pods", revision=8)
        await store.close()

    run(scenario())


def test_the_history_is_bounded_by_bytes_too(make) -> None:
    async def scenario() -> None:
        store = make(Bounds(1000, 20_000))
        for i in range(10):
            await put(store, key(f"p{i}"), body="x" * 5000)
        assert store.revision - store.compacted == 3
        await store.close()

    run(scenario())


def test_compaction_by_hand_forgets_up_to_a_revision(make) -> None:
    async def scenario() -> None:
        store = make()
        for i in range(5):
            await put(store, key(f"p{i}"))
        store.compact(4)
        assert store.compacted == 4
        assert len(store.list("pods", revision=4).records) == 3
        store.compact(100)
        assert store.compacted == store.revision == 6
        await store.close()

    run(scenario())
