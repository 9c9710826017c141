"""What KubeFleet's hub agent counts, under its names: dashboards and alerts made for it read these at /metrics.

Everything is noted where it happens, by whoever has just judged or written it; nothing is listed for it. The gauges
tell when a state was last seen: of all series of a placement, an eviction or an update run, the one with the largest
value is how it stands. Its series go when it goes. Those of earlier generations of a placement go with the next one;
upstream keeps them until the placement goes, and a placement that is changed every minute grows without end there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

from argosy.api.objects.conditions import is_current
from argosy.api.objects.fleet.members import JOINED
from argosy.api.objects.fleet.placements import Placement, PlacementStatus
from argosy.api.objects.fleet.snapshots import SCHEDULED
from argosy.api.objects.fleet.updateruns import (
    StageTaskStatus,
    StageUpdatingStatus,
    UpdateRun,
    UpdateRunStatus,
)
from argosy.api.objects.metadata import Condition, find_condition
from argosy.base.clock import Clock
from argosy.base.metrics import Gauge, Labels, Registry
from argosy.client.objects import Key
from argosy.placement.scopes import scope_of
from argosy.placement.statuses.evaluating import stages_of
from argosy.placement.updateruns.aborting import by_user
from argosy.placement.updateruns.decisions import AFTER_STAGE, BEFORE_STAGE
from argosy.placement.updateruns.marking import (
    INITIALIZED,
    PROGRESSING,
    REQUEST_APPROVED,
    REQUEST_CREATED,
    SUCCEEDED,
    status_of,
)

# Upstream's own controllers report under this prefix.
FAMILY: Final = "fleet_workload"

_MISSING: Final = "nil"
_COMPLETED: Final = ("Completed", "True", "Completed")
_FAILURES: Final = frozenset({"UpdateRunFailed", "UpdateRunInitializedFailed"})
_CYCLE_BUCKETS: Final = (10, 50, 100, 500, 1000, 5000, 10000, 50000)
_APPROVAL_BUCKETS: Final = (60, 300, 900, 1800, 3600, 7200, 21600, 43200, 86400)
_STAGE_BUCKETS: Final = (15, 30, 60, 120, 300, 600, 1800, 3600)


class Series:
    """The series of one gauge, by whom they tell of."""

    def __init__(self, gauge: Gauge) -> None:
        self._gauge = gauge
        self._known: dict[Key, set[Labels]] = {}

    def tell(self, key: Key, labels: Labels, value: float) -> None:
        self._known.setdefault(key, set()).add(labels)
        self._gauge.set(labels, value)

    def forget(self, key: Key, gone: Callable[[Labels], bool] = lambda _: True) -> None:
        """Stop telling of a key, or of that of it which is `gone`."""
        known = self._known.pop(key, set())
        lost = {labels for labels in known if gone(labels)}
        for labels in lost:
            self._gauge.forget(labels)
        if known != lost:
            self._known[key] = known - lost


class PlacementMetrics:
    """How placements stand, and since when."""

    def __init__(self, registry: Registry, clock: Clock) -> None:
        self._clock = clock
        self._status = Series(
            registry.gauge(
                "fleet_workload_placement_status_last_timestamp_seconds",
                "Last update timestamp of placement status in seconds",
                ("namespace", "name", "generation", "conditionType", "status", "reason"),
            )
        )

    def judged(self, placement: Placement, status: PlacementStatus) -> None:
        """The placement has this status now."""
        meta = placement.metadata
        key, generation = Key(*meta.key), str(meta.generation)
        self._status.forget(key, lambda labels: labels[2] != generation)
        labels = (meta.namespace, meta.name, generation, *_standing(placement, status))
        self._status.tell(key, labels, self._clock.time())

    def gone(self, key: Key) -> None:
        self._status.forget(key)


def _standing(placement: Placement, status: PlacementStatus) -> tuple[str, str, str]:
    """The first condition that is not True, as far as it is said of this generation; or that all of them are."""
    meta = placement.metadata
    for stage in (SCHEDULED, *stages_of(placement.spec)):
        type_ = scope_of(meta.namespace).condition(stage)
        said = find_condition(status.conditions, type_)
        if said is None or said.observed_generation != meta.generation:
            return type_, _MISSING, _MISSING
        if said.status != "True":
            return type_, said.status, said.reason
    return _COMPLETED


class EvictionMetrics:
    """Which evictions were decided, and whether they could be."""

    def __init__(self, registry: Registry, clock: Clock) -> None:
        self._clock = clock
        self._complete = Series(
            registry.gauge(
                "fleet_workload_eviction_complete",
                "Last update timestamp of eviction complete status in seconds",
                ("name", "isCompleted", "isValid"),
            )
        )

    def decided(self, name: str, *, is_valid: bool) -> None:
        self._complete.forget(Key("", name))
        self._tell(name, "true", "true" if is_valid else "false")

    def failed(self, name: str) -> None:
        """Nobody knows yet: it is tried again."""
        self._tell(name, "false", "unknown")

    def gone(self, name: str) -> None:
        self._complete.forget(Key("", name))

    def _tell(self, name: str, is_completed: str, is_valid: str) -> None:
        labels = (name, is_completed, is_valid)
        self._complete.tell(Key("", name), labels, self._clock.time())


class UpdateRunMetrics:
    """How update runs stand, how long people took to answer, and clusters to be updated."""

    def __init__(self, registry: Registry, clock: Clock) -> None:
        self._clock = clock
        self._status = Series(
            registry.gauge(
                "fleet_workload_update_run_status_last_timestamp_seconds",
                "Last update timestamp of update run status in seconds",
                ("namespace", "name", "state", "condition", "status", "reason", "failureType"),
            )
        )
        self._approvals = registry.histogram(
            "fleet_workload_update_run_approval_request_latency_seconds",
            "The latency from approval request creation to user approval in seconds",
            ("namespace", "name", "taskType"),
            _APPROVAL_BUCKETS,
        )
        self._stages = registry.histogram(
            "fleet_workload_update_run_stage_cluster_updating_duration_seconds",
            "The duration the stage of an update run in seconds without stage tasks execution time",
            ("namespace", "name"),
            _STAGE_BUCKETS,
        )

    def stands(self, run: UpdateRun, status: UpdateRunStatus) -> None:
        """The run has this status: how it ended, else how it goes, else whether it could begin."""
        meta = run.metadata
        for type_ in (SUCCEEDED, PROGRESSING, INITIALIZED):
            said = find_condition(status.conditions, type_)
            if said is not None and said.observed_generation == meta.generation:
                about = (meta.namespace, meta.name, run.spec.state)
                told = (type_, said.status, said.reason, _failure_type(said))
                self._status.tell(Key(*meta.key), (*about, *told), self._clock.time())
                return

    def moved(self, run: UpdateRun, status: UpdateRunStatus) -> None:
        """The run's status has become this one."""
        before = {each.stage_name: each for each in run.status.stages_status}
        for stage in status.stages_status:
            old = before.get(stage.stage_name)
            self._answered(run, BEFORE_STAGE, stage.before_stage_task_status, old)
            self._answered(run, AFTER_STAGE, stage.after_stage_task_status, old)
            if stage.start_time is not None and _is_updated(stage) and not _is_updated(old):
                labels = (run.metadata.namespace, run.metadata.name)
                self._stages.observe(labels, _seconds(stage.start_time, self._clock.now()))
        self.stands(run, status)

    def gone(self, key: Key) -> None:
        self._status.forget(key)
        self._stages.forget((key.namespace, key.name))
        for task in (BEFORE_STAGE, AFTER_STAGE):
            self._approvals.forget((key.namespace, key.name, task))

    def _answered(
        self,
        run: UpdateRun,
        kind: str,
        tasks: Iterable[StageTaskStatus],
        old: StageUpdatingStatus | None,
    ) -> None:
        known = {
            each.approval_request_name
            for each in (_tasks(old, kind) if old is not None else ())
            if status_of(each.conditions, REQUEST_APPROVED) == "True"
        }
        for task in tasks:
            asked = find_condition(task.conditions, REQUEST_CREATED)
            answered = find_condition(task.conditions, REQUEST_APPROVED)
            if (
                task.approval_request_name in known
                or asked is None
                or answered is None
                or not is_current(answered, run.metadata.generation, "True")
                or asked.last_transition_time is None
                or answered.last_transition_time is None
            ):
                continue
            labels = (run.metadata.namespace, run.metadata.name, kind)
            waited = _seconds(asked.last_transition_time, answered.last_transition_time)
            self._approvals.observe(labels, waited)


