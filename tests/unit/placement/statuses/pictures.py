"""Builders of what a placement is judged by."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding, BindingSpec, BindingStatus
from argosy.api.objects.fleet.placements import (
    EXTERNAL,
    ApplyStrategy,
    NamespacedName,
    Placement,
    PlacementSpec,
    PlacementStatus,
    ResourceIdentifier,
    RolloutStrategy,
)
from argosy.api.objects.fleet.policies import PlacementPolicy
from argosy.api.objects.fleet.snapshots import (
    ClusterDecision,
    PolicySnapshot,
    PolicySnapshotStatus,
    ResourceSnapshot,
)
from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.placement.statuses.evaluating import Picture
from argosy.placement.statuses.wordings import APPLY_STAGES

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LATER = datetime(2026, 2, 2, 3, 4, 5, tzinfo=UTC)
GENERATION = 4
INDEX = "7"
SNAPSHOT = f"web-{INDEX}-snapshot"
POLICY = "web-0"
ALL_TRUE = dict.fromkeys(APPLY_STAGES, "True")
NEW = PlacementStatus()
FULFILLED = Condition("Scheduled", "True", "SchedulingPolicyFulfilled", "found all", 1)


def binding(
    cluster: str,
    *,
    snapshot: str = SNAPSHOT,
    policy: str = POLICY,
    overrides: tuple[NamespacedName, ...] = (),
    cluster_overrides: tuple[str, ...] = (),
    deleting: bool = False,
    generation: int = 3,
    observed: int = 3,
    **stages: str,
) -> Binding:
    """What its stages have come to; each says its type as its reason and the status as its message."""
    conditions = tuple(
        Condition(type_, status, f"Binding{type_}", f"{type_} is {status}", observed)
        for type_, status in stages.items()
    )
    return Binding(
        ObjectMeta(
            f"web-{cluster}", generation=generation, deletion_timestamp=NOW if deleting else None
        ),
        BindingSpec(
            state="Bound",
            resource_snapshot_name=snapshot,
            scheduling_policy_snapshot_name=policy,
            target_cluster=cluster,
            resource_override_snapshots=overrides,
            cluster_resource_override_snapshots=cluster_overrides,
        ),
        BindingStatus(({"failed": 1},), ({"drifted": 1},), ({"diffed": 1},), conditions),
    )


def picture(
    bindings: Iterable[Binding] = (),
    *,
    selected: Iterable[str] | None = None,
    unselected: Iterable[str] = (),
    policy: PlacementPolicy | None = None,
    strategy: str = "",
    apply: str = "",
    namespace: str = "ns",
    scheduled: Condition | None = FULFILLED,
    observed: int = GENERATION,
    old: PlacementStatus = NEW,
    has_policy: bool = True,
) -> Picture:
    """The clusters of the bindings are selected, unless others are named."""
    bindings = list(bindings)
    chosen = [each.spec.target_cluster for each in bindings] if selected is None else list(selected)
    decisions = (
        *(ClusterDecision(each, True, reason=f"picked {each}") for each in chosen),
        *(ClusterDecision(each, False, reason=f"{each} is full") for each in unselected),
    )
    status = PolicySnapshotStatus(observed, (scheduled,) if scheduled else (), decisions)
    rollout = RolloutStrategy(
        type=strategy or "RollingUpdate",
        apply_strategy=ApplyStrategy(type=apply) if apply else None,
    )
    return Picture(
        Placement(
            ObjectMeta("web", namespace=namespace, generation=GENERATION),
            PlacementSpec(policy=policy, strategy=rollout),
            old,
        ),
        PolicySnapshot(ObjectMeta(POLICY, generation=1), status=status) if has_policy else None,
        None
        if strategy == EXTERNAL
        else ResourceSnapshot(ObjectMeta(SNAPSHOT, labels={names.RESOURCE_INDEX: INDEX})),
        bindings,
        lambda name: name.split("-")[1],
        lambda index: (ResourceIdentifier("", "v1", "ConfigMap", f"of-{index}", "ns"),),
    )
