"""Custom kinds on their way into a cluster: only what differs is written, and what is shipped is good."""

from __future__ import annotations

from collections.abc import Callable, Coroutine

import pytest

from argosy.api.crds import default_crd, validate_crd, validation
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.protocol import PatchType
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS
from argosy.fleet.controllers import member_kinds
from argosy.fleet.hubs import hub_kinds
from argosy.fleet.installing import install
from argosy.member.definitions import definitions as agent_kinds
from tests.fakes.clusters import memory_client

POOLS = "nodepools.argosy.dev"


def on_cluster(story: Callable[[LocalClient], Coroutine[None, None, None]]) -> None:
    async def main() -> None:
        await story(await memory_client())

    run_virtual(main())


async def revisions(client: LocalClient) -> dict[str, str]:
    found = await client.list(CUSTOM_RESOURCE_DEFINITIONS)
    return {raw.name: raw.revision for raw in found.items}


def all_kinds() -> list[Object]:
    found = [*hub_kinds(), *member_kinds(with_queueing=True), *agent_kinds()]
    return list({each["metadata"]["name"]: each for each in found}.values())


@pytest.mark.parametrize("definition", all_kinds(), ids=lambda each: each["metadata"]["name"])
def test_what_is_shipped_is_good(definition: Object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers of this process take the shipped ones unjudged, so that they are judged here."""
    monkeypatch.setattr(validation, "_GOOD", set())
    crd: Object = {**definition, "spec": {**definition["spec"]}}
    default_crd(crd)
    assert validate_crd(crd) == []


def test_a_second_start_writes_nothing() -> None:
    async def story(client: LocalClient) -> None:
        await install(client, all_kinds())
        before = await revisions(client)
        assert len(before) == len(all_kinds())
        await install(client, all_kinds())
        assert await revisions(client) == before

    on_cluster(story)


def test_an_unchanged_definition_is_not_even_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(client: LocalClient) -> None:
        await install(client, all_kinds())
        monkeypatch.delattr(LocalClient, "apply")
        await install(client, all_kinds())

    on_cluster(story)


def test_what_somebody_changed_is_changed_back() -> None:
    async def story(client: LocalClient) -> None:
        kinds = member_kinds(with_queueing=False)
        await install(client, kinds)
        before = await revisions(client)
        patch = {"spec": {"names": {"shortNames": ["pool"]}}}
        await client.patch(CUSTOM_RESOURCE_DEFINITIONS, POOLS, patch, kind=PatchType.MERGE)
        await install(client, kinds)
        after = await revisions(client)
        changed = {name for name in after if after[name] != before[name]}
        found = (await client.get(CUSTOM_RESOURCE_DEFINITIONS, POOLS)).raw
        assert (changed, b'"pool"' in found) == ({POOLS}, False)

    on_cluster(story)


def test_a_kind_that_somebody_else_brought_becomes_ours() -> None:
    async def story(client: LocalClient) -> None:
        kinds = member_kinds(with_queueing=False)
        for definition in kinds:
            await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
        await install(client, kinds)
        found = (await client.get(CUSTOM_RESOURCE_DEFINITIONS, POOLS)).raw
        assert b'"manager":"argosy"' in found

    on_cluster(story)
