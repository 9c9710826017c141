"""The whole of a cycle: heads in, decisions out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.cycles.decisions import Outcome
from argosy.queueing.cycles.entries import Entry, Status
from argosy.queueing.cycles.nominating import Nominator
from argosy.queueing.cycles.ordering import Classical, Order
from argosy.queueing.cycles.processing import Processing
from argosy.queueing.workloads.infos import Info


@dataclass(slots=True, frozen=True)
class Scheduler:
    """Decides cycles. `order` is how entries compete: classical or fair.

    `one_at_a_time`: nothing is admitted while pods of admitted workloads are not ready.
    `looks_again`: who would preempt the victims of another is looked at again in the same cycle.
    """

    nominator: Nominator
    order: Callable[[Iterable[Entry]], Order] = Classical
    one_at_a_time: bool = False
    looks_again: bool = True

    def cycle(
        self,
        heads: Iterable[Info],
        snapshot: Snapshot,
        *,
        number: int,
        now: float,
        all_ready: bool = True,
    ) -> Outcome:
        """Decide about these heads. The snapshot is afterwards what it was before."""
        contenders: list[Entry] = []
        others: list[Entry] = []
        for info in heads:
            entry, takes_part = self.nominator.nominate(info, snapshot, cycle=number, now=now)
            (contenders if takes_part else others).append(entry)
        order = self.order(contenders)
        processing = Processing(
            snapshot,
            self.nominator,
            order,
            number,
            now,
            waits_for_pods=self.one_at_a_time and not all_ready,
            looks_again=self.looks_again,
        )
        try:
            for entry in order:
                processing.process(entry)
                if self.one_at_a_time and processing.outcome.admitted:
                    processing.waits_for_pods = True
        finally:
            processing.finish()
        outcome = processing.outcome
        outcome.requeued = [
            entry for entry in (*contenders, *others) if entry.status is not Status.ASSUMED
        ]
        return outcome
