"""Pod disruption budgets: how many pods an eviction may take."""

from __future__ import annotations

from argosy.workloads.disruption.controllers import Disruption

__all__ = ["Disruption"]
