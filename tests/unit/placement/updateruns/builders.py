"""Runs and what they look at, in few words. The placement is `app`, the run `run`, the strategy `stages`."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding, BindingSpec, BindingStatus
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import (
    DEFAULT_APPLY,
    EXTERNAL,
    Placement,
    PlacementSpec,
    RolloutStrategy,
)
from argosy.api.objects.fleet.policies import PlacementPolicy
from argosy.api.objects.fleet.snapshots import (
    PolicySnapshot,
    PolicySnapshotSpec,
    PolicySnapshotStatus,
    ResourceSnapshot,
)
from argosy.api.objects.fleet.updateruns import (
    APPROVAL,
    RUN,
    ApprovalRequest,
    ApprovalRequestSpec,
    ApprovalRequestStatus,
    StageConfig,
    StageTask,
    UpdateRun,
    UpdateRunSpec,
    UpdateRunStatus,
    UpdateStrategy,
    UpdateStrategySpec,
)
from argosy.api.objects.metadata import Condition, LabelSelector, ObjectMeta
from argosy.placement.picks import Picked
from argosy.placement.updateruns import initializing
from argosy.placement.updateruns.looks import Look
from argosy.placement.updateruns.marking import renewed

NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
GENERATION = 2
ANYBODY = StageConfig("all", LabelSelector(), max_concurrency=10)


def member(name: str, **labels: str) -> MemberCluster:
    return MemberCluster(ObjectMeta(name=name, labels=labels))


def placement(type_: str = EXTERNAL) -> Placement:
    spec = PlacementSpec(strategy=RolloutStrategy(type=type_))
    return Placement(ObjectMeta(name="app", generation=1), spec)


def policy(
    kind: PlacementPolicy | None = None,
    *,
    scheduled: str = "True",
    index: str = "0",
    annotations: dict[str, str] | None = None,
) -> PolicySnapshot:
    labels = {names.IS_LATEST: "true", names.POLICY_INDEX: index}
    meta = ObjectMeta(
        name=f"app-{index}", generation=1, labels=labels, annotations=annotations or {}
    )
    said = Condition("Scheduled", scheduled, observed_generation=1)
    return PolicySnapshot(meta, PolicySnapshotSpec(kind), PolicySnapshotStatus(conditions=(said,)))


def binding(cluster: str, state: str = "Scheduled", **more: object) -> Binding:
    meta = ObjectMeta(name=f"app-{cluster}", generation=3, resource_version="9")
    spec = BindingSpec(state=state, scheduling_policy_snapshot_name="app-0", target_cluster=cluster)
    return Binding(meta, replace(spec, **more))


def rolled(cluster: str, *said: str, **more: object) -> Binding:
    """A binding as a run leaves it, with conditions that hold."""
    spec: dict[str, object] = {
        "resource_snapshot_name": "app-0-snapshot",
        "apply_strategy": DEFAULT_APPLY,
        **more,
    }
    conditions = tuple(
        Condition(type_, "True", observed_generation=3) for type_ in ("RolloutStarted", *said)
    )
    made = binding(cluster, **{"state": "Bound", **spec})
    return replace(made, status=BindingStatus(conditions=conditions))


def deleting(one: Binding) -> Binding:
    return replace(one, metadata=replace(one.metadata, deletion_timestamp=NOW))


def run(state: str = RUN, index: str = "", status: UpdateRunStatus | None = None) -> UpdateRun:
    spec = UpdateRunSpec("app", index, "stages", state)
    meta = ObjectMeta(name="run", generation=GENERATION)
    return UpdateRun(meta, spec, status or UpdateRunStatus())


def strategy(*stages: StageConfig) -> UpdateStrategy:
    return UpdateStrategy(ObjectMeta(name="stages"), UpdateStrategySpec(stages))


def stage(name: str, env: str = "", **more: object) -> StageConfig:
    selector = LabelSelector({"env": env} if env else {})
    return replace(StageConfig(name, selector, max_concurrency=1), **more)


def approval(kind: str = APPROVAL) -> tuple[StageTask, ...]:
    return (StageTask(kind),)


def request(name: str, stage_name: str, *said: str, generation: int = 1) -> ApprovalRequest:
    conditions = tuple(Condition(each, "True", observed_generation=generation) for each in said)
    return ApprovalRequest(
        ObjectMeta(name=name, generation=1),
        ApprovalRequestSpec("run", stage_name),
        ApprovalRequestStatus(conditions),
    )


def snapshot(index: int = 0, *, master: bool = True) -> ResourceSnapshot:
    annotations = {names.RESOURCE_HASH: "hash"} if master else {}
    labels = {names.RESOURCE_INDEX: str(index)}
    name = names.resource_snapshot_name("app", index)
    return ResourceSnapshot(ObjectMeta(name=name, labels=labels, annotations=annotations))


def look(
    *clusters: str | MemberCluster,
    stages: Iterable[StageConfig] = (ANYBODY,),
    leaving: Iterable[str] = (),
    **more: object,
) -> Look:
    """A placement that is scheduled on these clusters, and a run on it."""
    members = [member(one) if isinstance(one, str) else one for one in clusters]
    bindings = [binding(one.metadata.name) for one in members]
    bindings += [binding(one, "Unscheduled") for one in leaving]
    facts: dict[str, object] = {
        "run": run(),
        "now": NOW,
        "placement": placement(),
        "strategy": strategy(*stages),
        "policies": [policy()],
        "bindings": bindings,
        "members": sorted(members, key=lambda one: one.metadata.name),
        **more,
    }
    return Look(**facts)


def begun(seen: Look) -> UpdateRunStatus:
    """The status of a run that was initialized in this world, ten minutes before the look."""
    before = changed(seen, now=NOW - timedelta(minutes=10))
    status = initializing.planned(before)
    status = initializing.initialized(
        status, before, index="0", snapshots=[snapshot()], overrides=lambda *_: Picked()
    )
    return renewed(status, GENERATION)


def changed(seen: Look, **more: object) -> Look:
    facts = {name: getattr(seen, name) for name in Look.__slots__}
    return Look(**{**facts, **more})
