"""What waits in queues, shown to whoever may see it: the source of visibility.kueue.x-k8s.io."""

from __future__ import annotations

from argosy.queueing.visibility.pending import Pending, WaitingQueues

__all__ = ["Pending", "WaitingQueues"]
