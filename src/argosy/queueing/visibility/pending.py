"""The `PendingSource` of a cluster's API server: the order of the scheduler's own queues.

The API server is built before anything queues, so `Pending` is made first and given its queues later (`serve`). Until
then nobody knows what waits, and a client is told to come back rather than that there is no such queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.errors import Details, ServiceUnavailable
from argosy.queueing.workloads.infos import Info


class WaitingQueues(Protocol):
    """The queues of the scheduler, as far as they are shown."""

    def waiting(self, cluster_queue: str) -> Sequence[Info] | None:
        """Everything that waits in a ClusterQueue (in its heap, parked, or in the cycle that runs), in the order of
        the heap; None for a ClusterQueue that is not known.
        """

    def cluster_queue_of(self, namespace: str, local_queue: str) -> str | None:
        """The ClusterQueue of a LocalQueue; None for a LocalQueue that is not known."""


class Pending:
    """Shows queues once there are some."""

    def __init__(self) -> None:
        self._queues: WaitingQueues | None = None

    def serve(self, queues: WaitingQueues) -> None:
        """Show these queues from now on."""
        self._queues = queues

    def pending(self, cluster_queue: str) -> Sequence[Workload] | None:
        found = self._known().waiting(cluster_queue)
        return None if found is None else [info.obj for info in found]

    def cluster_queue_of(self, namespace: str, local_queue: str) -> str | None:
        return self._known().cluster_queue_of(namespace, local_queue)

    def _known(self) -> WaitingQueues:
        if self._queues is None:
            raise ServiceUnavailable(
                "the queues are not read yet; try again in a second",
                details=Details(retryAfterSeconds=1),
            )
        return self._queues
