"""DaemonSets: a pod on every node."""

from __future__ import annotations

from argosy.workloads.apps.daemonsets.controllers import DaemonSets

__all__ = ["DaemonSets"]
