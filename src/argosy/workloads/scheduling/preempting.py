"""Making room for a pod by ending pods of lower priority.

Mirrors kube-scheduler's DefaultPreemption. On each node where pods that leave could help, all pods of lower priority
are taken away; if the pod then fits, they come back one by one, those whose disruption budgets would be broken first,
then by importance, as long as the pod still fits. Who cannot come back is a victim. The best
node is the one that breaks the fewest budgets, then with the lowest of highest priorities, the smallest sum of
priorities, the fewest victims, the latest start; ties go to the node known longest.

Trying leaves the ledger as it was. At most a tenth of the nodes, but no fewer than a hundred,
are tried as candidates. A pod whose victims are still leaving its nominated node preempts nobody else, so two pods
cannot chase each other over the cluster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np

from argosy.api.nodefit import shortages
from argosy.base.selectors.labels import LabelSelector
from argosy.workloads.scheduling import diagnoses
from argosy.workloads.scheduling.columns import Bools
from argosy.workloads.scheduling.ledger import Ledger
from argosy.workloads.scheduling.placements import Placement
from argosy.workloads.scheduling.profiles import Profile
from argosy.workloads.scheduling.screening import Screen

_FEWEST_CANDIDATES: Final = 100
_CANDIDATE_SHARE: Final = 10
# A pod that has not started yet counts as the youngest.
_NOT_YET: Final = datetime.max.replace(tzinfo=UTC)
# Added to each priority, so that more victims of negative priority are no better than few.
_OFFSET: Final = 1 << 31


@dataclass(frozen=True, slots=True)
class Budget:
    """A PodDisruptionBudget: whose pods it protects and how many of them may go now."""

    namespace: str
    selector: LabelSelector
    allowed: int
    # Pods that have gone already and are counted.
    disrupted: frozenset[str]

    def protects(self, pod: Placement) -> bool:
        return (
            pod.namespace == self.namespace
            and bool(pod.labels)
            and not self.selector.empty
            and self.selector.matches(pod.labels)
            and pod.name not in self.disrupted
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node and the pods that would have to go, most important first."""

    row: int
    victims: tuple[Placement, ...]
    broken_budgets: int

    @property
    def rank(self) -> tuple[object, ...]:
        """Smaller is better."""
        priorities = [victim.profile.priority for victim in self.victims]
        highest = max(priorities)
        earliest = min(_started(v) for v in self.victims if v.profile.priority == highest)
        return (
            self.broken_budgets,
            highest,
            sum(priority + _OFFSET for priority in priorities),
            len(priorities),
            _Later(earliest),
            self.row,
        )


class _Later:
    """Orders later times first."""

    __slots__ = ("_time",)

    def __init__(self, time: datetime) -> None:
        self._time = time

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Later) and self._time == other._time

    def __lt__(self, other: _Later) -> bool:
        return self._time > other._time

    def __hash__(self) -> int:
        return hash(self._time)


class _Stage:
    """Trying on the ledger itself: pods are really taken off the node, so every filter sees it."""

    def __init__(self, ledger: Ledger, screen: Screen, row: int) -> None:
        self._ledger = ledger
        self._screen = screen
        self._row = row
        self._taken: dict[str, Placement] = {}

    def take(self, pod: Placement) -> None:
        self._ledger.displace(pod.uid)
        self._taken[pod.uid] = pod

    def objections(self) -> list[str]:
        return [] if self._screen.passes(self._row) else self._screen.reasons(self._row)

    def takes_back(self, pod: Placement) -> bool:
        """Put a pod back unless there is no room for both."""
        self._ledger.place(pod)
        if not self._screen.passes(self._row):
            self._ledger.displace(pod.uid)
            return False
        del self._taken[pod.uid]
        return True

    def end(self) -> None:
        for pod in self._taken.values():
            self._ledger.place(pod)


