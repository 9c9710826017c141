"""Server-side apply: ownership, conflicts, giving up, the first apply, kubectl's client-side past."""

from __future__ import annotations

import json

import pytest

from argosy.api.apply.applying import LAST_APPLIED, apply
from argosy.api.apply.conflicts import Conflicts
from argosy.api.schema.builtin import builtin_schema
from argosy.base.errors import StatusError
from argosy.base.types import Json, Object
from tests.unit.api.apply.test_tracking import renamed
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


def run(
    live: Object | None, config: Object, manager: str = "m", *, force: bool = False, **options: Json
) -> Object:
    """The object after an apply, with its new entries in it."""
    obj, entries = apply(WIDGET, live, config, manager, VERSION, force, "", LATER, **options)
    return managed(obj, entries)


def entries_of(obj: Object) -> list[Object]:
    found: list[Object] = obj["metadata"]["managedFields"]
    return found


def live(spec_: Json, *entries: Object, **metadata: Json) -> Object:
    obj = managed(widget(spec_), list(entries))
    obj["metadata"].update(metadata)
    return obj


def test_an_apply_creates() -> None:
    config = widget({"replicas": 1})
    assert run(None, config) == live(
        {"replicas": 1}, entry("m", spec(replicas={}), "Apply", time=LATER)
    )


def test_the_same_again_changes_nothing() -> None:
    config = widget({"replicas": 1})
    once = live({"replicas": 1}, entry("m", spec(replicas={}), "Apply"))
    obj, entries = apply(WIDGET, once, config, "m", VERSION, False, "", LATER)
    assert obj is once
    assert entries == entries_of(once)


def test_an_equal_value_is_owned_together_without_a_time() -> None:
    first = entry("a", spec(replicas={}), "Apply")
    got = run(live({"replicas": 1}, first), widget({"replicas": 1}))
    assert entries_of(got) == [entry("m", spec(replicas={}), "Apply", time=""), first]


def test_another_value_is_a_conflict() -> None:
    with pytest.raises(Conflicts) as caught:
        run(live({"replicas": 1}, entry("a", spec(replicas={}))), widget({"replicas": 2}))
    assert json.loads(json.dumps(caught.value.to_status())) == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": f'Apply failed with 1 conflict: conflict with "a" using {VERSION}: .spec.replicas',
        "reason": "Conflict",
        "details": {
            "causes": [
                {
                    "reason": "FieldManagerConflict",
                    "message": f'conflict with "a" using {VERSION}',
                    "field": ".spec.replicas",
                }
            ]
        },
        "code": 409,
    }


def test_many_conflicts_are_grouped_by_manager() -> None:
    obj = live(
        {"replicas": 1, "a": {"x": 1}},
        entry("z", spec(replicas={}), "Apply"),
        entry("b", spec(replicas={}, a={"f:x": {}}), subresource="status"),
    )
    with pytest.raises(Conflicts) as caught:
        run(obj, widget({"replicas": 2, "a": {"x": 2}}))
    assert caught.value.message == (
        "Apply failed with 3 conflicts: "
        f'conflicts with "b" with subresource "status" using {VERSION}:\n'
        "- .spec.replicas\n- .spec.a.x\n"
        'conflicts with "z":\n- .spec.replicas'
    )


def test_force_takes_the_fields() -> None:
    obj = live({"replicas": 1, "on": True}, entry("a", spec(replicas={}, on={})))
    assert run(obj, widget({"replicas": 2}), force=True) == live(
        {"replicas": 2, "on": True},
        entry("m", spec(replicas={}), "Apply", time=LATER),
        entry("a", spec(on={})),
    )


MINE = spec(replicas={}, a={"f:x": {}}, m={"f:q": {}}, tags={'v:"t"': {}})
APPLIED = {"replicas": 1, "a": {"x": 1, "y": "z"}, "m": {"q": "1", "r": "2"}, "tags": ["t", "u"]}


