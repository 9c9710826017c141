"""The CronJob controller: makes a Job whenever one is due, keeps track of those that run, removes old ones.

Mirrors kube-controller-manager's cronjob controller v2, with its events and their texts. A CronJob is looked at when it
or one of its Jobs changes and at its next time; nothing is polled. A new schedule counts from its next time on: a time
of it that has passed already is not made up for.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final, Literal
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from argosy.api.objects import Job, ObjectReference, decoder, is_true
from argosy.api.objects.cronjobs import CronJob
from argosy.api.rules.batch.schedules import schedule_problem, zone_problem
from argosy.base.errors import AlreadyExists, NotFound, StatusError
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.objects import Key, Raw, decode
from argosy.client.protocol import Client, Propagation
from argosy.client.resources import CRON_JOBS, JOBS
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.recorders import EventRecorder
from argosy.control.references import reference
from argosy.workloads.cronjobs.deciding import (
    InvalidSchedule,
    Missed,
    is_too_late,
    job_name,
    most_recent,
    seconds_to_next,
)
from argosy.workloads.cronjobs.schedules import Schedule, parse
from argosy.workloads.pods.templates import owner_reference

_WORKERS: Final = 5
_OWNER: Final = "cronjob"
_SCHEDULED: Final = "batch.kubernetes.io/cronjob-scheduled-timestamp"
_SEE: Final = (
    "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)
_read: Final = decoder(CronJob)


class CronJobs:
    """One cluster's CronJobs."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder("cronjob-controller")
        self._crons = assembly.informer(CRON_JOBS, CronJob)
        self._jobs = assembly.informer(JOBS, Job)
        self._jobs.add_index(_OWNER, _owner)
        self._queue = assembly.controller("cronjob", self._reconcile, workers=_WORKERS)
        self._crons.add_handler(self._cron_changed)
        self._jobs.add_handler(self._job_changed)

    def _cron_changed(self, old: CronJob | None, new: CronJob | None) -> None:
        if new is None:
            return
        wait = None
        if old is not None and old.metadata.uid == new.metadata.uid and _is_rescheduled(old, new):
            schedule = parse(new.spec.schedule, new.spec.time_zone)
            wait = seconds_to_next(new, self._now(), schedule)
        self._queue.add_after(Key(*new.metadata.key), wait or 0.0)

    def _job_changed(self, old: Job | None, new: Job | None) -> None:
        for job in (old, new):
            owner = job.metadata.controller if job is not None else None
            if job is not None and owner is not None and owner.kind == CRON_JOBS.kind:
                self._queue.add(Key(job.metadata.namespace, owner.name))

    async def _reconcile(self, key: Key) -> Result:
        cron = self._crons.get(*key)
        if cron is None:
            return DONE
        jobs = self._jobs.by_index(_OWNER, cron.metadata.uid)
        if _is_behind(cron, jobs):
            try:
                raw = await self._client.get(CRON_JOBS, key.name, namespace=key.namespace)
            except NotFound:
                return DONE
            cron = _read(bytes(raw.body))
        look = _Look(self._client, self._recorder, self._now(), cron, jobs)
        try:
            seconds = await look.happen()
        finally:
            await look.write_status()
        return Result(requeue_after=seconds) if seconds is not None else DONE

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._clock.time(), UTC)


