"""StatefulSets: pods with a name, storage and an order."""

from __future__ import annotations

from argosy.workloads.apps.statefulsets.controllers import StatefulSets

__all__ = ["StatefulSets"]
