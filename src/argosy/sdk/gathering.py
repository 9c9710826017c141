"""List everything that queueing decides by, at once, and read it as the scheduler would.

Users see what their rights allow. Whoever may not list workloads of all namespaces gets those of their own, and amounts
instead of the others; whoever may not see ClusterQueues either is left with what conditions say. A command that is
nothing without ClusterQueues says so (`needs_queues`) and fails with the server's refusal.
"""

from __future__ import annotations

import asyncio
from typing import TypeVar

from argosy.api.objects.core import Namespace
from argosy.api.objects.kueue.checks import AdmissionCheck, Topology
from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.limits import LimitRange, RuntimeClass
from argosy.api.objects.metadata import ObjectMeta, View, decoder
from argosy.base.errors import Forbidden, NotFound
from argosy.client.resources import (
    ADMISSION_CHECKS,
    CLUSTER_QUEUES,
    COHORTS,
    LIMIT_RANGES,
    LOCAL_QUEUES,
    NAMESPACES,
    RESOURCE_FLAVORS,
    RUNTIME_CLASSES,
    TOPOLOGIES,
    WORKLOADS,
    Resource,
)
from argosy.queueing.explaining.pictures import Objects
from argosy.sdk.sessions import Session, view

V = TypeVar("V", bound=View)


async def gather(session: Session, *, namespace: str = "", needs_queues: bool = False) -> Objects:
    """All objects; `namespace` is the one whose own rules (labels, LimitRanges) matter too."""
    await session.kueue(CLUSTER_QUEUES)
    queues, around = await asyncio.gather(
        asyncio.gather(
            _cluster_queues(session, needs_queues),
            _optional(session, COHORTS, Cohort),
            _optional(session, RESOURCE_FLAVORS, ResourceFlavor),
            _optional(session, ADMISSION_CHECKS, AdmissionCheck),
            _optional(session, TOPOLOGIES, Topology),
        ),
        asyncio.gather(
            _local_queues(session),
            _workloads(session),
            _namespace(session, namespace),
            _core(session, LIMIT_RANGES, LimitRange, namespace),
            _core(session, RUNTIME_CLASSES, RuntimeClass, namespace),
        ),
    )
    (cluster_queues, sees_queues), cohorts, flavors, checks, topologies = queues
    local_queues, (workloads, sees_all), namespaces, ranges, classes = around
    return Objects(
        cluster_queues,
        cohorts,
        flavors,
        checks,
        topologies,
        local_queues,
        workloads,
        namespaces,
        ranges,
        classes,
        sees_all=sees_all,
        sees_queues=sees_queues,
    )


async def _kueue(
    session: Session, resource: Resource, kind: type[V], namespace: str | None = None
) -> list[V]:
    found = await session.list(resource, namespace=namespace)
    return [view(kind, raw) for raw in found.items]


async def _cluster_queues(session: Session, needed: bool) -> tuple[list[ClusterQueue], bool]:
    try:
        return await _kueue(session, CLUSTER_QUEUES, ClusterQueue), True
    except Forbidden:
        if needed:
            raise
        return [], False


async def _optional(session: Session, resource: Resource, kind: type[V]) -> list[V]:
    """What an older Kueue may not have and a user may not see."""
    try:
        return await _kueue(session, resource, kind)
    except (Forbidden, NotFound):
        return []


async def _workloads(session: Session) -> tuple[list[Workload], bool]:
    try:
        return await _kueue(session, WORKLOADS, Workload), True
    except Forbidden:
        return await _kueue(session, WORKLOADS, Workload, session.namespace), False


async def _local_queues(session: Session) -> list[LocalQueue]:
    try:
        return await _kueue(session, LOCAL_QUEUES, LocalQueue)
    except Forbidden:
        return await _kueue(session, LOCAL_QUEUES, LocalQueue, session.namespace)


async def _namespace(session: Session, name: str) -> list[Namespace]:
    if not name:
        return []
    try:
        found = await session.client.get(NAMESPACES, name)
    except NotFound:
        return []
    except Forbidden:
        # It is there, whatever its labels: the workload is in it.
        return [Namespace(metadata=ObjectMeta(name=name))]
    decode = decoder(Namespace)
    return [decode(bytes(found.body))]


async def _core(session: Session, resource: Resource, kind: type[V], namespace: str) -> list[V]:
    """What of Kubernetes' own kinds adds to the requests of a namespace's pods."""
    if not namespace:
        return []
    try:
        found = await session.client.list_all(resource, namespace=namespace)
    except Forbidden:
        return []
    decode = decoder(kind)
    return [decode(bytes(raw.body)) for raw in found.items]
