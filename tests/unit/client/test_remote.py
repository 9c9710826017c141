"""The remote client against a scripted HTTP server on the loopback: requests, retries, errors, watches.

Pauses are noted instead of waited for.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime

import pytest
from aiohttp import web

from argosy.base.clock import RealClock
from argosy.base.errors import (
    Conflict,
    Expired,
    Forbidden,
    InternalError,
    NotFound,
    ServiceUnavailable,
    StatusError,
    Unauthorized,
)
from argosy.base.types import Json
from argosy.client.credentials import Credential, Fixed
from argosy.client.kubeconfig import Connection
from argosy.client.objects import WatchEvent
from argosy.client.protocol import PatchType, Propagation
from argosy.client.remote import RemoteClient
from argosy.client.resources import NODES, PODS

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


REQUESTS: dict[str, tuple[Callable[[RemoteClient], Awaitable[Json]], tuple[Json, ...]]] = {
    "get": (
        lambda c: c.get(PODS, "a", namespace="ns", subresource="status"),
        ("GET", "/api/v1/namespaces/ns/pods/a/status", {}, None),
    ),
    "get in the connection's namespace": (
        lambda c: c.get(PODS, "a"),
        ("GET", "/api/v1/namespaces/mine/pods/a", {}, None),
    ),
    "create": (
        lambda c: c.create(
            PODS, {"metadata": {"name": "a", "namespace": "ns"}}, field_manager="m", dry_run=True
        ),
        (
            "POST",
            "/api/v1/namespaces/ns/pods",
            {"fieldManager": "m", "dryRun": "All"},
            {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a", "namespace": "ns"}},
        ),
    ),
    "evict": (
        lambda c: c.create(
            PODS, {"kind": "Eviction"}, namespace="ns", name="a", subresource="eviction"
        ),
        ("POST", "/api/v1/namespaces/ns/pods/a/eviction", {}, {"kind": "Eviction"}),
    ),
    "update": (
        lambda c: c.update(PODS, POD, subresource="status"),
        ("PUT", "/api/v1/namespaces/ns/pods/a/status", {}, POD),
    ),
    "merge patch": (
        lambda c: c.patch(NODES, "n", {"x": 1}),
        ("PATCH", "/api/v1/nodes/n", {}, {"x": 1}, "application/merge-patch+json"),
    ),
    "json patch": (
        lambda c: c.patch(NODES, "n", [{"op": "remove"}], kind=PatchType.JSON),
        ("PATCH", "/api/v1/nodes/n", {}, [{"op": "remove"}], "application/json-patch+json"),
    ),
    "apply": (
        lambda c: c.apply(NODES, "n", {"spec": {}}, field_manager="m", force=True),
        (
            "PATCH",
            "/api/v1/nodes/n",
            {"fieldManager": "m", "force": "true"},
            {"kind": "Node", "apiVersion": "v1", "spec": {}},
            "application/apply-patch+yaml",
        ),
    ),
    "delete": (
        lambda c: c.delete(
            NODES,
            "n",
            propagation=Propagation.ORPHAN,
            grace_seconds=0,
            uid="u",
            resource_version="5",
            dry_run=True,
        ),
        (
            "DELETE",
            "/api/v1/nodes/n",
            {},
            {
                "kind": "DeleteOptions",
                "apiVersion": "v1",
                "propagationPolicy": "Orphan",
                "gracePeriodSeconds": 0,
                "dryRun": ["All"],
                "preconditions": {"uid": "u", "resourceVersion": "5"},
            },
        ),
    ),
    "delete a collection": (
        lambda c: c.delete_collection(
            PODS, namespace="ns", label_selector="a=b", field_selector="c=d"
        ),
        (
            "DELETE",
            "/api/v1/namespaces/ns/pods",
            {"labelSelector": "a=b", "fieldSelector": "c=d"},
            {"kind": "DeleteOptions", "apiVersion": "v1"},
        ),
    ),
}


@pytest.mark.parametrize(("story", "want"), REQUESTS.values(), ids=REQUESTS.keys())
def test_requests(story: Callable[[RemoteClient], Awaitable[Json]], want: tuple[Json, ...]) -> None:
    script = Script()
    script.play(story)
    (asked,) = script.asked
    got = (asked.method, asked.path, asked.query, asked.body, asked.content_type)
    assert got[: len(want)] == want


def get(client: RemoteClient) -> Awaitable[Json]:
    return client.get(PODS, "a", namespace="ns")


def create(client: RemoteClient) -> Awaitable[Json]:
    return client.create(PODS, POD)


def test_who_asks() -> None:
    script = Script()
    script.play(
        get,
        credentials=Fixed(Credential("secret")),
        impersonate="jane",
        impersonate_groups=("a", "b"),
    )
    headers = script.asked[0].headers
    got = [
        headers[k] for k in ("Authorization", "Impersonate-User", "Impersonate-Group", "User-Agent")
    ]
    assert got == ["Bearer secret", "jane", "a,b", "argosy/0.1.0"]


def test_an_object_comes_as_bytes() -> None:
    raw = Script().play(get)
    assert (raw.key, raw.revision, json.loads(raw.raw)) == (("ns", "a"), "5", POD)


def test_lists_and_pages() -> None:
    item = {"metadata": {"name": "a", "resourceVersion": "1"}}
    first = {
        "metadata": {"resourceVersion": "9", "continue": "next", "remainingItemCount": 1},
        "items": [item],
    }
    second = {"metadata": {"resourceVersion": "9"}, "items": [item]}
    script = Script(
        Answer(first), Answer(first), Answer(second), Answer({"metadata": {}, "items": None})
    )

    async def story(client: RemoteClient) -> Json:
        page = await client.list(PODS, limit=1, label_selector="x")
        whole = await client.list_all(PODS, namespace="ns")
        empty = await client.list(PODS)
        return page, whole, empty

    page, whole, empty = script.play(story)
    assert (len(page.items), page.continue_, page.remaining) == (1, "next", 1)
    assert (len(whole.items), whole.revision, whole.items[0].bare) == (2, "9", True)
    assert empty.items == []
    assert [a.query for a in script.asked] == [
        {"labelSelector": "x", "limit": "1"},
        {"limit": "500"},
        {"limit": "500", "continue": "next"},
        {},
    ]


ERRORS: dict[str, tuple[Answer, type[StatusError], str]] = {
    "not found": (status(404, "NotFound", 'pods "a" not found'), NotFound, 'pods "a" not found'),
    "a conflict": (status(409, "Conflict", "changed"), Conflict, "changed"),
    "not a Status": (Answer("go away", 403), Forbidden, "go away"),
    "nothing at all": (Answer("", 500), InternalError, "Internal Server Error"),
    "a redirect is not followed": (
        Answer("", 302, {"Location": "http://elsewhere"}),
        StatusError,
        "Found",
    ),
}


@pytest.mark.parametrize(("answer", "kind", "text"), ERRORS.values(), ids=ERRORS.keys())
def test_errors(answer: Answer, kind: type[StatusError], text: str) -> None:
    script = Script(answer)
    with pytest.raises(kind) as got:
        script.play(get)
    assert (str(got.value), len(script.asked)) == (text, 1)


RETRIES: dict[str, tuple[list[Answer], Callable[[RemoteClient], Awaitable[Json]], int, list[float] | None]] = {
    "429 says when": ([Answer("", 429, {"Retry-After": "7"}), Answer()], create, 2, [7.0]),
    "503 with Retry-After is safe for a create": ([Answer("", 503, {"Retry-After": "2"}), Answer()], create, 2, [2.0]),
    "503 is retried for a get": ([Answer("", 503), Answer("", 504), Answer()], get, 3, None),
    # aiohttp itself repeats a get once when a connection breaks, without a pause.
    "a lost connection is retried for a get": ([Answer(lose=True), Answer(lose=True), Answer()], get, 3, None),
}  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "story", "tries", "pauses"), RETRIES.values(), ids=RETRIES.keys()
)
def test_retries(
    answers: list[Answer],
    story: Callable[[RemoteClient], Awaitable[Json]],
    tries: int,
    pauses: list[float] | None,
) -> None:
    script = Script(*answers)
    assert script.play(story).name == "a"
    assert len(script.asked) == tries
    assert script.clock.pauses
    if pauses is not None:
        assert script.clock.pauses == pauses


NO_RETRIES = {
    "503 for a create": (Answer("", 503), 1),
    "a connection lost during a create": (Answer(lose=True), 1),
    "429 is given up after some tries": (Answer("", 429, {"Retry-After": "1"}), 6),
}


@pytest.mark.parametrize(("answer", "tries"), NO_RETRIES.values(), ids=NO_RETRIES.keys())
def test_giving_up(answer: Answer, tries: int) -> None:
    script = Script(answer)
    with pytest.raises(StatusError):
        script.play(create)
    assert len(script.asked) == tries


def test_a_server_that_is_not_there_is_tried_and_named() -> None:
    clock = NotingClock()

    async def main() -> None:
        async with RemoteClient(Connection("http://127.0.0.1:1"), clock=clock) as client:
            await create(client)

    with pytest.raises(ServiceUnavailable, match=r"http://127\.0\.0\.1:1 cannot be reached"):
        asyncio.run(main())
    assert len(clock.pauses) == 5


class Renewing:
    def __init__(self) -> None:
        self.token = "old"

    async def current(self) -> Credential:
        return Credential(self.token)

    def invalidate(self) -> None:
        self.token = "new"


def test_a_refused_credential_is_renewed_once() -> None:
    script = Script(status(401, "Unauthorized", "Unauthorized"), Answer())
    assert script.play(get, credentials=Renewing()).name == "a"
    assert [a.headers["Authorization"] for a in script.asked] == ["Bearer old", "Bearer new"]
    script = Script(status(401, "Unauthorized", "Unauthorized"))
    with pytest.raises(Unauthorized):
        script.play(get, credentials=Renewing())
    assert len(script.asked) == 2


def event(kind: str, name: str, revision: int) -> bytes:
    obj = {"kind": "Pod", "metadata": {"name": name, "resourceVersion": str(revision)}}
    return json.dumps({"type": kind, "object": obj}).encode() + b"\n"


def bookmark(revision: int, *, end: bool = False) -> bytes:
    notes = {"k8s.io/initial-events-end": "true"} if end else {}
    obj = {"kind": "Pod", "metadata": {"resourceVersion": str(revision), "annotations": notes}}
    return json.dumps({"type": "BOOKMARK", "object": obj}).encode() + b"\n"


def watch(count: int, **options: Json) -> Callable[[RemoteClient], Awaitable[list[str]]]:
    async def story(client: RemoteClient) -> list[str]:
        seen: list[WatchEvent] = []
        async with aclosing(client.watch(PODS, namespace="ns", **options)) as events:
            async for found in events:
                seen.append(found)
                if len(seen) == count:
                    break
        return [f"{e.type} {e.object.name}{e.object.revision}" for e in seen]

    return story


def test_a_watch_goes_on_where_it_was_cut() -> None:
    one, two, three = event("ADDED", "a", 6), event("MODIFIED", "a", 7), event("DELETED", "a", 9)
    script = Script(
        Answer(chunks=[one[:10], one[10:] + two[:5], two[5:]]),
        Answer(chunks=[bookmark(8)]),
        Answer(lose=True),
        Answer("", 503),
        Answer(chunks=[three]),
    )
    got = script.play(watch(4, since="5", label_selector="x=y"))
    assert got == ["ADDED a6", "MODIFIED a7", "BOOKMARK 8", "DELETED a9"]
    assert [a.query["resourceVersion"] for a in script.asked] == ["5", "7", "8", "8", "8"]
    first = script.asked[0].query
    assert 300 <= int(first.pop("timeoutSeconds")) <= 600
    assert first == {
        "watch": "true",
        "resourceVersion": "5",
        "labelSelector": "x=y",
        "allowWatchBookmarks": "true",
    }


def test_initial_events_are_asked_for_once() -> None:
    script = Script(
        Answer(chunks=[event("ADDED", "a", 5), bookmark(6, end=True)]),
        Answer(chunks=[event("ADDED", "b", 7)]),
    )
    got = script.play(watch(3, initial_events=True, bookmarks=False))
    assert got == ["ADDED a5", "BOOKMARK 6", "ADDED b7"]
    first, second = script.asked[0].query, script.asked[1].query
    assert (first["sendInitialEvents"], first["resourceVersionMatch"]) == ("true", "NotOlderThan")
    assert ("sendInitialEvents" in second, second["resourceVersion"]) == (False, "6")


def test_initial_events_that_are_cut_off_are_no_list() -> None:
    with pytest.raises(Expired, match="start again"):
        Script(Answer(chunks=[event("ADDED", "a", 5)])).play(watch(9, initial_events=True))


def test_an_expired_watch_ends_with_the_error() -> None:
    gone = {
        "kind": "Status",
        "code": 410,
        "reason": "Expired",
        "message": "too old resource version: 1 (9)",
    }
    frame = json.dumps({"type": "ERROR", "object": gone}).encode() + b"\n"
    with pytest.raises(Expired, match="too old resource version"):
        Script(Answer(chunks=[frame])).play(watch(1, since="1"))
    with pytest.raises(Expired, match="too old"):
        Script(status(410, "Expired", "too old")).play(watch(1, since="1"))


def test_a_forbidden_watch_ends_and_nonsense_is_an_error() -> None:
    with pytest.raises(Forbidden):
        Script(status(403, "Forbidden", "no")).play(watch(1))
    with pytest.raises(InternalError, match="no JSON"):
        Script(Answer(chunks=[b"hello\n"])).play(watch(1))


def test_requests_at_once_are_limited() -> None:
    script = Script()
    most = active = 0
    original = script.handle

    async def slow(request: web.BaseRequest) -> web.StreamResponse:
        nonlocal most, active
        active += 1
        most = max(most, active)
        await asyncio.sleep(0)
        answer = await original(request)
        active -= 1
        return answer

    script.handle = slow  # type: ignore[method-assign]

    async def story(client: RemoteClient) -> None:
        client._transport._slots = asyncio.Semaphore(2)
        await asyncio.gather(*(client.get(PODS, str(i)) for i in range(8)))

    script.play(story)
    assert (most <= 2, len(script.asked)) == (True, 8)
