"""How a placement stands on one cluster: what its binding says, as far as that counts.

A binding's conditions are read in the order they are reached, up to the first that is not True; one that was said of an
earlier generation of the binding is not known. A binding of a rolling update that has an older snapshot tells nothing
but that. What became of jobs is said beside all of this, however far the stages are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from argosy.api.objects.conditions import with_condition, without_conditions
from argosy.api.objects.fleet.bindings import (
    APPLIED,
    AVAILABLE,
    DIFF_REPORTED,
    ROLLOUT_STARTED,
    Binding,
)
from argosy.api.objects.fleet.outcomes import with_outcome
from argosy.api.objects.fleet.placements import PerClusterStatus
from argosy.api.objects.fleet.snapshots import SCHEDULED, ClusterDecision
from argosy.api.objects.fleet.works import FINISHED
from argosy.api.objects.metadata import Condition, find_condition
from argosy.placement.statuses.wordings import (
    CLUSTER_UNKNOWN,
    FALSE,
    STAGES,
    TRUE,
    UNKNOWN,
)

_BLOCKED = "The rollout is being blocked by the rollout strategy"


@dataclass(slots=True, frozen=True)
class Expected:
    """What a binding is held against. `snapshot` is the latest one's name, None where somebody else rolls out."""

    stages: Sequence[str]
    snapshot: str | None
    index: str


@dataclass(slots=True, frozen=True)
class ClusterVerdict:
    """The status of a cluster, and what each stage it reached has come to."""

    status: PerClusterStatus
    reached: Mapping[str, str]


def selected_cluster(
    decision: ClusterDecision,
    binding: Binding | None,
    expected: Expected,
    old: PerClusterStatus | None,
    *,
    generation: int,
    now: datetime,
) -> ClusterVerdict:
    """A cluster that was picked."""
    stages = _stages(binding, expected)
    conditions = old.conditions if old is not None else ()
    scheduled = Condition(SCHEDULED, TRUE, "Scheduled", decision.reason, generation)
    conditions = with_condition(conditions, scheduled, now)
    for stage in stages:
        said = Condition(stage.type, stage.status, stage.reason, stage.message, generation)
        conditions = with_condition(conditions, said, now)
    reached = {stage.type: stage.status for stage in stages}
    conditions = without_conditions(conditions, (each for each in STAGES if each not in reached))
    outcome = _current(binding, FINISHED) if binding is not None else None
    if outcome is None:
        conditions = without_conditions(conditions, (FINISHED,))
    else:
        told = msgspec.structs.replace(outcome, observed_generation=generation)
        conditions = with_outcome(conditions, told, now)
    status = PerClusterStatus(
        cluster_name=decision.cluster_name,
        conditions=conditions,
        observed_resource_index="" if binding is None else expected.index,
    )
    if binding is not None:
        status = _with_details(status, binding, reached)
    return ClusterVerdict(status, reached)


def unselected_cluster(
    decision: ClusterDecision, old: PerClusterStatus | None, *, generation: int, now: datetime
) -> PerClusterStatus:
    """A cluster that is wanted and was not picked. It has no name; `old` is who stood in its place."""
    failed = Condition(SCHEDULED, FALSE, "ScheduleFailed", decision.reason, generation)
    before = old.conditions if old is not None else ()
    return PerClusterStatus(conditions=with_condition(before, failed, now))


def _stages(binding: Binding | None, expected: Expected) -> list[Condition]:
    """The conditions that count, with the binding's own words."""
    if binding is None:
        return [_unknown(ROLLOUT_STARTED)]
    if expected.snapshot is not None and binding.spec.resource_snapshot_name != expected.snapshot:
        started = _current(binding, ROLLOUT_STARTED)
        if started is not None and started.status == FALSE:
            return [Condition(ROLLOUT_STARTED, FALSE, "RolloutNotStartedYet", _BLOCKED)]
        return [_unknown(ROLLOUT_STARTED)]
    found = []
    for stage in expected.stages:
        said = _current(binding, stage)
        found.append(said if said is not None else _unknown(stage))
        if said is None or said.status != TRUE:
            break
    return found


def _current(binding: Binding, stage: str) -> Condition | None:
    """What the binding says now; None if that is not known."""
    said = find_condition(binding.status.conditions, stage)
    if said is None or said.observed_generation != binding.metadata.generation:
        return None
    return said if said.status in {TRUE, FALSE} else None


def _unknown(stage: str) -> Condition:
    return Condition(stage, UNKNOWN, *CLUSTER_UNKNOWN[stage])


def _with_details(
    status: PerClusterStatus, binding: Binding, reached: Mapping[str, str]
) -> PerClusterStatus:
    """What the stages that were reached tell beside their conditions."""
    started = reached.get(ROLLOUT_STARTED) == TRUE
    applied = {reached.get(APPLIED), reached.get(AVAILABLE)} - {None, UNKNOWN}
    has_failed = FALSE in applied
    is_diffed = has_failed or reached.get(DIFF_REPORTED) == TRUE
    spec, said = binding.spec, binding.status
    return msgspec.structs.replace(
        status,
        applicable_resource_overrides=spec.resource_override_snapshots if started else (),
        applicable_cluster_resource_overrides=spec.cluster_resource_override_snapshots
        if started
        else (),
        failed_placements=said.failed_placements if has_failed else (),
        drifted_placements=said.drifted_placements if applied else (),
        diffed_placements=said.diffed_placements if is_diffed else (),
    )