def _tasks(stage: StageUpdatingStatus, kind: str) -> tuple[StageTaskStatus, ...]:
    is_before = kind == BEFORE_STAGE
    return stage.before_stage_task_status if is_before else stage.after_stage_task_status


def _is_updated(stage: StageUpdatingStatus | None) -> bool:
    """Whether all clusters of a stage have what they were to get."""
    return stage is not None and all(
        status_of(each.conditions, SUCCEEDED) == "True" for each in stage.clusters
    )


def _failure_type(said: Condition) -> str:
    """Whose fault it is that a run does not go on; upstream reads it from the message, too."""
    if said.status != "False":
        return "none"
    if said.reason == "UpdateRunStuck":
        return "internal_error"
    if said.reason in _FAILURES:
        return "user_error" if by_user("").rstrip(": ") in said.message else "internal_error"
    return "none"


def _seconds(start: datetime, end: datetime) -> float:
    return max(0.0, (end - start).total_seconds())


class SchedulingMetrics:
    """The scheduler's cycles."""

    def __init__(self, registry: Registry, clock: Clock) -> None:
        self._clock = clock
        self._durations = registry.histogram(
            "scheduling_cycle_duration_milliseconds",
            "The duration of a scheduling cycle run in milliseconds",
            ("is_failed", "needs_requeue"),
            _CYCLE_BUCKETS,
        )
        self._active = registry.gauge(
            "scheduling_active_workers", "Number of currently running scheduling loop"
        )
        self._active.set((), 0)

    def begun(self) -> float:
        self._active.inc()
        return self._clock.monotonic()

    def ended(self, started: float, *, is_failed: bool) -> None:
        """Nothing asks for another cycle at once here: what fails is tried again, as any key."""
        self._active.dec()
        labels = ("true" if is_failed else "false", "false")
        self._durations.observe(labels, (self._clock.monotonic() - started) * 1000)


class MembershipMetrics:
    """Who has come and gone. The agents count the same under the same names, each for itself."""

    def __init__(self, registry: Registry) -> None:
        self._joins = registry.counter(
            "join_result_counter", "Number of successful Join operations", ("result",)
        )
        self._leaves = registry.counter(
            "leave_result_counter", "Number of successful Leave operations", ("result",)
        )

    def told(self, before: tuple[Condition, ...], after: tuple[Condition, ...]) -> None:
        """A cluster's conditions turn from these to those."""
        old, new = find_condition(before, JOINED), find_condition(after, JOINED)
        if new is None or (old is not None and old.status == new.status):
            return
        if new.status == "True":
            self._joins.inc(("success",))
        elif new.status == "False":
            self._leaves.inc(("success",))
