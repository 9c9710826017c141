"""Owners after creates, updates and patches, beyond what the recordings show."""

from __future__ import annotations

from argosy.api.apply.resets import reset_fields
from argosy.api.apply.tracking import settle_times, track_update
from argosy.api.schema.parsing import parse_schema
from argosy.api.schema.structural import Schema
from argosy.base.types import Json, Object
from tests.unit.api.apply.widgets import (
    LATER,
    NOW,
    VERSION,
    WIDGET,
    entry,
    managed,
    spec,
    widget,
)

OWNED = managed(widget({"replicas": 1}), [entry("a", spec(replicas={}))])


def update(old: Object | None, new: Object, manager: str = "b", **options: Json) -> list[Object]:
    return track_update(WIDGET, old, new, manager, VERSION, "", LATER, **options)


def test_a_custom_kinds_spec_is_the_creators() -> None:
    got = update(None, widget({"replicas": 1}, status={"n": 1}), "creator")
    want = {"f:spec": {".": {}, "f:replicas": {}}}
    assert got == [entry("creator", want, time=LATER)]


def test_a_kind_without_a_status_endpoint_has_its_status_owned() -> None:
    reset = reset_fields("probe.io", "Widget", "", has_status=False)
    got = update(None, widget(status={"n": 1}), "creator", reset=reset)
    assert got == [entry("creator", {"f:status": {".": {}, "f:n": {}}}, time=LATER)]


def test_a_manager_without_a_name_is_unknown() -> None:
    got = update(None, widget({"replicas": 1}), "")
    assert [e["manager"] for e in got] == ["unknown"]


def test_an_object_of_which_nothing_can_be_owned_has_no_entries() -> None:
    assert update(None, widget()) == []


def test_a_changed_field_changes_hands_and_empty_entries_vanish() -> None:
    got = update(OWNED, widget({"replicas": 2}))
    assert got == [entry("b", spec(replicas={}), time=LATER)]


def test_a_removed_field_is_nobodys() -> None:
    old = managed(widget({"replicas": 1, "on": True}), [entry("a", spec(replicas={}, on={}))])
    assert update(old, widget({"on": True})) == [entry("a", spec(on={}))]


def test_a_write_without_change_keeps_the_times() -> None:
    assert update(OWNED, widget({"replicas": 1}), "a") == [entry("a", spec(replicas={}))]


def test_a_client_that_sends_the_entries_back_changes_none() -> None:
    assert update(OWNED, managed(widget({"replicas": 1}), [entry("a", spec(replicas={}))])) == [
        entry("a", spec(replicas={}))
    ]


def test_a_client_may_edit_the_entries() -> None:
    sent = [entry("z", spec(on={}), time="2020-01-01T02:00:00+02:00")]
    got = update(OWNED, managed(widget({"replicas": 1}), sent))
    assert got == [entry("z", spec(on={}), time="2020-01-01T00:00:00Z")]


def test_entries_that_make_no_sense_are_ignored() -> None:
    for sent in (
        [{**entry("z", {}), "operation": "Foo"}],
        [{**entry("z", {}), "apiVersion": ""}],
        [{**entry("z", {}), "fieldsType": ""}],
        [{**entry("z", {}), "fieldsType": "FieldsV2"}],
        [entry("z", {"bogus": {}})],
        [entry("z", spec(on={}), time="yesterday")],
        [5],
        "text",
    ):
        got = update(OWNED, managed(widget({"replicas": 1}), sent))  # type: ignore[arg-type]
        assert got == [entry("a", spec(replicas={}))]


def test_a_subresource_cannot_edit_the_entries() -> None:
    new = managed(widget({"replicas": 1}, status={"n": 1}), [{}])
    got = track_update(WIDGET, OWNED, new, "b", VERSION, "status", LATER)
    assert got == [
        entry("a", spec(replicas={})),
        entry("b", {"f:status": {".": {}, "f:n": {}}}, time=LATER, subresource="status"),
    ]


def test_a_reset_forgets_all_owners_until_the_first_apply() -> None:
    for sent in ([], [{}]):
        assert update(OWNED, managed(widget({"replicas": 2}), sent)) == []
    assert update(widget({"replicas": 1}), widget({"replicas": 2})) == []


def test_a_create_that_sends_a_reset_is_tracked() -> None:
    got = update(None, managed(widget({"replicas": 1}), [{}]))
    assert [e["manager"] for e in got] == ["b"]


def test_values_that_cannot_be_told_apart_end_the_tracking() -> None:
    assert update(OWNED, widget({"items": [None]})) == []


