"""Cancelling: a job and its placement go from the hub, and with them what runs on the members.

The placement goes first: it takes the job off its clusters. A placement that has other things to place than this job
stays, and so does one of the whole cluster; then the Job alone goes, and the placement lets go of it by itself.
"""

from __future__ import annotations

import asyncio

from argosy.api.objects.fleet.placements import Placement
from argosy.base.errors import NotFound
from argosy.client.protocol import Client, Propagation
from argosy.client.resources import RESOURCE_PLACEMENTS, Resource
from argosy.sdk import errors, kinds
from argosy.sdk.connections import Connections
from argosy.sdk.finding import find_job
from argosy.sdk.jobs import FleetJob
from argosy.sdk.sights import look


async def cancel(
    ways: Connections, name: str, namespace: str, *, timeout: float | None = None
) -> list[str]:
    """What was deleted, as kubectl names it: `job.batch/x`. Nothing, if it had gone by itself."""
    job = await find_job(ways, name, namespace)
    if job.from_history:
        raise errors.NotFound(
            f"{job.kind} {namespace}/{job.name} has ended ({job.state}) and is gone: there is nothing to cancel"
        )
    group, _, version = job.api_version.rpartition("/")
    going: list[tuple[Resource, str]] = [(kinds.resource_of(group, job.kind, version), job.name)]
    placement = job.placement.removeprefix("rp/")
    if job.placement.startswith("rp/") and await _is_its_own(ways, job, placement):
        going.insert(0, (RESOURCE_PLACEMENTS, placement))
    deleted = [
        f"{resource.kind.lower()}.{resource.group}/{each}"
        for resource, each in going
        if await _delete(ways.hub, resource, each, namespace)
    ]
    if timeout is not None:
        await _gone(ways.hub, going, namespace, timeout)
    return deleted


async def _is_its_own(ways: Connections, job: FleetJob, placement: str) -> bool:
    """Whether a placement is there for this job and nothing else."""
    sight = await look(ways, job.namespace, name=job.name, history=False)
    found = next(
        (each for each in sight.placements if each.metadata.key == (job.namespace, placement)), None
    )
    return found is not None and _names_only(found, job)


def _names_only(placement: Placement, job: FleetJob) -> bool:
    return [(each.kind, each.name) for each in placement.spec.resource_selectors] == [
        (job.kind, job.name)
    ]


async def _delete(hub: Client, resource: Resource, name: str, namespace: str) -> bool:
    try:
        await hub.delete(resource, name, namespace=namespace, propagation=Propagation.BACKGROUND)
    except NotFound:
        return False
    return True


async def _gone(
    hub: Client, going: list[tuple[Resource, str]], namespace: str, timeout: float
) -> None:
    try:
        async with asyncio.timeout(timeout):
            for resource, name in going:
                await _watch_gone(hub, resource, name, namespace)
    except TimeoutError:
        raise errors.WaitTimeout(
            f"{going[-1][1]} is being deleted and not gone after {timeout:g} s: "
            "its placement goes when its clusters have let go of it"
        ) from None


async def _watch_gone(hub: Client, resource: Resource, name: str, namespace: str) -> None:
    found = await hub.list(resource, namespace=namespace, field_selector=f"metadata.name={name}")
    if not found.items:
        return
    events = hub.watch(
        resource,
        namespace=namespace,
        field_selector=f"metadata.name={name}",
        since=found.revision,
    )
    async for event in events:
        if event.type == "DELETED":
            await events.aclose()
            return
