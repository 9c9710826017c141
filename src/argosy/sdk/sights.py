"""What the hub has to say of jobs: the objects themselves, their placements, the history, and members for their prices.

Everything is asked at once, and never of a member, so it costs the same with three clusters and with eighty. Users see
what their rights allow: what is refused is missing, and whoever may not look at all namespaces looks at their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.history import JobHistory
from argosy.api.objects.metadata import View, decoder
from argosy.base.errors import Forbidden, NotFound
from argosy.base.types import Object
from argosy.client.objects import Raw, decode
from argosy.client.protocol import Client
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENTS,
    JOB_HISTORIES,
    MEMBER_CLUSTERS,
    RESOURCE_PLACEMENTS,
    Resource,
)
from argosy.control.informers import Selection
from argosy.sdk import kinds
from argosy.sdk.connections import Connections
from argosy.sdk.tasks import together

V = TypeVar("V", bound=View)

_REFUSED: Final = (Forbidden, NotFound)


@dataclass(slots=True, frozen=True)
class Sight:
    """Objects of one moment, or nearly: each list is consistent in itself. Placements of both kinds."""

    jobs: Sequence[Object] = ()
    placements: Sequence[Placement] = ()
    histories: Sequence[JobHistory] = field(default_factory=tuple)
    members: Sequence[MemberCluster] = ()


async def look(
    ways: Connections,
    namespace: str | None,
    *,
    selector: str = "",
    name: str = "",
    history: bool = True,
) -> Sight:
    """At a namespace, or at all that the user may see; at jobs of one name only, where one is given."""
    hub = ways.hub
    where = await range_of(ways, namespace)
    chosen = Selection(where, selector, f"metadata.name={name}" if name else "")
    async with together() as tasks:
        local = tasks.create_task(_views(hub, RESOURCE_PLACEMENTS, Placement, where))
        wide = tasks.create_task(_views(hub, CLUSTER_RESOURCE_PLACEMENTS, Placement))
        members = tasks.create_task(_views(hub, MEMBER_CLUSTERS, MemberCluster))
        found = [tasks.create_task(_jobs(hub, each, chosen)) for each in kinds.USUAL]
        ended = (
            tasks.create_task(_views(hub, JOB_HISTORIES, JobHistory, where)) if history else None
        )
    placements = [*local.result(), *wide.result()]
    jobs = [job for some in found for job in some.result()]
    for each in kinds.further(selected(placements)):
        jobs += await _jobs(hub, each, chosen)
    return Sight(jobs, placements, ended.result() if ended is not None else (), members.result())


def selected(placements: Iterable[Placement]) -> set[tuple[str, str, str]]:
    """Group, version and kind of all that placements select."""
    found = {
        (each.group, each.version, each.kind)
        for placement in placements
        for each in placement.status.selected_resources
    }
    asked = {
        (each.group, each.version, each.kind)
        for placement in placements
        for each in placement.spec.resource_selectors
    }
    return found | asked


async def range_of(ways: Connections, namespace: str | None) -> str | None:
    """The namespace to look at; None for all, which not everybody may."""
    if namespace is None and not await can_list(ways.hub, RESOURCE_PLACEMENTS):
        return ways.namespace
    return namespace


async def can_list(hub: Client, resource: Resource, namespace: str | None = None) -> bool:
    """Whether the hub serves a resource, to this user."""
    try:
        await hub.list(resource, namespace=namespace, limit=1)
    except _REFUSED:
        return False
    return True


async def _jobs(hub: Client, resource: Resource, chosen: Selection) -> list[Object]:
    return [decode(raw) for raw in await _raws(hub, resource, chosen)]


async def _views(
    hub: Client, resource: Resource, view: type[V], namespace: str | None = None
) -> list[V]:
    read = decoder(view)
    return [read(bytes(raw.body)) for raw in await _raws(hub, resource, Selection(namespace))]


async def _raws(hub: Client, resource: Resource, chosen: Selection) -> list[Raw]:
    try:
        found = await hub.list_all(
            resource,
            namespace=chosen.namespace,
            label_selector=chosen.label_selector,
            field_selector=chosen.field_selector,
        )
    except _REFUSED:
        return []
    return found.items
