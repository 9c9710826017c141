"""Flavors with a topology: which pod sets need one, which flavors then suit, and placing pods once quota is found.

A pod set asks for a topology itself, or, in a ClusterQueue that has no other flavors, by being there. Such a pod set
takes flavors with a topology only (others may still count resources that its pods do not ask nodes for), the rest
takes none of them. Places are looked for when quota fits, and again as if the topology were empty when something has
to be preempted anyway; where even that fails, preempting would not help.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from argosy.api import podresources
from argosy.api.objects.kueue.quotas import ResourceFlavor
from argosy.api.objects.kueue.workloads import PodSet
from argosy.queueing.cache.clusterqueues import Group
from argosy.queueing.flavors.assignments import (
    TOPOLOGY_PLACEMENT_FAILED,
    Assignment,
    FlavorAssignment,
    Mode,
    PodSetAssignment,
)
from argosy.queueing.flavors.topologies import (
    PENDING,
    READY,
    Placement,
    PlacementRequest,
    Topology,
    asks_for_topology,
)
from argosy.queueing.workloads.infos import Info


class Topologies:
    """A ClusterQueue's flavors with a topology, while one workload is looked at."""

    __slots__ = ("_flavors", "_groups", "_is_all", "_topology")

    def __init__(
        self, groups: Sequence[Group], flavors: Mapping[str, ResourceFlavor], topology: Topology
    ) -> None:
        self._groups, self._flavors, self._topology = groups, flavors, topology
        self._is_all: bool | None = None

    def __contains__(self, name: str) -> bool:
        flavor = self._flavors.get(name)
        return (
            flavor is not None and bool(flavor.spec.topology_name) and self._topology.is_known(name)
        )

    @property
    def is_all(self) -> bool:
        """Whether the ClusterQueue has no other flavors."""
        if self._is_all is None:
            self._is_all = bool(self._groups)
            for group in self._groups:
                for name in group.flavors:
                    if name not in self:
                        self._is_all = False
                        return False
        return self._is_all

    @property
    def is_any(self) -> bool:
        return any(name in self for group in self._groups for name in group.flavors)

    def is_requested(self, pod_set: PodSet) -> bool:
        return self.is_all or asks_for_topology(pod_set.topology_request)

    def mismatch(self, flavor: str, is_tas: bool, pod_set: PodSet, group: Group) -> str:
        """Why a flavor does not suit a pod set as far as topology goes; empty if it does."""
        request = pod_set.topology_request
        if request is None or not asks_for_topology(request):
            if is_tas and not self.is_all:
                return f'Flavor "{flavor}" supports only TopologyAwareScheduling'
            return ""
        if not is_tas:
            asked = podresources.requests(pod_set.template.get("spec") or {})
            if group.resources.isdisjoint(asked):
                return ""
            return f'Flavor "{flavor}" does not support TopologyAwareScheduling'
        if flavor not in self:
            return f'Flavor "{flavor}" information missing in TAS cache'
        if not self._topology.has_levels(flavor, request):
            return f'Flavor "{flavor}" does not contain the requested level'
        return ""

    def among(self, flavors: Mapping[str, FlavorAssignment]) -> dict[str, FlavorAssignment]:
        """Those with a topology: all that a pod set which requests nothing takes over from its group."""
        return {name: flavor for name, flavor in flavors.items() if flavor.name in self}

    def place(self, assignment: Assignment, info: Info) -> None:
        """Find places for what was assigned; write down where, or that there are none."""
        if not self._concerns(info):
            return
        requests = self.requests(assignment, info)
        mode = assignment.mode
        if mode is Mode.FIT and requests:
            placement = self._topology.place(requests, info, as_if_empty=False)
            if placement.failure is None:
                _take(assignment, placement)
            else:
                pod_set = assignment.pod_set(placement.failure.pod_set)
                pod_set.reasons = [*pod_set.reasons, placement.failure.reason]
                pod_set.set_mode(Mode.PREEMPT)
                mode = assignment.decided = Mode.PREEMPT
        if mode is Mode.PREEMPT and not info.obj.status.unhealthy_nodes:
            self._place_as_if_empty(assignment, requests, info)

    def _concerns(self, info: Info) -> bool:
        """Whether any pod set may have to be placed. Most workloads are done here."""
        if self.is_all:
            return True
        return any(pod_set.topology_request is not None for pod_set in info.obj.spec.pod_sets)

    def _place_as_if_empty(
        self, assignment: Assignment, requests: Sequence[PlacementRequest], info: Info
    ) -> None:
        if not requests:
            return
        failure = self._topology.place(requests, info, as_if_empty=True).failure
        if failure is not None:
            pod_set = assignment.pod_set(failure.pod_set)
            pod_set.attempts = [
                one._replace(mode=Mode.NO_FIT, no_fit_reason=TOPOLOGY_PLACEMENT_FAILED)
                if one.flavor == failure.flavor
                else one
                for one in pod_set.attempts
            ]
            pod_set.set_mode(Mode.NO_FIT)
            assignment.decided = Mode.NO_FIT
            return
        # Quota that fits as a sum may still be scattered, so victims are looked for on all of it.
        for request in requests:
            assignment.pod_set(request.pod_set.name).set_mode(Mode.PREEMPT)
        assignment.decided = Mode.PREEMPT

    def requests(self, assignment: Assignment, info: Info) -> list[PlacementRequest]:
        """What there is to place. A pod set that cannot be placed for want of one flavor gets an error."""
        found = []
        for pod_set in info.obj.spec.pod_sets:
            if not self.is_requested(pod_set):
                continue
            assigned = assignment.pod_set(pod_set.name)
            place = assigned.topology_assignment
            is_placed = place is not None and self._topology.is_intact(place, info)
            if assigned.error or not assigned.count or is_placed:
                continue
            flavor, assigned.error = self._only_flavor(assigned)
            if assigned.error:
                continue
            if self._topology.is_delayed(info, flavor):
                assigned.delayed_topology_request = PENDING
                continue
            is_implied = not asks_for_topology(pod_set.topology_request)
            found.append(PlacementRequest(flavor, pod_set, assigned.count, is_implied))
        return found

    def _only_flavor(self, assigned: PodSetAssignment) -> tuple[str, str]:
        """The one flavor to place the pod set in, or why there is none."""
        if not self.is_any:
            return "", "workload requires Topology, but there is no TAS cache information"
        names = {flavor.name for flavor in self.among(assigned.flavors).values()}
        if not names:
            return "", "no TAS flavor assigned"
        if len(names) > 1:
            return "", f"more than one TAS flavor assigned: {', '.join(sorted(names))}"
        return names.pop(), ""


def _take(assignment: Assignment, placement: Placement) -> None:
    for name, place in placement.assignments.items():
        pod_set = assignment.pod_set(name)
        pod_set.topology_assignment = place
        if pod_set.delayed_topology_request is not None:
            pod_set.delayed_topology_request = READY
