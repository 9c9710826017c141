"""Keeps as many pods as a ReplicaSet or a ReplicationController asks for.

Each reconciliation claims the set's pods (adopting orphans, releasing strays), makes or ends what is missing or too
much, and writes the status. What was made and not yet seen holds the next step back (`Expectations`), so a slow
informer never makes pods twice. Pods are made in growing batches, so a used-up quota is hit once or twice. O(pods of
the set) per reconciliation; the queue joins the events of a burst into one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from argosy.api.objects import Pod
from argosy.api.objects.apps import ReplicaSet, ReplicationController
from argosy.base.errors import StatusError
from argosy.client.resources import PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, Resource
from argosy.control.assemblies import Assembly
from argosy.control.expectations import Expectations
from argosy.control.informers import Informer
from argosy.control.reconcilers import DONE, Result
from argosy.workloads.apps.availability import is_active, is_terminating, seconds_to_next
from argosy.workloads.apps.podcontrols import PodControl
from argosy.workloads.apps.replicasets.counting import missing, replica_status
from argosy.workloads.apps.replicasets.ranking import pods_to_delete
from argosy.workloads.apps.statuses import write_status
from argosy.workloads.apps.tracking import (
    CONTROLLER,
    SetKey,
    Tracking,
    selector_of,
    set_informer,
)
from argosy.workloads.pods import caches
from argosy.workloads.pods.adopting import Claiming
from argosy.workloads.pods.caches import pod_informer
from argosy.workloads.pods.templates import pod_from_template

S = TypeVar("S", ReplicaSet, ReplicationController)


class ReplicaSets(Generic[S]):
    """The controller of one of the two kinds."""

    def __init__(
        self, assembly: Assembly, resource: Resource, view: type[S], component: str
    ) -> None:
        self._resource = resource
        self._client = assembly.client
        self._clock = assembly.clock
        self._counts_terminating = resource == REPLICA_SETS
        self._pods = pod_informer(assembly)
        self._sets: Informer[S] = set_informer(assembly, resource, view)
        self._expectations: Expectations[SetKey] = Expectations(assembly.clock)
        self._control = PodControl(
            assembly.client, assembly.recorder(component), resource, self._expectations
        )
        queue = assembly.controller(resource.kind.lower(), self._reconcile, workers=5)
        tracking = Tracking(resource, self._sets, queue, self._expectations)
        self._sets.add_handler(tracking.set_changed)
        self._pods.add_handler(tracking.pod_changed)

    async def _reconcile(self, key: SetKey) -> Result:
        owner = self._sets.get(*key)
        if owner is None:
            self._expectations.forget(key)
            return DONE
        is_settled = self._expectations.is_satisfied(key)
        active, terminating = await self._claim(owner)
        error = None
        if is_settled and owner.metadata.deletion_timestamp is None:
            error = await self._manage(owner, active)
        now = self._clock.now()
        status = replica_status(
            owner.metadata,
            owner.status,
            owner.spec.template,
            wanted=owner.spec.replicas,
            min_ready_seconds=owner.spec.min_ready_seconds,
            active=active,
            terminating=terminating if self._counts_terminating else None,
            failure=str(error) if error is not None else None,
            now=now,
        )
        await write_status(self._client, self._resource, owner.metadata, owner.status, status)
        if error is not None:
            raise error
        if not is_settled:
            return Result(self._expectations.seconds_left(key))
        return Result(seconds_to_next(active, owner.spec.min_ready_seconds, now))

    async def _claim(self, owner: S) -> tuple[list[Pod], int]:
        """The set's active pods, and how many of its pods are on their way out."""
        selector, meta = selector_of(owner), owner.metadata
        owned = self._pods.by_index(caches.CONTROLLER, meta.uid)
        orphans = self._pods.by_index(caches.ORPHAN, meta.namespace)
        claiming: Claiming[Pod] = Claiming(
            self._client, PODS, self._resource, meta, selector.matches
        )
        staying = [pod for pod in owned if is_active(pod)]
        leaving = 0
        if self._counts_terminating and len(staying) < len(owned):
            leaving = sum(
                is_terminating(pod) and selector.matches(pod.metadata.labels) for pod in owned
            )
        return await claiming.claim(staying, filter(is_active, orphans)), leaving

    async def _manage(self, owner: S, active: Sequence[Pod]) -> StatusError | None:
        """Make or end pods; the first failure, if there was one."""
        count = missing(len(active), owner.spec.replicas)
        if count > 0:
            pod = pod_from_template(owner.spec.template, self._resource, owner.metadata)
            return await self._control.create(owner.metadata, count, lambda _: pod)
        if count < 0:
            doomed = pods_to_delete(active, self._related(owner), -count, self._clock.now())
            return await self._control.delete(owner.metadata, doomed)
        return None

    def _related(self, owner: S) -> list[Pod]:
        """The pods of all sets with the same owner, this one's included."""
        controller = owner.metadata.controller
        if controller is None:
            return []
        return [
            pod
            for related in self._sets.by_index(CONTROLLER, controller.uid)
            for pod in self._pods.by_index(caches.CONTROLLER, related.metadata.uid)
        ]


def add_replica_sets(assembly: Assembly) -> None:
    ReplicaSets(assembly, REPLICA_SETS, ReplicaSet, "replicaset-controller")
    ReplicaSets(assembly, REPLICATION_CONTROLLERS, ReplicationController, "replication-controller")
