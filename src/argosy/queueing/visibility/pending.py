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


class Waiting(Protocol):
    """What waits in one ClusterQueue."""

    def ordered(self) -> Sequence[Info]:
        """All of it (in line, parked, or in the cycle that runs), in the order of the line."""


class WaitingQueues(Protocol):
    """The queues of the scheduler (`queues.Queues`), as far as they are shown."""

    def cluster_queue(self, name: str) -> Waiting | None:
        """None for a ClusterQueue that is not known."""

    def cluster_queue_of(self, local_queue: str) -> str | None:
        """The ClusterQueue of a LocalQueue, `namespace/name`; None for one that is not known."""


class Pending:
    """Shows queues once there are some."""

    def __init__(self) -> None:
        self._queues: WaitingQueues | None = None

    def serve(self, queues: WaitingQueues) -> None:
        """Show these queues from now on."""
        self._queues = queues

    def pending(self, cluster_queue: str) -> Sequence[Workload] | None:
        found = self._known().cluster_queue(cluster_queue)
        return None if found is None else [info.obj for info in found.ordered()]

    def cluster_queue_of(self, namespace: str, local_queue: str) -> str | None:
        return self._known().cluster_queue_of(f"{namespace}/{local_queue}")

    def _known(self) -> WaitingQueues:
        if self._queues is None:
            raise ServiceUnavailable(
                "the queues are not read yet; try again in a second",
                details=Details(retryAfterSeconds=1),
            )
        return self._queues