class _Look:
    """One look at one CronJob: its status as it becomes, written once at the end."""

    def __init__(
        self,
        client: Client,
        recorder: EventRecorder,
        now: datetime,
        cron: CronJob,
        jobs: list[Job],
    ) -> None:
        self._client = client
        self._recorder = recorder
        self._now = now
        self._cron = cron
        self._jobs = jobs
        self._active = {job.uid: job for job in cron.status.active}
        self._last_schedule = cron.status.last_schedule_time
        self._last_success = cron.status.last_successful_time

    async def happen(self) -> float | None:
        """The steps; returns when to look again."""
        await self._clean_up()
        self._take_stock()
        await self._find_missing()
        if self._cron.metadata.deletion_timestamp is not None or self._cron.spec.suspend:
            return None
        schedule = self._schedule()
        return await self._start(schedule) if schedule is not None else None

    # What has become of earlier runs.

    async def _clean_up(self) -> None:
        limits = self._cron.spec
        for type_, limit in (
            ("Complete", limits.successful_jobs_history_limit),
            ("Failed", limits.failed_jobs_history_limit),
        ):
            if limit is None:
                continue
            ended = [job for job in self._jobs if is_true(job.status.conditions, type_)]
            for job in sorted(ended, key=_by_start)[: max(0, len(ended) - limit)]:
                await self._delete(job.metadata.name, job.metadata.uid)

    def _take_stock(self) -> None:
        for job in self._jobs:
            name, uid = job.metadata.name, job.metadata.uid
            if not job.is_finished:
                if uid not in self._active:
                    what = f"Saw a job that the controller did not create or forgot: {name}"
                    self._event("Warning", "UnexpectedJob", what)
                continue
            is_complete = is_true(job.status.conditions, "Complete")
            if self._active.pop(uid, None) is not None:
                how = "Complete" if is_complete else "Failed"
                what = f"Saw completed job: {name}, condition: {how}"
                self._event("Normal", "SawCompletedJob", what)
            ended = job.status.completion_time
            if is_complete and ended is not None:
                self._last_success = max(self._last_success or ended, ended)

    async def _find_missing(self) -> None:
        here = {job.metadata.uid for job in self._jobs}
        for uid, job in list(self._active.items()):
            if uid not in here and await self._get(job.name) is None:
                self._event("Normal", "MissingJob", f"Active job went missing: {job.name}")
                del self._active[uid]

    # The next run.

    def _schedule(self) -> Schedule | None:
        spec = self._cron.spec
        if spec.time_zone is not None and (problem := zone_problem(spec.time_zone)):
            what = f'invalid timeZone: "{spec.time_zone}": {problem}'
            self._event("Warning", "UnknownTimeZone", what)
            return None
        if "TZ" in spec.schedule:
            what = f'CRON_TZ or TZ used in schedule "{spec.schedule}" is not officially supported, {_SEE}'
            self._event("Warning", "UnsupportedSchedule", what)
        if problem := schedule_problem(spec.schedule):
            what = f'unparseable schedule: "{spec.schedule}" : {problem}'
            self._event("Warning", "UnparseableSchedule", what)
            return None
        return parse(spec.schedule, spec.time_zone)

    async def _start(self, schedule: Schedule) -> float | None:
        cron = self._cron
        try:
            recent = most_recent(cron, self._now, schedule, with_deadline=True)
        except InvalidSchedule as error:
            what = f"invalid schedule: {cron.spec.schedule} : {error}"
            self._event("Warning", "InvalidSchedule", what)
            return None
        scheduled = recent.last
        if scheduled is not None and recent.missed is Missed.MANY:
            what = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
            self._event("Warning", "TooManyMissedTimes", what)
        if scheduled is not None and self._may_start(scheduled):
            if cron.spec.concurrency_policy == "Replace":
                for uid, job in list(self._active.items()):
                    if (problem := await self._delete(job.name, uid)) is not None:
                        raise problem
            await self._make(scheduled)
        started = replace(cron.status, last_schedule_time=self._last_schedule)
        return seconds_to_next(replace(cron, status=started), self._now, schedule)

    def _may_start(self, scheduled: datetime) -> bool:
        cron = self._cron
        if is_too_late(cron, scheduled, self._now):
            stamp = scheduled.strftime("%a, %d %b %Y %H:%M:%S +0000")
            self._event("Warning", "MissSchedule", f"Missed scheduled time to start a job: {stamp}")
            return False
        name = job_name(cron, scheduled)
        if scheduled == self._last_schedule or any(j.name == name for j in self._active.values()):
            return False
        if cron.spec.concurrency_policy == "Forbid" and self._active:
            what = "Not starting job because prior execution is running and concurrency policy is Forbid"
            self._event("Normal", "JobAlreadyActive", what)
            return False
        return True

    async def _make(self, scheduled: datetime) -> None:
        meta = self._cron.metadata
        body = _job(self._cron, scheduled)
        try:
            raw = await self._client.create(JOBS, body, namespace=meta.namespace)
        except AlreadyExists:
            found = await self._get(body["metadata"]["name"])
            if found is None or not _is_owned(decode(found), meta.uid):
                return
            raw = found
        except StatusError as error:
            self._event("Warning", "FailedCreate", f"Error creating job: {error}")
            raise
        else:
            self._event("Normal", "SuccessfulCreate", f"Created job {raw.name}")
        made = decode(raw)["metadata"]
        self._active[made["uid"]] = ObjectReference(
            api_version=JOBS.api_version,
            kind=JOBS.kind,
            namespace=made["namespace"],
            name=made["name"],
            uid=made["uid"],
            resource_version=made["resourceVersion"],
        )
        self._last_schedule = scheduled

    # Reading and writing.

    async def _get(self, name: str) -> Raw | None:
        try:
            return await self._client.get(JOBS, name, namespace=self._cron.metadata.namespace)
        except NotFound:
            return None

    async def _delete(self, name: str, uid: str) -> StatusError | None:
        """Delete a Job; gives what went wrong, which has been told. Old Jobs that stay do not keep new ones away."""
        try:
            await self._client.delete(
                JOBS,
                name,
                namespace=self._cron.metadata.namespace,
                propagation=Propagation.BACKGROUND,
                uid=uid,
            )
        except NotFound:
            pass
        except StatusError as error:
            self._event("Warning", "FailedDelete", f"Deleted job: {error}")
            return error
        self._active.pop(uid, None)
        self._event("Normal", "SuccessfulDelete", f"Deleted job {name}")
        return None

    async def write_status(self) -> None:
        status = self._cron.status
        active = tuple(self._active.values())
        if (active, self._last_schedule, self._last_success) == (
            status.active,
            status.last_schedule_time,
            status.last_successful_time,
        ):
            return
        patch: Object = {"active": list(active) or None}
        if self._last_schedule is not None:
            patch["lastScheduleTime"] = format_time(self._last_schedule)
        if self._last_success is not None:
            patch["lastSuccessfulTime"] = format_time(self._last_success)
        meta = self._cron.metadata
        try:
            await self._client.patch(
                CRON_JOBS,
                meta.name,
                {"metadata": {"resourceVersion": meta.resource_version}, "status": patch},
                namespace=meta.namespace,
                subresource="status",
            )
        except NotFound:
            return

    def _event(self, type_: Literal["Normal", "Warning"], reason: str, message: str) -> None:
        about = reference(CRON_JOBS, self._cron.metadata)
        self._recorder.event(about, type_, reason, message)


