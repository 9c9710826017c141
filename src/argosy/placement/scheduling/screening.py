"""Which clusters pass: every plugin is asked in upstream's order and the first that objects is told.

Affinity, eligibility, namespaces and taints say the same throughout a cycle, however many clusters it picks, and
are asked once per cluster. After them come the two that depend on what is picked already: a cluster that holds the
placement is passed over without a word, and the spread may have no room for one more.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from argosy.api.objects.fleet.members import MemberCluster
from argosy.placement.scheduling.affinity import UNMATCHED, required
from argosy.placement.scheduling.eligibility import ineligibility
from argosy.placement.scheduling.namespaces import absence
from argosy.placement.scheduling.snapshots import Snapshot
from argosy.placement.scheduling.spreading import Spread
from argosy.placement.scheduling.taints import repulsion

_UNSCHEDULABLE: Final = "ClusterUnschedulable, "


class Filtered(NamedTuple):
    """A cluster that cannot be picked, and why, as it is told."""

    cluster: str
    reason: str


class Screened(NamedTuple):
    passed: list[MemberCluster]
    # In order of names.
    filtered: list[Filtered]


class Screen:
    """The filters of one cycle. CycleError if a cluster cannot be judged."""

    def __init__(self, snapshot: Snapshot) -> None:
        policy = snapshot.policy
        self._clusters = snapshot.clusters
        fits = required(policy, snapshot.reserved)
        self._objections: dict[str, str] = {}
        for cluster in snapshot.clusters:
            self._objections[cluster.metadata.name] = (
                (UNMATCHED if fits is not None and not fits(cluster) else "")
                or ineligibility(cluster, snapshot.now, snapshot.lost.get(cluster.metadata.name))
                or absence(cluster, snapshot.placement.namespace)
                or repulsion(cluster, policy.tolerations)
            )

    def screen(self, selected: Collection[str], spread: Spread | None = None) -> Screened:
        """Who can be picked next to the `selected` ones."""
        violations = spread.violations if spread is not None else {}
        screened = Screened([], [])
        for cluster in self._clusters:
            name = cluster.metadata.name
            if objection := self._objections[name]:
                screened.filtered.append(Filtered(name, _UNSCHEDULABLE + objection))
            elif name in selected:
                continue
            elif violation := violations.get(name):
                screened.filtered.append(Filtered(name, _UNSCHEDULABLE + violation))
            else:
                screened.passed.append(cluster)
        return screened
