"""The law of drift: whatever somebody does to an object, the next pass puts back, or tells, what the manifest names.

Each example is one manifest on a member in memory, taken through the steps of a pass without a Work around it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from argosy.api.objects.fleet.placements import DEFAULT_APPLY, ApplyStrategy, ServerSideApplyConfig
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import PatchType
from argosy.client.resources import CONFIG_MAPS, DEPLOYMENTS, Resource
from argosy.member.applying.catalogs import merging_schema
from argosy.member.applying.manifests import Manifest, read
from argosy.member.applying.owners import owner_of
from argosy.member.applying.processing import Pass, process
from argosy.member.applying.reasons import ResultType
from argosy.member.applying.results import Result
from tests.fakes.clusters import memory_client

OWNER: Final = owner_of("w", "7d1cf2a5-0f0e-4a9e-9a55-3d6f5f2b8c11")
IF_NOT_DRIFTED: Final = msgspec.structs.replace(DEFAULT_APPLY, when_to_apply="IfNotDrifted")
FORCED: Final = msgspec.structs.replace(
    DEFAULT_APPLY, type="ServerSideApply", server_side_apply_config=ServerSideApplyConfig(True)
)

KEYS = ("a", "b", "c", "d", "e")
MAPS = st.dictionaries(st.sampled_from(KEYS[:3]), st.sampled_from(["1", "2"]), min_size=1)
EDITS = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(["1", "2", "3", None]))


class Member:
    """One object, the manifest it comes from, and what passes make of it."""

    def __init__(self, client: LocalClient, resource: Resource, obj: Object) -> None:
        self._client = client
        self._resource = resource
        self.manifest = self._read(obj)

    def _read(self, obj: Object) -> Manifest:
        body = {"apiVersion": self._resource.api_version, "kind": self._resource.kind, **obj}
        (found,) = read([msgspec.Raw(msgspec.json.encode(body))], lambda *_: self._resource)
        return found

    async def apply(self, strategy: ApplyStrategy) -> Result:
        shared = Pass(OWNER, strategy, lambda _: True, lambda *_: None)
        return await process(self._client, self.manifest, shared)

    async def edit(self, patch: Object) -> None:
        is_typed = merging_schema(self._resource) is not None
        await self._client.patch(
            self._resource,
            self.manifest.identifier.name,
            patch,
            kind=PatchType.STRATEGIC if is_typed else PatchType.MERGE,
            namespace="ns",
            field_manager="me",
        )

    async def live(self) -> Object:
        name = self.manifest.identifier.name
        return decode(await self._client.get(self._resource, name, namespace="ns"))


def on_member(resource: Resource, obj: Object, story: Callable[[Member], Awaitable[None]]) -> None:
    async def tell() -> None:
        client = await memory_client()
        meta = {"name": "x", "namespace": "ns", **obj.get("metadata", {})}
        await story(Member(client, resource, {**obj, "metadata": meta}))

    run_virtual(tell())


@given(MAPS, MAPS, EDITS, EDITS, st.sampled_from([DEFAULT_APPLY, FORCED]))
def test_always_restores_what_the_manifest_names_and_nothing_else(
    data: Object, labels: Object, edits: Object, marks: Object, strategy: ApplyStrategy
) -> None:
    async def story(member: Member) -> None:
        assert (await member.apply(strategy)).type is ResultType.APPLIED
        await member.edit({"data": edits, "metadata": {"labels": marks}})
        edited = await member.live()
        assert (await member.apply(strategy)).type is ResultType.APPLIED
        after = await member.live()
        assert after["data"] == {**edited.get("data", {}), **data}
        assert after["metadata"]["labels"] == {**edited["metadata"].get("labels", {}), **labels}
        # And then there is nothing left to do.
        assert (await member.apply(strategy)).type is ResultType.APPLIED
        assert (await member.live())["metadata"]["resourceVersion"] == after["metadata"][
            "resourceVersion"
        ]

    on_member(CONFIG_MAPS, {"data": data, "metadata": {"labels": labels}}, story)


@given(MAPS, EDITS)
def test_drift_is_exactly_what_was_edited_of_what_the_manifest_names(
    data: Object, edits: Object
) -> None:
    async def story(member: Member) -> None:
        await member.apply(IF_NOT_DRIFTED)
        # Something that keeps the map there, whatever goes.
        await member.edit({"data": {**edits, "z": "kept"}})
        before = await member.live()
        result = await member.apply(IF_NOT_DRIFTED)
        changed = sorted(key for key in data if before["data"].get(key) != data[key])
        assert [each.path for each in result.drifts] == [f"/data/{key}" for key in changed]
        assert [each.value_in_hub for each in result.drifts] == [data[key] for key in changed]
        assert result.type is (ResultType.FOUND_DRIFTS if changed else ResultType.APPLIED)
        after = await member.live()
        assert after["data"] == before["data"]
        assert (await member.apply(DEFAULT_APPLY)).type is ResultType.APPLIED
        assert (await member.apply(IF_NOT_DRIFTED)).drifts == ()

    on_member(CONFIG_MAPS, {"data": data}, story)


IMAGES = st.sampled_from(["busybox:1", "busybox:2"])


@given(IMAGES, IMAGES, st.integers(1, 3), st.integers(1, 3), st.booleans())
def test_the_same_holds_for_lists_that_merge(
    image: str, other: str, replicas: int, scaled: int, has_sidecar: bool
) -> None:
    async def story(member: Member) -> None:
        await member.apply(IF_NOT_DRIFTED)
        containers = [{"name": "main", "image": other}]
        if has_sidecar:
            containers.append({"name": "sidecar", "image": "envoy"})
        await member.edit(
            {"spec": {"replicas": scaled, "template": {"spec": {"containers": containers}}}}
        )
        place = [each["name"] for each in _containers(await member.live())].index("main")
        result = await member.apply(IF_NOT_DRIFTED)
        want = ["/spec/replicas"] if scaled != replicas else []
        if other != image:
            want.append(f"/spec/template/spec/containers/{place}/image")
        assert [each.path for each in result.drifts] == want
        await member.apply(DEFAULT_APPLY)
        after = await member.live()
        assert after["spec"]["replicas"] == replicas
        found = {each["name"]: each["image"] for each in _containers(after)}
        assert found == {"main": image, **({"sidecar": "envoy"} if has_sidecar else {})}
        assert (await member.apply(IF_NOT_DRIFTED)).drifts == ()

    labels = {"app": "x"}
    template = {
        "metadata": {"labels": labels},
        "spec": {"containers": [{"name": "main", "image": image}]},
    }
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    on_member(DEPLOYMENTS, {"spec": spec}, story)


def _containers(deployment: Object) -> list[Object]:
    found: list[Object] = deployment["spec"]["template"]["spec"]["containers"]
    return found
