"""get, list and paging: the same over every client."""

from __future__ import annotations

import asyncio

import pytest

from argosy.base.errors import BadRequest, Expired, NotFound
from argosy.client.objects import decode
from argosy.client.resources import CONFIG_MAPS, NAMESPACES, PODS, SECRETS
from tests.behaviour.clients.conftest import Place
from tests.behaviour.clients.waiting import eventually


async def test_get_gives_the_object_with_its_metadata(place: Place) -> None:
    created = await place.put("a", "1", tier="front")
    got = await place.client.get(CONFIG_MAPS, "a", namespace=place.namespace)
    assert (got.key, got.revision, decode(got)) == (created.key, created.revision, decode(created))
    obj = decode(got)
    assert (obj["kind"], obj["apiVersion"], obj["data"]) == ("ConfigMap", "v1", {"v": "1"})
    assert obj["metadata"]["resourceVersion"] == got.revision


async def test_the_namespace_of_a_client_is_default(place: Place) -> None:
    name = f"mine-{place.namespace}"
    await place.client.create(CONFIG_MAPS, {"metadata": {"name": name}})
    got = await place.client.get(CONFIG_MAPS, name)
    assert got.namespace == "default"
    await place.client.patch(CONFIG_MAPS, name, {"data": {"x": "y"}})
    await place.client.delete(CONFIG_MAPS, name)
    with pytest.raises(NotFound):
        await place.client.get(CONFIG_MAPS, name)


async def test_lists_are_sorted_by_name_and_carry_a_revision(place: Place) -> None:
    for name in ("b", "c", "a"):
        last = await place.put(name)
    got = await place.client.list(PODS, namespace=place.namespace)
    assert (got.items, got.continue_, got.remaining) == ([], "", None)
    got = await place.client.list(
        CONFIG_MAPS, namespace=place.namespace, field_selector="metadata.name!=kube-root-ca.crt"
    )
    assert [raw.name for raw in got.items] == ["a", "b", "c"]
    assert int(got.revision) >= int(last.revision)


SELECTORS = {
    "equality": ("tier=front", "", ["a", "c"]),
    "inequality, absent counts": ("tier!=front", "metadata.name!=kube-root-ca.crt", ["b", "d"]),
    "a set": ("tier in (front, back)", "", ["a", "b", "c"]),
    "existence": ("tier", "", ["a", "b", "c"]),
    "absence": ("!tier", "metadata.name!=kube-root-ca.crt", ["d"]),
    "both terms": ("tier=front,app=web", "", ["c"]),
    "a name": ("", "metadata.name=b", ["b"]),
    "a name and a label that exclude each other": ("tier=front", "metadata.name=b", []),
}  # fmt: skip


@pytest.mark.parametrize(("labels", "fields", "want"), SELECTORS.values(), ids=SELECTORS.keys())
async def test_selectors(place: Place, labels: str, fields: str, want: list[str]) -> None:
    await place.put("a", tier="front")
    await place.put("b", tier="back")
    await place.put("c", tier="front", app="web")
    await place.put("d")
    for read in (place.client.list, place.client.list_all):
        got = await read(
            CONFIG_MAPS, namespace=place.namespace, label_selector=labels, field_selector=fields
        )
        assert [raw.name for raw in got.items] == want


async def test_all_namespaces(place: Place) -> None:
    await place.put("a", only=place.namespace)
    got = await place.client.list(CONFIG_MAPS, label_selector=f"only={place.namespace}")
    assert [raw.key for raw in got.items] == [(place.namespace, "a")]
    got = await place.client.list(NAMESPACES, field_selector=f"metadata.name={place.namespace}")
    assert [raw.key for raw in got.items] == [("", place.namespace)]


async def test_pages_stay_on_the_revision_of_the_first(place: Place) -> None:
    for name in "abcde":
        await place.put(name, "old", paged="yes")
    first = await place.client.list(
        CONFIG_MAPS, namespace=place.namespace, label_selector="paged", limit=2
    )
    await place.client.delete(CONFIG_MAPS, "c", namespace=place.namespace)
    await place.client.patch(CONFIG_MAPS, "d", {"data": {"v": "new"}}, namespace=place.namespace)
    await place.put("aa", "new", paged="yes")
    await place.put("f", "new", paged="yes")
    seen, page = list(first.items), first
    while page.continue_:
        page = await place.client.list(
            CONFIG_MAPS,
            namespace=place.namespace,
            label_selector="paged",
            limit=2,
            continue_=page.continue_,
        )
        assert page.revision == first.revision
        seen += page.items
    assert [(raw.name, decode(raw)["data"]["v"]) for raw in seen] == [(n, "old") for n in "abcde"]


