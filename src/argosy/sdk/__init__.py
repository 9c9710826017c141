"""A fleet as its users see it: submit, wait, logs, why, queues; over all clusters, from one place.

`AsyncFleet` is the core, `Fleet` the same without await. Both are made from a kubeconfig (`connect`) with one context
for the hub and one per member, or from clients of this process. `docs/sdk.md` has a walk through it; the `argosy`
command stands on it. Names are loaded when first asked for: a command that lists queues needs no scheduler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from argosy.sdk.choices import Choice, Considered, Submission
    from argosy.sdk.clusters import Amount, Cluster, ClusterState
    from argosy.sdk.errors import FleetError
    from argosy.sdk.fleets import AsyncFleet
    from argosy.sdk.jobs import FleetJob, JobState
    from argosy.sdk.lines import FleetEvent, LogLine
    from argosy.sdk.queues import Queue, QueueUse
    from argosy.sdk.syncing import Fleet

__all__ = [
    "Amount",
    "AsyncFleet",
    "Choice",
    "Cluster",
    "ClusterState",
    "Considered",
    "Fleet",
    "FleetError",
    "FleetEvent",
    "FleetJob",
    "JobState",
    "LogLine",
    "Queue",
    "QueueUse",
    "Submission",
]

_HOMES: Final = {
    "Amount": "clusters",
    "AsyncFleet": "fleets",
    "Choice": "choices",
    "Cluster": "clusters",
    "ClusterState": "clusters",
    "Considered": "choices",
    "Fleet": "syncing",
    "FleetError": "errors",
    "FleetEvent": "lines",
    "FleetJob": "jobs",
    "JobState": "jobs",
    "LogLine": "lines",
    "Queue": "queues",
    "QueueUse": "queues",
    "Submission": "choices",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'argosy.sdk' has no attribute '{name}'")
    return getattr(import_module(f"argosy.sdk.{_HOMES[name]}"), name)
