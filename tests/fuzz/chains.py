"""The whole server without a socket, and the law every answer to a bad request keeps.

`Chain.send` takes a request through authentication, authorization, admission, validation and the store of a
cluster in memory. `lawful` says what is wrong with an answer:

* no 5xx but the documented ones (503 while stopping, 504 for a revision from the future), also where
  kube-apiserver answers bad input with a 500,
* a refusal is a Status with the code it came with, or the plain text of a path that does not exist,
* what was refused has changed nothing, and neither has a dry run,
* headers hold no line breaks.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from argosy.apiserver.access.identities import ADMIN, User
from argosy.apiserver.access.tokens import Signer, load_key
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.http.messages import Request, Response, parse_query, warning_headers
from argosy.apiserver.servers import ClusterServer, build
from argosy.base.clock import RealClock
from argosy.base.ids import SeededIds
from argosy.store import MemoryStore
from tests.fuzz.samples import DEFINITIONS, SAMPLES, path_of

JSON = "application/json"
DOCUMENTED = frozenset({503, 504})


@dataclass(slots=True, frozen=True)
class Answer:
    """What the server said to one request; `moved` says whether the store's revision did."""

    status: int
    body: bytes
    content_type: str
    headers: tuple[tuple[str, str], ...]
    moved: bool
    request: Request

    @property
    def parsed(self) -> Any:
        if self.content_type == "application/yaml":
            return yaml.safe_load(self.body)
        return json.loads(self.body)


class Collector:
    """The end of a stream that keeps what is written."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []

    def write(self, chunk: bytes) -> None:
        self.chunks.append(chunk)

    async def drain(self) -> None:
        """The reader is never slow here."""


class Chain:
    """A server in this thread, filled with one object of every sample."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self.server = self._loop.run_until_complete(_built())
        for raw in (*DEFINITIONS, *SAMPLES):
            made = self.send("POST", path_of(raw), raw)
            assert made.status == 201, made.body

    @property
    def store(self) -> MemoryStore:
        store = self.server.cluster.store
        assert isinstance(store, MemoryStore)
        return store

    def close(self) -> None:
        self._loop.run_until_complete(self.store.close())
        self._loop.close()

    def send(
        self,
        method: str,
        path: str,
        body: Any = b"",
        *,
        query: str | Mapping[str, str] = "",
        content_type: str = JSON,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request as the admin; `headers` may say otherwise. A stream is read for one turn, then left."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode("utf-8", "surrogatepass")
        head = {b"authorization": b"Bearer t", b"user-agent": b"fuzz/1.0"}
        if raw:
            head[b"content-type"] = content_type.encode()
        for name, value in (headers or {}).items():
            head[name.lower().encode()] = value.encode("utf-8", "surrogatepass")
        asked = parse_query(query) if isinstance(query, str) else dict(query)
        request = Request(method, path, asked, head, raw)
        return self._loop.run_until_complete(self._answer(request))

    async def _answer(self, request: Request) -> Answer:
        before = self.store.revision
        answer = await self.server.handling(request)
        if isinstance(answer, Response):
            status, body = answer.status, answer.body
        else:
            collector = Collector()
            task = asyncio.ensure_future(answer.run(collector))
            for _ in range(3):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            if not task.cancelled() and task.exception() is not None:
                raise AssertionError("a stream failed") from task.exception()
            status, body = 200, b"".join(collector.chunks)
        headers = (*answer.headers, *warning_headers(answer.warnings))
        moved = self.store.revision != before
        return Answer(status, body, answer.content_type, headers, moved, request)


async def _built() -> ClusterServer:
    clock = RealClock()
    server = build(
        MemoryStore(),
        clock=clock,
        ids=SeededIds(1),
        signer=Signer(load_key(None), clock),
        tokens={"t": ADMIN, "nobody": User("nobody", groups=("system:authenticated",))},
    )
    await bootstrap(server.cluster)
    return server


def lawful(answer: Answer) -> Answer:
    """The answer, when it keeps the law."""
    asked = answer.request
    told = f"{asked.method} {asked.path} {asked.query} {asked.body[:600]!r} -> {answer.status} {answer.body[:600]!r}"
    assert answer.status < 500 or answer.status in DOCUMENTED, told
    for _, value in answer.headers:
        assert "\n" not in value, told
        assert "\r" not in value, told
    if answer.status >= 400:
        assert not answer.moved, f"a refusal wrote: {told}"
        if answer.content_type in {JSON, "application/yaml"}:
            _check_status(answer, told)
        else:
            assert (answer.status, answer.body) == (404, b"404 page not found\n"), told
    elif asked.method in {"GET", "HEAD"} or asked.query.get("dryRun") == "All":
        assert not answer.moved, f"a reader or a dry run wrote: {told}"
    return answer


def _check_status(answer: Answer, told: str) -> None:
    status = answer.parsed
    assert status["kind"] == "Status", told
    assert status["apiVersion"] == "v1", told
    assert status["status"] == "Failure", told
    assert status["code"] == answer.status, told
    assert isinstance(status["message"], str), told
    assert status["message"], told
    assert isinstance(status["reason"], str), told
    assert status["reason"], told
    for cause in status.get("details", {}).get("causes", ()):
        assert set(cause) <= {"reason", "message", "field"}, told
