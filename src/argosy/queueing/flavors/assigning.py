"""Assign flavors to a workload: for every pod set and resource one flavor, and how it can be had.

Pod sets are looked at in the workload's order, those of a group together: their requests are added up and all of them
get the same flavors. What earlier pod sets would take counts as used for later ones. The first pod set that cannot be
had ends it, since a workload is admitted as a whole. Resources that no resource group covers are left out if nothing
of them is requested, or if the configuration ignores what is undeclared; else they rule the workload out.

Deterministic: resources in order of names, flavors in the ClusterQueue's order. Pure, but for what `Matchers` keeps
of flavors. Mirrors Kueue's `flavorassigner.go`; differs where Go iterates over maps (which resource is looked at
first), in going on after a pod set that requests nothing declared, and in keeping the progress of a search under the
pod set it is of where groups interleave.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from argosy.queueing.cache.clusterqueues import CachedQueue
from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.flavors.assignments import (
    NO_MATCHING_FLAVOR,
    Assignment,
    Attempt,
    FlavorAssignment,
    Mode,
    Oracle,
    PodSetAssignment,
)
from argosy.queueing.flavors.attempts import merge
from argosy.queueing.flavors.choosing import Chooser, Nomination
from argosy.queueing.flavors.matching import Matchers
from argosy.queueing.flavors.placing import Topologies
from argosy.queueing.flavors.reasons import no_fit_reason, unavailable
from argosy.queueing.flavors.topologies import Levels, Topology
from argosy.queueing.quotas.amounts import PODS, FlavorResource, Requests
from argosy.queueing.workloads.infos import Info, LastAssignment

BLOCK_UNDECLARED: Final = "BlockUndeclared"
IGNORE_UNDECLARED: Final = "IgnoreUndeclared"


class Assigner:
    """Assigns flavors by the configuration of this cluster."""

    __slots__ = ("_ignores_undeclared", "_is_fair_sharing", "_matchers", "_topology")

    def __init__(
        self,
        *,
        is_fair_sharing: bool = False,
        quota_check_strategy: str = BLOCK_UNDECLARED,
        topology: Topology | None = None,
    ) -> None:
        self._is_fair_sharing = is_fair_sharing
        self._ignores_undeclared = quota_check_strategy == IGNORE_UNDECLARED
        self._topology = topology or Levels()
        self._matchers = Matchers()

    def assign(
        self,
        info: Info,
        queue: CachedQueue,
        snapshot: Snapshot,
        oracle: Oracle,
        *,
        counts: Sequence[int] | None = None,
        nomination: Nomination | None = None,
        replaced: Info | None = None,
        cycle: int = 0,
    ) -> Assignment:
        """Assign flavors to as many pods of each pod set as `counts` says, to all by default.

        `nomination` are the only flavors to look at, `replaced` is the slice that goes when this workload is admitted.
        """
        topologies = Topologies(queue.groups, snapshot.flavors, self._topology)
        chooser = Chooser(
            info,
            queue,
            oracle,
            snapshot.flavors,
            self._matchers,
            topologies,
            self._is_fair_sharing,
            nomination,
            {} if replaced is None else {one.name: one for one in replaced.total_requests},
        )
        drafts = _drafts(info, queue, counts)
        walk = _Walk(chooser, drafts, Assignment([], replaced=replaced), self._ignores_undeclared)
        assignment = walk.assignment
        for members in _groups(info):
            if not walk.assign(members):
                break
        else:
            if assignment.mode is not Mode.NO_FIT:
                topologies.place(assignment, info)
        if assignment.mode is Mode.NO_FIT:
            assignment.no_fit_reason = no_fit_reason(assignment.pod_sets, queue.groups)
        assignment.last = LastAssignment(
            walk.tried(), queue.node.generation, cycle, info.scheduling_hash
        )
        return assignment


@dataclass(slots=True)
class _Walk:
    """The way through the groups of pod sets of one workload."""

    chooser: Chooser
    drafts: Sequence[PodSetAssignment]
    assignment: Assignment
    ignores_undeclared: bool

    def assign(self, members: Sequence[int]) -> bool:
        """Assign flavors to the pod sets of a group. False if they cannot be had."""
        pod_sets = [self.drafts[index] for index in members]
        found = self._found(members, pod_sets)
        attempts = [found.attempts[name] for name in sorted(found.attempts)]
        for index, pod_set in zip(members, pod_sets, strict=True):
            pod_set.flavors = self._share(index, pod_set.requests, found.flavors)
            pod_set.reasons, pod_set.attempts = found.reasons, attempts
            pod_set.no_fit_reason = found.no_fit_reason
            self._count(pod_set)
        return not found.is_failure

    def _found(self, members: Sequence[int], pod_sets: Sequence[PodSetAssignment]) -> _Found:
        requests = pod_sets[0].requests if len(pod_sets) == 1 else _summed(pod_sets)
        found = _Found({}, [], {})
        for pod_set in pod_sets:
            found.flavors.update(pod_set.flavors)
        queue = self.chooser.queue
        for resource in sorted(requests):
            group = queue.group_of(resource)
            if group is None:
                if self.ignores_undeclared or not requests[resource]:
                    continue
                found.no_fit_reason = NO_MATCHING_FLAVOR
                return found.failed([unavailable(resource)])
            if resource in found.flavors:
                continue
            usage = self.assignment.usage
            choice = self.chooser.choose(group, resource, members, requests, usage)
            merge(found.attempts, choice.attempts, resource, group)
            if not choice.flavors:
                return found.failed(choice.reasons)
            found.flavors.update(choice.flavors)
            found.reasons += choice.reasons
        return found

    def _share(
        self, index: int, requests: Requests, flavors: dict[str, FlavorAssignment]
    ) -> dict[str, FlavorAssignment]:
        """What of a group's flavors is for one of its pod sets."""
        if flavors.keys() == requests.keys():
            return flavors
        if requests:
            return {name: flavor for name, flavor in flavors.items() if name in requests}
        request = self.chooser.info.obj.spec.pod_sets[index].topology_request
        is_grouped = request is not None and request.pod_set_group_name is not None
        return self.chooser.topologies.among(flavors) if is_grouped else {}

    def _count(self, pod_set: PodSetAssignment) -> None:
        """Add what a pod set would use, on top of what the slice it replaces holds."""
        assignment = self.assignment
        assignment.pod_sets.append(pod_set)
        replaced = self.chooser.replaced.get(pod_set.name)
        usage = assignment.usage
        for resource, flavor in pod_set.flavors.items():
            assignment.borrowing = max(assignment.borrowing, flavor.borrow)
            more = pod_set.requests.get(resource, 0)
            if replaced is not None:
                more -= replaced.requests.get(resource, 0)
            where = FlavorResource(flavor.name, resource)
            usage[where] = usage.get(where, 0) + more

    def tried(self) -> tuple[Mapping[str, int], ...]:
        """How far the search for each pod set got."""
        return tuple(
            {resource: flavor.tried for resource, flavor in pod_set.flavors.items()}
            for pod_set in self.drafts
        )


