"""What became of the jobs of a placement: told by members per manifest, by bindings per cluster, by placements in all.

Upstream calls a Job available once it is applied, so a failed one cannot be told from one that runs. Members add a
condition `Finished` to the manifests of jobs that have begun to run; here it is summed up, as one more condition beside
upstream's: False while something runs, True when all has ended, and then as `JobComplete` or `JobFailed`. A placement
whose jobs have not begun, or that has none, says nothing of the kind.

The time of the sum is the jobs' own: since when the first of those that have not ended runs, and when the last one
ended. A job of which that is not known does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from argosy.api.objects.fleet.outcomes import (
    COMPLETE,
    FAILED,
    RUNNING,
    earliest,
    latest,
    readable,
    started_at,
)
from argosy.api.objects.fleet.works import FINISHED, SentWork
from argosy.api.objects.metadata import Condition, find_condition


def of_works(works: Sequence[SentWork]) -> Condition | None:
    """The outcome of a cluster's jobs; None where none has begun."""
    told = [
        (f"{manifest.identifier.kind} {manifest.identifier.name}", said)
        for work in works
        for manifest in work.status.manifest_conditions
        if (said := find_condition(manifest.conditions, FINISHED)) is not None
    ]
    if not told:
        return None
    # One that does not go well is worth more words than those that do.
    name, said = min(told, key=lambda each: (each[1].reason != FAILED, each[1].status != "False"))
    message = f"{name}: {readable(said.message)}"
    return _sum([each for _, each in told], message, "job(s)", started_at)


def of_clusters(told: Iterable[Condition]) -> Condition | None:
    """The outcome of a placement's jobs on all its clusters."""
    outcomes = list(told)
    if not outcomes:
        return None
    first = min(outcomes, key=lambda each: (each.reason != FAILED, each.status != "False"))
    return _sum(outcomes, first.message, "cluster(s)", _since)


def _since(outcome: Condition) -> datetime | None:
    """When a cluster's jobs began; those that have ended do not tell any more."""
    return outcome.last_transition_time if outcome.status != "True" else None


def _sum(
    outcomes: Sequence[Condition],
    message: str,
    what: str,
    since: Callable[[Condition], datetime | None],
) -> Condition:
    if len(outcomes) > 1:
        done = sum(each.status == "True" for each in outcomes)
        failed = sum(each.reason == FAILED for each in outcomes)
        message = f"{done} of {len(outcomes)} {what} have finished, {failed} failed; {message}"
    if any(each.status != "True" for each in outcomes):
        began = earliest(map(since, outcomes))
        return Condition(FINISHED, "False", RUNNING, message, last_transition_time=began)
    reason = FAILED if any(each.reason == FAILED for each in outcomes) else COMPLETE
    ended = latest(each.last_transition_time for each in outcomes)
    return Condition(FINISHED, "True", reason, message, last_transition_time=ended)
