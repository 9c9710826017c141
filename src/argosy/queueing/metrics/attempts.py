"""The scheduler's attempts in numbers: how many, how long, and what came of them. And what is running here.

A cycle is an attempt if there was anybody to look at. It is a success if somebody got quota. How many preemptions came
too late in a cycle is a gauge of the last cycle in which any did, as upstream has it.
"""

from __future__ import annotations

from typing import Final

from argosy import __version__
from argosy.apiserver.paths import version
from argosy.base.metrics import DEFAULT_BUCKETS, Registry
from argosy.queueing.cycles.decisions import Outcome
from argosy.queueing.metrics.families import ROLE, counter, gauge, histogram

_SUCCESS: Final = ("success", ROLE)
_INADMISSIBLE: Final = ("inadmissible", ROLE)


class AttemptMetrics:
    """One registry, one of these."""

    def __init__(self, registry: Registry) -> None:
        self._attempts = counter(
            registry,
            "admission_attempts_total",
            "Cycles that tried to admit workloads.",
            ("result",),
        )
        self._durations = histogram(
            registry,
            "admission_attempt_duration_seconds",
            "How long cycles took.",
            ("result",),
            DEFAULT_BUCKETS,
        )
        self._skips = gauge(
            registry,
            "admission_cycle_preemption_skips",
            "Workloads that had somebody to preempt, but others needed the same resources in the same cycle.",
            ("cluster_queue",),
        )
        self._recomputations = counter(
            registry,
            "preemption_target_recomputations_total",
            "Workloads whose targets were searched again because earlier ones of the cycle had chosen the same.",
            ("cluster_queue", "result"),
        )
        _tell_build(registry)

    def cycle(self, outcome: Outcome, seconds: float) -> None:
        """A cycle took this long."""
        if not outcome.admitted and not outcome.requeued:
            return
        result = _SUCCESS if outcome.admitted else _INADMISSIBLE
        self._attempts.inc(result)
        self._durations.observe(result, seconds)
        for queue, count in outcome.skipped_preemptions.items():
            self._skips.set((queue, ROLE), count)
        for (queue, how), count in outcome.recomputations.items():
            self._recomputations.inc((queue, how, ROLE), count)


def _tell_build(registry: Registry) -> None:
    here = version()
    info = gauge(
        registry,
        "build_info",
        "1, by what is running.",
        ("git_version", "git_commit", "build_date", "go_version", "compiler", "platform"),
    )
    values = (here[key] for key in ("gitCommit", "buildDate", "goVersion", "compiler", "platform"))
    info.set((f"v{__version__}", *values, ROLE), 1)
