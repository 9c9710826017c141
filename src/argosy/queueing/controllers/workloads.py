"""The Workload controller: looks at a Workload when it, or a queue it goes through, changes, and when time is up.

What to do is `workloads.deciding`'s; here it is done. Writes name the revision they were decided on, so a look at an
old picture ends in a Conflict and is repeated. Events are told, and metrics counted, once what they tell of is written.
The queues and the cache belong to others: what they know is asked through `QueueFacts`, and they see what is written
here as everybody does, by the watch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue
from argosy.api.objects.kueue.workloads import QUOTA_RESERVED, Workload
from argosy.api.objects.metadata import is_true
from argosy.base.errors import NotFound
from argosy.base.selectors.labels import LabelSelector, SelectorError, nothing
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import CLUSTER_QUEUES, LOCAL_QUEUES, WORKLOADS
from argosy.control.assemblies import Assembly
from argosy.control.queues import Bucket
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.queueing.cache.clusterqueues import namespaces_of
from argosy.queueing.controllers.finalizers import without
from argosy.queueing.controllers.neighborhoods import Neighborhood
from argosy.queueing.metrics.lives import WorkloadMetrics
from argosy.queueing.workloads.deciding import decide
from argosy.queueing.workloads.decisions import Decision, LifeRules
from argosy.queueing.workloads.explaining import PATIENCE_SECONDS, Surroundings, is_new
from argosy.queueing.workloads.phases import Phase, phase

MANAGER: Final = "kueue-workload-controller"
COMPONENT: Final = "kueue-workload-controller"
_WORKERS: Final = 5
# How many silent workloads are made to say that others like them did not fit.
_WORDS_PER_SECOND: Final = 10.0
_WORDS_AT_ONCE: Final = 50
_QUEUE: Final = "queue"
_CLUSTER_QUEUE: Final = "clusterQueue"


class QueueFacts(Protocol):
    """What queues and cache know."""

    def is_active(self, cluster_queue: str) -> bool:
        """Whether a ClusterQueue can admit workloads."""

    def parked_reason(self, workload: str) -> str:
        """Why workloads like this one (namespace/name) were found not to fit; empty if they were not."""


class Workloads:
    """One cluster's Workloads."""

    def __init__(
        self,
        assembly: Assembly,
        facts: QueueFacts,
        rules: LifeRules,
        *,
        around: Neighborhood | None = None,
        metrics: WorkloadMetrics | None = None,
    ) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._facts = facts
        self._rules = rules
        self._metrics = metrics or WorkloadMetrics(assembly.metrics)
        self._recorder = assembly.recorder(COMPONENT)
        self._workloads = assembly.informer(WORKLOADS, Workload)
        self._workloads.add_index(_QUEUE, _queue_of)
        self._local_queues = assembly.informer(LOCAL_QUEUES, LocalQueue)
        self._local_queues.add_index(_CLUSTER_QUEUE, lambda one: (one.spec.cluster_queue,))
        self._cluster_queues = assembly.informer(CLUSTER_QUEUES, ClusterQueue)
        self._around = around or Neighborhood(assembly)
        self._words = Bucket(assembly.clock, _WORDS_PER_SECOND, _WORDS_AT_ONCE)
        self._queue = assembly.controller("workload_controller", self._reconcile, workers=_WORKERS)
        self._workloads.add_handler(self._workload_changed)
        self._local_queues.add_handler(self._local_queue_changed)
        self._cluster_queues.add_handler(self._cluster_queue_changed)
        self._around.tell(self._namespace_changed)

    def look_at(self, key: Key) -> None:
        """Have a workload looked at although it did not change: what the queues know of it did."""
        self._queue.add(key)

    # What is worth a look.

    def _workload_changed(self, old: Workload | None, new: Workload | None) -> None:
        if new is None:
            return
        if old is not None:
            self._metrics.changed(old, new, self._clock.now())
        if not self._is_done_with(new):
            self._queue.add(Key(*new.metadata.key))

    def _is_done_with(self, workload: Workload) -> bool:
        """Whether nothing will ever be done about a workload: it is finished, nobody deletes it and nobody holds it."""
        return (
            workload.is_finished
            and self._rules.retain_finished_seconds is None
            and not workload.metadata.finalizers
        )

    def _local_queue_changed(self, old: LocalQueue | None, new: LocalQueue | None) -> None:
        if old is not None and new is not None and not _is_queue_news(old, new):
            return
        queue = new or old
        assert queue is not None, "a change is of something"
        self._look_at_workloads_of(queue)

    def _cluster_queue_changed(self, old: ClusterQueue | None, new: ClusterQueue | None) -> None:
        if old is not None and new is not None and not _is_cluster_queue_news(old, new):
            return
        queue = new or old
        assert queue is not None, "a change is of something"
        for local_queue in self._local_queues.by_index(_CLUSTER_QUEUE, queue.metadata.name):
            self._look_at_workloads_of(local_queue)

    def _namespace_changed(self, name: str) -> None:
        """Labels or limits of a namespace, of all if it has no name, may be what kept workloads out."""
        for key, workload in self._workloads.items():
            if name in ("", key.namespace) and phase(workload) is Phase.PENDING:
                self._queue.add(key)

    def _look_at_workloads_of(self, queue: LocalQueue) -> None:
        value = f"{queue.metadata.namespace}/{queue.metadata.name}"
        for workload in self._workloads.by_index(_QUEUE, value):
            self._queue.add(Key(*workload.metadata.key))

    # A look.

    async def _reconcile(self, key: Key) -> Result:
        workload = self._workloads.get(*key)
        if workload is None:
            return DONE
        decision = decide(workload, self._surroundings(workload), self._rules)
        try:
            await self._carry_out(workload, decision)
        except NotFound:
            return DONE
        return Result(self._seconds_to_next_look(decision))

    def _seconds_to_next_look(self, decision: Decision) -> float | None:
        """A workload that waits and says nothing may be parked by now because another like it failed: nobody tells,
        so it is looked at again, ever more rarely.
        """
        workload, again = decision.workload, decision.look_again_seconds
        created = workload.metadata.creation_timestamp
        if again is not None or created is None or workload.condition(QUOTA_RESERVED) is not None:
            return again
        if workload.is_finished or not workload.spec.active:
            return None
        return max(PATIENCE_SECONDS, (self._clock.now() - created).total_seconds())

    def _surroundings(self, workload: Workload) -> Surroundings:
        namespace = workload.metadata.namespace
        local_queue = self._local_queues.get(namespace, workload.spec.queue_name)
        name = local_queue.spec.cluster_queue if local_queue is not None else ""
        cluster_queue = self._cluster_queues.get("", name)
        namespaces, selector_error = selector_of(cluster_queue)
        return Surroundings(
            now=self._clock.now(),
            local_queue=local_queue,
            cluster_queue_name=name,
            cluster_queue=cluster_queue,
            is_active=cluster_queue is not None and self._facts.is_active(name),
            namespaces=namespaces,
            selector_error=selector_error,
            namespace=self._around.namespace(namespace),
            limits=self._around.limits(namespace),
            parked_reason=self._parked_reason(workload),
        )

    def _parked_reason(self, workload: Workload) -> str:
        """Why others like a workload did not fit. One that says nothing yet is made to say so as the budget allows:
        thousands of one shape may wait, and what one of them says goes for all.
        """
        meta = workload.metadata
        reason = self._facts.parked_reason(f"{meta.namespace}/{meta.name}")
        is_silent = workload.condition(QUOTA_RESERVED) is None
        if not reason or not is_silent or is_new(workload, self._clock.now()):
            return reason
        return reason if self._words.try_take() else ""

    async def _carry_out(self, workload: Workload, decision: Decision) -> None:
        revision = workload.metadata.resource_version
        change = decision.draft.patch()
        if change is not None:
            revision = await self._patch(workload, change, revision, subresource="status")
        metadata: Object = {}
        if decision.drops_finalizer:
            metadata["finalizers"] = list(without(workload.metadata.finalizers)) or None
        if metadata or decision.deactivates:
            spec: Object = {"spec": {"active": False}} if decision.deactivates else {}
            await self._patch(workload, {"metadata": metadata, **spec}, revision)
        if decision.deletes:
            await self._client.delete(
                WORKLOADS,
                workload.metadata.name,
                namespace=workload.metadata.namespace,
                uid=workload.metadata.uid,
            )
        self._tell(workload, decision)

    async def _patch(
        self, workload: Workload, change: Object, revision: str, *, subresource: str = ""
    ) -> str:
        """Change the object if it still is what was looked at; its new revision."""
        meta = workload.metadata
        known = {"uid": meta.uid, "resourceVersion": revision}
        raw = await self._client.patch(
            WORKLOADS,
            meta.name,
            {**change, "metadata": {**change.get("metadata", {}), **known}},
            namespace=meta.namespace,
            subresource=subresource,
            field_manager=MANAGER,
        )
        return raw.revision

    def _tell(self, workload: Workload, decision: Decision) -> None:
        about = reference(WORKLOADS, workload.metadata)
        for one in decision.happenings:
            self._recorder.event(about, one.type, one.reason, one.message)
        for eviction in decision.evictions:
            self._metrics.evicted(decision.workload, eviction)
        if decision.is_newly_admitted:
            self._metrics.admitted(decision.draft)


def _is_queue_news(old: LocalQueue | ClusterQueue, new: LocalQueue | ClusterQueue) -> bool:
    """Whether a queue stops, starts or goes; its status changes all the time."""
    is_going = new.metadata.deletion_timestamp is not None
    return is_going or old.spec.stop_policy != new.spec.stop_policy


def _is_cluster_queue_news(old: ClusterQueue, new: ClusterQueue) -> bool:
    """The same, and whether its checks change, or whether it can admit at all."""
    return (
        _is_queue_news(old, new)
        or old.spec.admission_checks_strategy != new.spec.admission_checks_strategy
        or is_true(old.status.conditions, "Active") != is_true(new.status.conditions, "Active")
    )


def _queue_of(workload: Workload) -> Iterable[str]:
    return (f"{workload.metadata.namespace}/{workload.spec.queue_name}",)


def selector_of(queue: ClusterQueue | None) -> tuple[LabelSelector, str]:
    """The namespaces a ClusterQueue takes workloads from, and what is wrong with the selector, if anything is."""
    if queue is None:
        return nothing(), ""
    try:
        return namespaces_of(queue), ""
    except SelectorError as error:
        return nothing(), str(error)
