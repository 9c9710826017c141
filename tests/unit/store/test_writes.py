"""Creating, replacing, deleting: revisions and optimistic concurrency."""

from __future__ import annotations

import asyncio

import pytest

from argosy.store import Closed, Meta, Mismatch, Record
from tests.unit.store.writing import delete, encode, key, names, put, run


def test_the_first_write_gets_a_revision_a_client_cannot_mistake_for_any(make) -> None:
    async def scenario() -> None:
        store = make()
        assert (store.revision, store.next_revision(), store.compacted) == (1, 2, 1)
        record = await put(store, key("a"))
        assert record.revision == 2
        assert (store.revision, store.next_revision()) == (2, 3)
        await store.close()

    run(scenario())


def test_a_write_is_read_back_whole(make) -> None:
    async def scenario() -> None:
        store = make()
        meta = Meta("u1", {"app": "x"}, ("o1",), {"spec.nodeName": "n1"})
        raw = encode(key("a"), store.next_revision(), meta)
        want = Record(key("a"), 2, raw, meta)
        got = await store.put(key("a"), raw, meta, expect=0)
        assert got == want
        assert store.get(key("a")) == want
        assert store.get(key("b")) is None
        await store.close()

    run(scenario())


def test_a_write_that_expects_another_revision_is_refused_at_once(make) -> None:
    async def scenario() -> None:
        store = make()
        first = await put(store, key("a"))
        for expect in (0, 1, first.revision + 1):
            with pytest.raises(Mismatch) as refused:
                put(store, key("a"), expect=expect)
            assert refused.value.current == first
        with pytest.raises(Mismatch) as refused:
            put(store, key("b"), expect=7)
        assert refused.value.current is None
        with pytest.raises(Mismatch):
            store.delete(key("b"), encode(key("b"), store.next_revision(), Meta()), expect=0)
        assert store.next_revision() == first.revision + 1
        await store.close()

    run(scenario())


def test_bytes_that_do_not_carry_their_revision_are_a_defect_of_the_caller(make) -> None:
    async def scenario() -> None:
        store = make()
        with pytest.raises(AssertionError, match="must carry revision 2"):
            store.put(key("a"), encode(key("a"), 3, Meta()), Meta(), expect=0)
        await store.close()

    run(scenario())


def test_writes_in_a_row_build_on_each_other_before_any_is_durable(make) -> None:
    async def scenario() -> None:
        store = make()
        waiting = [put(store, key("a"), body=i) for i in range(5)]
        waiting += [delete(store, key("a")), put(store, key("a")), put(store, key("b"))]
        latest = store.latest(key("a"))
        assert latest is not None
        assert latest.revision == 8
        got = [record.revision for record in await asyncio.gather(*waiting)]
        assert got == [2, 3, 4, 5, 6, 7, 8, 9]
        assert store.get(key("a")) == latest
        await store.close()

    run(scenario())


def test_a_deleted_object_is_gone_and_its_name_free(make) -> None:
    async def scenario() -> None:
        store = make()
        await put(store, key("a"))
        gone = await delete(store, key("a"))
        assert gone.revision == 3
        assert store.get(key("a")) is store.latest(key("a")) is None
        assert (store.resources(), store.count("pods")) == ([], 0)
        again = await put(store, key("a"))
        assert again.revision == 4
        assert store.resources() == ["pods"]
        await store.close()

    run(scenario())


def test_a_writer_that_stops_waiting_does_not_stop_the_write(make) -> None:
    async def scenario() -> None:
        store = make()
        first = asyncio.ensure_future(put(store, key("a")))
        first.cancel()
        await put(store, key("b"))
        assert names(store.list("pods").records) == ["a", "b"]
        await store.close()

    run(scenario())


def test_dependents_follow_owner_references(make) -> None:
    async def scenario() -> None:
        store = make()
        await put(store, key("b"), owners=("job",))
        await put(store, key("a", resource="services"), owners=("job", "other"))
        await put(store, key("a"), owners=("job",))
        assert [r.key.resource + "/" + r.key.name for r in store.dependents("job")] == [
            "pods/a",
            "pods/b",
            "services/a",
        ]
        await put(store, key("a"), owners=("other",))
        await delete(store, key("b"))
        assert [r.key.resource for r in store.dependents("job")] == ["services"]
        assert names(store.dependents("other")) == ["a", "a"]
        assert store.dependents("nobody") == []
        await store.close()

    run(scenario())


def test_equal_labels_are_kept_once(make) -> None:
    async def scenario() -> None:
        store = make()
        a = await put(store, key("a"), {"job": "x", "app": "y"}, fields={"spec.nodeName": "n"})
        b = await put(store, key("b"), {"job": "x", "app": "y"}, fields={"spec.nodeName": "n"})
        assert a.meta.labels is b.meta.labels
        assert a.meta.fields is b.meta.fields
        await store.close()

    run(scenario())


def test_a_closed_store_takes_no_more_writes(make) -> None:
    async def scenario() -> None:
        store = make()
        waiting = put(store, key("a"))
        await store.close()
        assert (await waiting).revision == 2
        with pytest.raises(Closed):
            put(store, key("b"))
        with pytest.raises(Closed):
            store.watch("pods")
        await store.close()

    run(scenario())