async def test_a_page_says_how_many_follow(place: Place) -> None:
    for name in "abcd":
        await place.client.create(SECRETS, {"metadata": {"name": name}}, namespace=place.namespace)
    page = await place.client.list(SECRETS, namespace=place.namespace, limit=2)
    assert (len(page.items), page.remaining) == (2, 2)
    page = await place.client.list(SECRETS, namespace=place.namespace, limit=2, label_selector="!x")
    assert (len(page.items), page.remaining) == (2, None)


async def test_list_all_reads_every_page(place: Place) -> None:
    for number in range(7):
        await place.put(f"n{number}", only="these")
    got = await place.client.list_all(
        CONFIG_MAPS, namespace=place.namespace, label_selector="only=these"
    )
    assert ([raw.name for raw in got.items], got.continue_) == ([f"n{i}" for i in range(7)], "")


async def test_list_all_is_one_moment_however_many_pages_and_writers(place: Place) -> None:
    """Objects are created one after the other under names from all over the list: a list that mixed two moments
    would show a later one and miss an earlier one.
    """
    where = place.namespace

    async def create(name: str) -> None:
        await place.client.create(SECRETS, {"metadata": {"name": name}}, namespace=where)

    await asyncio.gather(*(create(f"{number * 7 % 10}-old-{number}") for number in range(600)))
    ending = asyncio.Event()

    async def write() -> int:
        number = 0
        while not ending.is_set():
            await create(f"{number * 7 % 10}-new-{number}")
            await asyncio.sleep(0)
            number += 1
        return number

    writer = asyncio.create_task(write())

    async def begun() -> None:
        await place.client.get(SECRETS, "0-new-10", namespace=where)

    await eventually(begun, NotFound)
    got = await place.client.list_all(SECRETS, namespace=where)
    ending.set()
    written = await writer
    names = [raw.name for raw in got.items]
    assert names == sorted(names)
    assert sum("-old-" in name for name in names) == 600
    new = sorted(int(name.rpartition("-")[2]) for name in names if "-new-" in name)
    assert new == list(range(len(new)))
    assert 10 <= len(new) <= written


async def test_a_continue_token_expires(place: Place) -> None:
    if place.world.name == "kube-apiserver":
        pytest.skip("etcd compacts every five minutes only")
    for name in "abc":
        await place.put(name, only="these")
    choose = {"namespace": place.namespace, "label_selector": "only=these"}
    page = await place.client.list(CONFIG_MAPS, **choose, limit=1)
    await place.put("d", only="these")
    await place.world.expire()
    with pytest.raises(
        Expired, match="The provided continue parameter is too old to display a consistent list"
    ):
        await place.client.list(CONFIG_MAPS, **choose, limit=1, continue_=page.continue_)


BAD = {
    "a label selector": (
        {"label_selector": "a in (b"},
        "unable to parse requirement: found '', expected: ',' or ')'",
    ),
    "a field nobody selects by": (
        {"field_selector": "data.v=1"},
        '"data.v" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ),
    "a continue token": (
        {"continue_": "nonsense", "limit": 1},
        "invalid continue token: continue key is not valid: invalid character '\\u009e' looking for beginning of value",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("options", "want"), BAD.values(), ids=BAD.keys())
async def test_bad_options(place: Place, options: dict[str, str], want: str) -> None:
    with pytest.raises(BadRequest) as got:
        await place.client.list(CONFIG_MAPS, namespace=place.namespace, **options)
    assert got.value.message == want


NAMES = {
    "": "resource name may not be empty",
    "a/b": "invalid resource name \"a/b\": [may not contain '/']",
    "..": "invalid resource name \"..\": [may not be '..']",
    "50%": "invalid resource name \"50%\": [may not contain '%']",
}


@pytest.mark.parametrize(("name", "want"), NAMES.items(), ids=NAMES.values())
async def test_a_name_that_is_no_part_of_a_path_is_never_sent(
    place: Place, name: str, want: str
) -> None:
    client, where = place.client, place.namespace
    kept = await place.put("kept")
    for verb in (
        lambda: client.get(CONFIG_MAPS, name, namespace=where),
        lambda: client.update(CONFIG_MAPS, {"metadata": {"name": name}}, namespace=where),
        lambda: client.patch(CONFIG_MAPS, name, {}, namespace=where),
        lambda: client.apply(CONFIG_MAPS, name, {}, namespace=where, field_manager="m"),
        lambda: client.delete(CONFIG_MAPS, name, namespace=where),
        lambda: client.create(PODS, {}, namespace=where, name=name, subresource="eviction"),
    ):
        with pytest.raises(BadRequest) as got:
            await verb()
        assert got.value.message == want
    assert (await client.get(CONFIG_MAPS, "kept", namespace=where)).revision == kept.revision
    with pytest.raises(BadRequest, match=r"invalid namespace \"a/b\""):
        await client.list(CONFIG_MAPS, namespace="a/b")
