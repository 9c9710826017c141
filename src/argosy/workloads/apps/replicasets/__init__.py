"""ReplicaSets and ReplicationControllers: as many pods as asked for."""

from __future__ import annotations

from argosy.workloads.apps.replicasets.controllers import add_replica_sets

__all__ = ["add_replica_sets"]