class _Room:
    """The same by plain sums, for pods to which only resources matter: ten times as fast."""

    def __init__(self, ledger: Ledger, profile: Profile, row: int) -> None:
        self._needs = profile.node_class.requests
        self._pods = int(ledger.most_pods[row] - ledger.pods[row])
        self._free = {
            resource: int(ledger.total(resource)[row] - ledger.used(resource)[row])
            for resource in self._needs
        }

    def take(self, pod: Placement) -> None:
        self._move(pod, 1)

    def objections(self) -> list[str]:
        full = [diagnoses.TOO_MANY_PODS] if self._pods < 1 else []
        return full + [diagnoses.insufficient(name) for name in shortages(self._needs, self._free)]

    def takes_back(self, pod: Placement) -> bool:
        self._move(pod, -1)
        if self._pods >= 1 and all(self._free[name] >= n for name, n in self._needs.items()):
            return True
        self._move(pod, 1)
        return False

    def end(self) -> None:
        """Nothing was touched."""

    def _move(self, pod: Placement, sign: int) -> None:
        self._pods += sign
        for resource, amount in pod.profile.node_class.requests.items():
            if resource in self._free:
                self._free[resource] += sign * amount


class Preempting:
    """Finds victims."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.budgets: dict[tuple[str, str], Budget] = {}

    def is_hopeless(self, profile: Profile) -> bool:
        """Whether no pod anywhere has a lower priority."""
        lowest = self._ledger.lowest_priority()
        return lowest is None or lowest >= profile.priority

    def victims_leaving(self, profile: Profile, node: str) -> bool:
        """Whether pods that were ended to make room are still on the node."""
        row = self._ledger.rows.get(node, -1)
        return any(
            pod.is_preempted and pod.profile.priority < profile.priority
            for pod in self._ledger.on_row.get(row, {}).values()
        )

    def helps(self, screen: Screen, profile: Profile, row: int) -> bool:
        """Whether the pod would fit one node if others left it."""
        return self._try(screen, profile, row)[0] is not None

    def find(
        self, screen: Screen, profile: Profile, hopeful: Bools
    ) -> tuple[Candidate | None, str]:
        """The best candidate, or why there is none."""
        nodes = len(self._ledger)
        reasons: Counter[str] = Counter()
        if self.is_hopeless(profile):
            reasons[diagnoses.NO_VICTIMS] = int(hopeful.sum())
        else:
            wanted = max(_FEWEST_CANDIDATES, int(hopeful.sum()) // _CANDIDATE_SHARE)
            candidates: list[Candidate] = []
            for row in np.flatnonzero(hopeful).tolist():
                candidate, why = self._try(screen, profile, row)
                if candidate is None:
                    reasons.update(why)
                    continue
                candidates.append(candidate)
                if len(candidates) >= wanted and not all(c.broken_budgets for c in candidates):
                    break
            if candidates:
                return min(candidates, key=lambda candidate: candidate.rank), ""
        reasons[diagnoses.NOT_HELPFUL] = nodes - int(hopeful.sum())
        return None, diagnoses.histogram(nodes, {r: n for r, n in reasons.items() if n})

    def _try(
        self, screen: Screen, profile: Profile, row: int
    ) -> tuple[Candidate | None, Iterable[str]]:
        placed = self._ledger.on_row.get(row, {}).values()
        lower = [pod for pod in placed if pod.profile.priority < profile.priority]
        if not lower:
            return None, (diagnoses.NO_VICTIMS,)
        lower.sort(key=_importance)
        trial: _Room | _Stage
        if screen.is_plain and not profile.node_class.ports:
            trial = _Room(self._ledger, profile, row)
        else:
            trial = _Stage(self._ledger, screen, row)
        for pod in lower:
            trial.take(pod)
        try:
            if why := trial.objections():
                return None, why
            protected = self._protected(lower)
            in_turn = sorted(lower, key=lambda pod: pod.uid not in protected)
            gone = [pod for pod in in_turn if not trial.takes_back(pod)]
        finally:
            trial.end()
        if not gone:
            return None, ()
        gone.sort(key=_importance)
        broken = sum(pod.uid in protected for pod in gone)
        return Candidate(row, tuple(gone), broken), ()

    def _protected(self, pods: Iterable[Placement]) -> set[str]:
        """The pods whose going would break a budget, if they all go in this order."""
        left: dict[int, int] = {}
        broken = set()
        budgets: Mapping[tuple[str, str], Budget] = self.budgets
        for pod in pods:
            for budget in budgets.values():
                if budget.protects(pod):
                    left[id(budget)] = left.get(id(budget), budget.allowed) - 1
                    if left[id(budget)] < 0:
                        broken.add(pod.uid)
        return broken


def _importance(pod: Placement) -> tuple[int, datetime, str]:
    """Sorts the most important first: high priority, then long running."""
    return -pod.profile.priority, _started(pod), pod.uid


def _started(pod: Placement) -> datetime:
    return pod.started or _NOT_YET
