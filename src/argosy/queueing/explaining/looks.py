"""What a look at a workload found, flavor by flavor: what it asks for, what there is, what is missing.

The verdict on a flavor (`mode`, `reasons`) is the assigner's own. The amounts beside it are those it was reached by: a
pod set is held against the quota together with the pod sets before it, as they were assigned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from argosy.queueing.cache.clusterqueues import CachedQueue, Group
from argosy.queueing.flavors.assignments import Assignment, Attempt, Mode, PodSetAssignment
from argosy.queueing.flavors.reasons import MODE_NAMES
from argosy.queueing.quotas.amounts import PODS, FlavorResource, Usage
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.workloads.infos import Info


@dataclass(slots=True, frozen=True)
class Need:
    """One resource of one flavor. `free` is what the ClusterQueue could use more of it now; below zero where quotas
    shrank under the usage. `maximum` is what it could use if nobody used anything.
    """

    flavor: str
    resource: str
    requested: int
    free: int
    used: int
    nominal: int
    maximum: int

    @property
    def where(self) -> FlavorResource:
        return FlavorResource(self.flavor, self.resource)

    @property
    def missing(self) -> int:
        return max(0, self.requested - self.free)

    @property
    def is_impossible(self) -> bool:
        """Whether it would not fit even if nobody used anything."""
        return self.requested > self.maximum


@dataclass(slots=True, frozen=True)
class FlavorLook:
    """A flavor for a pod set: how it can be had, what was said, and the amounts. `is_mismatch`: the pods do not suit
    the flavor, whatever its quota.
    """

    pod_set: str
    flavor: str
    mode: Mode
    reasons: tuple[str, ...]
    needs: tuple[Need, ...]

    @property
    def mode_name(self) -> str:
        return MODE_NAMES[self.mode]

    @property
    def missing(self) -> tuple[Need, ...]:
        return tuple(need for need in self.needs if need.missing)

    @property
    def is_impossible(self) -> bool:
        """Whether it asks for more than there could ever be."""
        return any(need.is_impossible for need in self.needs)

    @property
    def is_mismatch(self) -> bool:
        return self.mode is Mode.NO_FIT and not self.missing


def looks(info: Info, queue: CachedQueue, assignment: Assignment) -> list[FlavorLook]:
    """All flavors that were looked at, by pod set, in the order of the ClusterQueue."""
    found: list[FlavorLook] = []
    assumed: Usage = {}
    for pod_set in assignment.pod_sets:
        requests = _requests(info, queue, pod_set)
        attempts = {attempt.flavor: attempt for attempt in pod_set.attempts}
        for group in queue.groups:
            wanted = {name: requests[name] for name in sorted(requests) if name in group.resources}
            if wanted:
                found += _of_group(pod_set, group, wanted, attempts, queue.node, assumed)
        for resource, flavor in pod_set.flavors.items():
            where = FlavorResource(flavor.name, resource)
            assumed[where] = assumed.get(where, 0) + pod_set.requests.get(resource, 0)
    return found


def _requests(info: Info, queue: CachedQueue, pod_set: PodSetAssignment) -> Mapping[str, int]:
    """What the whole pod set asks for, also where only some of its pods were assigned."""
    resources = next(one for one in info.total_requests if one.name == pod_set.name)
    if queue.group_of(PODS) is None:
        return resources.requests
    return {**resources.requests, PODS: resources.count}


def _of_group(
    pod_set: PodSetAssignment,
    group: Group,
    wanted: Mapping[str, int],
    attempts: Mapping[str, Attempt],
    node: Node,
    assumed: Usage,
) -> Iterator[FlavorLook]:
    for flavor in group.flavors:
        attempt = attempts.get(flavor)
        if attempt is None:
            continue
        wheres = [(FlavorResource(flavor, resource), value) for resource, value in wanted.items()]
        needs = tuple(need(node, where, value + assumed.get(where, 0)) for where, value in wheres)
        yield FlavorLook(pod_set.name, flavor, attempt.mode, attempt.reasons, needs)


def need(node: Node, where: FlavorResource, requested: int) -> Need:
    place = node.position(where)
    return Need(
        where.flavor,
        where.resource,
        requested,
        node.available_at(place),
        node.usage[place],
        node.nominal[place],
        node.potential[place],
    )