def _is_rescheduled(old: CronJob, new: CronJob) -> bool:
    then, now = old.spec, new.spec
    is_other = (then.schedule, then.time_zone) != (now.schedule, now.time_zone)
    # One that cannot be read is looked at at once, which says so.
    return is_other and not (schedule_problem(now.schedule) or zone_problem(now.time_zone or ""))


def _is_behind(cron: CronJob, jobs: list[Job]) -> bool:
    """Whether a Job runs that the status does not name: most often it does by now, and its event is on its way."""
    known = {active.uid for active in cron.status.active}
    return any(not job.is_finished and job.metadata.uid not in known for job in jobs)


def _job(cron: CronJob, scheduled: datetime) -> Object:
    template = cron.spec.job_template
    meta = template.get("metadata") or {}
    zone = ZoneInfo(cron.spec.time_zone) if cron.spec.time_zone else UTC
    stamp = scheduled.astimezone(zone).isoformat().replace("+00:00", "Z")
    made: Object = {
        "name": job_name(cron, scheduled),
        "annotations": {**(meta.get("annotations") or {}), _SCHEDULED: stamp},
        "ownerReferences": [owner_reference(CRON_JOBS, cron.metadata)],
    }
    if meta.get("labels"):
        made["labels"] = meta["labels"]
    return {"metadata": made, "spec": template["spec"]}


def _is_owned(job: Object, uid: str) -> bool:
    owners = job["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") and owner["uid"] == uid for owner in owners)


def _owner(job: Job) -> Iterable[str]:
    owner = job.metadata.controller
    return (owner.uid,) if owner is not None and owner.kind == CRON_JOBS.kind else ()


def _by_start(job: Job) -> tuple[bool, float, str]:
    start = job.status.start_time
    return start is None, start.timestamp() if start else 0.0, job.metadata.name
