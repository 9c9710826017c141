"""One cluster as a fleet has it: its store opened, its API served over HTTPS, its house kept.

`listening` is the whole way from a directory to an address that kubectl can be pointed at, and back: whoever leaves it
has closed everything. What works on the cluster (controllers, agents) is put on top by others.
"""

from __future__ import annotations

import errno
import logging
import secrets
import socket
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from argosy.api.builtin import builtin_kinds
from argosy.apiserver.access.identities import ADMIN, User
from argosy.apiserver.access.tokens import Signer, load_key, write_private
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.clusters import describing
from argosy.apiserver.http.serving import Listener, server_context
from argosy.apiserver.servers import ClusterServer, build
from argosy.base.clock import RealClock
from argosy.base.ids import RandomIds
from argosy.fleet import certificates
from argosy.fleet.kubeconfigs import Context
from argosy.queueing.visibility import Pending
from argosy.store import MemoryStore, Store, open_store
from argosy.workloads.housekeeping import keep_house, prepare_house
from argosy.workloads.podlogs import PodLogs
from argosy.workloads.runtimes.answering import Answers

_LOG: Final = logging.getLogger(__name__)

HOSTS: Final = (
    "127.0.0.1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
)


class PortInUse(Exception):
    """The port that was asked for cannot be had; the message is for the user."""


@dataclass(slots=True, frozen=True)
class Place:
    """Where a cluster lives. `keeps` False: its objects are gone at the end; `has_nodes` False: nobody runs pods here;
    `tokens`: who else is known from the start, beside its administrator.
    """

    name: str
    directory: Path
    keeps: bool = True
    has_nodes: bool = True
    host: str = "127.0.0.1"
    port: int = 0
    tokens: Mapping[str, User] = field(default_factory=dict)


@dataclass(slots=True, frozen=True)
class Listening:
    """A cluster that can be reached. `answers` and `pending` are told who answers for pods and for queues."""

    place: Place
    server: ClusterServer
    port: int
    ca: str
    token: str
    answers: Answers
    pending: Pending
    tls: ssl.SSLContext

    @property
    def address(self) -> str:
        return f"https://{self.place.host}:{self.port}"

    def context(self, token: str = "") -> Context:
        """For a kubeconfig: as the administrator, or as whoever has this token."""
        return Context(self.place.name, self.address, self.ca.encode(), token or self.token)

    async def listen_at(self, port: int) -> Listener:
        """One more address of it, of the port (0: any) that is free; whoever asks stops it."""
        return await self.server.listen(self.place.host, port, self.tls)

    async def keep_house(self) -> None:
        await keep_house(self.server.cluster, ca=self.ca)


@asynccontextmanager
async def listening(place: Place) -> AsyncIterator[Listening]:
    """The cluster of a place, served until left."""
    store = _open(place)
    try:
        signer = Signer(load_key(place.directory / "serviceaccounts.key"), RealClock())
        token = secret_token(place.directory / "admin.token")
        answers, pending = Answers(), Pending()
        server = _build(place, store, signer, token, answers, pending)
        await bootstrap(server.cluster)
        files = certificates.prepare(place.directory / "pki", [*HOSTS, place.host])
        ca = files.ca.read_text()
        await prepare_house(server.cluster, ca=ca)
        tls = server_context(str(files.certificate), str(files.key))
        listener = await _listen(server, place, tls)
        try:
            yield Listening(place, server, listener.port, ca, token, answers, pending, tls)
        finally:
            await listener.stop()
    finally:
        await store.close()


def secret_token(path: Path) -> str:
    """The token kept in a file, which is made where there is none."""
    if not path.exists():
        write_private(path, secrets.token_urlsafe(32).encode())
    return path.read_text().strip()


def _build(
    place: Place, store: Store, signer: Signer, token: str, answers: Answers, pending: Pending
) -> ClusterServer:
    """The server; where there are no nodes, logs are read from files that somebody may put there."""
    clock, ids, tokens = RealClock(), RandomIds(), {token: ADMIN, **place.tokens}
    if not place.has_nodes:
        return build(
            store,
            clock=clock,
            ids=ids,
            signer=signer,
            tokens=tokens,
            logs=lambda cluster: PodLogs(cluster, place.directory / "logs"),
        )
    return build(
        store,
        clock=clock,
        ids=ids,
        signer=signer,
        tokens=tokens,
        logs=lambda _: answers,
        exec=lambda _: answers,
        metrics=lambda _: answers,
        pending=lambda _: pending,
    )


def _open(place: Place) -> Store:
    if not place.keeps:
        return MemoryStore()
    return open_store(place.directory / "store.db", describe=describing(builtin_kinds()))


async def _listen(server: ClusterServer, place: Place, tls: ssl.SSLContext) -> Listener:
    port = _port(place)
    listener = await server.listen(place.host, port, tls)
    before = _remembered(place)
    if not place.port and before not in {0, listener.port}:
        _LOG.warning(
            "%s: port %d of the last start is taken by another program: it is served on port %d from now on, and the "
            "kubeconfig says so",
            place.name,
            before,
            listener.port,
        )
    _remember_port(place.directory / "port", listener.port)
    return listener


def check_port(port: int, host: str = "127.0.0.1") -> None:
    """Raises PortInUse where the port that is asked for cannot be had; 0 asks for any."""
    try:
        if port == 0 or _is_free(host, port):
            return
    except PermissionError:
        raise PortInUse(
            f"port {port} of {host} is not for this user: name one above 1023 with --port"
        ) from None
    raise PortInUse(
        f"port {port} of {host} is in use by another program: end that one, name another port with --port, "
        "or leave --port out to have a free one"
    )


def _remember_port(path: Path, port: int) -> None:
    """For the next start; written only if it is another one, so that a start needs no room on its disk."""
    content = str(port).encode()
    if not path.exists() or path.read_bytes() != content:
        write_private(path, content)


def _port(place: Place) -> int:
    """The port asked for, else the one of the last start, so that a kubeconfig stays good."""
    if place.port:
        return place.port
    port = _remembered(place)
    return port if port and _is_free(place.host, port) else 0


def _remembered(place: Place) -> int:
    path = place.directory / "port"
    text = path.read_text().strip() if path.exists() else ""
    return int(text) if text.isdigit() else 0


def _is_free(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            return False
    return True
