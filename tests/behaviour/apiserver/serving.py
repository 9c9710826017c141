"""A cluster in memory that answers whole requests: who asks, in which form, and streams too."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from argosy.apiserver.access.identities import ADMIN, User
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.http.messages import Request, Response, Streaming, parse_query
from argosy.apiserver.servers import ClusterServer
from argosy.base.loops import run_virtual
from tests.fakes.clusters import memory_server

MAPS = "/api/v1/namespaces/ns/configmaps"
PODS = "/api/v1/namespaces/ns/pods"
TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1"


class Frames:
    """The open end of a stream, kept."""

    def __init__(self) -> None:
        self.raw = b""

    def write(self, chunk: bytes) -> None:
        self.raw += chunk

    async def drain(self) -> None:
        """Nobody is slow here."""

    @property
    def events(self) -> list[Any]:
        return [json.loads(line) for line in self.raw.splitlines()]


class Served:
    """Asks as the admin unless another token is named; `plain` is a user without rights."""

    def __init__(self, server: ClusterServer) -> None:
        self.server = server

    async def answer(
        self, method: str, path: str, body: Any = None, *, token: str = "admin", **headers: str
    ) -> Response | Streaming:
        path, _, query = path.partition("?")
        sent = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        said = {
            b"authorization": f"Bearer {token}".encode(), b"content-type": b"application/json",
            b"user-agent": b"test/1",
        }  # fmt: skip
        said |= {k.replace("_", "-").encode(): v.encode() for k, v in headers.items()}
        return await self.server.handling(Request(method, path, parse_query(query), said, sent))

    async def ask(
        self, method: str, path: str, body: Any = None, *, token: str = "admin", **headers: str
    ) -> tuple[int, Any]:
        answer = await self.answer(method, path, body, token=token, **headers)
        assert isinstance(answer, Response)
        is_json = answer.content_type.startswith("application/json") and answer.body
        return answer.status, json.loads(answer.body) if is_json else answer.body

    async def said(self, *given: Any, **more: Any) -> tuple[int, str]:
        """Code and message of a refusal."""
        code, body = await self.ask(*given, **more)
        return code, body["message"]

    async def watch(self, path: str, **headers: str) -> list[Any]:
        """All events until the watch's own time is over."""
        stream = await self.answer("GET", path, **headers)
        assert isinstance(stream, Streaming)
        frames = Frames()
        await stream.run(frames)
        return frames.events


def serving(story: Callable[[Served], Awaitable[None]]) -> None:
    """Run a story on a fresh cluster with the namespace `ns`."""

    async def run() -> None:
        server = memory_server(tokens={"admin": ADMIN, "plain": User("plain")})
        await bootstrap(server.cluster)
        served = Served(server)
        code, _ = await served.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "ns"}})
        assert code == 201
        await story(served)

    run_virtual(run())
