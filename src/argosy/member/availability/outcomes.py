"""How a job stands: a condition `Finished` in its Work, which upstream has not.

To upstream a Job is applied and available, whatever becomes of it. Here its manifest gets one more condition: False
with the counts of its pods while it runs, True once it has ended, with what it ended as. A job none of whose pods has
run yet has nothing to tell and gets none, so a Work that upstream would write is the one written here.

Its time is the job's own: when the run began, and when it ended (`argosy.api.objects.fleet.outcomes`). A Job that its
queue stops and starts again begins anew, and says so; a JobSet says when it was resumed, or else was created.

The condition of a job that has ended also names the manifest it ran, by the first digits of its hash. A job that is
gone from the member, by its TTL or by hand, is not made again as long as its manifest is that one.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.outcomes import COMPLETE, FAILED, RUNNING, SUSPENDED, Ran, ran, told
from argosy.api.objects.fleet.works import FINISHED
from argosy.api.objects.metadata import Condition, ObjectMeta, View, find_condition
from argosy.base.timestamps import parse_time
from argosy.base.types import Json, Object
from argosy.client.resources import JOBS, Resource

RAY_JOBS: Final = Resource("ray.io", "v1", "rayjobs", "RayJob")
JOB_SETS: Final = Resource("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet")


class Spec(View, frozen=True):
    suspend: bool | None = None
    # Of a Job.
    parallelism: int | None = None
    completions: int | None = None


class RunObject(View, frozen=True):
    """What is read of a job of any kind."""

    metadata: ObjectMeta = ObjectMeta()
    spec: Spec = Spec()
    status: Object | None = None


class Counts(View, frozen=True):
    succeeded: int = 0
    failed: int = 0
    active: int = 0
    # Some that it needs now do not run yet.
    is_partial: bool = False

    def __str__(self) -> str:
        return told(self.succeeded, self.failed, self.active, is_partial=self.is_partial)


class Outcome(View, frozen=True):
    """Of one job. `manifest` is the hash of what it was made from, `why` what it says of its failure. Its times are
    None where it does not tell them.
    """

    reason: str
    counts: Counts
    manifest: str = ""
    why: str = ""
    generation: int = 0
    uid: str = ""
    started: datetime | None = None
    ended: datetime | None = None

    @property
    def is_finished(self) -> bool:
        return self.reason in {COMPLETE, FAILED}

    @property
    def condition(self) -> Condition:
        message = f"{self.counts}: {self.why}" if self.why else str(self.counts)
        if self.is_finished and self.manifest:
            message += str(Ran(self.manifest, self.started))
        return Condition(
            type=FINISHED,
            status="True" if self.is_finished else "False",
            reason=self.reason,
            message=message,
            observed_generation=self.generation,
            last_transition_time=self.ended if self.is_finished else self.started,
        )


def has_finished(conditions: tuple[Condition, ...], manifest: str) -> bool:
    """Whether conditions of old say that this manifest's job has ended."""
    found = find_condition(conditions, FINISHED)
    if found is None or found.status != "True":
        return False
    known = ran(found.message)
    return known is not None and manifest.startswith(known.manifest)


class _Told(NamedTuple):
    """What a job says of itself. `ended` is the reason it ended with, "" if it has not."""

    ended: str
    why: str
    counts: Counts
    has_run: bool
    started: datetime | None
    ended_at: datetime | None


def outcome_of(resource: Resource, run: RunObject) -> Outcome | None:
    """How a job stands; None for one that has not run, and for what is no job."""
    status = run.status or {}
    match (resource.group, resource.kind):
        case (JOBS.group, JOBS.kind):
            said = _job(run.spec, status)
        case (RAY_JOBS.group, RAY_JOBS.kind):
            said = _ray_job(status)
        case (JOB_SETS.group, JOB_SETS.kind):
            said = _job_set(run, status)
        case _:
            return None
    if not said.ended and not said.has_run:
        return None
    meta = run.metadata
    return Outcome(
        said.ended or (SUSPENDED if run.spec.suspend else RUNNING),
        said.counts,
        meta.annotations.get(names.SPEC_HASH, ""),
        said.why,
        meta.generation,
        meta.uid,
        said.started,
        said.ended_at,
    )


