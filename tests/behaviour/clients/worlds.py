"""The three ways to a cluster that the contract of clients is held against.

* `local`: LocalClient on a server in memory;
* `https`: RemoteClient over TLS to a server in this process, with a listener on the loopback;
* `kube-apiserver`: RemoteClient to the real one, which says what is right.

A world lives as long as the test session and has one event loop, which its tests share. Each has two identities:
the admin and `plain`, a user without any rights until a test grants some.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from argosy.apiserver.access.identities import ADMIN, User
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.http.serving import server_context
from argosy.apiserver.servers import ClusterServer
from argosy.base.clock import RealClock
from argosy.client import kubeconfig
from argosy.client.credentials import Credential, Fixed
from argosy.client.kubeconfig import Connection
from argosy.client.local import LocalClient
from argosy.client.protocol import Client
from argosy.client.remote import RemoteClient
from argosy.fleet import certificates
from argosy.workloads.housekeeping import keep_house
from peer.running import control_plane
from tests.differential.servers import CONTROLLERS
from tests.fakes.clusters import memory_server

PLAIN = User("plain")
AGENT = "contract"


@dataclass(slots=True)
class World:
    """One way to one cluster. `expire` gives a revision that has left the history of widgets."""

    name: str
    runner: asyncio.Runner
    admin: Client
    plain: Client
    expire: Callable[[], Awaitable[str]]


@contextmanager
def local(directory: Path) -> Iterator[World]:
    with asyncio.Runner() as runner:
        block = _argosy()
        server = runner.run(block.__aenter__())
        yield World(
            "local",
            runner,
            LocalClient(server, ADMIN, AGENT),
            LocalClient(server, PLAIN, AGENT),
            _expiring(server),
        )
        runner.run(block.__aexit__(None, None, None))


@contextmanager
def https(directory: Path) -> Iterator[World]:
    files = certificates.prepare(directory, ["127.0.0.1"])
    tls = server_context(str(files.certificate), str(files.key))
    with asyncio.Runner() as runner:
        block = _argosy()
        server = runner.run(block.__aenter__())
        listener = runner.run(server.listen("127.0.0.1", 0, tls))
        address = f"https://127.0.0.1:{listener.port}"
        admin, plain = (
            _remote(runner, Connection(address, _token(name), files.ca.read_bytes()))
            for name in ("admin", "plain")
        )
        yield World("https", runner, admin, plain, _expiring(server))
        runner.run(admin.close())
        runner.run(plain.close())
        runner.run(listener.stop())
        runner.run(block.__aexit__(None, None, None))


@contextmanager
def kube_apiserver(directory: Path) -> Iterator[World]:
    with control_plane(directory, controllers=CONTROLLERS) as plane, asyncio.Runner() as runner:
        admin, plain = (
            _remote(runner, kubeconfig.load(plane.kubeconfig, context=name))
            for name in ("admin", "plain")
        )

        async def expire() -> str:
            """Long before the custom kind, and so before its watch cache."""
            return "1"

        yield World("kube-apiserver", runner, admin, plain, expire)
        runner.run(admin.close())
        runner.run(plain.close())


WORLDS: dict[str, Callable[[Path], AbstractContextManager[World]]] = {
    "local": local,
    "https": https,
    "kube-apiserver": kube_apiserver,
}


@asynccontextmanager
async def _argosy() -> AsyncIterator[ClusterServer]:
    server = memory_server(RealClock(), {"admin": ADMIN, "plain": PLAIN})
    await bootstrap(server.cluster)
    house = asyncio.create_task(keep_house(server.cluster, ca="-"))
    try:
        yield server
    finally:
        house.cancel()
        await asyncio.wait({house})
        await server.cluster.store.close()


def _expiring(server: ClusterServer) -> Callable[[], Awaitable[str]]:
    async def expire() -> str:
        store = server.cluster.store
        revision = store.revision
        store.compact(revision)
        return str(revision - 1)

    return expire


def _token(name: str) -> Fixed:
    return Fixed(Credential(name))


def _remote(runner: asyncio.Runner, connection: Connection) -> RemoteClient:
    async def make() -> RemoteClient:
        return RemoteClient(connection, user_agent=f"{AGENT}/1")

    return runner.run(make())
