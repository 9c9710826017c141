"""What a hub counts of its memory, for /metrics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.api.objects.history import JobRecord
from argosy.base.metrics import Registry


class Measures:
    def __init__(self, metrics: Registry) -> None:
        self._recorded: Final = metrics.counter(
            "argosy_jobs_recorded_total",
            "Jobs whose end was written to the history, by what became of them.",
            ("outcome",),
        )
        self._let_go: Final = metrics.counter(
            "argosy_jobs_let_go_total",
            "Jobs and placements that were deleted some time after their end, by kind.",
            ("kind",),
        )

    def recorded(self, records: Iterable[JobRecord]) -> None:
        for record in records:
            self._recorded.inc((record.outcome,))

    def let_go(self, kind: str) -> None:
        self._let_go.inc((kind,))
