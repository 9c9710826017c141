"""The controller runtime over every client: informers follow, events and leases are what a real server takes."""

from __future__ import annotations

import asyncio

import msgspec

from argosy.base.clock import RealClock
from argosy.client.objects import decode
from argosy.client.resources import EVENTS, LEASES, SECRETS
from argosy.control.correlating import Reference
from argosy.control.informers import Informer, Selection
from argosy.control.leases import LeaderElector, LeaseTimes
from argosy.control.recorders import EventRecorder
from tests.behaviour.clients.conftest import Place
from tests.behaviour.clients.waiting import eventually


class Meta(msgspec.Struct, frozen=True):
    name: str
    labels: dict[str, str] = {}


class Secret(msgspec.Struct, frozen=True):
    metadata: Meta


async def test_an_informer_follows_its_selection(place: Place) -> None:
    client, where = place.client, place.namespace

    async def label(name: str, tier: str) -> None:
        body = {"metadata": {"labels": {"tier": tier}}}
        await client.apply(SECRETS, name, body, field_manager="t", namespace=where)

    news: list[str] = []

    def note(old: Secret | None, new: Secret | None) -> None:
        mark = "~" if old and new else "+" if new else "-"
        news.append(mark + (new or old).metadata.name)  # type: ignore[union-attr]

    await label("a", "front")
    await label("b", "back")
    selection = Selection(where, label_selector="tier=front")
    informer = Informer(client, SECRETS, Secret, clock=RealClock(), selection=selection)
    informer.add_handler(note)
    task = asyncio.create_task(informer.run())
    await informer.synced()
    assert news == ["+a"]
    await label("b", "front")
    await label("a", "back")
    await client.delete(SECRETS, "b", namespace=where)

    async def told() -> None:
        assert news == ["+a", "+b", "-a", "-b"]

    await eventually(told, AssertionError)
    assert len(informer) == 0
    task.cancel()
    await asyncio.wait({task})


async def test_events_are_recorded_counted_and_combined(place: Place) -> None:
    recorder = EventRecorder(place.client, "contract", clock=RealClock(), host="h")
    task = asyncio.create_task(recorder.run())
    about = Reference("Pod", "web", place.namespace, apiVersion="v1")
    for _ in range(3):
        recorder.event(about, "Warning", "BackOff", "again")
    for number in range(11):
        recorder.event(about, "Normal", "Pulled", f"image {number}")
    await recorder.flush()
    task.cancel()
    listed = await place.client.list_all(EVENTS, namespace=place.namespace)
    events = [decode(raw) for raw in listed.items]
    got = sorted((e["type"], e["reason"], e["message"], e["count"]) for e in events)
    assert got == sorted([
        ("Warning", "BackOff", "again", 3),
        *(("Normal", "Pulled", f"image {number}", 1) for number in range(9)),
        ("Normal", "Pulled", "(combined from similar events): image 10", 2),
    ])  # fmt: skip
    assert {(e["source"]["component"], e["source"]["host"]) for e in events} == {("contract", "h")}


async def test_a_lease_changes_hands(place: Place) -> None:
    terms: list[str] = []

    def elector(name: str) -> LeaderElector:
        return LeaderElector(
            place.client,
            namespace=place.namespace,
            name="lock",
            identity=name,
            clock=RealClock(),
            times=LeaseTimes(duration=3, renew_deadline=2, retry_period=0.05),
        )

    async def lead_for_a_while() -> None:
        terms.append((await place.read(LEASES, "lock"))["spec"]["holderIdentity"])
        await asyncio.sleep(0.2)

    await asyncio.gather(*(elector(name).run(lead_for_a_while) for name in ("one", "two")))
    assert sorted(terms) == ["one", "two"]
    spec = (await place.read(LEASES, "lock"))["spec"]
    assert ("holderIdentity" in spec, spec["leaseDurationSeconds"], spec["leaseTransitions"]) == (
        False,
        1,
        1,
    )
    assert spec["acquireTime"] <= spec["renewTime"]
