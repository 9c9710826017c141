"""A member's door to the hub: shut, it cuts and refuses; open again, it is where it was."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from argosy.base.errors import ServiceUnavailable
from argosy.client.credentials import Credential, Fixed
from argosy.client.kubeconfig import Connection
from argosy.client.remote import RemoteClient
from argosy.client.resources import NAMESPACES
from argosy.client.transport import Limits
from argosy.fleet.clusters import Listening, Place, listening
from argosy.fleet.doors import Doors

LIMITS = Limits(tries=1)


def through(hub: Listening, address: str) -> RemoteClient:
    connection = Connection(address, Fixed(Credential(hub.token)), hub.ca.encode())
    return RemoteClient(connection, limits=LIMITS)


def test_a_shut_door_refuses_and_the_others_do_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with listening(Place("hub", tmp_path, keeps=False, has_nodes=False)) as hub:
            doors = Doors()
            addresses = {name: await doors.build(hub, name) for name in ("east", "west")}
            assert len({*addresses.values(), hub.address}) == 3
            async with (
                through(hub, addresses["east"]) as east,
                through(hub, addresses["west"]) as west,
            ):
                await east.get(NAMESPACES, "default")
                await doors.shut("east")
                await doors.shut("east")
                with pytest.raises(ServiceUnavailable):
                    await east.get(NAMESPACES, "default")
                await west.get(NAMESPACES, "default")
                await doors.open("east")
                await east.get(NAMESPACES, "default")
            await doors.stop()

    asyncio.run(story())


def test_a_watch_through_a_door_is_cut_and_taken_up_again(tmp_path: Path) -> None:
    async def story() -> None:
        async with listening(Place("hub", tmp_path, keeps=False, has_nodes=False)) as hub:
            doors = Doors()
            address = await doors.build(hub, "east")
            async with (
                asyncio.timeout(30),
                through(hub, address) as east,
                through(hub, hub.address) as admin,
                aclosing(east.watch(NAMESPACES)) as events,
            ):
                async for event in events:
                    if event.object.key.name == "default":
                        break
                await doors.shut("east")
                await admin.create(NAMESPACES, {"metadata": {"name": "meanwhile"}})
                await doors.open("east")
                async for event in events:
                    if event.object.key.name == "meanwhile":
                        break
            await doors.stop()

    asyncio.run(story())
