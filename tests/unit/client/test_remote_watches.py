"""Watches of the remote client: resuming, waiting, giving up."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from contextlib import aclosing

import pytest

from argosy.base.errors import (
    Expired,
    Forbidden,
    InternalError,
    Unauthorized,
)
from argosy.base.types import Json
from argosy.client.credentials import Credential
from argosy.client.objects import WatchEvent
from argosy.client.remote import RemoteClient
from argosy.client.resources import PODS
from tests.fakes.servers import Answer, Script, status


class Renewing:
    def __init__(self) -> None:
        self.token = "old"

    async def current(self) -> Credential:
        return Credential(self.token)

    def invalidate(self) -> None:
        self.token = "new"


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
        Script(status(403, "Forbidden", "no")).play(watch(1, since="5"))
    with pytest.raises(InternalError, match="no JSON"):
        Script(Answer(chunks=[b"hello\n"])).play(watch(1, since="5"))


def test_a_watch_waits_as_long_as_it_is_asked_to_and_outlives_gateways() -> None:
    script = Script(
        Answer("", 429, {"Retry-After": "7"}),
        Answer("", 503, {"Retry-After": "3"}),
        Answer("", 502),
        Answer("", 504),
        Answer(chunks=[event("ADDED", "a", 6)]),
    )
    assert script.play(watch(1, since="5")) == ["ADDED a6"]
    assert script.clock.pauses[:2] == [7.0, 3.0]
    assert (len(script.clock.pauses), len(script.asked)) == (4, 5)
    # The pauses grow.
    assert 0 < script.clock.pauses[2] < script.clock.pauses[3]


def test_a_watch_renews_a_refused_credential_once_in_a_row() -> None:
    refused = status(401, "Unauthorized", "Unauthorized")
    script = Script(
        refused,
        Answer(chunks=[event("ADDED", "a", 6)]),
        refused,
        Answer(chunks=[event("ADDED", "b", 7)]),
    )
    assert script.play(watch(2, since="5"), credentials=Renewing()) == ["ADDED a6", "ADDED b7"]
    script = Script(refused)
    with pytest.raises(Unauthorized):
        script.play(watch(1, since="5"), credentials=Renewing())
    assert len(script.asked) == 2


def test_a_watch_from_nowhere_lists_first() -> None:
    """The server alone would not say where the present ends, and a broken connection could not be resumed."""
    listed = {
        "metadata": {"resourceVersion": "9"},
        "items": [{"metadata": {"name": "a", "resourceVersion": "3"}}],
    }
    script = Script(Answer(listed), Answer(lose=True), Answer(chunks=[event("ADDED", "b", 10)]))
    assert script.play(watch(2)) == ["ADDED a3", "ADDED b10"]
    assert [a.query.get("resourceVersion") for a in script.asked] == [None, "9", "9"]
