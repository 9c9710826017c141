"""Pods as processes of this machine: see `runtime` for the whole and `keeper` for who owns the processes."""

from __future__ import annotations

from argosy.workloads.runtimes.process.runtime import ProcessRuntime

__all__ = ["ProcessRuntime"]
