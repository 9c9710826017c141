"""Small clusters as typed views: ClusterQueues with CPUs of some flavors, cohorts, and workloads that wait or hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from argosy.api.objects.core import Namespace
from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.metadata import View
from argosy.queueing.explaining.pictures import Objects, Picture

NOW = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)
FLAVOR = "default"


def at(seconds_ago: float) -> str:
    return f"{NOW - timedelta(seconds=seconds_ago):%Y-%m-%dT%H:%M:%SZ}"


def quotas(*given: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """One resource group of CPUs; each flavor with its nominal quota and limits."""
    flavors = [
        {
            "name": flavor,
            "resources": [
                {
                    "name": "cpu",
                    **{key: str(value) for key, value in amounts.items() if value is not None},
                }
            ],
        }
        for flavor, amounts in given
    ]
    return [{"coveredResources": ["cpu"], "flavors": flavors}] if flavors else []


def cpu(nominal: int, borrow: int | None = None, lend: int | None = None) -> dict[str, Any]:
    return {"nominalQuota": nominal, "borrowingLimit": borrow, "lendingLimit": lend}


@dataclass
class Drawing:
    """A cluster in the making; every method adds one object."""

    queues: list[dict[str, Any]] = field(default_factory=list)
    cohorts: list[dict[str, Any]] = field(default_factory=list)
    locals: list[dict[str, Any]] = field(default_factory=list)
    workloads: list[dict[str, Any]] = field(default_factory=list)
    flavors: list[dict[str, Any]] = field(default_factory=list)
    namespaces: dict[str, dict[str, str]] = field(default_factory=lambda: {"ns": {}})
    sees_all: bool = True

    def queue(
        self,
        name: str,
        cohort: str = "",
        *flavors: tuple[str, dict[str, Any]],
        status: Any = None,
        **spec: Any,
    ) -> Drawing:
        """With a LocalQueue of its name in namespace `ns`."""
        body = {
            "cohortName": cohort,
            "resourceGroups": quotas(*flavors),
            "namespaceSelector": {},
            **spec,
        }
        self.queues.append({"metadata": {"name": name}, "spec": body, "status": status or {}})
        return self.local(name, name)

    def local(self, name: str, queue: str, **spec: Any) -> Drawing:
        meta = {"name": name, "namespace": "ns"}
        self.locals.append({"metadata": meta, "spec": {"clusterQueue": queue, **spec}})
        return self

    def cohort(self, name: str, parent: str = "", *flavors: tuple[str, dict[str, Any]]) -> Drawing:
        spec = {"parentName": parent, "resourceGroups": quotas(*flavors)}
        self.cohorts.append({"metadata": {"name": name}, "spec": spec})
        return self

    def flavor(self, name: str, **spec: Any) -> Drawing:
        self.flavors.append({"metadata": {"name": name}, "spec": spec})
        return self

    def waits(
        self, name: str, queue: str, cpus: int, *, count: int = 1, priority: int = 0, ago: float = 100,
        conditions: Sequence[Any] = (), annotations: Any = None, status: Any = None, **spec: Any,
    ) -> Drawing:  # fmt: skip
        """A workload of `count` pods of `cpus` CPUs each."""
        container = {"name": "c", "resources": {"requests": {"cpu": str(cpus)}}}
        pod_set = {
            "name": "main",
            "count": count,
            "template": {"spec": {"containers": [container]}},
        }
        self.workloads.append(
            {
                "metadata": {
                    "name": name, "namespace": "ns", "uid": f"uid-{name}", "creationTimestamp": at(ago),
                    "annotations": annotations or {},
                },
                "spec": {"queueName": queue, "podSets": [pod_set], "priority": priority, **spec},
                "status": {"conditions": list(conditions), **(status or {})},
            }
        )  # fmt: skip
        return self

    def holds(
        self, name: str, queue: str, cpus: int, *, flavor: str = FLAVOR, priority: int = 0, ago: float = 100,
        conditions: Sequence[Any] = (), **more: Any,
    ) -> Drawing:  # fmt: skip
        """A workload that was admitted."""
        self.waits(name, queue, cpus, priority=priority, ago=ago, **more)
        assignment = {
            "name": "main",
            "count": 1,
            "flavors": {"cpu": flavor},
            "resourceUsage": {"cpu": str(cpus)},
        }
        self.workloads[-1]["status"] |= {
            "admission": {"clusterQueue": queue, "podSetAssignments": [assignment]},
            "conditions": [is_("QuotaReserved", ago=ago), is_("Admitted", ago=ago), *conditions],
        }
        return self

    def picture(self) -> Picture:
        flavors = self.flavors or [{"metadata": {"name": FLAVOR}}]
        return Picture(
            Objects(
                cluster_queues=views(ClusterQueue, self.queues),
                cohorts=views(Cohort, self.cohorts),
                flavors=views(ResourceFlavor, flavors),
                local_queues=views(LocalQueue, self.locals),
                workloads=views(Workload, self.workloads),
                namespaces=views(
                    Namespace,
                    [
                        {"metadata": {"name": name, "labels": labels}}
                        for name, labels in self.namespaces.items()
                    ],
                ),
                sees_all=self.sees_all,
            )
        )

    def workload(self, name: str) -> Workload:
        (found,) = (one for one in self.workloads if one["metadata"]["name"] == name)
        return msgspec.convert(found, Workload)


def is_(
    kind: str, status: str = "True", reason: str = "", message: str = "", ago: float = 60
) -> dict[str, Any]:
    return {
        "type": kind, "status": status, "reason": reason or kind, "message": message, "lastTransitionTime": at(ago),
    }  # fmt: skip


def views(kind: type[View], objects: Sequence[dict[str, Any]]) -> list[Any]:
    return [msgspec.convert(one, kind) for one in objects]
