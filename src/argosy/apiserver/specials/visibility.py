"""visibility.kueue.x-k8s.io: what waits in a queue, in the order it will be looked at.

Upstream Kueue serves this group itself, behind an APIService; here it is part of the server, and there at all only
where a `PendingSource` knows queues. Nothing is stored. Discovery names `clusterqueues` and `localqueues` without any
verb, because only their subresource `pendingworkloads` can be got; that is enough for kubectl and kueuectl to find it.

Positions count from 0 within everything that waits, whatever part of it is asked for (`limit`, `offset`). Both
versions have the same form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from argosy.api.kinds import Kind, Version
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.schema.structural import ANYTHING
from argosy.apiserver import encoding, options
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.discovery import PENDING_WORKLOADS
from argosy.apiserver.dispatching import Special
from argosy.apiserver.http.messages import Request, Response
from argosy.base import errors
from argosy.base.timestamps import format_time
from argosy.base.types import Object

GROUP: Final = "visibility.kueue.x-k8s.io"
# Kueue's: as many as are shown where nobody says, and as many as are shown at most.
DEFAULT_LIMIT: Final = 1000
MAX_LIMIT: Final = 100_000
_VERSIONS: Final = ("v1beta2", "v1beta1")
_SUMMARY: Final = "PendingWorkloadsSummary"


class PendingSource(Protocol):
    """Knows what waits where. Answers at once."""

    def pending(self, cluster_queue: str) -> Sequence[Workload] | None:
        """All workloads that wait in a ClusterQueue, parked ones included, in the order of the queue; None where there
        is no such ClusterQueue.
        """

    def cluster_queue_of(self, namespace: str, local_queue: str) -> str | None:
        """The ClusterQueue of a LocalQueue; None where there is no such LocalQueue."""


def _kind(plural: str, singular: str, *, namespaced: bool) -> Kind:
    below = frozenset({PENDING_WORKLOADS})
    return Kind(
        group=GROUP, kind=_SUMMARY, plural=plural, singular=singular, namespaced=namespaced,
        versions={name: Version(name, ANYTHING, subresources=below) for name in _VERSIONS},
        storage_version=_VERSIONS[0], verbs=(),
    )  # fmt: skip


EXTENSIONS: Final = (
    _kind("clusterqueues", "clusterqueue", namespaced=False),
    _kind("localqueues", "localqueue", namespaced=True),
)


class Visibility:
    """Both subresources."""

    def __init__(self, source: PendingSource) -> None:
        self._source = source

    def specials(self) -> dict[tuple[str, str], Special]:
        return {
            (f"clusterqueues.{GROUP}", PENDING_WORKLOADS): self.in_cluster_queue,
            (f"localqueues.{GROUP}", PENDING_WORKLOADS): self.in_local_queue,
        }

    async def in_cluster_queue(self, cluster: Cluster, call: Call, request: Request) -> Response:
        start, stop = _range(call, request)
        waiting = self._source.pending(call.name)
        if waiting is None:
            raise errors.not_found(GROUP, "clusterqueue", call.name)
        return _answer(call, list(_summary(waiting, start, stop)))

    async def in_local_queue(self, cluster: Cluster, call: Call, request: Request) -> Response:
        start, stop = _range(call, request)
        cluster_queue = self._source.cluster_queue_of(call.namespace, call.name)
        if cluster_queue is None:
            raise errors.not_found(GROUP, "localqueue", call.name)
        waiting = self._source.pending(cluster_queue) or ()
        queue = call.namespace, call.name
        return _answer(call, list(_summary_of_queue(waiting, queue, start, stop)))


def _range(call: Call, request: Request) -> tuple[int, int]:
    """The positions asked for: the first, and the one after the last."""
    limit = min(max(call.options.limit or DEFAULT_LIMIT, 0), MAX_LIMIT)
    offset = max(options.integer(request.query.get("offset")) or 0, 0)
    return offset, offset + limit


def _summary(waiting: Sequence[Workload], start: int, stop: int) -> Iterator[Object]:
    """A part of a ClusterQueue."""
    positions: dict[tuple[str, str], int] = {}
    for position, workload in enumerate(waiting[:stop]):
        queue = _queue_of(workload)
        within = positions.get(queue, 0)
        positions[queue] = within + 1
        if position >= start:
            yield _item(workload, position, within)


def _summary_of_queue(
    waiting: Sequence[Workload], queue: tuple[str, str], start: int, stop: int
) -> Iterator[Object]:
    """A part of a LocalQueue: what comes through it, with its position among everything else too."""
    within = 0
    for position, workload in enumerate(waiting):
        if within >= stop:
            return
        if _queue_of(workload) == queue:
            if within >= start:
                yield _item(workload, position, within)
            within += 1


def _queue_of(workload: Workload) -> tuple[str, str]:
    return workload.metadata.namespace, workload.spec.queue_name


def _item(workload: Workload, position: int, within: int) -> Object:
    meta = workload.metadata
    shown: Object = {"name": meta.name, "namespace": meta.namespace}
    if meta.creation_timestamp is not None:
        shown["creationTimestamp"] = format_time(meta.creation_timestamp)
    if meta.owner_references:
        shown["ownerReferences"] = [
            {"apiVersion": one.api_version, "kind": one.kind, "name": one.name, "uid": one.uid}
            for one in meta.owner_references
        ]
    return {
        "metadata": shown,
        "priority": workload.spec.priority or 0,
        "localQueueName": workload.spec.queue_name,
        "positionInClusterQueue": position,
        "positionInLocalQueue": within,
    }


def _answer(call: Call, items: list[Object]) -> Response:
    body = {"kind": _SUMMARY, "apiVersion": call.api_version, "metadata": {}, "items": items}
    return Response(200, encoding.to_json(body))
