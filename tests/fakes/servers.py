"""A scripted HTTP server on the loopback: says what it is told, notes what it was asked.

For the remote client's own manners; what a real server answers is tested with real ones. Pauses are noted instead
of waited for.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime

from aiohttp import web

from argosy.base.clock import RealClock
from argosy.base.types import Json
from argosy.client.kubeconfig import Connection
from argosy.client.remote import RemoteClient

POD = {
    "kind": "Pod",
    "apiVersion": "v1",
    "metadata": {"name": "a", "namespace": "ns", "resourceVersion": "5"},
}


class NotingClock(RealClock):
    """Real time, but sleeping is only noted."""

    __slots__ = ("pauses",)

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def now(self) -> datetime:
        return super().now()

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(round(seconds, 3))
        await asyncio.sleep(0)


@dataclass
class Answer:
    body: Json = field(default_factory=lambda: POD)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    # Lines of a watch, each sent as a chunk of its own; then the connection ends.
    chunks: list[bytes] | None = None
    lose: bool = False


@dataclass
class Asked:
    method: str
    path: str
    query: dict[str, str]
    body: Json
    content_type: str
    headers: dict[str, str]


class Script:
    """Gives its answers one after the other, the last one for ever, and notes what was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers) or [Answer()]
        self.asked: list[Asked] = []
        self.clock = NotingClock()

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        raw = await request.read()
        self.asked.append(
            Asked(
                request.method,
                request.path,
                dict(request.query),
                json.loads(raw) if raw else None,
                request.content_type,
                {k: ",".join(request.headers.getall(k)) for k in request.headers},
            )
        )
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer.lose:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        if answer.chunks is None:
            body = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
            return web.Response(text=body, status=answer.status, headers=answer.headers)
        response = web.StreamResponse()
        await response.prepare(request)
        for chunk in answer.chunks:
            await response.write(chunk)
            await asyncio.sleep(0)
        await response.write_eof()
        return response

    def play(self, story: Callable[[RemoteClient], Awaitable[Json]], **connection: Json) -> Json:
        async def main() -> Json:
            server = web.Server(self.handle)
            runner = web.ServerRunner(server)
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            host, port = runner.addresses[0][:2]
            there = Connection(server=f"http://{host}:{port}", namespace="mine", **connection)
            try:
                async with RemoteClient(there, clock=self.clock, source=random.Random(0)) as client:
                    return await story(client)
            finally:
                await runner.cleanup()

        return asyncio.run(main())


def status(code: int, reason: str, message: str) -> Answer:
    return Answer({"kind": "Status", "code": code, "reason": reason, "message": message}, code)