def test_what_is_given_up_goes_and_what_others_own_stays() -> None:
    theirs = entry(
        "a", spec(replicas={}, a={".": {}, "f:y": {}}, m={"f:r": {}}, tags={'v:"u"': {}})
    )
    got = run(live(APPLIED, entry("m", MINE, "Apply"), theirs), widget({"tags": ["n"]}))
    assert got == live(
        {"replicas": 1, "a": {"y": "z"}, "m": {"r": "2"}, "tags": ["u", "n"]},
        entry("m", spec(tags={'v:"n"': {}}), "Apply", time=LATER),
        theirs,
    )


def test_what_nobody_owns_below_a_field_given_up_goes_with_it() -> None:
    got = run(live(APPLIED, entry("m", MINE, "Apply")), widget({"on": True}))
    assert got["spec"] == {"on": True}


def test_what_nobody_owns_beside_a_field_given_up_stays() -> None:
    obj = live({"replicas": 1, "note": "n"}, entry("m", spec(replicas={}), "Apply"))
    assert run(obj, widget({"on": True}))["spec"] == {"note": "n", "on": True}


def test_an_item_given_up_goes_with_all_its_fields() -> None:
    mine, theirs = 'k:{"k":"a","p":1}', 'k:{"k":"b","p":1}'
    obj = live(
        {"items": [{"k": "a", "v": 1}, {"k": "b"}]},
        entry("m", spec(items={mine: {".": {}, "f:k": {}, "f:v": {}}}), "Apply"),
        entry("a", spec(items={theirs: {".": {}, "f:k": {}}})),
    )
    assert run(obj, widget({"on": True}))["spec"] == {"on": True, "items": [{"k": "b"}]}


def test_a_struct_that_lost_all_its_fields_but_has_an_owner_is_null() -> None:
    obj = live({"a": {"x": 1}}, entry("m", spec(a={"f:x": {}}), "Apply"), entry("a", spec(a={})))
    assert run(obj, widget({"on": True}))["spec"] == {"a": None, "on": True}


def test_giving_up_everything_ends_the_entry() -> None:
    obj = live(
        {"replicas": 1, "on": True}, entry("m", spec(replicas={}), "Apply"), entry("a", spec(on={}))
    )
    assert run(obj, widget()) == live({"on": True}, entry("a", spec(on={})))


def test_the_first_apply_finds_an_owner_of_all_there_is() -> None:
    assert entries_of(run(widget({"replicas": 1, "on": True}), widget({"replicas": 1}))) == [
        entry("m", spec(replicas={}), "Apply", time=""),
        entry(
            "before-first-apply", {"f:spec": {".": {}, "f:on": {}, "f:replicas": {}}}, time=LATER
        ),
    ]


def test_an_endpoint_owns_nothing_it_resets() -> None:
    obj = live({"replicas": 1}, entry("a", spec(replicas={})))
    assert entries_of(run(obj, widget({}, status={"n": 1}))) == [
        entry("m", {"f:spec": {}}, "Apply", time=LATER),
        entry("a", spec(replicas={})),
    ]


def test_metadata_is_owned_but_for_who_the_object_is() -> None:
    config = widget()
    config["metadata"] = {"name": "w", "uid": "u", "labels": {"a": "b"}}
    got = run(live({}, entry("a", spec(on={}))), config)
    assert entries_of(got)[0]["fieldsV1"] == {"f:metadata": {"f:labels": {"f:a": {}}}}


# --- versions ---------------------------------------------------------------------------------------------------------


def test_what_was_applied_in_another_version_is_given_up_there() -> None:
    obj = live(
        {"replicas": 1, "on": True},
        entry("m", spec(count={}, on={}), "Apply", version="probe.io/v2"),
    )
    assert run(obj, widget({"on": True}), at=renamed_both) == live(
        {"on": True}, entry("m", spec(on={}), "Apply", time=LATER)
    )


def renamed_both(version: str, obj: Object) -> Json:
    """As `renamed`, and back."""
    if version == VERSION:
        old = obj.get("spec") or {}
        new = {("replicas" if key == "count" else key): value for key, value in old.items()}
        return WIDGET, {**obj, "spec": new}
    return renamed(version, obj)


