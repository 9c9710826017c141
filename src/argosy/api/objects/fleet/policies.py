"""Which clusters a placement wants: policy, affinity, properties, spread, tolerations; and the terms of overrides."""

from __future__ import annotations

import msgspec

from argosy.api.objects.metadata import LabelSelector, View

PICK_ALL = "PickAll"
PICK_N = "PickN"
PICK_FIXED = "PickFixed"


class PropertySelectorRequirement(View, frozen=True):
    name: str
    operator: str
    values: tuple[str, ...]


class PropertySelector(View, frozen=True):
    match_expressions: tuple[PropertySelectorRequirement, ...]


class PropertySorter(View, frozen=True):
    name: str
    sort_order: str


class ClusterSelectorTerm(View, frozen=True):
    """All that is given has to hold. No selector at all holds for placements and for no override."""

    label_selector: LabelSelector | None = None
    property_selector: PropertySelector | None = None
    property_sorter: PropertySorter | None = None


class ClusterSelector(View, frozen=True):
    """One of the terms has to hold."""

    cluster_selector_terms: tuple[ClusterSelectorTerm, ...]


class PreferredClusterSelector(View, frozen=True):
    weight: int
    preference: ClusterSelectorTerm


class ClusterAffinity(View, frozen=True):
    required_during_scheduling_ignored_during_execution: ClusterSelector | None = None
    preferred_during_scheduling_ignored_during_execution: tuple[PreferredClusterSelector, ...] = ()


class Affinity(View, frozen=True):
    cluster_affinity: ClusterAffinity | None = None


class TopologySpreadConstraint(View, frozen=True):
    max_skew: int | None = None
    topology_key: str = msgspec.field(default="")
    when_unsatisfiable: str = ""


class Toleration(View, frozen=True):
    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""


class PlacementPolicy(View, frozen=True):
    placement_type: str = ""
    cluster_names: tuple[str, ...] = ()
    number_of_clusters: int | None = None
    affinity: Affinity | None = None
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    tolerations: tuple[Toleration, ...] = ()

    @property
    def type(self) -> str:
        """What is picked; a policy that does not say picks all."""
        return self.placement_type or PICK_ALL


# What a placement without a policy wants.
EVERYWHERE = PlacementPolicy()