def test_the_eleventh_updater_merges_the_two_oldest() -> None:
    obj: Object = widget({"m": {}})
    entries: list[Object] = []
    for n in range(12):
        new = widget({"m": {**obj["spec"]["m"], f"k{n:02}": "1"}})
        old = managed(obj, entries) if entries else None
        entries = track_update(
            WIDGET, old, new, f"m{n:02}", VERSION, "", f"2026-01-02T03:04:{n:02}Z"
        )
        obj = new
    assert [e["manager"] for e in entries] == [
        "ancient-changes", *(f"m{n:02}" for n in range(3, 12)),
    ]  # fmt: skip
    ancient = entries[0]
    assert ancient["time"] == "2026-01-02T03:04:02Z"
    assert ancient["fieldsV1"]["f:spec"]["f:m"].keys() == {".", "f:k00", "f:k01", "f:k02"}


def test_entries_come_in_kubernetes_order() -> None:
    entries = [
        entry("z", spec(on={}), "Apply", time=""),
        entry("a", spec(note={}), "Apply"),
        entry("b", spec(a={}), subresource="status"),
        entry("c", spec(m={})),
    ]
    old = managed(widget({"replicas": 1}), list(reversed(entries)))
    got = update(old, widget({"replicas": 2}), "a")
    assert got == [*entries, entry("a", spec(replicas={}), time=LATER)]


def renamed(version: str, obj: Object) -> tuple[Schema, Object] | None:
    """Version v2 calls `replicas` `count`; there is no other."""
    if version == VERSION:
        return WIDGET, obj
    if version != "probe.io/v2":
        return None
    old = obj.get("spec") or {}
    new = {("count" if key == "replicas" else key): value for key, value in old.items()}
    return COUNTED, {**obj, "spec": new}


COUNTED = parse_schema(
    {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {"count": {"type": "integer"}, "on": {"type": "boolean"}},
            }
        },
    }
)


def test_owners_in_another_version_lose_what_changed_there() -> None:
    old = managed(
        widget({"replicas": 1, "on": True}),
        [entry("two", spec(count={}, on={}), version="probe.io/v2"), entry("gone", spec(on={}), version="probe.io/v0")],
    )  # fmt: skip
    got = update(old, widget({"replicas": 2, "on": True}), at=renamed)
    assert got == [
        entry("two", spec(on={}), version="probe.io/v2"),
        entry("b", spec(replicas={}), time=LATER),
    ]


def test_a_schema_that_makes_a_map_whole_moves_its_owners_up() -> None:
    old = managed(
        widget({"whole": {"p": 1}, "replicas": 1}),
        [entry("a", spec(whole={".": {}, "f:p": {}})), entry("two", spec(on={"f:x": {}}), version="probe.io/v2")],
    )  # fmt: skip
    got = update(old, widget({"whole": {"p": 1}, "replicas": 2}), at=renamed)
    assert got[0] == entry("a", spec(whole={}))


def test_a_write_without_effect_keeps_its_times() -> None:
    old = managed(widget({"replicas": 1}), [entry("a", spec(replicas={}), "Apply")])
    new = managed(widget({"replicas": 1}), [entry("a", spec(replicas={}), "Apply", time=LATER)])
    assert settle_times(old, new) == old
    other = managed(widget({"replicas": 2}), new["metadata"]["managedFields"])
    assert settle_times(old, other) is other
    more = managed(widget({"replicas": 1}), [*new["metadata"]["managedFields"], entry("b", {})])
    assert settle_times(old, more) is more
    assert settle_times(old, old) is old


def test_exceptions_to_what_endpoints_reset() -> None:
    assert reset_fields("", "Pod", "status", has_status=True) == {
        "f:spec": {},
        "f:metadata": {"f:deletionTimestamp": {}, "f:ownerReferences": {}},
    }
    assert reset_fields("batch", "Job", "", has_status=True) == {"f:status": {}}
    assert reset_fields("batch", "Job", "status", has_status=True) == {"f:spec": {}}
    assert reset_fields("", "ConfigMap", "", has_status=False) == {}
    assert reset_fields("apps", "Deployment", "scale", has_status=True) == {}


def test_metadata_is_nobodys_where_the_endpoint_resets_it() -> None:
    reset = reset_fields("storage.k8s.io", "VolumeAttachment", "status", has_status=True)
    new = widget(status={"n": 1})
    new["metadata"] = {**new["metadata"], "labels": {"a": "b"}}
    old = managed(widget(), [entry("a", spec(on={}))])
    got = track_update(WIDGET, old, new, "b", VERSION, "status", NOW, reset=reset)
    assert got[1]["fieldsV1"] == {"f:status": {".": {}, "f:n": {}}}
