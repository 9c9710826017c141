"""The pod scheduler: which node a pod runs on, as kube-scheduler v1.35 decides it.

`ledger` is the book of nodes and what is on them, `columns`, `matching` and `standings` what is derived from it;
`screening` filters, `ranking` scores, `preempting` makes room, `deciding` puts them together. These are pure.
`queueing` says who is next, `telling` who has to hear news, `schedulers` feeds and writes.
"""

from __future__ import annotations

from argosy.control.assemblies import Assembly
from argosy.workloads.scheduling.schedulers import Scheduler

__all__ = ["Scheduler", "add_scheduler"]


def add_scheduler(assembly: Assembly) -> Scheduler:
    """Have the assembly schedule pods of the default scheduler."""
    return Scheduler(assembly)
