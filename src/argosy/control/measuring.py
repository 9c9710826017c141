"""What controllers and work queues tell of themselves, under the names that controller-runtime and client-go use.

A controller may report under a second prefix beside controller-runtime's: KubeFleet's own controllers do, and
dashboards made for it ask for those names. How long a key waits and is worked on is noted as it happens; what is still
unfinished is worked out when somebody reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from argosy.base.metrics import Registry

RUNTIME: Final = "controller_runtime"
SUCCESS: Final = "success"
REQUEUE_AFTER: Final = "requeue_after"
ERROR: Final = "error"

# Seconds; the bounds are those of controller-runtime and client-go.
_RECONCILE_BUCKETS: Final = (
    *(0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8),
    *(0.9, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0),
    *(15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0),
)
_QUEUE_BUCKETS: Final = (
    *(1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3),
    *(0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
)


class ControllerMeasures:
    """Of one controller with so many workers."""

    def __init__(
        self, registry: Registry, name: str, workers: int, *, families: Sequence[str] = ()
    ) -> None:
        self._label = (name,)
        self._families = [_Family(registry, prefix) for prefix in (RUNTIME, *families)]
        self._results = {result: (name, result) for result in (SUCCESS, REQUEUE_AFTER, ERROR)}
        for family in self._families:
            family.workers.set(self._label, workers)
            family.active.inc(self._label, 0)
            family.errors.inc(self._label, 0)
            for labels in self._results.values():
                family.outcomes.inc(labels, 0)

    def begun(self) -> None:
        for family in self._families:
            family.active.inc(self._label)

    def ended(self, seconds: float, result: str | None) -> None:
        """After this long; `result` None: it was given up, because everything ends."""
        for family in self._families:
            family.active.dec(self._label)
            if result is None:
                continue
            family.outcomes.inc(self._results[result])
            family.seconds.observe(self._label, seconds)
            if result == ERROR:
                family.errors.inc(self._label)


class _Family:
    def __init__(self, registry: Registry, prefix: str) -> None:
        self.outcomes = registry.counter(
            f"{prefix}_reconcile_total",
            "Total number of reconciliations per controller",
            ("controller", "result"),
        )
        self.errors = registry.counter(
            f"{prefix}_reconcile_errors_total",
            "Total number of reconciliation errors per controller",
            ("controller",),
        )
        self.seconds = registry.histogram(
            f"{prefix}_reconcile_time_seconds",
            "Length of time per reconciliation per controller",
            ("controller",),
            _RECONCILE_BUCKETS,
        )
        self.workers = registry.gauge(
            f"{prefix}_max_concurrent_reconciles",
            "Maximum number of concurrent reconciles per controller",
            ("controller",),
        )
        self.active = registry.gauge(
            f"{prefix}_active_workers",
            "Number of currently used workers per controller",
            ("controller",),
        )


class QueueMeasures:
    """Of one work queue. `depth` and `working` are asked when somebody reads; the latter gives the seconds that each
    key has been worked on.
    """

    def __init__(
        self,
        registry: Registry,
        name: str,
        *,
        depth: Callable[[], float],
        working: Callable[[], Sequence[float]],
    ) -> None:
        self._label = (name,)
        labels = ("name",)
        self._adds = registry.counter(
            "workqueue_adds_total", "Total number of adds handled by workqueue", labels
        )
        self._retries = registry.counter(
            "workqueue_retries_total", "Total number of retries handled by workqueue", labels
        )
        self._waited = registry.histogram(
            "workqueue_queue_duration_seconds",
            "How long in seconds an item stays in workqueue before being requested",
            labels,
            _QUEUE_BUCKETS,
        )
        self._worked = registry.histogram(
            "workqueue_work_duration_seconds",
            "How long in seconds processing an item from workqueue takes.",
            labels,
            _QUEUE_BUCKETS,
        )
        registry.gauge("workqueue_depth", "Current depth of workqueue", labels).follow(
            self._label, depth
        )
        registry.gauge(
            "workqueue_unfinished_work_seconds",
            "How many seconds of work has been done that is in progress and hasn't been observed by work_duration.",
            labels,
        ).follow(self._label, lambda: sum(working()))
        registry.gauge(
            "workqueue_longest_running_processor_seconds",
            "How many seconds has the longest running processor for workqueue been running.",
            labels,
        ).follow(self._label, lambda: max(working(), default=0.0))

    def added(self) -> None:
        self._adds.inc(self._label)

    def retried(self) -> None:
        self._retries.inc(self._label)

    def taken(self, waited_seconds: float) -> None:
        self._waited.observe(self._label, waited_seconds)

    def finished(self, worked_seconds: float) -> None:
        self._worked.observe(self._label, worked_seconds)
