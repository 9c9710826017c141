"""ClusterResourcePlacement and ResourcePlacement: what goes where, how, and how that stands."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.api.objects.fleet.policies import EVERYWHERE, PlacementPolicy
from argosy.api.objects.metadata import Condition, LabelSelector, ObjectMeta, View
from argosy.base.types import Object

ROLLING_UPDATE = "RollingUpdate"
EXTERNAL = "External"
CLIENT_SIDE_APPLY = "ClientSideApply"
SERVER_SIDE_APPLY = "ServerSideApply"
REPORT_DIFF = "ReportDiff"
NAMESPACE_ONLY = "NamespaceOnly"
NAMESPACE_WITH_RESOURCES = "NamespaceWithResources"
NAMESPACE_WITH_SELECTORS = "NamespaceWithResourceSelectors"
NAMESPACE_ACCESSIBLE = "NamespaceAccessible"


class ResourceSelectorTerm(View, frozen=True):
    group: str
    version: str
    kind: str
    name: str = ""
    label_selector: LabelSelector | None = None
    selection_scope: str = ""


class RollingUpdateConfig(View, frozen=True):
    max_unavailable: int | str | None = None
    max_surge: int | str | None = None
    unavailable_period_seconds: int | None = None


class ServerSideApplyConfig(View, frozen=True):
    force: bool


class ApplyStrategy(View, frozen=True):
    """How a member writes what it gets. Every place that holds one holds it with its defaults filled in."""

    comparison_option: str = ""
    when_to_apply: str = ""
    type: str = ""
    allow_co_ownership: bool = False
    server_side_apply_config: ServerSideApplyConfig | None = None
    when_to_take_over: str = ""


# What stands where a placement says nothing.
DEFAULT_APPLY = ApplyStrategy(
    comparison_option="PartialComparison",
    when_to_apply="Always",
    type=CLIENT_SIDE_APPLY,
    when_to_take_over="Always",
)


class ReportBackStrategy(View, frozen=True):
    type: str = ""
    destination: str | None = None


class DeleteStrategy(View, frozen=True):
    propagation_policy: str = ""


class RolloutStrategy(View, frozen=True):
    type: str = ""
    rolling_update: RollingUpdateConfig | None = None
    apply_strategy: ApplyStrategy | None = None
    delete_strategy: DeleteStrategy | None = None
    report_back_strategy: ReportBackStrategy | None = None


class PlacementSpec(View, frozen=True):
    resource_selectors: tuple[ResourceSelectorTerm, ...] = ()
    policy: PlacementPolicy | None = None
    strategy: RolloutStrategy = RolloutStrategy()
    revision_history_limit: int = 10
    status_reporting_scope: str = ""

    @property
    def wanted(self) -> PlacementPolicy:
        return self.policy or EVERYWHERE

    @property
    def is_external(self) -> bool:
        return self.strategy.type == EXTERNAL

    @property
    def apply_strategy(self) -> ApplyStrategy:
        """As a server fills it in."""
        given = self.strategy.apply_strategy
        return DEFAULT_APPLY if given is None else with_defaults(given)


def with_defaults(given: ApplyStrategy) -> ApplyStrategy:
    return msgspec.structs.replace(
        given,
        comparison_option=given.comparison_option or DEFAULT_APPLY.comparison_option,
        when_to_apply=given.when_to_apply or DEFAULT_APPLY.when_to_apply,
        type=given.type or DEFAULT_APPLY.type,
        when_to_take_over=given.when_to_take_over or DEFAULT_APPLY.when_to_take_over,
    )


class EnvelopeIdentifier(View, frozen=True):
    name: str = ""
    namespace: str = ""
    type: str = ""


class ResourceIdentifier(View, frozen=True):
    group: str = ""
    version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""
    envelope: EnvelopeIdentifier | None = None


class NamespacedName(View, frozen=True):
    name: str = ""
    namespace: str = ""


class PerClusterStatus(View, frozen=True):
    """How a placement stands on one cluster, or why a cluster was not taken, which then has no name.

    What failed, drifted or differs is told as it came from the member.
    """

    cluster_name: str = ""
    applicable_resource_overrides: tuple[NamespacedName, ...] = ()
    applicable_cluster_resource_overrides: tuple[str, ...] = ()
    failed_placements: tuple[Object, ...] = ()
    drifted_placements: tuple[Object, ...] = ()
    diffed_placements: tuple[Object, ...] = ()
    conditions: tuple[Condition, ...] = ()
    observed_resource_index: str = ""


class PlacementStatus(View, frozen=True):
    selected_resources: tuple[ResourceIdentifier, ...] = ()
    observed_resource_index: str = ""
    placement_statuses: tuple[PerClusterStatus, ...] = ()
    conditions: tuple[Condition, ...] = ()


class Placement(View, frozen=True):
    """Of either kind: it has a namespace or not."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PlacementSpec = PlacementSpec()
    status: PlacementStatus = PlacementStatus()


class ClusterResourcePlacementStatus(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    source_status: PlacementStatus = PlacementStatus()
    last_updated_time: datetime | None = None
