"""What the remote client sends, and what it makes of answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web

from argosy.base.errors import (
    Conflict,
    Forbidden,
    InternalError,
    NotFound,
    StatusError,
)
from argosy.base.types import Json
from argosy.client.credentials import Credential, Fixed
from argosy.client.protocol import PatchType, Propagation
from argosy.client.remote import RemoteClient
from argosy.client.resources import NODES, PODS
from tests.fakes.servers import POD, Answer, Script, status


def get(client: RemoteClient) -> Awaitable[Json]:
    return client.get(PODS, "a", namespace="ns")


def create(client: RemoteClient) -> Awaitable[Json]:
    return client.create(PODS, POD)


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
            {"kind": "Node", "apiVersion": "v1", "spec": {}, "metadata": {"name": "n"}},
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
