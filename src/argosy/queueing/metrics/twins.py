"""Metrics of ClusterQueues that LocalQueues have, too: the same family under a prefix of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.metrics import Registry
from argosy.queueing.metrics.families import ROLE, counter, histogram, priority_class

_QUEUE: Final = ("cluster_queue", "priority_class")
LOCAL: Final = ("name", "namespace")
# Whether a LocalQueue, by namespace and name, has metrics of its own.
Shows: TypeAlias = Callable[[str, str], bool]


class Count:
    """Things that happen to workloads."""

    def __init__(self, registry: Registry, shows: Shows, name: str, help_text: str) -> None:
        self._shows = shows
        self._total = counter(registry, name, help_text, _QUEUE)
        self._local = counter(
            registry, f"local_queue_{name}", help_text, (*LOCAL, "priority_class")
        )

    def add(self, workload: Workload, queue: str) -> None:
        named, local = priority_class(workload), local_queue(workload, self._shows)
        self._total.inc((queue, named, ROLE))
        if local is not None:
            self._local.inc((*local, named, ROLE))


class Wait:
    """Times that workloads spend."""

    def __init__(self, registry: Registry, shows: Shows, name: str, help_text: str) -> None:
        self._shows = shows
        self._seconds = histogram(registry, name, help_text, _QUEUE)
        self._local = histogram(
            registry, f"local_queue_{name}", help_text, (*LOCAL, "priority_class")
        )

    def observe(self, workload: Workload, queue: str, seconds: float) -> None:
        named, local = priority_class(workload), local_queue(workload, self._shows)
        self._seconds.observe((queue, named, ROLE), seconds)
        if local is not None:
            self._local.observe((*local, named, ROLE), seconds)


def local_queue(workload: Workload, shows: Shows) -> tuple[str, str] | None:
    """The labels of a workload's LocalQueue, if that has metrics of its own."""
    name, namespace = workload.spec.queue_name, workload.metadata.namespace
    return (name, namespace) if shows(namespace, name) else None