def _job(spec: Spec, status: Object) -> _Told:
    ended, why, when = _ended(status, {"Complete": COMPLETE, "Failed": FAILED})
    # Whoever does not count those that are ready cannot say.
    is_partial = "ready" in status and _number(status, "ready") < _wanted(spec, status)
    counts = Counts(
        _number(status, "succeeded"),
        _number(status, "failed"),
        _number(status, "active"),
        is_partial and not ended,
    )
    # Pods that only wait are no news: nothing has run.
    has_run = counts.succeeded + counts.failed + _number(status, "ready") > 0
    completed = _time(status.get("completionTime")) or when
    return _Told(ended, why, counts, has_run, _time(status.get("startTime")), completed)


def _wanted(spec: Spec, status: Object) -> int:
    """How many pods a Job is to have at this moment."""
    uncounted = status.get("uncountedTerminatedPods") or {}
    succeeded = _number(status, "succeeded") + len(uncounted.get("succeeded") or ())
    if spec.suspend:
        return 0
    most = 1 if spec.parallelism is None else spec.parallelism
    if spec.completions is not None:
        return min(most, spec.completions - succeeded)
    # Its pods agree on the end among themselves: the first that succeeds says that it is near.
    return _number(status, "active") if succeeded else most


def _job_set(run: RunObject, status: Object) -> _Told:
    each = [one for one in status.get("replicatedJobsStatus") or () if isinstance(one, dict)]
    succeeded, failed, active, ready = (
        sum(_number(one, field) for one in each)
        for field in ("succeeded", "failed", "active", "ready")
    )
    ended, why, when = _ended(status, {"Completed": COMPLETE, "Failed": FAILED})
    counts, has_run = Counts(succeeded, failed, active), succeeded + failed + ready > 0
    return _Told(ended, why, counts, has_run, _resumed(run, status), when)


def _resumed(run: RunObject, status: Object) -> datetime | None:
    """When a JobSet was let run: it says since when it is not suspended, if it ever was."""
    for condition in status.get("conditions") or ():
        if condition.get("type") == "Suspended":
            is_running = condition.get("status") == "False"
            return _time(condition.get("lastTransitionTime")) if is_running else None
    return run.metadata.creation_timestamp


def _ray_job(status: Object) -> _Told:
    state, deployment = status.get("jobStatus"), status.get("jobDeploymentStatus")
    cluster = status.get("rayClusterStatus")
    workers = _number(cluster, "readyWorkerReplicas") if isinstance(cluster, dict) else 0
    ended, why = "", ""
    if state == "SUCCEEDED" or (deployment == "Complete" and state != "FAILED"):
        ended = COMPLETE
    elif deployment == "Failed" or state in {"FAILED", "STOPPED"}:
        ended = FAILED
        why = ": ".join(str(status[key]) for key in ("reason", "message") if status.get(key))
    active = 0 if ended else workers
    counts = Counts(
        _number(status, "succeeded") or int(ended == COMPLETE),
        _number(status, "failed") or int(ended == FAILED),
        active,
    )
    has_run = deployment == "Running" or workers > 0
    started, ended_at = _time(status.get("startTime")), _time(status.get("endTime"))
    return _Told(ended, why, counts, has_run, started, ended_at if ended else None)


def _ended(status: Object, meanings: dict[str, str]) -> tuple[str, str, datetime | None]:
    for condition in status.get("conditions") or ():
        reason = meanings.get(condition.get("type", ""))
        if reason is not None and condition.get("status") == "True":
            why = ": ".join(condition[key] for key in ("reason", "message") if condition.get(key))
            when = _time(condition.get("lastTransitionTime"))
            return reason, why if reason == FAILED else "", when
    return "", "", None


def _time(value: Json) -> datetime | None:
    """To the second, as conditions have it."""
    try:
        return parse_time(value).replace(microsecond=0) if isinstance(value, str) else None
    except ValueError:
        return None


def _number(found: Object, field: str) -> int:
    value: Json = found.get(field)
    return value if isinstance(value, int) else 0
