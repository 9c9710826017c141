"""Choose one flavor for all resources of a resource group that some pod sets request together.

Flavors are tried in the ClusterQueue's order, from where the last search stopped. Each is ranked by the worst of its
resources; the search ends at the first flavor that the ClusterQueue's fungibility is content with, else the best one
is taken, the first among equals. The resources of a flavor are all looked at, in order of names, even when one
already rules the flavor out: the reasons name everything that is missing.

A workload may be held to certain flavors: by an annotation, by the nomination it is looked at again for, or by the
slice it replaces, which keeps its flavors and what it already holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from argosy.api.objects.kueue.quotas import ResourceFlavor
from argosy.api.objects.kueue.workloads import PodSet
from argosy.queueing.cache.clusterqueues import CachedQueue, Group
from argosy.queueing.flavors import reasons
from argosy.queueing.flavors.assignments import (
    NO_MATCHING_FLAVOR,
    Attempt,
    FlavorAssignment,
    Oracle,
    PreemptionMode,
)
from argosy.queueing.flavors.fitting import fit
from argosy.queueing.flavors.fungibility import (
    BEST,
    MODES,
    POSSIBILITIES,
    WORST,
    Rank,
    is_preferred,
    should_try_next_flavor,
)
from argosy.queueing.flavors.matching import Matchers
from argosy.queueing.flavors.placing import Topologies
from argosy.queueing.quotas.amounts import FlavorResource, Requests, Usage
from argosy.queueing.workloads.infos import Info, PodSetResources

_UNSUITED: Final = Rank(PreemptionMode.NO_FIT, 0)
# Flavors by pod set and resource.
Nomination: TypeAlias = Mapping[str, Mapping[str, str]]


@dataclass(slots=True)
class Choice:
    """The flavor of each resource, none if none can be had; what was said, unless it simply fits; what was tried."""

    flavors: dict[str, FlavorAssignment]
    reasons: list[str]
    attempts: list[Attempt]


@dataclass(slots=True)
class Trial:
    """One flavor, held against the quota resource by resource."""

    rank: Rank = BEST
    borrow: int = 0
    ranks: dict[str, Rank] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    no_fit_reason: str = ""

    def say(self, reason: str, no_fit_reason: str) -> None:
        self.reasons.append(reason)
        self.no_fit_reason = reasons.more_severe(self.no_fit_reason, no_fit_reason)

    def attempt(self, flavor: str) -> Attempt:
        mode = self.rank.mode
        return Attempt(
            flavor,
            MODES[mode],
            self.borrow,
            POSSIBILITIES[mode],
            tuple(sorted(set(self.reasons))) if self.reasons else (),
            self.no_fit_reason,
        )


@dataclass(slots=True)
class Chooser:
    """Everything that stays the same while the flavors of one workload are chosen."""

    info: Info
    queue: CachedQueue
    oracle: Oracle
    flavors: Mapping[str, ResourceFlavor]
    matchers: Matchers
    topologies: Topologies
    is_fair_sharing: bool = False
    nomination: Nomination | None = None
    # What the slice holds that this workload replaces, by pod set.
    replaced: Mapping[str, PodSetResources] = field(default_factory=dict)

    def choose(
        self,
        group: Group,
        resource: str,
        members: Sequence[int],
        requests: Mapping[str, int],
        assumed: Usage,
    ) -> Choice:
        """Choose for the pod sets at these indexes, whose requests together are given; `resource` starts the search."""
        pod_sets = [self.info.obj.spec.pod_sets[index] for index in members]
        wanted = {name: requests[name] for name in sorted(requests) if name in group.resources}
        fungibility = self.queue.fungibility
        best, rank, chosen = None, WORST, ""
        said: list[str] = []
        attempts: list[Attempt] = []
        index = -1
        for index in range(self._start(group, resource, members[0]), len(group.flavors)):
            flavor = group.flavors[index]
            if reason := self._skipped(flavor, pod_sets, resource):
                said.append(reason)
                continue
            trial = self._tried(flavor, pod_sets, group, wanted, assumed)
            said += trial.reasons
            attempts.append(trial.attempt(flavor))
            goes_on = should_try_next_flavor(trial.rank, fungibility)
            if not goes_on or is_preferred(trial.rank, rank, fungibility):
                best, rank, chosen = trial, trial.rank, flavor
            if not goes_on:
                break
        if best is None:
            return Choice({}, said, attempts)
        tried = -1 if index == len(group.flavors) - 1 else index
        flavors = {
            name: FlavorAssignment(chosen, MODES[one.mode], tried, one.borrow)
            for name, one in best.ranks.items()
        }
        return Choice(flavors, [] if rank.mode is PreemptionMode.FIT else said, attempts)

    def _start(self, group: Group, resource: str, pod_set: int) -> int:
        """Where the last search stopped. Over again for nominated flavors, or if there are fewer flavors by now."""
        last = self.info.last_assignment
        if last is None or self.nomination:
            return 0
        start = last.next_flavor(pod_set, resource)
        return start if start < len(group.flavors) else 0

    def _skipped(self, flavor: str, pod_sets: Sequence[PodSet], resource: str) -> str:
        """Why a flavor is not even looked at."""
        nomination = self.nomination
        if nomination and not any(
            nomination.get(pod_set.name, {}).get(resource) == flavor for pod_set in pod_sets
        ):
            return reasons.not_nominated(flavor, resource)
        allowed = self.info.allowed_flavors
        if allowed is not None and flavor not in allowed:
            return reasons.not_allowed(flavor)
        return ""

    def _mismatch(self, name: str, pod_sets: Sequence[PodSet], group: Group) -> str:
        """Why a flavor does not suit the pods."""
        flavor = self.flavors.get(name)
        if flavor is None:
            return reasons.not_found(name)
        matcher = self.matchers.of(name, flavor)
        for pod_set in pod_sets:
            if matcher.is_tas or pod_set.topology_request is not None:
                reason = self.topologies.mismatch(name, matcher.is_tas, pod_set, group)
                if reason:
                    return reason
            if reason := matcher.mismatch(pod_set):
                return reason
        return ""

    def _tried(
        self,
        flavor: str,
        pod_sets: Sequence[PodSet],
        group: Group,
        wanted: Requests,
        assumed: Usage,
    ) -> Trial:
        """Hold a flavor against the pods, then against the quota."""
        if reason := self._mismatch(flavor, pod_sets, group):
            return Trial(_UNSUITED, reasons=[reason], no_fit_reason=NO_MATCHING_FLAVOR)
        trial = Trial()
        for resource, value in wanted.items():
            if self.replaced:
                value -= self._held(trial, flavor, resource, pod_sets)
            where = FlavorResource(flavor, resource)
            verdict = fit(
                self.info,
                self.queue,
                self.oracle,
                where,
                assumed.get(where, 0),
                value,
                is_fair_sharing=self.is_fair_sharing,
            )
            rank = verdict.rank
            if verdict.reason:
                trial.say(verdict.reason, verdict.no_fit_reason)
            trial.borrow = max(trial.borrow, rank.borrow)
            if rank is not BEST and is_preferred(trial.rank, rank, self.queue.fungibility):
                trial.rank = rank
            trial.ranks[resource] = rank
        return trial

    def _held(self, trial: Trial, flavor: str, resource: str, pod_sets: Sequence[PodSet]) -> int:
        """What the replaced slice holds of a resource already. Of another flavor it rules this one out."""
        held = 0
        for pod_set in pod_sets:
            replaced = self.replaced.get(pod_set.name)
            if replaced is None:
                continue
            original = replaced.flavors.get(resource, "")
            if original != flavor:
                trial.rank = WORST
                trial.say(reasons.of_another_flavor(flavor, original), NO_MATCHING_FLAVOR)
                break
            held += replaced.requests.get(resource, 0)
        return held
