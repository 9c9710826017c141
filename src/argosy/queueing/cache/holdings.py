"""How much the workloads of one queue hold: reserved and, of that, admitted. Counted by deltas.

The same for ClusterQueues and LocalQueues; statuses are read from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from argosy.api.objects.kueue.quotas import Amount, ResourceGroup
from argosy.base.types import Object
from argosy.queueing.quotas.amounts import FlavorResource, Usage, amount, printed
from argosy.queueing.workloads.infos import Info


@dataclass(slots=True)
class Holdings:
    """What reserving and admitted workloads hold together, and how many they are."""

    reserving: int = 0
    admitted: int = 0
    reserved: Usage = field(default_factory=dict)
    used: Usage = field(default_factory=dict)

    def add(self, info: Info) -> None:
        self._count(info, 1)

    def remove(self, info: Info) -> None:
        self._count(info, -1)

    def _count(self, info: Info, sign: int) -> None:
        is_admitted = info.obj.is_admitted
        self.reserving += sign
        self.admitted += sign * is_admitted
        for flavor_resource, value in info.usage.items():
            self.reserved[flavor_resource] = self.reserved.get(flavor_resource, 0) + sign * value
            if is_admitted:
                self.used[flavor_resource] = self.used.get(flavor_resource, 0) + sign * value


def flavors_usage(
    groups: Sequence[ResourceGroup],
    usage: Mapping[FlavorResource, int],
    *,
    with_borrowed: bool,
    in_cohort: bool = False,
) -> list[Object]:
    """`flavorsUsage` and `flavorsReservation` of a status: every flavor and resource the ClusterQueue has a quota for.

    LocalQueues do not borrow; a ClusterQueue without a cohort borrows nothing, whatever it uses.
    """
    return [
        {
            "name": flavor.name,
            "resources": [
                _resource(
                    quota.name, quota.nominal_quota, usage, flavor.name, with_borrowed, in_cohort
                )
                for quota in flavor.resources
            ],
        }
        for group in groups
        for flavor in group.flavors
    ]


def _resource(
    resource: str,
    nominal: Amount,
    usage: Mapping[FlavorResource, int],
    flavor: str,
    with_borrowed: bool,
    in_cohort: bool,
) -> Object:
    total = usage.get(FlavorResource(flavor, resource), 0)
    found: Object = {"name": resource, "total": printed(resource, total)}
    if with_borrowed:
        above = max(0, total - amount(resource, nominal)) if in_cohort else 0
        found["borrowed"] = printed(resource, above)
    return found
