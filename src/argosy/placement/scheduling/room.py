"""Whether a cluster has room for what is placed, for policies that ask for room.

A sorter for the most of a free resource says that the placement is to go where there is room. Scores of several sorters
are added, so a cluster with much memory and no CPU may still score best; upstream sends a job there to wait while
another cluster idles. Here clusters that can hold what is placed come first, by what the policy sorts for and the
placement asks for, less what was promised to others; scores decide among them, and among all where none has room.

A policy that does not sort by free resources, and a placement that asks for nothing, are not concerned.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.policies import PlacementPolicy
from argosy.api.objects.metadata import Quantities
from argosy.base.quantities import Quantity, parse
from argosy.placement.scheduling.affinity import preferred
from argosy.placement.scheduling.properties import RESOURCE_PREFIX, value_of

_AVAILABLE: Final = RESOURCE_PREFIX + "available-"
_MOST_FIRST: Final = "Descending"


class Room:
    """What a policy wants room for, for a placement with these needs."""

    def __init__(
        self, policy: PlacementPolicy, needs: Quantities, reserved: Mapping[str, Quantities]
    ) -> None:
        self._reserved = reserved
        # By property.
        self._wanted: dict[str, Quantity] = {}
        for each in preferred(policy):
            sorter = each.preference.property_sorter
            if not each.weight or sorter is None or sorter.sort_order != _MOST_FIRST:
                continue
            resource = sorter.name.removeprefix(_AVAILABLE)
            if resource != sorter.name and resource in needs:
                self._wanted[sorter.name] = parse(needs[resource])

    def is_in(self, cluster: MemberCluster) -> bool:
        """What a cluster does not tell of, it has not."""
        for name, wanted in self._wanted.items():
            free = value_of(cluster, name, self._reserved)
            if free is None or free < wanted:
                return False
        return True