def test_what_was_applied_in_a_version_that_is_gone_stays() -> None:
    obj = live(
        {"replicas": 1, "on": True}, entry("m", spec(replicas={}), "Apply", version="probe.io/v0")
    )
    assert run(obj, widget({"on": True})) == live(
        {"replicas": 1, "on": True}, entry("m", spec(on={}), "Apply")
    )


# --- kubectl ----------------------------------------------------------------------------------------------------------


def client_side(replicas: int, applied: Object) -> Object:
    """An object that kubectl applied on the client's side."""
    owner = entry("kubectl-client-side-apply", spec(replicas={}))
    return live({"replicas": replicas}, owner, annotations={LAST_APPLIED: json.dumps(applied)})


def test_kubectl_takes_over_what_it_applied_client_side() -> None:
    obj = client_side(1, widget({"replicas": 1}))
    config = widget({"replicas": 2})
    config["metadata"] = {"name": "w", "annotations": {"a": "b", LAST_APPLIED: "old"}}
    got = run(obj, config, "kubectl")
    assert got["spec"] == {"replicas": 2}
    config["metadata"]["annotations"] = {"a": "b"}
    assert json.loads(got["metadata"]["annotations"][LAST_APPLIED]) == config
    assert got["metadata"]["annotations"][LAST_APPLIED].endswith("\n")


@pytest.mark.parametrize(
    ("obj", "manager"),
    [
        pytest.param(client_side(1, widget({"replicas": 1})), "other", id="another manager"),
        pytest.param(client_side(5, widget({"replicas": 1})), "kubectl", id="a value changed since"),
        pytest.param(client_side(1, {"apiVersion": "v9"}), "kubectl", id="another version"),
        pytest.param(live({"replicas": 1}, entry("a", spec(replicas={}))), "kubectl", id="nothing applied"),
        pytest.param(
            live({"replicas": 1}, entry("a", spec(replicas={})), annotations={LAST_APPLIED: "{"}),
            "kubectl",
            id="an annotation that is no JSON",
        ),
    ],
)  # fmt: skip
def test_others_conflict_with_what_was_applied_client_side(obj: Object, manager: str) -> None:
    with pytest.raises(Conflicts):
        run(obj, widget({"replicas": 2}), manager)


def test_an_object_without_the_annotation_gets_none() -> None:
    got = run(live({}, entry("a", spec(on={}))), widget({"replicas": 2}), "kubectl")
    assert "annotations" not in got["metadata"]


# --- bad configurations -----------------------------------------------------------------------------------------------


def bad(spec_: Json) -> Object:
    return widget(spec_)


