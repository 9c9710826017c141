"""Where workloads stand in line, by the visibility API of whoever schedules there.

Not every cluster serves it and not every user may ask: then nobody is told a position, and nothing fails.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final, TypeAlias

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.errors import Forbidden, NotFound, ServiceUnavailable
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.resources import Resource
from argosy.queueing.explaining.explanations import Position
from argosy.queueing.explaining.pictures import Picture
from argosy.queueing.workloads.phases import Phase, phase
from argosy.sdk.sessions import Session

# Namespace and name.
Key: TypeAlias = tuple[str, str]

_GROUP: Final = "visibility.kueue.x-k8s.io"


async def positions_in(session: Session, queues: Iterable[str]) -> dict[Key, str]:
    """The position of every waiting workload in its LocalQueue, as far as the cluster tells."""
    summaries = await asyncio.gather(*(pending_in(session, queue) for queue in queues))
    return {
        (item["metadata"].get("namespace", ""), item["metadata"]["name"]): str(
            item["positionInLocalQueue"]
        )
        for summary in summaries
        for item in summary or ()
    }


async def pending_in(session: Session, queue: str) -> list[Object] | None:
    """What waits in a ClusterQueue, by the visibility API; None where it is not served or not for this user."""
    return await _pending(session, "clusterqueues", queue, None)


async def pending_through(session: Session, namespace: str, queue: str) -> list[Object] | None:
    """What of that came through a LocalQueue, which more users may see."""
    return await _pending(session, "localqueues", queue, namespace)


async def _pending(
    session: Session, plural: str, queue: str, namespace: str | None
) -> list[Object] | None:
    for version in ("v1beta2", "v1beta1"):
        resource = Resource(
            _GROUP, version, plural, "PendingWorkloadsSummary", namespace is not None
        )
        try:
            found = await session.client.get(
                resource, queue, namespace=namespace, subresource="pendingworkloads"
            )
        except NotFound:
            continue
        except (Forbidden, ServiceUnavailable):
            return None
        items: list[Object] = decode(found).get("items") or []
        return items
    return None


async def position_of(session: Session, workload: Workload, picture: Picture) -> Position | None:
    """Where a waiting workload stands by the scheduler's own word; None where that cannot be asked."""
    if phase(workload) is not Phase.PENDING:
        return None
    queue = picture.cluster_queue_of(workload)
    if not queue:
        return None
    waiting = await pending_in(session, queue)
    sees_all = waiting is not None
    if waiting is None:
        namespace = workload.metadata.namespace
        waiting = await pending_through(session, namespace, workload.spec.queue_name)
    ahead = ""
    for item in waiting or ():
        meta = item["metadata"]
        if (meta.get("namespace", ""), meta["name"]) == workload.metadata.key:
            known = len(waiting or ()) if sees_all else 0
            length = max(known, picture.waiting_counts.get(queue, 0))
            return Position(item["positionInClusterQueue"], length, ahead if sees_all else "")
        ahead = f"{meta.get('namespace', '')}/{meta['name']}"
    return None