@dataclass(slots=True)
class _Found:
    """What was found for a group of pod sets."""

    flavors: dict[str, FlavorAssignment]
    reasons: list[str]
    attempts: dict[str, Attempt]
    no_fit_reason: str = ""
    is_failure: bool = False

    def failed(self, reasons: list[str]) -> _Found:
        """Nothing can be had; only the last reasons count."""
        self.flavors, self.reasons, self.is_failure = {}, reasons, True
        return self


def _drafts(info: Info, queue: CachedQueue, counts: Sequence[int] | None) -> list[PodSetAssignment]:
    """The pod sets with what they request, and with what an earlier pass gave them."""
    counts_pods = queue.group_of(PODS) is not None
    drafts = []
    for index, resources in enumerate(info.total_requests):
        if counts is not None:
            resources = resources.scaled_to(counts[index])
        draft = PodSetAssignment(
            resources.name,
            resources.count,
            resources.requests | {PODS: resources.count} if counts_pods else resources.requests,
        )
        if resources.flavors:
            draft.flavors = {
                resource: FlavorAssignment(flavor, Mode.FIT, 0)
                for resource, flavor in resources.flavors.items()
            }
            draft.topology_assignment = resources.topology_assignment
            draft.delayed_topology_request = resources.delayed_topology_request
        drafts.append(draft)
    return drafts


def _groups(info: Info) -> Iterable[Sequence[int]]:
    """The indexes of pod sets that get flavors together, in order of the first of each."""
    groups: dict[str | int, list[int]] = {}
    for index, pod_set in enumerate(info.obj.spec.pod_sets):
        request = pod_set.topology_request
        name = None if request is None else request.pod_set_group_name
        groups.setdefault(index if name is None else name, []).append(index)
    return groups.values()


def _summed(pod_sets: Iterable[PodSetAssignment]) -> Requests:
    total: Requests = {}
    for pod_set in pod_sets:
        for resource, value in pod_set.requests.items():
            total[resource] = total.get(resource, 0) + value
    return total