TYPED = "failed to create typed patch object (/w; probe.io/v1, Kind=Widget): "
REFUSED: dict[str, tuple[Object, int, str]] = {
    "entries in the configuration": (
        {**widget(), "metadata": {"managedFields": []}}, 400, "metadata.managedFields must be nil",
    ),
    "another version": ({**widget(), "apiVersion": "probe.io/v2"}, 400, "invalid object type: probe.io/v2, Kind=Widget"),
    "a version of the core group": ({**widget(), "apiVersion": "v1"}, 400, "invalid object type: /v1, Kind=Widget"),
    "another kind": ({**widget(), "kind": "Foo"}, 400, "invalid object type: probe.io/v1, Kind=Foo"),
    "no kind": ({"apiVersion": VERSION}, 400, "invalid object type: probe.io/v1, Kind="),
    "an unknown field": (bad({"bogus": 1}), 400, TYPED + ".spec.bogus: field not declared in schema"),
    "a text for a number": (bad({"replicas": "x"}), 400, TYPED + ".spec.replicas: expected numeric (int or float), got string"),
    "a number for a text": (bad({"a": {"y": 5}}), 400, TYPED + ".spec.a.y: expected string, got &value.valueUnstructured{Value:5}"),
    "a number for a boolean": (bad({"on": 5}), 400, TYPED + ".spec.on: expected boolean, got &{5}"),
    "a number for a map": (bad({"a": 5}), 400, TYPED + ".spec.a: expected map, got &{5}"),
    "a number for a list": (bad({"items": 5}), 400, TYPED + ".spec.items: expected list, got &{5}"),
    "a list for a text": (
        bad({"note": [None, {"a": "b"}]}), 400,
        TYPED + '.spec.note: expected string, got &value.valueUnstructured{Value:[]interface {}'
        '{interface {}(nil), map[string]interface {}{"a":"b"}}}',
    ),
    "an item that is no map": (bad({"items": [1]}), 400, TYPED + ".spec.items: element 0: associative list with keys may not have non-map elements"),
    "a wrong value in an item": (
        bad({"items": [{"k": "a", "v": True}]}), 400,
        TYPED + '.spec.items[k="a",p=1].v: expected numeric (int or float), got bool',
    ),
    "an item twice": (bad({"items": [{"k": "a"}, {"k": "a"}]}), 400, TYPED + '.spec.items: duplicate entries for key [k="a",p=1]'),
    "a value twice": (bad({"tags": ["a", "a"]}), 400, TYPED + '.spec.tags: duplicate entries for key [="a"]'),
    "metadata that is no map": ({**widget(), "metadata": 5}, 400, TYPED.replace("/w", "/") + ".metadata: expected map, got &{5}"),
    "several": (
        bad({"a": 5, "on": "x"}), 400,
        TYPED + "errors:\n  .spec.a: expected map, got &{5}\n  .spec.on: expected boolean, got &{x}",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("config", "code", "message"), REFUSED.values(), ids=REFUSED)
def test_bad_configurations_are_refused(config: Object, code: int, message: str) -> None:
    with pytest.raises(StatusError) as caught:
        run(live({"replicas": 1}, entry("a", spec(replicas={}))), config)
    assert (caught.value.code, caught.value.message) == (code, message)


def test_a_create_of_another_kind_is_refused() -> None:
    with pytest.raises(StatusError) as caught:
        run(None, widget(), kind="Gadget")
    assert caught.value.message == "invalid object type: probe.io/v1, Kind=Widget"


def test_values_of_any_type_fit_where_the_schema_leaves_them_open() -> None:
    schema = builtin_schema("io.k8s.api.core.v1.Pod")
    config: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "creationTimestamp": None},
        "spec": {
            "containers": [{"name": "a", "resources": {"limits": {"cpu": 1, "memory": "1Gi"}}}]
        },
    }
    obj, entries = apply(schema, None, config, "m", "v1", False, "", NOW)
    assert obj == config
    assert entries[0]["fieldsV1"] == {
        "f:spec": {
            "f:containers": {
                'k:{"name":"a"}': {
                    ".": {},
                    "f:name": {},
                    "f:resources": {"f:limits": {"f:cpu": {}, "f:memory": {}}},
                }
            }
        }
    }


def test_objects_of_the_core_group_are_named_with_a_slash() -> None:
    schema = builtin_schema("io.k8s.api.core.v1.ConfigMap")
    config: Object = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": 5}
    with pytest.raises(StatusError) as caught:
        apply(schema, None, config, "m", "v1", False, "", NOW)
    assert caught.value.message == (
        "failed to create typed patch object (/c; /v1, Kind=ConfigMap): .data: expected map, got &{5}"
    )


@pytest.mark.parametrize("entries", [[entry("a", spec(replicas={}))], []], ids=["owned", "not yet"])
def test_a_live_object_that_cannot_be_merged_into_is_told(entries: list[Object]) -> None:
    obj = live({"items": [None]}, *entries)
    with pytest.raises(StatusError) as caught:
        run(obj, widget({"items": [{"k": "a"}]}))
    assert (caught.value.code, caught.value.message) == (
        400,
        "failed to merge config: associative list with keys may not have a null element",
    )
