"""The picture of the cluster that decisions about jobs look at, kept by shared informers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Final, Protocol, TypeVar

from argosy.api.objects import Namespace, View
from argosy.api.objects.kueue.checks import WorkloadPriorityClass
from argosy.api.objects.kueue.quotas import ResourceFlavor
from argosy.api.objects.kueue.workloads import Workload
from argosy.base.types import Object
from argosy.client.objects import Key
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
from argosy.queueing.workloads.priorities import PriorityClass

V = TypeVar("V", bound=View)

# Indexes of Workloads: by the uid of the job that controls them, and by its kind and name.
_BY_UID: Final = "job-uid"
_BY_NAME: Final = "job-name"


class _ByName(Mapping[str, V]):
    """The objects of a cluster-scoped kind."""

    def __init__(self, informer: Informer[V]) -> None:
        self._informer = informer

    def __getitem__(self, name: str) -> V:
        found = self._informer.get("", name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return (key.name for key, _ in self._informer.items())

    def __len__(self) -> int:
        return len(self._informer)


class Reader(Protocol):
    """Who looks at jobs of a kind."""

    def look_at(self, key: Key) -> None: ...

    def look_at_children(self, uid: str) -> None: ...

    def look_at_expecting(self, workload: str) -> None: ...


class Picture:
    """Implements `Surroundings`. Kinds add their own informers as they are put together."""

    def __init__(self, assembly: Assembly, configuration: Configuration) -> None:
        self.rules: Final = Rules(
            manages_unnamed=configuration.manage_jobs_without_queue_name,
            waits_for_pods_ready=configuration.wait_for_pods_ready is not None,
            label_keys_to_copy=configuration.integrations.label_keys_to_copy,
            deactivated_retention_seconds=(
                configuration.object_retention_policies.workloads.after_deactivated_by_kueue
            ),
        )
        self.priorities: Final = Priorities(
            _ByName(assembly.informer(WORKLOAD_PRIORITY_CLASSES, WorkloadPriorityClass)),
            _ByName(assembly.informer(PRIORITY_CLASSES, PriorityClass)),
        )
        self.workloads: Final = assembly.informer(WORKLOADS, Workload)
        self._clock = assembly.clock
        self._managed = configuration.managed_namespaces
        self._namespaces = assembly.informer(NAMESPACES, Namespace)
        self._flavors = assembly.informer(RESOURCE_FLAVORS, ResourceFlavor)
        self._jobs: dict[tuple[str, str], Informer[Object]] = {}
        self._readers: dict[tuple[str, str], Reader] = {}
        # Workloads that jobs name as theirs, with how many do.
        self._expected: Counter[str] = Counter()
        self.workloads.add_handler(self._workload_changed)
        if not self.workloads.has_index(_BY_UID):
            self.workloads.add_index(_BY_UID, _controller_uid)
            self.workloads.add_index(_BY_NAME, _controller_name)

    def follow(
        self, api_version: str, kind: str, informer: Informer[Object], reader: Reader
    ) -> None:
        """Have owners of this kind found, and `reader` told of their Workloads."""
        self._jobs[api_version, kind] = informer
        self._readers[api_version, kind] = reader

    def expect(self, names: Iterable[str], *, instead_of: Iterable[str] = ()) -> None:
        """A job waits for a Workload that somebody else makes."""
        self._expected.update(names)
        self._expected.subtract(instead_of)

    def _workload_changed(self, old: Workload | None, new: Workload | None) -> None:
        """Tell whose Workload it is; of most there is nobody to tell."""
        found = new if new is not None else old
        assert found is not None, "a change is of something"
        meta = found.metadata
        owner = meta.controller
        if owner is None:
            if self._expected and self._expected[name := f"{meta.namespace}/{meta.name}"] > 0:
                for reader in self._readers.values():
                    reader.look_at_expecting(name)
            return
        own = self._readers.get((owner.api_version, owner.kind))
        if own is not None:
            own.look_at(Key(meta.namespace, owner.name))
        for reader in self._readers.values():
            reader.look_at_children(owner.uid)

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
