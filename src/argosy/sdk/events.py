"""Events of a whole fleet: the hub's and every member's, merged by time.

Without `follow`, what there is now, the oldest first. With it, what comes as well, without an end: what there was is
sorted, what comes is told as it comes, for nobody can wait for clocks to agree. An Event whose count goes up is told
again. A member that cannot be asked is among the problems of the connections; when it answers again, its events come.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from argosy.base.errors import Forbidden
from argosy.base.timestamps import parse_time
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.protocol import Client
from argosy.client.resources import EVENTS
from argosy.control.informers import Informer, Selection
from argosy.sdk import kinds
from argosy.sdk.clusters import members
from argosy.sdk.connections import HUB, Connections
from argosy.sdk.errors import FleetError, Unreachable
from argosy.sdk.lines import FleetEvent
from argosy.sdk.submitting import placement_name

_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


async def list_events(
    ways: Connections, namespace: str | None, types: Sequence[str] = (), about: str = ""
) -> list[FleetEvent]:
    """What there is, the oldest first."""
    is_about = about_test(about)
    names = await _members(ways)
    hub, answers = await asyncio.gather(
        _listed(HUB, ways.hub, namespace),
        ways.ask_each(names, lambda name, client: _listed(name, client, namespace)),
    )
    found = [*hub, *(event for events in answers.values() for event in events)]
    wanted = (each for each in found if _is_wanted(each, types) and is_about(each.object))
    return sorted(wanted, key=order)


async def events(
    ways: Connections,
    namespace: str | None,
    *,
    follow: bool = False,
    types: Sequence[str] = (),
    about: str = "",
) -> AsyncGenerator[FleetEvent, None]:
    is_about = about_test(about)
    seen = await list_events(ways, namespace, types, about)
    for event in seen:
        yield event
    if not follow:
        return
    told = {_identity(each) for each in seen}
    coming: asyncio.Queue[FleetEvent] = asyncio.Queue()
    watching = [
        asyncio.create_task(_watch(ways, cluster, namespace, coming))
        for cluster in (HUB, *await _members(ways))
    ]
    try:
        while True:
            event = await coming.get()
            is_wanted = _is_wanted(event, types) and is_about(event.object)
            if is_wanted and _identity(event) not in told:
                yield event
    finally:
        for task in watching:
            task.cancel()
        await asyncio.wait(watching)


def read_event(cluster: str, obj: Object) -> FleetEvent:
    """An Event in users' words. Pure."""
    meta, involved = obj["metadata"], obj.get("involvedObject") or {}
    series = obj.get("series") or {}
    source = obj.get("source") or {}
    times = (
        series.get("lastObservedTime"),
        obj.get("lastTimestamp"),
        obj.get("eventTime"),
        obj.get("firstTimestamp"),
        meta.get("creationTimestamp"),
    )
    return FleetEvent(
        cluster,
        str(meta.get("namespace", "")),
        str(obj.get("type", "")),
        str(obj.get("reason", "")),
        f"{str(involved.get('kind', '')).lower()}/{involved.get('name', '')}",
        str(obj.get("message", "")).strip(),
        next((parse_time(each) for each in times if each), None),
        int(series.get("count") or obj.get("count") or 1),
        str(source.get("component") or obj.get("reportingComponent") or ""),
        str(meta["name"]),
    )


def about_test(about: str) -> Callable[[str], bool]:
    """Whether an event's object is meant: KIND/NAME itself, and of a job also what is made for it on the hub and on its
    clusters, by the names that these get: `<job>-placement`, `job-<job>-<digits>`, `<job>-<index>-<digits>`. Pure.
    """
    if not about:
        return lambda _: True
    kind, separator, name = about.lower().rpartition("/")
    if not separator or not kind or not name:
        raise FleetError(f'"{about}" is no object: say KIND/NAME, such as job/train')
    said = kind.partition(".")[0]
    meant = {each.lower() for each in kinds.matching(kind)} or {said, said.removesuffix("s")}
    exact = {f"{each}/{name}" for each in meant}
    if not kinds.matching(kind):
        return exact.__contains__
    exact |= {f"resourceplacement/{placement_name(name)}", f"workload/{name}"}
    own = re.escape(name)
    made = re.compile(
        rf"workload/[a-z]+-{own}-[0-9a-f]+|pod/{own}(-[a-z0-9-]+)?-[a-z0-9]{{5}}|job/{own}-[a-z0-9-]+-\d+"
    )
    return lambda each: each in exact or made.fullmatch(each) is not None


def order(event: FleetEvent) -> tuple[datetime, str, str, str]:
    """By time; the hub and the members by name where times are the same, which are whole seconds."""
    return event.time or _LONG_AGO, event.cluster, event.namespace, event.name


def _identity(event: FleetEvent) -> tuple[str, str, str, int]:
    return event.cluster, event.namespace, event.name, event.count


def _is_wanted(event: FleetEvent, types: Sequence[str]) -> bool:
    return not types or event.type in types


async def _members(ways: Connections) -> list[str]:
    try:
        return sorted(each.metadata.name for each in await members(ways))
    except Forbidden:
        # Whoever may not see the members has the hub's events.
        return []


async def _listed(cluster: str, client: Client, namespace: str | None) -> list[FleetEvent]:
    found = await client.list_all(EVENTS, namespace=namespace)
    return [read_event(cluster, decode(raw)) for raw in found.items]


async def _watch(
    ways: Connections, cluster: str, namespace: str | None, coming: asyncio.Queue[FleetEvent]
) -> None:
    try:
        client = ways.hub if cluster == HUB else ways.member(cluster)
    except Unreachable:
        return
    informer: Informer[Object] = Informer(
        client, EVENTS, dict, clock=ways.clock, selection=Selection(namespace), read=decode
    )

    def changed(_old: Mapping[str, object] | None, new: Object | None) -> None:
        if new is not None:
            coming.put_nowait(read_event(cluster, new))

    informer.add_handler(changed)
    await informer.run()
