"""The ClusterQueues of every member, side by side: one list per member, all members at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from argosy.api.objects.kueue.quotas import ClusterQueue, FlavorUsage
from argosy.api.objects.metadata import find_condition
from argosy.base.errors import NotFound
from argosy.client.protocol import Client
from argosy.client.resources import CLUSTER_QUEUES
from argosy.sdk.clusters import as_number, members
from argosy.sdk.connections import Connections
from argosy.sdk.errors import FleetError
from argosy.sdk.sessions import Session, view


@dataclass(slots=True, frozen=True)
class QueueUse:
    """One resource of one flavor: CPU in cores, memory in bytes, anything else as it is counted. `used` is what
    workloads hold, whether they were admitted already or are about to be.
    """

    flavor: str
    resource: str
    used: float
    nominal: float
    borrowed: float = 0


@dataclass(slots=True, frozen=True)
class Queue:
    """A ClusterQueue of one member."""

    cluster: str
    name: str
    cohort: str = ""
    pending: int = 0
    reserving: int = 0
    admitted: int = 0
    uses: tuple[QueueUse, ...] = ()
    # For fair sharing.
    weight: float = 1.0
    is_active: bool = True
    message: str = ""


async def list_queues(ways: Connections) -> list[Queue]:
    """By cluster and name. Members that do not answer are among the problems."""
    names = sorted(each.metadata.name for each in await members(ways))

    async def asked(name: str, client: Client) -> list[Queue]:
        session = Session(client, ways.namespace, ways.clock.now())
        try:
            found = await session.list(CLUSTER_QUEUES)
        except (FleetError, NotFound):
            # A cluster without Kueue has no queues, which is no problem of its.
            return []
        return [read_queue(name, view(ClusterQueue, raw)) for raw in found.items]

    answers = await ways.ask_each(names, asked)
    return sorted(
        (queue for queues in answers.values() for queue in queues),
        key=lambda each: (each.cluster, each.name),
    )


def read_queue(cluster: str, queue: ClusterQueue) -> Queue:
    """A ClusterQueue in users' words. Pure."""
    status, spec = queue.status, queue.spec
    active = find_condition(status.conditions, "Active")
    is_active = active is None or active.status == "True"
    return Queue(
        cluster,
        queue.metadata.name,
        spec.cohort_name,
        status.pending_workloads,
        status.reserving_workloads,
        status.admitted_workloads,
        tuple(_uses(queue)),
        as_number(spec.fair_sharing.weight) if spec.fair_sharing is not None else 1.0,
        is_active,
        active.message if active is not None and not is_active else "",
    )


def _uses(queue: ClusterQueue) -> Iterator[QueueUse]:
    held = _by_place(queue.status.flavors_reservation)
    for group in queue.spec.resource_groups:
        for flavor in group.flavors:
            for quota in flavor.resources:
                used, borrowed = held.get((flavor.name, quota.name), (0.0, 0.0))
                nominal = as_number(quota.nominal_quota)
                yield QueueUse(flavor.name, quota.name, used, nominal, borrowed)


def _by_place(usage: tuple[FlavorUsage, ...]) -> dict[tuple[str, str], tuple[float, float]]:
    return {
        (flavor.name, resource.name): (as_number(resource.total), as_number(resource.borrowed))
        for flavor in usage
        for resource in flavor.resources
    }
