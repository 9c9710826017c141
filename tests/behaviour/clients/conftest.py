"""Runs every test here once per world; async tests run on the world's own loop."""

from __future__ import annotations

import inspect
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from argosy.base.errors import NotFound
from argosy.base.types import Json, Object
from argosy.client.objects import Raw, decode
from argosy.client.protocol import Client
from argosy.client.resources import CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS, Resource
from peer.running import is_built
from tests.behaviour.clients.waiting import eventually
from tests.behaviour.clients.worlds import WORLDS, World

_numbers = itertools.count(1)


@dataclass(slots=True)
class Place:
    """A namespace of a test's own in one world."""

    world: World
    namespace: str

    @property
    def client(self) -> Client:
        return self.world.admin

    async def put(self, name: str, value: str = "", **labels: str) -> Raw:
        """A config map."""
        body = {"metadata": {"name": name, "labels": labels}, "data": {"v": value}}
        return await self.client.create(CONFIG_MAPS, body, namespace=self.namespace)

    async def read(self, resource: Resource, name: str) -> Object:
        return decode(await self.client.get(resource, name, namespace=self.namespace))


@pytest.fixture(
    scope="session",
    params=[
        "local",
        "https",
        pytest.param("kube-apiserver", marks=pytest.mark.differential),
    ],
)
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    name: str = request.param
    if name == "kube-apiserver" and not is_built(
        "etcd", "kube-apiserver", "kube-controller-manager"
    ):
        pytest.skip("kube-apiserver is not built; run `make test-differential`, which needs Go")
    with WORLDS[name](tmp_path_factory.mktemp(name)) as started:
        yield started


@pytest.fixture
def place(world: World) -> Iterator[Place]:
    """A namespace with its default service account."""
    name = f"contract-{os.getpid()}-{next(_numbers)}"

    async def begin() -> None:
        async def account() -> None:
            await world.admin.get(SERVICE_ACCOUNTS, "default", namespace=name)

        await world.admin.create(NAMESPACES, {"metadata": {"name": name}})
        await eventually(account, NotFound)

    world.runner.run(begin())
    yield Place(world, name)
    world.runner.run(world.admin.delete(NAMESPACES, name))


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given: dict[str, Json] = pyfuncitem.funcargs
    started: World = given["world"] if "world" in given else given["place"].world
    names = inspect.signature(pyfuncitem.obj).parameters
    started.runner.run(pyfuncitem.obj(**{name: given[name] for name in names}))
    return True
