"""A cluster in memory whose containers are played by the test, and clients that call into it over a wire."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec

from argosy.apiserver.access.identities import ADMIN, User
from argosy.apiserver.access.tokens import Signer
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.http.frames import Message, Opcode
from argosy.apiserver.http.messages import Answer, Request, Response, Upgrading, parse_query
from argosy.apiserver.servers import ClusterServer, build
from argosy.apiserver.specials.streams import (
    ExecRequest,
    MetricsSource,
    NodeUsage,
    PodUsage,
    Streams,
)
from argosy.base.clock import VirtualClock
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.store import MemoryStore
from tests.fakes.wires import Caller, Wire, handshake

PODS = "/api/v1/namespaces/ns/pods"
READER = User("reader")

Command = Callable[[ExecRequest, Streams], Awaitable[int]]


@dataclass
class Connection:
    """One connection to a port of a pod, seen from the pod; also the `StreamWriter` that the server gets."""

    out: asyncio.StreamReader
    got: bytes = b""
    ended: bool = False
    closed: bool = False

    def write(self, data: bytes) -> None:
        self.got += data

    async def drain(self) -> None:
        """Nobody is slow here."""

    def can_write_eof(self) -> bool:
        return True

    def is_closing(self) -> bool:
        return self.closed

    def write_eof(self) -> None:
        self.ended = True

    def close(self) -> None:
        self.closed = True


@dataclass
class Port:
    """A port of a pod that listens."""

    connections: list[Connection] = field(default_factory=list)


@dataclass
class Played:
    """An `ExecSource` that does what the test says; `notes` are what it was asked and how it ended."""

    command: Command | None = None
    notes: list[Any] = field(default_factory=list)
    ports: dict[int, Port] = field(default_factory=dict)

    async def exec(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        return await self._run("exec", pod, request, streams)

    async def attach(self, pod: Object, request: ExecRequest, streams: Streams) -> int:
        return await self._run("attach", pod, request, streams)

    async def _run(self, what: str, pod: Object, request: ExecRequest, streams: Streams) -> int:
        self.notes.append((what, pod["metadata"]["name"], request))
        assert self.command is not None
        try:
            return await self.command(request, streams)
        except asyncio.CancelledError:
            self.notes.append("cancelled")
            raise

    async def port_forward(
        self, pod: Object, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if port not in self.ports:
            raise ConnectionRefusedError(111, "Connect call failed")
        reader = asyncio.StreamReader()
        self.ports[port].connections.append(Connection(reader))
        return reader, self.ports[port].connections[-1]  # type: ignore[return-value]


@dataclass
class Usage:
    """A `MetricsSource` that says what the test says."""

    nodes: list[NodeUsage] = field(default_factory=list)
    pods: list[PodUsage] = field(default_factory=list)

    def node_metrics(self) -> Iterable[NodeUsage]:
        return self.nodes

    def pod_metrics(self, namespace: str | None = None) -> Iterable[PodUsage]:
        return [usage for usage in self.pods if namespace in {None, usage.namespace}]


@dataclass
class Called:
    """One client that has been let in."""

    caller: Caller
    wire: Wire
    running: asyncio.Task[None]
    headers: dict[str, str]

    async def messages(self) -> list[tuple[int, bytes]]:
        """Everything the server says until it closes, as (channel, data); the close is not among them."""
        got = await self.caller.until_close()
        await self.running
        assert got[-1] == Message(Opcode.CLOSE, b"\x03\xe8")
        return [(message.payload[0], message.payload[1:]) for message in got[:-1]]


class Cluster:
    def __init__(self, server: ClusterServer, source: Played) -> None:
        self.server = server
        self.source = source

    async def answer(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str = "admin",
        upgrade: str = "",
        **headers: str,
    ) -> Answer:
        path, _, query = path.partition("?")
        said = {b"authorization": f"Bearer {token}".encode(), b"content-type": b"application/json"}
        said |= {k.replace("_", "-").encode(): v.encode() for k, v in headers.items()}
        sent = b"" if body is None else json.dumps(body).encode()
        request = Request(
            method, path, parse_query(query), said, sent, raw_query=query, upgrade=upgrade
        )
        return await self.server.handling(request)

    async def ask(self, method: str, path: str, body: Any = None, **more: str) -> tuple[int, Any]:
        answer = await self.answer(method, path, body, **more)
        assert isinstance(answer, Response), answer
        return answer.status, json.loads(answer.body)

    async def refusal(self, path: str, *, token: str = "admin", **more: str) -> tuple[int, str]:
        """Code and message of a WebSocket that is not let in."""
        headers = {**handshake("v5.channel.k8s.io"), **more}
        code, body = await self.ask("GET", path, token=token, **{"upgrade": "websocket", **headers})
        return code, body["message"]

    async def pod(
        self, name: str, *containers: str, node: str = "n", phase: str = "Running", **meta: Any
    ) -> None:
        spec: Object = {"containers": [{"name": c, "image": "i"} for c in containers or ("main",)]}
        if node:
            spec["nodeName"] = node
        code, said = await self.ask(
            "POST", PODS, {"metadata": {"name": name, **meta}, "spec": spec}
        )
        assert code == 201, said
        code, said = await self.ask(
            "PATCH", f"{PODS}/{name}/status", {"status": {"phase": phase}},
            content_type="application/merge-patch+json",
        )  # fmt: skip
        assert code == 200, said

    @asynccontextmanager
    async def calling(
        self, path: str, protocol: str = "v5.channel.k8s.io", token: str = "admin"
    ) -> Any:
        """A WebSocket that is let in; it goes away at the end of the block."""
        said = handshake(protocol)
        answer = await self.answer("GET", path, token=token, **{**said, "upgrade": "websocket"})
        assert isinstance(answer, Upgrading), answer
        wire = Wire()
        running = asyncio.ensure_future(answer.run(wire))
        try:
            yield Called(Caller(wire), wire, running, dict(answer.headers))
        finally:
            wire.hang_up()
            await asyncio.wait({running}, timeout=60)
            assert running.done()


def streaming(
    story: Callable[[Cluster], Awaitable[None]],
    *,
    metrics: MetricsSource | None = None,
    source: Played | None = None,
    without_source: bool = False,
) -> None:
    """Run a story on a fresh cluster with the namespace `ns`; the user `reader` may get, and not create."""

    async def run() -> None:
        played = source or Played()
        clock = VirtualClock()
        server = build(
            MemoryStore(),
            clock=clock,
            ids=SeededIds(1),
            signer=Signer(ec.generate_private_key(ec.SECP256R1()), clock),
            tokens={"admin": ADMIN, "reader": READER},
            exec=None if without_source else lambda _: played,
            metrics=None if metrics is None else lambda _: metrics,
        )
        await bootstrap(server.cluster)
        cluster = Cluster(server, played)
        assert (await cluster.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "ns"}}))[
            0
        ] == 201
        account = {"metadata": {"name": "default"}}
        assert (await cluster.ask("POST", "/api/v1/namespaces/ns/serviceaccounts", account))[
            0
        ] == 201
        await story(cluster)

    run_virtual(run())
