"""What scheduling looks at besides pods and nodes: namespaces, services and owners, budgets, volumes.

Each informer's handler puts what it sees into the decider and, where that can help a pod that waits, says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argosy.api.objects import Namespace
from argosy.api.objects.apps import ReplicaSet, ReplicationController, StatefulSet
from argosy.api.objects.policy import PodDisruptionBudget
from argosy.api.objects.services import Service
from argosy.api.objects.storage import (
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from argosy.base.selectors.labels import from_object
from argosy.client.resources import (
    NAMESPACES,
    PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES,
    POD_DISRUPTION_BUDGETS,
    REPLICA_SETS,
    REPLICATION_CONTROLLERS,
    SERVICES,
    STATEFUL_SETS,
    STORAGE_CLASSES,
)
from argosy.control.assemblies import Assembly
from argosy.workloads.scheduling.deciding import Decider
from argosy.workloads.scheduling.preempting import Budget


class _Surroundings:
    def __init__(self, decider: Decider, changed: Callable[[], None]) -> None:
        self._decider: Final = decider
        self._changed: Final = changed

    def namespace(self, old: Namespace | None, new: Namespace | None) -> None:
        meta = (new or old).metadata  # type: ignore[union-attr]  # one of them is there
        labels = new.metadata.labels if new is not None else None
        self._decider.matching.set_namespace(meta.name, labels)
        self._changed()

    def service(self, old: Service | None, new: Service | None) -> None:
        meta = (new or old).metadata  # type: ignore[union-attr]  # one of them is there
        self._decider.defaults.put_service(meta.key, new.spec.selector if new is not None else {})

    def owner(
        self,
        old: ReplicaSet | StatefulSet | ReplicationController | None,
        new: ReplicaSet | StatefulSet | ReplicationController | None,
    ) -> None:
        seen = new or old
        assert seen is not None
        if old is not None and new is not None and old.selector == new.selector:
            return
        selector = from_object(new.selector) if new is not None else None
        self._decider.defaults.put_owner(type(seen).__name__, seen.metadata.key, selector)

    def budget(self, old: PodDisruptionBudget | None, new: PodDisruptionBudget | None) -> None:
        budgets = self._decider.preempting.budgets
        if new is None:
            if old is not None:
                budgets.pop(old.metadata.key, None)
            return
        budgets[new.metadata.key] = Budget(
            new.metadata.namespace,
            from_object(new.spec.selector),
            new.status.disruptions_allowed,
            frozenset(new.status.disrupted_pods),
        )

    def claim(self, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim | None) -> None:
        meta = (new or old).metadata  # type: ignore[union-attr]  # one of them is there
        self._decider.volumes.put_claim(meta.key, new)
        self._changed()

    def volume(self, old: PersistentVolume | None, new: PersistentVolume | None) -> None:
        meta = (new or old).metadata  # type: ignore[union-attr]  # one of them is there
        self._decider.volumes.put_volume(meta.name, new)
        self._changed()

    def storage_class(self, old: StorageClass | None, new: StorageClass | None) -> None:
        classes = self._decider.volumes.classes
        if new is not None:
            classes[new.metadata.name] = new
        elif old is not None:
            classes.pop(old.metadata.name, None)
        self._changed()


def follow_surroundings(assembly: Assembly, decider: Decider, changed: Callable[[], None]) -> None:
    """Keep the decider's picture up to date; `changed` is called when a waiting pod may be helped."""
    put = _Surroundings(decider, changed)
    assembly.informer(NAMESPACES, Namespace).add_handler(put.namespace)
    assembly.informer(SERVICES, Service).add_handler(put.service)
    assembly.informer(REPLICA_SETS, ReplicaSet).add_handler(put.owner)
    assembly.informer(STATEFUL_SETS, StatefulSet).add_handler(put.owner)
    assembly.informer(REPLICATION_CONTROLLERS, ReplicationController).add_handler(put.owner)
    assembly.informer(POD_DISRUPTION_BUDGETS, PodDisruptionBudget).add_handler(put.budget)
    assembly.informer(PERSISTENT_VOLUME_CLAIMS, PersistentVolumeClaim).add_handler(put.claim)
    assembly.informer(PERSISTENT_VOLUMES, PersistentVolume).add_handler(put.volume)
    assembly.informer(STORAGE_CLASSES, StorageClass).add_handler(put.storage_class)
