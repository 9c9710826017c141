"""Laws of ownership, on random objects of one custom kind."""

from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st

from argosy.api.apply.applying import apply
from argosy.api.apply.conflicts import Conflicts
from argosy.api.apply.fieldsets import FieldSet, is_subset, recursive_difference
from argosy.api.apply.shapes import shape_of
from argosy.api.apply.tracking import track_update
from argosy.api.apply.typed import compare, extract, remove_items, set_of, with_parents
from argosy.base.types import Object
from tests.unit.api.apply.widgets import LATER, NOW, VERSION, WIDGET, managed, widget

ITEMS = st.lists(
    st.fixed_dictionaries({"k": st.sampled_from("abc")}, optional={"v": st.integers(0, 2)}),
    min_size=1, max_size=3, unique_by=lambda item: item["k"],
)  # fmt: skip
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "replicas": st.integers(0, 2),
        "a": st.fixed_dictionaries({"x": st.integers(0, 2)}, optional={"y": st.sampled_from("xy")}),
        "m": st.dictionaries(st.sampled_from("pq"), st.sampled_from("12"), min_size=1),
        "items": ITEMS,
        "tags": st.lists(st.sampled_from("stu"), unique=True, min_size=1),
        "list": st.lists(st.sampled_from("lm"), min_size=1),
        "whole": st.fixed_dictionaries({"p": st.integers(0, 1)}),
        "free": st.dictionaries(st.sampled_from("fg"), st.integers(0, 1) | st.just({"h": 1}), min_size=1),
    },
)  # fmt: skip
OBJECTS = SPECS.map(widget)


def run(live: Object | None, config: Object, manager: str, *, force: bool = True) -> Object:
    obj, entries = apply(WIDGET, live, config, manager, VERSION, force, "", LATER)
    return managed(obj, entries) if entries else obj


def created(obj: Object) -> Object:
    return managed(obj, track_update(WIDGET, None, obj, "creator", VERSION, "", NOW))


def owned(obj: Object, manager: str) -> FieldSet:
    for entry in obj["metadata"].get("managedFields", []):
        if entry["manager"] == manager:
            found: FieldSet = entry["fieldsV1"]
            return found
    return {}


@given(OBJECTS, OBJECTS)
def test_applying_twice_changes_nothing(live: Object, config: Object) -> None:
    once = run(created(live), config, "m")
    got = run(once, config, "m", force=False)
    assert got == once


@given(OBJECTS, OBJECTS)
def test_the_applier_owns_all_it_applied(live: Object, config: Object) -> None:
    got = run(created(live), config, "m")
    applied = recursive_difference(
        set_of(WIDGET, config), {"f:apiVersion": {}, "f:kind": {}, "f:metadata": {}}
    )
    assert owned(got, "m") == applied
    # An empty struct that was applied may have fields of others.
    assert is_subset(applied, with_parents(shape_of(WIDGET), set_of(WIDGET, got)))


@given(OBJECTS, OBJECTS, OBJECTS)
def test_a_forced_apply_leaves_no_conflict(live: Object, one: Object, two: Object) -> None:
    both = run(run(created(live), one, "one"), two, "two")
    again = run(both, two, "two", force=False)
    assert again == both


@given(OBJECTS, OBJECTS)
def test_a_conflict_changes_nothing(live: Object, config: Object) -> None:
    obj = created(live)
    before = copy.deepcopy((obj, config))
    disputed: FieldSet = {}
    try:
        run(obj, config, "m", force=False)
    except Conflicts as conflicts:
        disputed = conflicts.fields
    assert is_subset(disputed, owned(obj, "creator"))
    assert (obj, config) == before


@given(OBJECTS, OBJECTS)
def test_applying_and_giving_up_on_a_fresh_object_leaves_nothing(one: Object, two: Object) -> None:
    got = run(run(None, one, "m"), two, "m")
    assert set_of(WIDGET, {"spec": got["spec"] or {}}) == set_of(WIDGET, {"spec": two["spec"]})


@given(OBJECTS, OBJECTS)
def test_comparing_is_symmetric_and_empty_for_equals(a: Object, b: Object) -> None:
    there, back = compare(WIDGET, a, b), compare(WIDGET, b, a)
    assert there.added == back.removed
    assert there.removed == back.added
    assert compare(WIDGET, a, copy.deepcopy(a)) == ({}, {}, {})


@given(OBJECTS, OBJECTS)
def test_removing_what_two_objects_share_leaves_the_rest(a: Object, b: Object) -> None:
    taken = set_of(WIDGET, b)
    rest = remove_items(WIDGET, a, taken)
    want = recursive_difference(set_of(WIDGET, a), taken)
    # A place that lost all its fields is left as null, which is a field of its own.
    assert is_subset(want, set_of(WIDGET, rest))
    assert extract(WIDGET, a, set_of(WIDGET, a)) == a


@given(OBJECTS, OBJECTS)
def test_an_update_makes_its_writer_the_owner_of_what_changed(old: Object, new: Object) -> None:
    before = created(old)
    entries = track_update(WIDGET, before, new, "w", VERSION, "", LATER)
    got = managed(new, entries)
    changed = compare(WIDGET, {"spec": old["spec"]}, {"spec": new["spec"]})
    assert owned(got, "w") == changed.changed
    assert is_subset(owned(got, "creator"), owned(before, "creator"))
