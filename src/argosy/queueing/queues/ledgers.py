"""The accounts of LocalQueues under admission fair sharing: what each consumed, and the penalties not yet settled.

A penalty is entered when a workload is assumed admitted, folded into what was consumed when its admission is seen, and
refunded if that never comes: the write failed, the workload was deleted or moved. There is one penalty per workload, so
entering one twice replaces it and refunding one that is not there does nothing. What a LocalQueue's status remembers of
an earlier life is added once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from argosy.queueing.queues.consuming import AdmissionFairSharing, Nanos, summed


@dataclass(slots=True)
class Account:
    """A LocalQueue's. `last_update` is when what it consumed was last worked out."""

    last_update: float
    consumed: Nanos = field(default_factory=dict)
    penalties: dict[str, Nanos] = field(default_factory=dict)
    is_restored: bool = False

    @property
    def pending(self) -> Nanos:
        """All penalties not yet settled."""
        total: Nanos = {}
        for penalty in self.penalties.values():
            total = summed(total, penalty)
        return total


class Ledger:
    """Accounts by LocalQueue (namespace and name)."""

    def __init__(self, config: AdmissionFairSharing) -> None:
        self.config: Final = config
        self._accounts: dict[str, Account] = {}
        self._weights: dict[str, float] = {}
        # The LocalQueue each unsettled penalty stands with, by workload.
        self._charged: dict[str, str] = {}
        self._usages: dict[str, float] = {}

    def usage(self, local_queue: str) -> float:
        """The figure LocalQueues are compared by. Worked out again only after a change."""
        known = self._usages.get(local_queue)
        if known is None:
            account = self._accounts.get(local_queue)
            consumed, pending = (account.consumed, account.pending) if account else ({}, {})
            known = self.config.usage(consumed, pending, self._weights.get(local_queue, 1.0))
            self._usages[local_queue] = known
        return known

    def account(self, local_queue: str) -> Account | None:
        """What is known of a LocalQueue; to be read only."""
        return self._accounts.get(local_queue)

    def weigh(self, local_queue: str, weight: float) -> None:
        """A LocalQueue is there or its weight changed."""
        self._weights[local_queue] = weight
        self._usages.pop(local_queue, None)

    def unweigh(self, local_queue: str) -> None:
        """A LocalQueue is gone or stopped; workloads of it that are still around count with weight 1."""
        self._weights.pop(local_queue, None)
        self._usages.pop(local_queue, None)

    def restore(self, local_queue: str, consumed: Nanos, last_update: float) -> None:
        """Take over what the LocalQueue's status says it consumed; only the first time."""
        account = self._opened(local_queue, last_update)
        if not account.is_restored:
            account.is_restored = True
            account.consumed = summed(account.consumed, consumed)

    def charge(self, local_queue: str, workload: str, requests: Nanos, now: float) -> None:
        """A workload is about to be admitted."""
        self.enter(local_queue, workload, self.config.entry_penalty(requests), now)

    def enter(self, local_queue: str, workload: str, penalty: Nanos, now: float) -> None:
        """A penalty for a workload, instead of any it has."""
        self.refund(workload)
        self._opened(local_queue, now).penalties[workload] = penalty
        self._charged[workload] = local_queue

    def refund(self, workload: str) -> None:
        """A workload was not admitted after all."""
        self._strike(workload)

    def settle(self, local_queue: str, workload: str, used: Nanos, now: float) -> None:
        """A workload was admitted; `used` is what all admitted ones of the LocalQueue use, it included."""
        penalty = self._strike(workload)
        account = self._opened(local_queue, now)
        self._sample(account, used, now)
        account.consumed = summed(account.consumed, penalty)

    def sample(self, local_queue: str, used: Nanos, now: float) -> None:
        """What the admitted workloads of a LocalQueue use at this time."""
        self._sample(self._opened(local_queue, now), used, now)

    def drop(self, local_queue: str) -> None:
        """A LocalQueue is deleted."""
        account = self._accounts.pop(local_queue, None)
        for workload in account.penalties if account else ():
            del self._charged[workload]
        self.unweigh(local_queue)

    def _opened(self, local_queue: str, now: float) -> Account:
        self._usages.pop(local_queue, None)
        account = self._accounts.get(local_queue)
        if account is None:
            account = self._accounts[local_queue] = Account(now)
        return account

    def _sample(self, account: Account, used: Nanos, now: float) -> None:
        elapsed = max(0.0, now - account.last_update)
        account.consumed = self.config.consumed(account.consumed, used, elapsed)
        account.last_update = now

    def _strike(self, workload: str) -> Nanos:
        local_queue = self._charged.pop(workload, None)
        if local_queue is None:
            return {}
        self._usages.pop(local_queue, None)
        return self._accounts[local_queue].penalties.pop(workload)
