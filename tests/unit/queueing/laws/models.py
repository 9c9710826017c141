"""What quotas allow, worked out from the objects alone, in the simplest words there are: the judge of the engine.

A node's subtree has its own quota and what its children lend; its usage is what its children use beyond what they keep
to themselves. Nowhere may usage exceed the subtree's quota by more than the borrowing limit; at a root it may not
exceed it at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceGroup
from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.quotas.amounts import FlavorResource, Usage, amount
from tests.support.plays import Play


@dataclass
class Place:
    """A ClusterQueue or a cohort: per flavor and resource, its nominal quota, borrowing and lending limit."""

    name: str
    quotas: dict[FlavorResource, tuple[int, int | None, int | None]]
    weight: float
    used: Usage = field(default_factory=dict)
    children: list[Place] = field(default_factory=list)
    parent: Place | None = None

    def nominal(self, fr: FlavorResource) -> int:
        return self.quotas.get(fr, (0, None, None))[0]

    def subtree(self, fr: FlavorResource) -> int:
        """What the node and all below it may use without borrowing."""
        return self.nominal(fr) + sum(child.lent(fr) for child in self.children)

    def lent(self, fr: FlavorResource) -> int:
        """What others may use of that."""
        limit = self.quotas.get(fr, (0, None, None))[2]
        return self.subtree(fr) if limit is None else min(self.subtree(fr), limit)

    def usage(self, fr: FlavorResource) -> int:
        return self.used.get(fr, 0) + sum(child.burden(fr) for child in self.children)

    def burden(self, fr: FlavorResource) -> int:
        """What the parent has to account for: usage beyond what the node keeps to itself."""
        return max(0, self.usage(fr) - (self.subtree(fr) - self.lent(fr)))

    def borrowed(self, fr: FlavorResource) -> int:
        return max(0, self.usage(fr) - self.subtree(fr))

    def is_overdrawn(self, fr: FlavorResource) -> bool:
        limit = 0 if self.parent is None else self.quotas.get(fr, (0, None, None))[1]
        return limit is not None and self.borrowed(fr) > limit

    def path(self) -> Iterator[Place]:
        place: Place | None = self
        while place is not None:
            yield place
            place = place.parent


def forest(
    cohorts: Iterable[Cohort], queues: Iterable[ClusterQueue], holders: Iterable[Workload]
) -> dict[str, Place]:
    """All nodes by name (names of ClusterQueues and cohorts differ), with what the workloads use."""
    places: dict[str, Place] = {}
    parents: dict[str, str] = {}
    for cohort in cohorts:
        name, spec = cohort.metadata.name, cohort.spec
        places[name] = Place(name, _quotas(spec.resource_groups), _weight(cohort))
        parents[name] = spec.parent_name
    for queue in queues:
        name = queue.metadata.name
        places[name] = Place(name, _quotas(queue.spec.resource_groups), _weight(queue))
        parents[name] = queue.spec.cohort_name
    for name, parent in parents.items():
        if parent:
            above = places.setdefault(parent, Place(parent, {}, 1.0))
            above.children.append(places[name])
            places[name].parent = above
    for workload in holders:
        admission = workload.status.admission
        if admission is not None and admission.cluster_queue in places:
            _use(places[admission.cluster_queue], workload)
    return places


def of_play(play: Play) -> dict[str, Place]:
    """The model of what the API says."""
    settings = play.settings.values()
    return forest(
        [one for one in settings if isinstance(one, Cohort)],
        [one for one in settings if isinstance(one, ClusterQueue)],
        play.holders(),
    )


def overdrawn(places: dict[str, Place]) -> list[tuple[str, FlavorResource, int]]:
    """Where more is used than may be, and by how much more than the quota."""
    return [
        (name, fr, place.borrowed(fr))
        for name, place in sorted(places.items())
        for fr in sorted({fr for one in places.values() for fr in (*one.quotas, *one.used)})
        if place.is_overdrawn(fr)
    ]


def _use(place: Place, workload: Workload) -> None:
    admission = workload.status.admission
    for pod_set in admission.pod_set_assignments if admission is not None else ():
        for resource, flavor in pod_set.flavors.items():
            fr = FlavorResource(flavor, resource)
            value = amount(resource, pod_set.resource_usage[resource])
            place.used[fr] = place.used.get(fr, 0) + value


def _quotas(
    groups: Iterable[ResourceGroup],
) -> dict[FlavorResource, tuple[int, int | None, int | None]]:
    return {
        FlavorResource(flavor.name, one.name): (
            amount(one.name, one.nominal_quota),
            None if one.borrowing_limit is None else amount(one.name, one.borrowing_limit),
            None if one.lending_limit is None else amount(one.name, one.lending_limit),
        )
        for group in groups
        for flavor in group.flavors
        for one in flavor.resources
    }


def _weight(owner: ClusterQueue | Cohort) -> float:
    sharing = owner.spec.fair_sharing
    return 1.0 if sharing is None else float(sharing.weight)
