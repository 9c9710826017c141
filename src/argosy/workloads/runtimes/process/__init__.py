"""Pods as processes of this machine: see `runtime` for the whole and `keeper` for who owns the processes."""

from __future__ import annotations

from argosy.workloads.runtimes.process.keeper.orders import Isolation
from argosy.workloads.runtimes.process.runtime import ProcessRuntime, Unfit

__all__ = ["Isolation", "ProcessRuntime", "Unfit"]
