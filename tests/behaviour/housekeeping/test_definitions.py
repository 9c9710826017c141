"""The end of custom kinds, and the names that become free with it."""

from __future__ import annotations

from typing import Any

from tests.behaviour.housekeeping.houses import House, keeping

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TOYS = "/apis/example.com/v1/namespaces/ns/toys"


def crd(plural: str = "toys", kind: str = "Toy") -> dict[str, Any]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema},
    }  # fmt: skip
    return {
        "metadata": {"name": f"{plural}.example.com"},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": plural, "kind": kind},
            "versions": [version],
        },
    }  # fmt: skip


def toy(name: str, **meta: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Toy", "metadata": {"name": name, **meta}}


def condition(found: Any, kind: str) -> tuple[str, str]:
    one = next(c for c in found["status"]["conditions"] if c["type"] == kind)
    return one["status"], one["reason"]


def test_it_is_established_at_once_and_goes_with_its_objects() -> None:
    async def story(house: House) -> None:
        made = await house.create(CRDS, crd())
        assert condition(made, "Established") == ("True", "InitialNamesAccepted")
        await house.create(TOYS, toy("a"))
        code, ending = await house.ask("DELETE", f"{CRDS}/toys.example.com")
        assert code == 200
        assert condition(ending, "Terminating") == ("True", "InstanceDeletionPending")
        assert ending["metadata"]["generation"] == 1
        await house.settle()
        assert await house.ask("GET", TOYS) == (404, b"404 page not found\n")
        assert not await house.exists(f"{CRDS}/toys.example.com")

    keeping(story)


def test_an_object_that_holds_out_holds_its_kind() -> None:
    async def story(house: House) -> None:
        await house.create(CRDS, crd())
        await house.create(TOYS, toy("held", finalizers=["example.com/hold"]))
        await house.ask("DELETE", f"{CRDS}/toys.example.com")
        await house.settle()
        left = await house.get(f"{CRDS}/toys.example.com")
        assert condition(left, "Terminating") == ("True", "InstanceDeletionInProgress")
        code, refused = await house.ask("POST", TOYS, toy("late"))
        assert (code, refused["message"]) == (
            405,
            "create not allowed while custom resource definition is terminating",
        )
        await house.ask("PATCH", f"{TOYS}/held", {"metadata": {"finalizers": None}})
        await house.settle()
        assert not await house.exists(f"{CRDS}/toys.example.com")

    keeping(story)


def test_a_kind_made_anew_has_no_objects() -> None:
    async def story(house: House) -> None:
        await house.create(CRDS, crd())
        await house.create(TOYS, toy("a"))
        await house.ask("DELETE", f"{CRDS}/toys.example.com")
        await house.settle()
        await house.create(CRDS, crd())
        assert await house.names(TOYS) == []

    keeping(story)


def test_a_name_that_becomes_free_goes_to_whoever_was_refused_it() -> None:
    async def story(house: House) -> None:
        await house.create(CRDS, crd())
        refused = await house.create(CRDS, crd("others"))
        assert condition(refused, "NamesAccepted") == ("False", "ListKindConflict")
        await house.ask("DELETE", f"{CRDS}/toys.example.com")
        await house.settle()
        granted = await house.get(f"{CRDS}/others.example.com")
        assert condition(granted, "Established") == ("True", "InitialNamesAccepted")
        assert await house.names("/apis/example.com/v1/namespaces/ns/others") == []

    keeping(story)
