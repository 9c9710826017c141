"""Which requests the remote client repeats, when, and what it says when it may not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from argosy.base.errors import (
    InternalError,
    NotFound,
    ServiceUnavailable,
    StatusError,
    Unauthorized,
)
from argosy.base.types import Json
from argosy.client.credentials import Credential
from argosy.client.kubeconfig import Connection
from argosy.client.remote import RemoteClient
from argosy.client.resources import PODS
from tests.fakes.servers import POD, Answer, NotingClock, Script, status


def get(client: RemoteClient) -> Awaitable[Json]:
    return client.get(PODS, "a", namespace="ns")


def create(client: RemoteClient) -> Awaitable[Json]:
    return client.create(PODS, POD)


RETRIES: dict[str, tuple[list[Answer], Callable[[RemoteClient], Awaitable[Json]], int, list[float] | None]] = {
    "429 says when": ([Answer("", 429, {"Retry-After": "7"}), Answer()], create, 2, [7.0]),
    "503 with Retry-After is safe for a create": ([Answer("", 503, {"Retry-After": "2"}), Answer()], create, 2, [2.0]),
    "429 that does not say when is retried for a get": ([Answer("", 429), Answer()], get, 2, None),
    "503 is retried for a get": ([Answer("", 503), Answer("", 504), Answer()], get, 3, None),
    "a lost connection is retried for a get": ([Answer(lose=True), Answer(lose=True), Answer()], get, 3, None),
    "an update that names its revision": ([Answer(lose=True), Answer()], lambda c: c.update(PODS, POD), 2, None),
    "a patch that names its revision": (
        [Answer("", 502), Answer()],
        lambda c: c.patch(PODS, "a", {"metadata": {"resourceVersion": "5"}}), 2, None,
    ),
    "an apply without force": (
        [Answer(lose=True), Answer()], lambda c: c.apply(PODS, "a", {}, field_manager="m"), 2, None,
    ),
    "a dry run": ([Answer(lose=True), Answer()], lambda c: c.create(PODS, POD, dry_run=True), 2, None),
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


NO_RETRIES: dict[str, tuple[Answer, Callable[[RemoteClient], Awaitable[Json]], int]] = {
    "429 that does not say when: an eviction beyond the budget": (Answer("", 429), create, 1),
    "503 for a create": (Answer("", 503), create, 1),
    "a connection lost during a create": (Answer(lose=True), create, 1),
    "an update of whatever is there": (
        Answer(lose=True), lambda c: c.update(PODS, {"metadata": {"name": "a"}}), 1,
    ),
    "a patch of whatever is there": (Answer(lose=True), lambda c: c.patch(PODS, "a", {"x": 1}), 1),
    "a forced apply": (
        Answer("", 504), lambda c: c.apply(PODS, "a", {}, field_manager="m", force=True), 1,
    ),
    "a delete of whatever is there": (Answer(lose=True), lambda c: c.delete(PODS, "a"), 1),
    "a delete of many": (Answer("", 502), lambda c: c.delete_collection(PODS, namespace="ns"), 1),
    "429 is given up after some tries": (Answer("", 429, {"Retry-After": "1"}), create, 6),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "story", "tries"), NO_RETRIES.values(), ids=NO_RETRIES.keys())
def test_giving_up(
    answer: Answer, story: Callable[[RemoteClient], Awaitable[Json]], tries: int
) -> None:
    script = Script(answer)
    with pytest.raises(StatusError) as got:
        script.play(story)
    assert len(script.asked) == tries
    if answer.lose:
        assert str(got.value).endswith(" was sent and may have been done")


def test_a_repeated_delete_that_finds_nothing_has_done_its_work() -> None:
    gone = status(404, "NotFound", 'pods "a" not found')
    script = Script(Answer(lose=True), gone)
    script.play(lambda client: client.delete(PODS, "a", uid="u"))
    assert len(script.asked) == 2
    with pytest.raises(NotFound):
        Script(gone).play(lambda client: client.delete(PODS, "a", uid="u"))
    # 429 did nothing, so the NotFound after it is the truth.
    with pytest.raises(NotFound):
        Script(Answer("", 429), gone).play(lambda client: client.delete(PODS, "a", uid="u"))


def test_a_kept_connection_that_has_died_is_no_reason_to_send_a_write_twice() -> None:
    """aiohttp would, for PUT and DELETE, without anybody's knowledge."""
    script = Script(Answer(), Answer(lose=True), Answer())

    async def story(client: RemoteClient) -> None:
        await get(client)
        with pytest.raises(ServiceUnavailable):
            await client.update(PODS, {"metadata": {"name": "a"}})

    script.play(story)
    assert [asked.method for asked in script.asked] == ["GET", "PUT"]


def test_an_answer_that_is_no_object() -> None:
    for story in (get, lambda client: client.list(PODS), create):
        with pytest.raises(InternalError, match="something that is no Kubernetes object"):
            Script(Answer("<html>please log in</html>")).play(story)


def test_a_large_body_arrives_whole() -> None:
    script = Script()
    body = {"metadata": {"name": "a"}, "data": {"v": "x" * (600_000)}}
    script.play(lambda client: client.create(PODS, body))
    assert script.asked[0].body["data"] == body["data"]


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
