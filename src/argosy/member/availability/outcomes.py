"""How a job stands: a condition `Finished` in its Work, which upstream has not.

To upstream a Job is applied and available, whatever becomes of it. Here its manifest gets one more condition: False
with the counts of its pods while it runs, True once it has ended, with what it ended as. A job none of whose pods has
run yet has nothing to tell and gets none, so a Work that upstream would write is the one written here.

The condition of a job that has ended also names the manifest it ran, by the first digits of its hash. A job that is
gone from the member, by its TTL or by hand, is not made again as long as its manifest is that one.
"""

from __future__ import annotations

import re
from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.works import FINISHED
from argosy.api.objects.metadata import Condition, ObjectMeta, View, find_condition
from argosy.base.types import Json, Object
from argosy.client.resources import JOBS, Resource

RAY_JOBS: Final = Resource("ray.io", "v1", "rayjobs", "RayJob")
JOB_SETS: Final = Resource("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet")

COMPLETE: Final = "JobComplete"
FAILED: Final = "JobFailed"
RUNNING: Final = "JobRunning"
SUSPENDED: Final = "JobSuspended"

_DIGITS: Final = 12
_RAN: Final = re.compile(rf" \(manifest ([0-9a-f]{{{_DIGITS}}})\)$")


class Spec(View, frozen=True):
    suspend: bool | None = None


class RunObject(View, frozen=True):
    """What is read of a job of any kind."""

    metadata: ObjectMeta = ObjectMeta()
    spec: Spec = Spec()
    status: Object | None = None


class Counts(View, frozen=True):
    succeeded: int = 0
    failed: int = 0
    active: int = 0

    def __str__(self) -> str:
        return f"{self.succeeded} succeeded, {self.failed} failed, {self.active} active"


class Outcome(View, frozen=True):
    """Of one job. `manifest` is the hash of what it was made from, `why` what it says of its failure."""

    reason: str
    counts: Counts
    manifest: str = ""
    why: str = ""
    generation: int = 0
    uid: str = ""

    @property
    def is_finished(self) -> bool:
        return self.reason in {COMPLETE, FAILED}

    @property
    def condition(self) -> Condition:
        message = f"{self.counts}: {self.why}" if self.why else str(self.counts)
        if self.is_finished and self.manifest:
            message += f" (manifest {self.manifest[:_DIGITS]})"
        return Condition(
            type=FINISHED,
            status="True" if self.is_finished else "False",
            reason=self.reason,
            message=message,
            observed_generation=self.generation,
        )


def has_finished(conditions: tuple[Condition, ...], manifest: str) -> bool:
    """Whether conditions of old say that this manifest's job has ended."""
    found = find_condition(conditions, FINISHED)
    if found is None or found.status != "True":
        return False
    ran = _RAN.search(found.message)
    return ran is not None and manifest.startswith(ran[1])


def outcome_of(resource: Resource, run: RunObject) -> Outcome | None:
    """How a job stands; None for one that has not run, and for what is no job."""
    status = run.status or {}
    match (resource.group, resource.kind):
        case (JOBS.group, JOBS.kind):
            ended, why, counts, has_run = _job(status)
        case (RAY_JOBS.group, RAY_JOBS.kind):
            ended, why, counts, has_run = _ray_job(status)
        case (JOB_SETS.group, JOB_SETS.kind):
            ended, why, counts, has_run = _job_set(status)
        case _:
            return None
    if not ended and not has_run:
        return None
    meta = run.metadata
    return Outcome(
        ended or (SUSPENDED if run.spec.suspend else RUNNING),
        counts,
        meta.annotations.get(names.SPEC_HASH, ""),
        why,
        meta.generation,
        meta.uid,
    )


def _job(status: Object) -> tuple[str, str, Counts, bool]:
    counts = Counts(
        _number(status, "succeeded"), _number(status, "failed"), _number(status, "active")
    )
    ended, why = _ended(status, {"Complete": COMPLETE, "Failed": FAILED})
    # Pods that only wait are no news: nothing has run.
    has_run = counts.succeeded + counts.failed + _number(status, "ready") > 0
    return ended, why, counts, has_run


def _job_set(status: Object) -> tuple[str, str, Counts, bool]:
    each = [one for one in status.get("replicatedJobsStatus") or () if isinstance(one, dict)]
    succeeded, failed, active, ready = (
        sum(_number(one, field) for one in each)
        for field in ("succeeded", "failed", "active", "ready")
    )
    ended, why = _ended(status, {"Completed": COMPLETE, "Failed": FAILED})
    return ended, why, Counts(succeeded, failed, active), succeeded + failed + ready > 0


def _ray_job(status: Object) -> tuple[str, str, Counts, bool]:
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
    return ended, why, counts, deployment == "Running" or workers > 0


def _ended(status: Object, meanings: dict[str, str]) -> tuple[str, str]:
    for condition in status.get("conditions") or ():
        reason = meanings.get(condition.get("type", ""))
        if reason is not None and condition.get("status") == "True":
            why = ": ".join(condition[key] for key in ("reason", "message") if condition.get(key))
            return reason, why if reason == FAILED else ""
    return "", ""


def _number(found: Object, field: str) -> int:
    value: Json = found.get(field)
    return value if isinstance(value, int) else 0
