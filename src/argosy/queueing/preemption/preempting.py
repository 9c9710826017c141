"""Find the workloads that must go so that another one fits: the entrance to both engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.flavors.assignments import Assignment, Mode
from argosy.queueing.preemption.candidates import UsageOf
from argosy.queueing.preemption.classical import classical_targets
from argosy.queueing.preemption.fair import FairSharing, fair_targets
from argosy.queueing.preemption.pools import Pools
from argosy.queueing.preemption.rounds import Rounds
from argosy.queueing.preemption.searches import Search
from argosy.queueing.preemption.targets import Target
from argosy.queueing.quotas.amounts import FlavorResource
from argosy.queueing.workloads.infos import Info

# Whether an assignment's pods could be placed on the nodes, the way the snapshot is at that moment.
FitsTopology: TypeAlias = Callable[[Info, Assignment, Snapshot], bool]


@dataclass(slots=True, frozen=True)
class Preemptor:
    """Finds victims: by fair sharing where `fair` is given, else by hierarchy and priority.

    `usage_of` is the usage of LocalQueues where admission fair sharing is on. `rounds` are the preemptions so far,
    `pools` what searches know from those before.
    """

    fair: FairSharing | None = None
    usage_of: UsageOf | None = None
    fits_topology: FitsTopology | None = None
    rounds: Rounds = field(default_factory=Rounds)
    pools: Pools = field(default_factory=Pools)

    def targets(
        self, info: Info, assignment: Assignment, snapshot: Snapshot, *, now: float
    ) -> list[Target]:
        """Whom to preempt so that `info` fits as assigned; nobody if nothing makes it fit. The snapshot is as before
        afterwards. `now` is the time of reservation of those that have none on record.
        """
        fits_topology = self.fits_topology
        return self.search(
            info,
            snapshot,
            assignment.usage,
            contested(assignment),
            now=now,
            fits_topology=(
                (lambda: True)
                if fits_topology is None
                else lambda: fits_topology(info, assignment, snapshot)
            ),
        )

    def search(
        self,
        info: Info,
        snapshot: Snapshot,
        requests: Mapping[FlavorResource, int],
        contested: frozenset[FlavorResource],
        *,
        now: float,
        fits_topology: Callable[[], bool] = lambda: True,
    ) -> list[Target]:
        """Whom to preempt for these requests, of which those are contested."""
        search = Search(
            info,
            snapshot,
            requests,
            contested,
            now=now,
            usage_of=self.usage_of,
            spared=self.rounds.spared(snapshot.queues[info.cluster_queue].node.root.name, info.key),
            fits_topology=fits_topology,
        )
        if self.fair is None:
            return classical_targets(search, self.pools)
        return fair_targets(search, self.fair)


def contested(assignment: Assignment) -> frozenset[FlavorResource]:
    """The flavors and resources that somebody has to leave."""
    return frozenset(
        FlavorResource(flavor.name, resource)
        for pod_set in assignment.pod_sets
        for resource, flavor in pod_set.flavors.items()
        if flavor.mode == Mode.PREEMPT
    )
