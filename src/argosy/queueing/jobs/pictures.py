"""The picture of the cluster that decisions about jobs look at, kept by shared informers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from argosy.api.objects import Namespace, ObjectMeta, View
from argosy.api.objects.kueue.checks import WorkloadPriorityClass
from argosy.api.objects.kueue.quotas import ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Object
from argosy.client.resources import (
    NAMESPACES,
    PRIORITY_CLASSES,
    RESOURCE_FLAVORS,
    WORKLOAD_PRIORITY_CLASSES,
    WORKLOADS,
)
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.queueing.configuration import Configuration
from argosy.queueing.jobs.ancestry import PASSED, Parent, controller_of
from argosy.queueing.jobs.making import Priorities
from argosy.queueing.jobs.surroundings import Rules

# Indexes of Workloads: by the uid of the job that controls them, and by its kind and name.
_BY_UID: Final = "job-uid"
_BY_NAME: Final = "job-name"


class PriorityClass(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    value: int = 0
    global_default: bool = False


class KnownPriorities:
    """The priority classes there are."""

    def __init__(self, assembly: Assembly) -> None:
        self._workload_classes = assembly.informer(WORKLOAD_PRIORITY_CLASSES, WorkloadPriorityClass)
        self._pod_classes = assembly.informer(PRIORITY_CLASSES, PriorityClass)

    def workload_class(self, name: str) -> int | None:
        found = self._workload_classes.get("", name)
        return found.value if found is not None else None

    def pod_class(self, name: str) -> int | None:
        found = self._pod_classes.get("", name)
        return found.value if found is not None else None

    def default_pod_class(self) -> tuple[str, int] | None:
        """The lowest, should there be several, as Kubernetes has it."""
        found = [
            (each.value, each.metadata.name) for each in self._pod_classes if each.global_default
        ]
        return (min(found)[1], min(found)[0]) if found else None


class Picture:
    """Implements `Surroundings`. Kinds add their own informers as they are put together."""

    def __init__(self, assembly: Assembly, configuration: Configuration) -> None:
        self.rules: Final = Rules(
            manages_unnamed=configuration.manage_jobs_without_queue_name,
            waits_for_pods_ready=configuration.wait_for_pods_ready is not None,
            label_keys_to_copy=configuration.integrations.label_keys_to_copy,
        )
        self.priorities: Final[Priorities] = KnownPriorities(assembly)
        self.workloads: Final = assembly.informer(WORKLOADS, Workload)
        self._clock = assembly.clock
        self._managed = configuration.managed_namespaces
        self._namespaces = assembly.informer(NAMESPACES, Namespace)
        self._flavors = assembly.informer(RESOURCE_FLAVORS, ResourceFlavor)
        self._jobs: dict[tuple[str, str], Informer[Object]] = {}
        if not self.workloads.has_index(_BY_UID):
            self.workloads.add_index(_BY_UID, _controller_uid)
            self.workloads.add_index(_BY_NAME, _controller_name)

    def follow(self, api_version: str, kind: str, informer: Informer[Object]) -> None:
        """Have owners of this kind found."""
        self._jobs[api_version, kind] = informer

    @property
    def now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.time(), UTC)

    def is_managed_namespace(self, name: str) -> bool:
        found = self._namespaces.get("", name)
        return found is not None and self._managed.matches(found.metadata.labels)

    def parent(self, reference: Object, namespace: str) -> Parent | None:
        key = reference["apiVersion"], reference["kind"]
        informer = self._jobs.get(key)
        found = informer.get(namespace, reference["name"]) if informer is not None else None
        return Parent(found, key not in PASSED) if found is not None else None

    def workload(self, namespace: str, name: str) -> Workload | None:
        return self.workloads.get(namespace, name)

    def workloads_of(self, job: Object) -> list[Workload]:
        return self.workloads.by_index(_BY_UID, job["metadata"]["uid"])

    def workloads_named_for(
        self, api_version: str, kind: str, key: tuple[str, str]
    ) -> list[Workload]:
        """Those that a job of this kind, namespace and name controls, or one before it did."""
        return self.workloads.by_index(_BY_NAME, f"{api_version}/{kind}/{key[0]}/{key[1]}")

    def flavor(self, name: str) -> ResourceFlavor | None:
        return self._flavors.get("", name)


def _controller_uid(workload: Workload) -> Iterable[str]:
    owner = workload.metadata.controller
    return (owner.uid,) if owner is not None else ()


def _controller_name(workload: Workload) -> Iterable[str]:
    owner = workload.metadata.controller
    if owner is None:
        return ()
    namespace = workload.metadata.namespace
    return (f"{owner.api_version}/{owner.kind}/{namespace}/{owner.name}",)


def controller_uid(job: Object) -> Iterable[str]:
    """An index of jobs by the job that controls them."""
    owner = controller_of(job)
    return (owner["uid"],) if owner is not None else ()
