"""A custom kind whose versions differ: stored in one, spoken in both, each with its own schema, columns and owners."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from argosy.api.crds import Dialects
from argosy.apiserver.customs import teach
from argosy.apiserver.http.messages import Response
from argosy.base.types import Object
from tests.behaviour.apiserver.serving import TABLE, Served, serving

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
OLD = "/apis/dev.example/v1beta1/namespaces/ns/crates"
NEW = "/apis/dev.example/v1/namespaces/ns/crates"
MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"


def crd() -> Object:
    """v1 says `size` and has `color`; v1beta1 says `count`, bounded, and has `note`, which v1 does not keep."""

    def version(name: str, spec: Object, path: str, **more: Any) -> Object:
        status = {"type": "object", "properties": {"full": {"type": "boolean"}}}
        return {
            "name": name, "served": True, "storage": name == "v1", "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": spec, **more}, "status": status,
            }}},
            "additionalPrinterColumns": [{"name": "Amount", "type": "integer", "jsonPath": path}],
            "selectableFields": [{"jsonPath": ".status.full"}],
        }  # fmt: skip

    color = {"type": "string", "default": "red"}
    return {
        "metadata": {"name": "crates.dev.example"},
        "spec": {
            "group": "dev.example", "scope": "Namespaced", "names": {"kind": "Crate", "plural": "crates"},
            "versions": [
                version(
                    "v1beta1", {"count": {"type": "integer", "maximum": 9}, "note": {"type": "string", "maxLength": 3}},
                    ".spec.count",
                    **{"x-kubernetes-validations": [
                        {"rule": "self.count >= oldSelf.count", "message": "crates never shrink"}]},
                ),
                version("v1", {"size": {"type": "integer"}, "color": color}, ".spec.size"),
            ],
        },
    }  # fmt: skip


def renamed(old: str, new: str, *, drop: str) -> Callable[[Object], Object]:
    def convert(obj: Object) -> Object:
        spec = obj.get("spec")
        if not isinstance(spec, dict):
            return dict(obj)
        names = {name: new if name == old else name for name in spec if name != drop}
        return {**obj, "spec": {names[name]: spec[name] for name in names}}

    return convert


def respell(body: Object) -> tuple[Object, list[str]]:
    spec = body.get("spec")
    if not isinstance(spec, dict) or "number" not in spec:
        return body, []
    rest = {name: value for name, value in spec.items() if name != "number"}
    return {**body, "spec": {"count": spec["number"], **rest}}, ["number is called count"]


DIALECTS = Dialects(
    {
        ("v1beta1", "v1"): renamed("count", "size", drop="note"),
        ("v1", "v1beta1"): renamed("size", "count", drop="color"),
    },
    respell,
)


def crate(version: str, name: str = "a", **spec: Any) -> Object:
    return {
        "apiVersion": f"dev.example/{version}",
        "kind": "Crate",
        "metadata": {"name": name},
        "spec": spec,
    }


def shipping(story: Callable[[Served], Awaitable[None]]) -> None:
    """A story on a cluster that knows crates."""

    async def run(served: Served) -> None:
        teach(served.server.cluster, "dev.example", "Crate", DIALECTS)
        code, _ = await served.ask("POST", CRDS, crd())
        assert code == 201
        await story(served)

    serving(run)


def test_an_object_is_stored_in_one_version_and_read_in_both() -> None:
    async def story(served: Served) -> None:
        code, made = await served.ask("POST", OLD, crate("v1beta1", count=2))
        assert (code, made["apiVersion"], made["spec"]) == (
            201,
            "dev.example/v1beta1",
            {"count": 2},
        )

        _, stored = await served.ask("GET", f"{NEW}/a")
        assert (stored["apiVersion"], stored["spec"]) == (
            "dev.example/v1",
            {"size": 2, "color": "red"},
        )
        _, listed = await served.ask("GET", OLD)
        assert [(each["apiVersion"], each["spec"]) for each in listed["items"]] == [
            ("dev.example/v1beta1", {"count": 2})
        ]

    shipping(story)


def test_the_schema_of_the_request_judges_what_was_sent_even_what_is_not_kept() -> None:
    async def story(served: Served) -> None:
        assert await served.said("POST", OLD, crate("v1beta1", count=10)) == (
            422,
            'Crate.dev.example "a" is invalid: spec.count: Invalid value: 10: spec.count in body should be less than or equal to 9',
        )
        code, message = await served.said("POST", OLD, crate("v1beta1", count=1, note="long"))
        assert (code, "spec.note: Too long" in message) == (422, True)
        assert (await served.ask("POST", NEW, crate("v1", size=10)))[0] == 201

    shipping(story)


def test_rules_about_a_change_see_the_old_object_in_their_version() -> None:
    async def story(served: Served) -> None:
        await served.ask("POST", NEW, crate("v1", size=5))
        assert await served.said(
            "PATCH", f"{OLD}/a", {"spec": {"count": 4}}, content_type=MERGE
        ) == (
            422,
            'Crate.dev.example "a" is invalid: spec: Invalid value: crates never shrink',
        )
        code, grown = await served.ask(
            "PATCH", f"{OLD}/a", {"spec": {"count": 6}}, content_type=MERGE
        )
        assert (code, grown["spec"], grown["metadata"]["generation"]) == (200, {"count": 6}, 2)

    shipping(story)


def test_an_update_that_says_the_same_changes_nothing() -> None:
    async def story(served: Served) -> None:
        _, made = await served.ask("POST", OLD, crate("v1beta1", count=2))
        code, same = await served.ask("PUT", f"{OLD}/a", made)
        assert code == 200
        assert same == made

    shipping(story)


def test_a_table_has_the_columns_of_the_version_asked_for() -> None:
    async def story(served: Served) -> None:
        await served.ask("POST", OLD, crate("v1beta1", count=2))
        for path in (OLD, NEW):
            _, table = await served.ask("GET", path, accept=TABLE)
            assert [row["cells"] for row in table["rows"]] == [["a", 2]]
        _, whole = await served.ask("GET", f"{OLD}?includeObject=Object", accept=TABLE)
        assert whole["rows"][0]["object"]["spec"] == {"count": 2}

    shipping(story)


def test_a_watch_speaks_its_version() -> None:
    async def story(served: Served) -> None:
        await served.ask("POST", NEW, crate("v1", size=2))
        _, seen = await served.ask("GET", OLD)
        await served.ask("PATCH", f"{NEW}/a", {"spec": {"size": 3}}, content_type=MERGE)
        await served.ask("DELETE", f"{NEW}/a")
        since = f"watch=true&timeoutSeconds=1&resourceVersion={seen['metadata']['resourceVersion']}"
        for path, name in ((OLD, "count"), (NEW, "size")):
            events = await served.watch(f"{path}?{since}")
            assert [(event["type"], event["object"]["spec"][name]) for event in events] == [
                ("MODIFIED", 3),
                ("DELETED", 3),
            ]

    shipping(story)


def test_a_status_is_written_in_either_version_and_leaves_the_rest_as_it_is_stored() -> None:
    async def story(served: Served) -> None:
        await served.ask("POST", NEW, crate("v1", size=2, color="blue"))
        code, full = await served.ask(
            "PATCH", f"{OLD}/a/status", {"status": {"full": True}}, content_type=MERGE
        )
        assert (code, full["spec"], full["status"]) == (200, {"count": 2}, {"full": True})
        _, stored = await served.ask("GET", f"{NEW}/a")
        assert (stored["spec"], stored["status"]) == ({"size": 2, "color": "blue"}, {"full": True})

        _, chosen = await served.ask("GET", f"{OLD}?fieldSelector=status.full%3Dtrue")
        assert [each["metadata"]["name"] for each in chosen["items"]] == ["a"]

    shipping(story)


def test_appliers_own_fields_in_the_version_they_speak() -> None:
    async def story(served: Served) -> None:
        code, made = await served.ask(
            "PATCH", f"{OLD}/a?fieldManager=x", crate("v1beta1", count=2), content_type=APPLY
        )
        assert code == 201
        code, again = await served.ask(
            "PATCH", f"{OLD}/a?fieldManager=x", crate("v1beta1", count=2), content_type=APPLY
        )
        assert (code, again) == (200, made)
        assert [
            (entry["apiVersion"], entry["fieldsV1"]) for entry in made["metadata"]["managedFields"]
        ] == [("dev.example/v1beta1", {"f:spec": {"f:count": {}}})]

        code, message = await served.said(
            "PATCH", f"{NEW}/a?fieldManager=y", crate("v1", size=3), content_type=APPLY
        )
        assert (code, message) == (
            409,
            'Apply failed with 1 conflict: conflict with "x": .spec.count',
        )
        code, _ = await served.ask(
            "PATCH", f"{OLD}/a?fieldManager=x", crate("v1beta1"), content_type=APPLY
        )
        _, empty = await served.ask("GET", f"{NEW}/a")
        assert (code, "spec" in empty) == (200, False)

    shipping(story)


def test_what_is_held_is_shown_in_the_version_it_was_deleted_in() -> None:
    async def story(served: Served) -> None:
        held = crate("v1", size=2)
        held["metadata"]["finalizers"] = ["dev.example/hold"]
        await served.ask("POST", NEW, held)
        code, going = await served.ask("DELETE", f"{OLD}/a")
        assert (code, going["apiVersion"], going["spec"]) == (
            200,
            "dev.example/v1beta1",
            {"count": 2},
        )
        assert "deletionTimestamp" in going["metadata"]
        code, all_gone = await served.ask("DELETE", OLD)
        assert (code, all_gone["items"][0]["spec"]) == (200, {"count": 2})
        code, last = await served.ask(
            "PATCH", f"{OLD}/a", {"metadata": {"finalizers": None}}, content_type=MERGE
        )
        assert (code, last["spec"]) == (200, {"count": 2})
        assert (await served.ask("GET", f"{NEW}/a"))[0] == 404

    shipping(story)


def test_a_dry_run_shows_the_version_asked_for_and_keeps_nothing() -> None:
    async def story(served: Served) -> None:
        code, shown = await served.ask("POST", f"{OLD}?dryRun=All", crate("v1beta1", count=2))
        assert (code, shown["spec"]) == (201, {"count": 2})
        assert (await served.ask("GET", f"{OLD}/a"))[0] == 404

    shipping(story)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH merge", "PATCH apply"])
def test_an_old_spelling_is_read_with_a_warning(method: str) -> None:
    async def story(served: Served) -> None:
        path, body, media = (
            f"{OLD}/a?fieldManager=x",
            crate("v1beta1", number=3),
            "application/json",
        )
        if method != "POST":
            _, made = await served.ask("POST", OLD, crate("v1beta1", count=2))
            body["metadata"] = made["metadata"]
        if method == "POST":
            path = OLD
        elif method == "PATCH merge":
            body, media = {"spec": {"number": 3}}, MERGE
        elif method == "PATCH apply":
            body["metadata"], media, path = {"name": "a"}, APPLY, f"{path}&force=true"
        path += "&fieldValidation=Strict" if "?" in path else "?fieldValidation=Strict"
        answer = await served.answer(method.partition(" ")[0], path, body, content_type=media)
        assert isinstance(answer, Response)
        assert answer.warnings == ["number is called count"]
        assert (await served.ask("GET", f"{NEW}/a"))[1]["spec"] == {"size": 3, "color": "red"}

    shipping(story)


def test_a_kind_that_was_there_before_is_converted_from_then_on() -> None:
    async def story(served: Served) -> None:
        assert (await served.ask("POST", CRDS, crd()))[0] == 201
        await served.ask("POST", NEW, crate("v1", size=2))
        # The old version knows neither field.
        assert (await served.ask("GET", f"{OLD}/a"))[1]["spec"] == {}
        teach(served.server.cluster, "dev.example", "Crate", DIALECTS)
        assert (await served.ask("GET", f"{OLD}/a"))[1]["spec"] == {"count": 2}

    serving(story)


def test_defaults_that_a_schema_gained_later_come_before_conversion() -> None:
    async def story(served: Served) -> None:
        await served.ask("POST", NEW, crate("v1", size=2))
        _, definition = await served.ask("GET", f"{CRDS}/crates.dev.example")
        weight = {"type": "integer", "default": 7}
        for version in definition["spec"]["versions"]:
            fields = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
            fields["weight"] = weight if version["name"] == "v1" else {"type": "integer"}
        assert (await served.ask("PUT", f"{CRDS}/crates.dev.example", definition))[0] == 200
        assert (await served.ask("GET", f"{OLD}/a"))[1]["spec"] == {"count": 2, "weight": 7}

    shipping(story)
