"""The end of namespaces."""

from __future__ import annotations

from typing import Any

from tests.behaviour.housekeeping.houses import MAPS, House, keeping

NS = "/api/v1/namespaces/ns"


def conditions(namespace: Any) -> dict[str, tuple[str, str, str]]:
    return {
        one["type"]: (one["status"], one["reason"], one["message"])
        for one in namespace["status"]["conditions"]
    }


def test_all_that_is_in_it_goes_and_then_itself() -> None:
    async def story(house: House) -> None:
        await house.map("a")
        secret = {"metadata": {"name": "s"}, "stringData": {"k": "v"}}
        await house.create(f"{NS}/secrets", secret)
        code, gone = await house.ask("DELETE", NS)
        assert (code, gone["status"]["phase"]) == (200, "Terminating")
        assert "deletionGracePeriodSeconds" not in gone["metadata"]
        await house.settle()
        assert not await house.exists(NS)
        assert not await house.exists(f"{MAPS}/a")

    keeping(story)


def test_what_holds_out_is_told() -> None:
    async def story(house: House) -> None:
        await house.map("held", finalizers=["example.com/hold"])
        await house.map("also", finalizers=["example.com/hold"])
        await house.ask("DELETE", NS)
        await house.settle()
        got = conditions(await house.get(NS))
        assert got["NamespaceContentRemaining"] == (
            "True",
            "SomeResourcesRemain",
            "Some resources are remaining: configmaps. has 2 resource instances",
        )
        assert got["NamespaceFinalizersRemaining"] == (
            "True",
            "SomeFinalizersRemain",
            (
                "Some content in the namespace has finalizers remaining: "
                "example.com/hold in 2 resource instances"
            ),
        )
        assert got["NamespaceDeletionContentFailure"][0] == "False"
        for name in ("held", "also"):
            await house.ask("PATCH", f"{MAPS}/{name}", {"metadata": {"finalizers": None}})
        await house.settle()
        assert not await house.exists(NS)

    keeping(story)


def test_nothing_new_goes_into_one_that_ends() -> None:
    async def story(house: House) -> None:
        await house.map("held", finalizers=["example.com/hold"])
        await house.ask("DELETE", NS)
        code, refused = await house.ask("POST", MAPS, {"metadata": {"name": "late"}})
        assert (code, refused["message"]) == (
            403,
            (
                'configmaps "late" is forbidden: unable to create new content in namespace ns '
                "because it is being terminated"
            ),
        )
        assert refused["details"]["causes"][0]["reason"] == "NamespaceTerminating"

    keeping(story)


def test_a_namespace_with_a_finalizer_of_its_own_waits_for_it_empty() -> None:
    async def story(house: House) -> None:
        await house.ask("PATCH", NS, {"metadata": {"finalizers": ["example.com/hold"]}})
        await house.map("a")
        await house.ask("DELETE", NS)
        await house.settle()
        left = await house.get(NS)
        assert (left["metadata"]["finalizers"], left["spec"]) == (["example.com/hold"], {})
        assert not await house.exists(f"{MAPS}/a")
        await house.ask("PATCH", NS, {"metadata": {"finalizers": None}})
        await house.settle()
        assert not await house.exists(NS)

    keeping(story)


def test_three_namespaces_never_end() -> None:
    async def story(house: House) -> None:
        for name in ("default", "kube-system", "kube-public"):
            code, refused = await house.ask("DELETE", f"/api/v1/namespaces/{name}")
            assert (code, refused["message"]) == (
                403,
                f'namespaces "{name}" is forbidden: this namespace may not be deleted',
            )

    keeping(story)
