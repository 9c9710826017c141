"""A search for victims: for whom, where, how much, and what of it is contested; and trials on the live quota tree.

Both engines work the same way: take candidates out of the snapshot one by one until the workload fits, put back whom
it did not need, name the rest. A workload that goes frees at most its own usage, wherever limits are: so while those
that are gone held less than what lacks (`Gap`), nobody need ask whether it fits. Whatever a trial has taken out is back
when it ends, also when an exception passes through it: `Removals` holds exactly the workloads that are out.

Fill-back goes from the second-to-last removed to the first and never tries the last one: without it the workload did
not fit. A workload that is put back gives its place in the list to the last one, as in Kueue, so victims are in no
particular order. Less room never makes anything fit, hence no victim is superfluous: put back any one of them and the
workload does not fit. (Unless it fitted from the start: then the first candidate is the victim, as in Kueue.)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import TracebackType
from typing import Final, Self

from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.preemption.candidates import UsageOf
from argosy.queueing.preemption.policies import satisfies
from argosy.queueing.preemption.targets import Target
from argosy.queueing.quotas.amounts import FlavorResource
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.workloads.infos import Info


class Search:
    """Room for `requests` of the workload `info`, of which `contested` lack quota.

    `spared` are workloads that it may not push out, by key, unless they are on their way out already.
    `fits_topology` says whether its pods could also be placed, the way the snapshot is at that moment.
    """

    __slots__ = (
        "_places", "_wanted", "contested", "fits_topology", "info", "node", "now", "queue",
        "requests", "snapshot", "spared", "usage_of",
    )  # fmt: skip

    def __init__(
        self,
        info: Info,
        snapshot: Snapshot,
        requests: Mapping[FlavorResource, int],
        contested: frozenset[FlavorResource],
        *,
        now: float,
        usage_of: UsageOf | None = None,
        spared: Collection[str] = (),
        fits_topology: Callable[[], bool] = lambda: True,
    ) -> None:
        self.info: Final = info
        self.snapshot: Final = snapshot
        self.queue: Final[CachedQueue] = snapshot.queues[info.cluster_queue]
        self.node: Final[Node] = self.queue.node
        self.requests: Final = requests
        self.contested: Final = contested
        self.now: Final = now
        self.usage_of: Final = usage_of
        self.spared: Final = spared
        self.fits_topology: Final = fits_topology
        # All nodes of a tree share one layout: places are looked up once.
        self._places: Final = [self.node.position(fr) for fr in contested]
        self._wanted: Final = [(self.node.position(fr), value) for fr, value in requests.items()]

    def may_go(self, info: Info, policy: str) -> bool:
        """Whether a workload is a candidate: it holds something contested, and the policy lets it go."""
        return (
            info.key not in self.snapshot.out
            and satisfies(policy, self.info, info)
            and not self.contested.isdisjoint(info.usage)
            and (info.key not in self.spared or info.obj.is_evicted)
        )

    def candidates(self, queue: CachedQueue, policy: str) -> list[Info]:
        """The candidates of a ClusterQueue, in no order."""
        return [info for info in queue.workloads.values() if self.may_go(info, policy)]

    def is_within_nominal(self, node: Node) -> bool:
        """Whether a node borrows nothing of what is contested."""
        usage, subtree = node.usage, node.subtree
        for place in self._places:  # noqa: SIM110  # asked of every ClusterQueue in a cohort: no generator
            if usage[place] > subtree[place]:
                return False
        return True

    def is_below_nominal(self) -> bool:
        """Whether the preemptor's ClusterQueue has quota left of everything that is contested."""
        usage, nominal = self.node.usage, self.node.nominal
        return all(usage[place] < nominal[place] for place in self._places)

    def fits(self, *, may_borrow: bool) -> bool:
        """Whether the workload fits, the way the snapshot is now."""
        node = self.node
        for place, value in self._wanted:
            if not may_borrow and node.usage[place] + value > node.subtree[place]:
                return False
            if value > max(0, node.available_at(place)):
                return False
        return self.fits_topology()

    def is_hopeless(self, candidates: Iterable[Info]) -> bool:
        """Whether the workload would not fit even without all of the candidates."""
        gap = Gap(self)
        return not any(gap.narrow(info) for info in candidates)


class Gap:
    """What a workload lacks, the way the snapshot is when this is made, less what those hold that went since."""

    __slots__ = ("_lacking",)

    def __init__(self, search: Search) -> None:
        node = search.node
        self._lacking: Final = {
            fr: value - available
            for fr, value in search.requests.items()
            if value > max(0, available := node.available_at(node.position(fr)))
        }

    def narrow(self, info: Info) -> bool:
        """A workload goes. Whether there may be room now; where not, there is none."""
        lacking = self._lacking
        if lacking:
            for fr, value in info.usage.items():
                if fr in lacking:
                    lacking[fr] -= value
                    if lacking[fr] <= 0:
                        del lacking[fr]
        return not lacking


class Removals:
    """Workloads taken out of a search's snapshot, until the `with` ends."""

    __slots__ = ("_search", "targets")

    def __init__(self, search: Search) -> None:
        self._search: Final = search
        self.targets: Final[list[Target]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        while self.targets:
            self._search.snapshot.put_back(self.targets.pop().info)

    def remove(self, info: Info, reason: str) -> None:
        self._search.snapshot.take_out(info)
        self.targets.append(Target(info, reason))

    def filled_back(self, *, may_borrow: bool) -> list[Target]:
        """The targets that are still needed once all that need not go are back."""
        snapshot, targets = self._search.snapshot, self.targets
        for index in range(len(targets) - 2, -1, -1):
            info = targets[index].info
            snapshot.put_back(info)
            is_needed = True
            try:
                is_needed = not self._search.fits(may_borrow=may_borrow)
            finally:
                if is_needed:
                    snapshot.take_out(info)
            if not is_needed:
                targets[index] = targets[-1]
                targets.pop()
        return list(targets)
