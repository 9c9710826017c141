"""Admission fair sharing: what LocalQueues consume, sampled every interval and kept in their statuses.

A LocalQueue's account is opened from its status when it is first seen, so that a restart forgets nothing. An admission
is charged in advance by the scheduler; once it shows, the charge is folded into what was consumed.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from argosy.api.objects.kueue.localqueues import AdmissionFairSharingStatus, LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue
from argosy.api.objects.kueue.workloads import Workload
from argosy.client.objects import Key
from argosy.client.resources import CLUSTER_QUEUES, LOCAL_QUEUES, WORKLOADS
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.queueing.cache.holdings import Holdings
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.queues.consuming import (
    AdmissionFairSharing,
    Nanos,
    nanos_of,
    nanos_of_amounts,
    quantities_of,
)

_NONE: Final = Holdings()


class Consumptions:
    """The accounts of the LocalQueues whose ClusterQueues share admissions fairly."""

    def __init__(self, assembly: Assembly, engine: Engine, sharing: AdmissionFairSharing) -> None:
        self._told: Callable[[Key], None] = lambda _: None
        self._clock = assembly.clock
        self._engine = engine
        self._sharing = sharing
        self._local_queues = assembly.informer(LOCAL_QUEUES, LocalQueue)
        self._cluster_queues = assembly.informer(CLUSTER_QUEUES, ClusterQueue)
        self._due = assembly.controller("admission_fair_sharing", self._sample)
        self._local_queues.add_handler(self._local_queue_changed)
        assembly.informer(WORKLOADS, Workload).add_handler(self._workload_changed)

    def tell(self, listener: Callable[[Key], None]) -> None:
        """Have somebody told which LocalQueue's account was worked out anew."""
        self._told = listener

    def consumption(self, local_queue: str) -> AdmissionFairSharingStatus | None:
        """What the status of a LocalQueue says it consumed; None if nobody counts."""
        account = self._engine.queues.ledger.account(local_queue)
        if account is None or not self._counts(local_queue):
            return None
        when = datetime.fromtimestamp(account.last_update, UTC).replace(microsecond=0)
        return AdmissionFairSharingStatus(quantities_of(account.consumed), when)

    def _counts(self, local_queue: str) -> bool:
        name = self._engine.queues.cluster_queue_of(local_queue) or ""
        queue = self._cluster_queues.get("", name)
        return queue is not None and self._sharing.is_used_by(queue.spec.admission_scope)

    def _local_queue_changed(self, old: LocalQueue | None, new: LocalQueue | None) -> None:
        ledger = self._engine.queues.ledger
        if new is None:
            if old is not None:
                ledger.drop(_name(Key(*old.metadata.key)))
            return
        key = Key(*new.metadata.key)
        if old is None:
            shown = new.status.fair_sharing
            past = shown.admission_fair_sharing_status if shown is not None else None
            consumed = nanos_of(past.consumed_resources) if past is not None else {}
            ledger.restore(_name(key), consumed, self._clock.time())
            self._due.add_after(key, self._sharing.sampling_interval_seconds)

    def _workload_changed(self, old: Workload | None, new: Workload | None) -> None:
        if new is None or not new.is_admitted or (old is not None and old.is_admitted):
            return
        meta = new.metadata
        local_queue = f"{meta.namespace}/{new.spec.queue_name}"
        workload = f"{meta.namespace}/{meta.name}"
        used = self._used(local_queue)
        self._engine.queues.ledger.settle(local_queue, workload, used, self._clock.time())

    async def _sample(self, key: Key) -> Result:
        if self._local_queues.get(*key) is None:
            return DONE
        name = _name(key)
        self._engine.queues.ledger.sample(name, self._used(name), self._clock.time())
        self._told(key)
        return Result(self._sharing.sampling_interval_seconds)

    def _used(self, local_queue: str) -> Nanos:
        """What the admitted workloads of a LocalQueue use together."""
        holdings = self._engine.cache.local_holdings.get(local_queue, _NONE)
        total: dict[str, int] = {}
        for (_, resource), value in holdings.used.items():
            total[resource] = total.get(resource, 0) + value
        return nanos_of_amounts(total)


def _name(key: Key) -> str:
    return f"{key.namespace}/{key.name}"
