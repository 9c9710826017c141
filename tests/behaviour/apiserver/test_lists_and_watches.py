"""Pages, revisions, selections; watches in every form."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from tests.behaviour.apiserver.serving import MAPS, TABLE, Served, serving


async def maps(served: Served, *names: str) -> None:
    for name in names:
        code, _ = await served.ask(
            "POST", MAPS, {"metadata": {"name": name, "labels": {"n": name}}}
        )
        assert code == 201


def names(body: Any) -> list[str]:
    return [item["metadata"]["name"] for item in body["items"]]


def test_pages_show_the_first_page_s_moment() -> None:
    async def story(served: Served) -> None:
        await maps(served, "a", "b", "c", "d", "e")
        _, first = await served.ask("GET", f"{MAPS}?limit=2")
        assert (names(first), first["metadata"]["remainingItemCount"]) == (["a", "b"], 3)
        await served.ask("DELETE", f"{MAPS}/c")
        await maps(served, "bb")
        after = first["metadata"]["continue"]
        _, rest = await served.ask("GET", f"{MAPS}?limit=10&continue={after}")
        assert names(rest) == ["c", "d", "e"]
        assert rest["metadata"]["resourceVersion"] == first["metadata"]["resourceVersion"]
        _, now = await served.ask("GET", MAPS)
        assert names(now) == ["a", "b", "bb", "d", "e"]

    serving(story)


def token(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


NO_REVISION = token('{"v":"meta.k8s.io/v1","rv":0,"start":"a/b"}')
NO_START = token('{"v":"meta.k8s.io/v1","rv":5}')
PREFIX = "invalid continue token: continue key is not valid: "
QUERIES = {
    "limit=2&continue=nonsense": f"{PREFIX}invalid character '\\u009e' looking for beginning of value",
    "continue=a!b": f"{PREFIX}illegal base64 data at input byte 1",
    "continue=e30": f"{PREFIX}server does not recognize this encoded version ",
    f"continue={token('{}x')}": f"{PREFIX}the token holds no page of a list",
    f"continue={NO_REVISION}": (
        f"{PREFIX}incorrect encoded start resourceVersion (version meta.k8s.io/v1)"
    ),
    f"continue={NO_START}": (f"{PREFIX}encoded start key empty (version meta.k8s.io/v1)"),
    "resourceVersion=abc": (
        'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'
    ),
    "labelSelector=a==": None,
    "labelSelector=!": "unable to parse requirement: found '', expected: identifier",
    "fieldSelector=spec.x=1": (
        '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"'
    ),
    "limit=-5": None,
}


@pytest.mark.parametrize("query", QUERIES)
def test_what_cannot_be_listed_is_told(query: str) -> None:
    async def story(served: Served) -> None:
        code, body = await served.ask("GET", f"{MAPS}?{query}")
        want = QUERIES[query]
        assert (code, body.get("message")) == ((200, None) if want is None else (400, want))

    serving(story)


def test_a_match_that_cannot_be_is_told_with_all_that_is_wrong() -> None:
    async def story(served: Served) -> None:
        code, text = await served.said("GET", f"{MAPS}?resourceVersionMatch=Nearly")
        assert (code, text) == (
            422,
            (
                'ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden '
                'unless resourceVersion is provided, resourceVersionMatch: Unsupported value: "Nearly": supported values: '
                '"Exact", "NotOlderThan", ""]'
            ),
        )

    serving(story)


def test_a_watch_shows_what_is_there_and_what_comes() -> None:
    async def story(served: Served) -> None:
        await maps(served, "a")

        async def change() -> None:
            await asyncio.sleep(1)
            await maps(served, "b")
            await served.ask("DELETE", f"{MAPS}/a")

        task = asyncio.create_task(change())
        events = await served.watch(f"{MAPS}?watch=true&timeoutSeconds=5")
        await task
        got = [(event["type"], event["object"]["metadata"]["name"]) for event in events]
        assert got == [("ADDED", "a"), ("ADDED", "b"), ("DELETED", "a")]

    serving(story)


def test_a_quiet_watch_gets_bookmarks_and_one_before_it_ends() -> None:
    async def story(served: Served) -> None:
        path = f"{MAPS}?watch=true&timeoutSeconds=100&allowWatchBookmarks=true"
        events = await served.watch(path)
        assert [event["type"] for event in events] == ["BOOKMARK", "BOOKMARK"]
        assert await served.watch(f"{MAPS}?watch=true&timeoutSeconds=100") == []
        assert await served.watch(f"{path}&timeoutSeconds=1".replace("=100", "=1")) == []

    serving(story)


def test_a_watch_with_initial_events_says_where_they_end() -> None:
    async def story(served: Served) -> None:
        await maps(served, "a")
        events = await served.watch(
            f"{MAPS}?watch=true&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true"
            "&resourceVersionMatch=NotOlderThan"
        )
        assert [event["type"] for event in events] == ["ADDED", "BOOKMARK"]
        marks = events[1]["object"]["metadata"]["annotations"]
        assert marks == {"k8s.io/initial-events-end": "true"}

    serving(story)


def test_an_object_that_enters_or_leaves_a_selection_comes_and_goes() -> None:
    async def story(served: Served) -> None:
        await maps(served, "a")

        async def change() -> None:
            await asyncio.sleep(1)
            for value in ("y", "x"):
                await served.ask(
                    "PATCH", f"{MAPS}/a", {"metadata": {"labels": {"n": value}}},
                    content_type="application/merge-patch+json",
                )  # fmt: skip

        task = asyncio.create_task(change())
        events = await served.watch(f"{MAPS}?watch=true&timeoutSeconds=5&labelSelector=n=y")
        await task
        assert [event["type"] for event in events] == ["ADDED", "DELETED"]

    serving(story)


def test_a_watch_in_tables_names_its_columns_once() -> None:
    async def story(served: Served) -> None:
        await maps(served, "a", "b")
        events = await served.watch(f"{MAPS}?watch=true&timeoutSeconds=1", accept=TABLE)
        tables = [event["object"] for event in events]
        assert [table["rows"][0]["cells"][0] for table in tables] == ["a", "b"]
        assert [bool(table["columnDefinitions"]) for table in tables] == [True, False]

    serving(story)


def test_tables_carry_as_much_of_the_object_as_is_asked_for() -> None:
    async def story(served: Served) -> None:
        await maps(served, "a")
        for include, want in (("Object", "ConfigMap"), ("Metadata", "PartialObjectMetadata")):
            _, table = await served.ask("GET", f"{MAPS}?includeObject={include}", accept=TABLE)
            assert table["rows"][0]["object"]["kind"] == want
        _, table = await served.ask("GET", f"{MAPS}?includeObject=None", accept=TABLE)
        assert table["rows"][0]["object"] is None
        beta = await served.ask("GET", MAPS, accept=TABLE.replace("v=v1", "v=v1beta1"))
        assert beta[1]["apiVersion"] == "meta.k8s.io/v1beta1"

    serving(story)


def test_a_watch_whose_past_is_gone_is_told_before_it_begins() -> None:
    async def story(served: Served) -> None:
        await maps(served, "a")
        served.server.cluster.store.compact(served.server.cluster.store.revision)
        code, body = await served.ask("GET", f"{MAPS}?watch=true&resourceVersion=1")
        assert (code, body["reason"]) == (410, "Expired")

    serving(story)
