"""The structures a state is made of: sorted keys, buckets, indexes that come when they are asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.store import Key, Meta, Record, ordering
from argosy.store.indexes import Buckets, Indexes
from argosy.store.ordering import SortedKeys

keys = st.builds(Key, st.just("pods"), st.sampled_from("xyz"), st.integers(0, 30).map(str))


def record(name: str, **labels: str) -> Record:
    return Record(Key("pods", "x", name), 2, b"", Meta("", labels))


@given(start=st.sets(keys), changes=st.lists(keys, max_size=60), probe=keys, end=st.none() | keys)
def test_sorted_keys_are_a_sorted_set(
    start: set[Key], changes: list[Key], probe: Key, end: Key | None
) -> None:
    model = set(start)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ordering, "_CHUNK", 4)
        got = SortedKeys(start)
        for key in changes:
            if key in model:
                got.remove(key)
            else:
                got.add(key)
            model ^= {key}
    want = sorted(model)
    assert (len(got), list(got), probe in got) == (len(want), want, probe in model)
    assert not want or got.last() == want[-1]
    for inclusive in (True, False):
        runs = got.walk(probe, inclusive=inclusive, end=end)
        assert [key for run in runs for key in run] == [
            key
            for key in want
            if (key >= probe if inclusive else key > probe) and (end is None or key < end)
        ]
    assert got.position(probe) == sum(key < probe for key in want)
    assert got.position(probe, inclusive=True) == sum(key <= probe for key in want)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("ab"), keys)))
def test_buckets_are_sets_of_keys(changes: list[tuple[bool, str, Key]]) -> None:
    model: dict[str, set[Key]] = {"a": set(), "b": set()}
    got = Buckets()
    for add, value, key in changes:
        if add:
            got.add(value, key)
            model[value].add(key)
        else:
            got.discard(value, key)
            model[value].discard(key)
    assert {value: list(got.get(value)) for value in "ab"} == {
        value: sorted(held) for value, held in model.items()
    }
    assert len(got) == sum(map(bool, model.values()))


def test_an_index_is_built_once_and_then_kept_current() -> None:
    a, b = record("a", job="1"), record("b", job="2")
    indexes = Indexes()
    assert set(indexes.find(("label", "job"), "1", [a, b])) == {a.key}
    indexes.change(record("b", job="1"), b)
    indexes.change(None, a)
    indexes.change(record("c", job="1"), None)
    # The records are not looked at again.
    assert {key.name for key in indexes.find(("label", "job"), "1", ())} == {"b", "c"}


def test_the_index_not_used_for_longest_makes_room() -> None:
    indexes = Indexes()
    for i in range(Indexes.LIMIT):
        indexes.find(("label", str(i)), "", ())
    indexes.find(("label", "0"), "", ())
    indexes.find(("label", "new"), "", ())
    want = [("label", str(i)) for i in range(2, Indexes.LIMIT)] + [("label", "0"), ("label", "new")]
    assert indexes.terms == want
