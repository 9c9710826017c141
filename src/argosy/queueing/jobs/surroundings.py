"""What a decision about one job looks at, beside the job and its Workloads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from argosy.api.objects.kueue.quotas import ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Object
from argosy.queueing.jobs.ancestry import Parent
from argosy.queueing.jobs.making import Priorities


@dataclass(slots=True, frozen=True)
class Rules:
    """What the configuration says about jobs."""

    manages_unnamed: bool = False
    waits_for_pods_ready: bool = True
    label_keys_to_copy: tuple[str, ...] = ()


class Surroundings(Protocol):
    """A picture of the cluster."""

    @property
    def rules(self) -> Rules: ...

    @property
    def priorities(self) -> Priorities: ...

    @property
    def now(self) -> datetime: ...

    def is_managed_namespace(self, name: str) -> bool:
        """Whether the namespace is there and its jobs are managed."""

    def parent(self, reference: Object, namespace: str) -> Parent | None:
        """The owner that a reference names, if it is of a kind that is followed upwards."""

    def workload(self, namespace: str, name: str) -> Workload | None: ...

    def workloads_of(self, job: Object) -> list[Workload]:
        """Those that the job controls."""

    def flavor(self, name: str) -> ResourceFlavor | None: ...
