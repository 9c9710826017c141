"""From what the hub has to jobs as users see them. Pure: a `Sight` in, `FleetJob`s out.

How a job stands is what its placement says of it, in this order: what became of it (`Finished`), why it cannot go where
it should, and else that it waits, in its queue or for its placement. The history adds what objects do not tell: when an
ended job had started, what it cost, and jobs whose objects are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final, NamedTuple

from argosy.api.needs import needs, pods
from argosy.api.objects.fleet.outcomes import FAILED
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.works import FINISHED
from argosy.api.objects.history import JobHistory, JobRecord
from argosy.api.objects.metadata import Condition
from argosy.api.prices import Prices, per_hour, prices
from argosy.base.timestamps import parse_time
from argosy.base.types import Object
from argosy.placement.scopes import scope_of
from argosy.sdk import kinds
from argosy.sdk.jobs import ENDED, FleetJob, JobState
from argosy.sdk.selecting import PlacementIndex
from argosy.sdk.sights import Sight

# A manifest that is on the member and differs there: it is where it should be, whatever `Applied` says.
_DRIFTS: Final = frozenset(("FoundDrifts", "FoundDriftsInDegradedMode"))
_OUTCOMES: Final = {str(each): each for each in ENDED}
_UNPLACED: Final = (
    "no placement selects it, so it goes nowhere: "
    "create a ResourcePlacement that does, or use argosy submit"
)


def fleet_jobs(sight: Sight, *, finished: bool = True) -> list[FleetJob]:
    """All jobs, the oldest first; without `finished`, only those that have not ended."""
    index = PlacementIndex(sight.placements)
    at = {each.metadata.name: prices(each.status.properties) for each in sight.members}
    records = {record.uid: record for _, record in records_of(sight.histories) if record.uid}
    found = [_job(job, index.of(job), at, records) for job in sight.jobs]
    present = {each.uid for each in found}
    gone = [
        from_record(namespace, record)
        for namespace, record in records_of(sight.histories)
        if record.uid not in present
    ]
    return sorted((each for each in (*found, *gone) if finished or not each.is_ended), key=_order)


def fleet_job(job: Object, sight: Sight) -> FleetJob:
    """One job that is there."""
    at = {each.metadata.name: prices(each.status.properties) for each in sight.members}
    records = {record.uid: record for _, record in records_of(sight.histories) if record.uid}
    return _job(job, PlacementIndex(sight.placements).of(job), at, records)


def placed_job(job: Object, placement: Placement | None, at: Mapping[str, Prices]) -> FleetJob:
    """One job whose placement is known, at these prices, without what the history adds."""
    return _job(job, placement, at, {})


def records_of(histories: Iterable[JobHistory]) -> Iterator[tuple[str, JobRecord]]:
    """Namespace and record, in the order they were kept."""
    for history in sorted(histories, key=lambda each: each.metadata.key):
        for record in history.records:
            yield history.metadata.namespace, record


def _order(job: FleetJob) -> tuple[float, str, str]:
    created = job.created.timestamp() if job.created is not None else 0.0
    return created, job.namespace, job.name


# Jobs that are there.


def _job(
    job: Object,
    placement: Placement | None,
    at: Mapping[str, Prices],
    records: Mapping[str, JobRecord],
) -> FleetJob:
    meta = job["metadata"]
    record = records.get(str(meta.get("uid", "")))
    # A placement of several jobs tells of all of them together: what is written of this one is more.
    stand = _recorded(record) if record is not None else _stand(job, placement)
    clusters = _clusters(placement)
    hourly = [per_hour(needs(job), at[each]) for each in clusters if each in at]
    known = [each for each in hourly if each is not None]
    return FleetJob(
        str(meta.get("namespace", "")),
        str(meta["name"]),
        str(job["kind"]),
        stand.state,
        kinds.queue_of(meta),
        clusters,
        stand.message,
        pods(job),
        _time(meta.get("creationTimestamp")),
        stand.started,
        stand.ended,
        _title(placement),
        False,
        str(job.get("apiVersion", "")),
        str(meta.get("uid", "")),
        meta.get("labels") or {},
        sum(known) if known else None,
        record.price if record is not None else None,
    )


class _Stand(NamedTuple):
    state: JobState
    message: str = ""
    started: datetime | None = None
    ended: datetime | None = None


def _recorded(record: JobRecord) -> _Stand:
    return _Stand(_outcome(record), record.message, record.started, record.ended)


def _outcome(record: JobRecord) -> JobState:
    return _OUTCOMES.get(record.outcome, JobState.COMPLETE)


def _stand(job: Object, placement: Placement | None) -> _Stand:
    if placement is None:
        going = job["metadata"].get("deletionTimestamp")
        return (
            _Stand(JobState.CANCELLED, "it is being deleted")
            if going
            else _Stand(JobState.UNPLACED, _UNPLACED)
        )
    conditions = _conditions(placement)
    outcome = conditions.get(FINISHED)
    if outcome is not None and outcome.status == "True":
        state = JobState.FAILED if outcome.reason == FAILED else JobState.COMPLETE
        return _Stand(state, outcome.message, ended=outcome.last_transition_time)
    if job["metadata"].get("deletionTimestamp"):
        return _Stand(JobState.CANCELLED, "it is being deleted")
    if outcome is not None:
        return _Stand(JobState.RUNNING, outcome.message, outcome.last_transition_time)
    return _waiting(job, placement, conditions)


def _waiting(job: Object, placement: Placement, conditions: Mapping[str, Condition]) -> _Stand:
    """Of a job that has not begun to run."""
    if placement.metadata.deletion_timestamp is not None:
        return _Stand(JobState.UNPLACED, f"its placement {_title(placement)} is being deleted")
    scheduled = conditions.get("Scheduled")
    if scheduled is None:
        return _Stand(JobState.PLACING, "nothing was decided yet")
    if not _clusters(placement):
        why = _why_not(placement) if scheduled.status != "True" else ""
        return _Stand(JobState.PLACING, why or scheduled.message)
    stuck = _stuck(job, placement)
    if stuck:
        return _Stand(JobState.PLACING, stuck)
    applied = conditions.get("Applied")
    if (applied is None or applied.status != "True") and not _has_drifted(job, placement):
        started = conditions.get("RolloutStarted")
        why = started.message if started is not None and started.status != "True" else ""
        return _Stand(JobState.PLACING, why or "it is on its way to its cluster")
    queue = kinds.queue_of(job["metadata"])
    if queue:
        return _Stand(JobState.QUEUED, f"it waits in queue {queue}")
    if kinds.is_suspended(job):
        return _Stand(
            JobState.SUSPENDED, "spec.suspend is true, and it names no queue that could start it"
        )
    return _Stand(JobState.QUEUED, "its pods have not begun to run")


def _why_not(placement: Placement) -> str:
    """What the clusters that were not taken say, each reason once."""
    reasons = [
        condition.message
        for each in placement.status.placement_statuses
        if not each.cluster_name
        for condition in each.conditions
        if condition.type == "Scheduled" and condition.message
    ]
    return "; ".join(dict.fromkeys(reasons))


def _stuck(job: Object, placement: Placement) -> str:
    """Why a member could not apply the job, where that is no drift."""
    for failed in _failures(job, placement):
        condition = failed.get("condition") or {}
        if condition.get("reason") not in _DRIFTS:
            return str(condition.get("message", ""))
    return ""


def _has_drifted(job: Object, placement: Placement) -> bool:
    return any(
        (failed.get("condition") or {}).get("reason") in _DRIFTS
        for failed in _failures(job, placement)
    )


def _failures(job: Object, placement: Placement) -> Iterator[Object]:
    for cluster in placement.status.placement_statuses:
        for failed in cluster.failed_placements:
            if (failed.get("kind"), failed.get("name")) == (job["kind"], job["metadata"]["name"]):
                yield failed


def _conditions(placement: Placement) -> dict[str, Condition]:
    """By what they are called on a binding, for this generation of the placement."""
    prefix = scope_of(placement.metadata.namespace).placements.kind
    return {
        each.type.removeprefix(prefix): each
        for each in placement.status.conditions
        if each.type.endswith(FINISHED) or each.observed_generation >= placement.metadata.generation
    }


def _clusters(placement: Placement | None) -> tuple[str, ...]:
    if placement is None:
        return ()
    told = (each.cluster_name for each in placement.status.placement_statuses)
    return tuple(sorted(name for name in told if name))


def _title(placement: Placement | None) -> str:
    """As the history writes it: rp/NAME, of the job's namespace, or crp/NAME."""
    if placement is None:
        return ""
    return f"{'rp' if placement.metadata.namespace else 'crp'}/{placement.metadata.name}"


def _time(text: object) -> datetime | None:
    return parse_time(text) if isinstance(text, str) and text else None


# Jobs that have gone.


def from_record(namespace: str, record: JobRecord) -> FleetJob:
    return FleetJob(
        namespace,
        record.name,
        record.kind,
        _outcome(record),
        record.queue,
        record.clusters,
        record.message,
        record.pods,
        record.created,
        record.started,
        record.ended,
        record.placement,
        True,
        record.api_version,
        record.uid,
        price_paid=record.price,
    )
