"""Which nodes a profile may go to, and why not to the others.

The filters of kube-scheduler in their order: cordon, taints, node affinity, host ports, resources, volumes, topology
spread, affinity between pods. A screen is made for one profile and one state of the nodes; while pods are placed it
stays valid, because everything about pods is read anew at each question.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from argosy.api.nodefit import clashes
from argosy.workloads.scheduling import diagnoses
from argosy.workloads.scheduling.columns import Bools, Columns
from argosy.workloads.scheduling.diagnoses import Diagnosis, insufficient
from argosy.workloads.scheduling.ledger import Ledger
from argosy.workloads.scheduling.neighbors import Neighbors
from argosy.workloads.scheduling.profiles import Profile
from argosy.workloads.scheduling.spreading import Spreading
from argosy.workloads.scheduling.standings import Standings
from argosy.workloads.scheduling.volumes import Refusals, Volumes


class Cluster(NamedTuple):
    """Everything that filters and scores look at."""

    ledger: Ledger
    columns: Columns
    standings: Standings
    spreading: Spreading
    neighbors: Neighbors
    volumes: Volumes


class _Refusal(NamedTuple):
    plugin: str
    # Several reasons may hold for one node; `refused` is where any does.
    reasons: list[tuple[str, Bools]]
    refused: Bools
    # Where no pod that leaves could change it.
    final: Bools


class Screen:
    """One profile against all nodes."""

    def __init__(self, cluster: Cluster, profile: Profile) -> None:
        self._cluster = cluster
        self._profile = profile
        self._hard = cluster.spreading.hard(profile) if profile.hard else []
        self._volumes: Refusals = cluster.volumes.refusals(profile) if profile.claims else {}
        self.names = profile.node_class.required.names

    @property
    def is_plain(self) -> bool:
        """Whether only the nodes themselves and what is free on them matter."""
        return (
            not self._hard
            and not self._volumes
            and not self._cluster.neighbors.restrict(self._profile)
        )

    def feasible(self) -> Bools:
        """The rows that pass every filter now."""
        standing = self._cluster.standings.of(self._profile.node_class)
        if self.is_plain:
            return standing.feasible
        feasible = standing.feasible.copy()
        for refusal in self._others():
            feasible &= ~refusal.refused
        return feasible

    def passes(self, row: int) -> bool:
        """Whether one row passes every filter now."""
        if not self._cluster.standings.lagging(self._profile.node_class).room(row):
            return False
        return self.is_plain or not any(refusal.refused[row] for refusal in self._others())

    def reasons(self, row: int) -> list[str]:
        """Why one row does not pass."""
        for refusal in self._all():
            if refusal.refused[row]:
                return [reason for reason, rows in refusal.reasons if rows[row]]
        return []

    def diagnose(self) -> tuple[Diagnosis, Bools]:
        """Why no row passes, and the rows where pods that leave could change that."""
        ledger = self._cluster.ledger
        diagnosis = Diagnosis(len(ledger))
        left = ledger.alive.copy()
        if self.names is not None:
            left &= False
            left[[ledger.rows[name] for name in self.names if name in ledger.rows]] = True
            diagnosis.refused[diagnoses.UNNAMED] = np.flatnonzero(ledger.alive & ~left)
            diagnosis.plugins.add("NodeAffinity")
        hopeful = np.zeros(ledger.size, np.bool_)
        for refusal in self._all():
            refused = left & refusal.refused
            if refused.any():
                diagnosis.plugins.add(refusal.plugin)
                for reason, rows in refusal.reasons:
                    here = np.flatnonzero(refused & rows)
                    if len(here):
                        before = diagnosis.refused.get(reason)
                        diagnosis.refused[reason] = (
                            here if before is None else np.concatenate((before, here))
                        )
                hopeful |= refused & ~refusal.final
                left &= ~refused
        return diagnosis, hopeful

    def _all(self) -> Iterator[_Refusal]:
        yield from self._of_nodes()
        yield from self._others()

    def _of_nodes(self) -> Iterator[_Refusal]:
        ledger, columns, pods = (
            self._cluster.ledger,
            self._cluster.columns,
            self._profile.node_class,
        )
        if not pods.tolerates_cordon:
            yield _final("NodeUnschedulable", diagnoses.CORDONED, ledger.cordoned)
        yield _final("TaintToleration", diagnoses.TAINTED, ~columns.tolerated(pods))
        if not pods.required.is_open:
            yield _final("NodeAffinity", diagnoses.UNMATCHED, ~columns.matched(pods))
        if pods.ports:
            taken = np.zeros(ledger.size, np.bool_)
            for row in ledger.ports:
                taken[row] = clashes(pods.ports, ledger.used_ports(row))
            yield _passing("NodePorts", diagnoses.PORTS_TAKEN, taken)
        yield self._of_resources()

    def _of_resources(self) -> _Refusal:
        ledger, pods = self._cluster.ledger, self._profile.node_class
        full = ledger.pods >= ledger.most_pods
        reasons = [(diagnoses.TOO_MANY_PODS, full)]
        refused = full.copy()
        final = np.zeros(ledger.size, np.bool_)
        for resource, amount in pods.requests.items():
            total = ledger.total(resource)
            short = total - ledger.used(resource) < amount
            reasons.append((insufficient(resource), short))
            refused |= short
            final |= short & (total < amount)
        return _Refusal("NodeResourcesFit", reasons, refused, final)

    def _others(self) -> Iterator[_Refusal]:
        profile, neighbors = self._profile, self._cluster.neighbors
        for plugin, reasons in self._volumes.items():
            refused = np.logical_or.reduce(list(reasons.values()))
            yield _Refusal(plugin, list(reasons.items()), refused, refused)
        for domains in self._hard:
            unlabeled = domains.ids < 0
            yield _final("PodTopologySpread", diagnoses.UNLABELED, unlabeled)
            uneven = ~domains.allowed() & ~unlabeled
            yield _passing("PodTopologySpread", diagnoses.UNEVEN, uneven)
        if not neighbors.restrict(profile):
            return
        plugin = "InterPodAffinity"
        if profile.terms.affinity:
            yield _final(plugin, diagnoses.NO_COMPANY, ~neighbors.attracted(profile))
        if profile.terms.anti_affinity:
            yield _passing(plugin, diagnoses.BAD_COMPANY, ~neighbors.unrepelled(profile))
        yield _passing(plugin, diagnoses.UNWELCOME, ~neighbors.welcome(profile))


def _final(plugin: str, reason: str, refused: Bools) -> _Refusal:
    return _Refusal(plugin, [(reason, refused)], refused, refused)


def _passing(plugin: str, reason: str, refused: Bools) -> _Refusal:
    return _Refusal(plugin, [(reason, refused)], refused, np.zeros(len(refused), np.bool_))
