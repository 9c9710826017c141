"""What KubeFleet's member agent counts, under its names: Works and manifests that were gone through, and membership.

Label values of Works and manifests are the reasons of their conditions, so there are few of them. Only the time a Work
took to be applied is told by Work; those series go with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.api.objects.conditions import is_current
from argosy.api.objects.fleet.members import JOINED
from argosy.api.objects.fleet.works import APPLIED, AVAILABLE, DIFF_REPORTED, Work
from argosy.api.objects.metadata import Condition, find_condition
from argosy.base.clock import Clock
from argosy.base.metrics import Registry
from argosy.client.objects import Key
from argosy.member.applying.results import Result

_SKIPPED: Final = "Skipped"
_UNKNOWN: Final = "Unknown"
_FOUND: Final = {True: "Found", False: "NotFound"}
# Seconds; upstream's bounds.
_APPLY_BUCKETS: Final = (
    *(0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 0.9, 1.0, 1.25, 1.5, 1.75),
    *(2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5, 7, 9, 10, 15, 20, 30, 60, 120),
)
# Creation is told in whole seconds: what is younger was created just now.
_JUST_NOW_SECONDS: Final = 2.0


class ApplyingMetrics:
    """Of one agent's work applier."""

    def __init__(self, registry: Registry, clock: Clock) -> None:
        self._clock = clock
        statuses = ("apply_status", "availability_status", "diff_reporting_status")
        self._works = registry.counter(
            "fleet_work_processing_requests_total",
            "Total number of processing requests of work objects, including retries and periodic checks",
            statuses,
        )
        self._manifests = registry.counter(
            "fleet_manifest_processing_requests_total",
            "Total number of processing requests of manifest objects, including retries and periodic checks",
            (*statuses, "drift_detection_status", "diff_detection_status"),
        )
        self._times = registry.histogram(
            "work_apply_time_seconds",
            "Length of time between when a work resource is created/updated to when it is applied "
            "on the member cluster",
            ("name",),
            _APPLY_BUCKETS,
        )
        # Since when (monotonic) a Work that is not applied yet has been as it is.
        self._since: dict[Key, float] = {}

    def changed(self, old: Work | None, new: Work) -> None:
        """A Work is there, or is another one than before."""
        if old is not None and old.metadata.generation == new.metadata.generation:
            return
        since, created = self._clock.monotonic(), new.metadata.creation_timestamp
        if old is None:
            if is_current(
                find_condition(new.status.conditions, APPLIED), new.metadata.generation, "True"
            ):
                return
            age = (self._clock.now() - created).total_seconds() if created is not None else 0.0
            since -= age if age >= _JUST_NOW_SECONDS else 0.0
        self._since[Key(*new.metadata.key)] = since

    def gone(self, key: Key) -> None:
        self._since.pop(key, None)
        self._times.forget((key.name,))

    def passed(self, work: Work, results: Iterable[Result], *, reports: bool) -> None:
        """A Work was gone through and says so; `reports`: it only wants to know what differs."""
        labels = tuple(_reason(work, type_) for type_ in (APPLIED, AVAILABLE, DIFF_REPORTED))
        self._works.inc(labels)
        for each in results:
            applied, diffed = (_SKIPPED, each.type) if reports else (each.type, _SKIPPED)
            self._manifests.inc(
                (
                    str(applied),
                    str(each.availability),
                    str(diffed),
                    _FOUND[bool(each.drifts)],
                    _FOUND[bool(each.diffs)],
                )
            )
        said = find_condition(work.status.conditions, APPLIED)
        if is_current(said, work.metadata.generation, "True"):
            since = self._since.pop(Key(*work.metadata.key), None)
            if since is not None:
                self._times.observe((work.metadata.name,), self._clock.monotonic() - since)


def _reason(work: Work, type_: str) -> str:
    said = find_condition(work.status.conditions, type_)
    if said is None:
        return _SKIPPED
    return _UNKNOWN if said.status == "Unknown" else said.reason


class JoiningMetrics:
    """Of one agent. The hub counts the same under the same names, for all of its members."""

    def __init__(self, registry: Registry) -> None:
        self._joins = registry.counter(
            "join_result_counter", "Number of successful Join operations", ("result",)
        )
        self._leaves = registry.counter(
            "leave_result_counter", "Number of successful Leave operations", ("result",)
        )

    def told(self, before: Iterable[Condition], after: Iterable[Condition]) -> None:
        """The agent's conditions turn from these to those."""
        old, new = find_condition(before, JOINED), find_condition(after, JOINED)
        if new is None or (old is not None and old.status == new.status):
            return
        if new.status == "True":
            self._joins.inc(("success",))
        elif new.status == "False":
            self._leaves.inc(("success",))
