"""`argosy submit --follow`: what becomes of jobs, as it happens. Log lines are on standard output, states beside them
on standard error. The exit code is the jobs' end.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import aclosing

from argosy.base.durations import human_duration
from argosy.base.errors import StatusError
from argosy.cli import columns
from argosy.cli.sailing import JOB_CANCELLED, JOB_FAILED, warn
from argosy.sdk.errors import FleetError, WaitTimeout
from argosy.sdk.fleets import AsyncFleet
from argosy.sdk.jobs import FleetJob, JobState
from argosy.sdk.tasks import together

Name = tuple[str, str]


async def follow(fleet: AsyncFleet, names: Sequence[Name], timeout: float | None) -> int:
    """Until all have ended."""
    try:
        async with asyncio.timeout(timeout):
            ended = await _all(fleet, names)
    except TimeoutError:
        raise WaitTimeout(f"after {timeout:g} s {_goes_on(names)}") from None
    except asyncio.CancelledError:
        _say(f"\nargosy: {_goes_on(names)}")
        raise
    codes = [_code(each) for each in ended]
    return next((code for code in (JOB_FAILED, JOB_CANCELLED) if code in codes), 0)


async def _all(fleet: AsyncFleet, names: Sequence[Name]) -> list[FleetJob]:
    is_alone = len(names) == 1
    async with together() as tasks:
        ends = [tasks.create_task(_one(fleet, *name, is_alone=is_alone)) for name in names]
    return [each.result() for each in ends]


def _goes_on(names: Sequence[Name]) -> str:
    name, namespace = names[0]
    of = f"{name} -n {namespace}"
    what = f"{name} goes on" if len(names) == 1 else f"{len(names)} jobs go on"
    return f"{what}: argosy logs -f {of} follows it, argosy cancel {of} ends it"


async def _one(fleet: AsyncFleet, name: str, namespace: str, *, is_alone: bool) -> FleetJob:
    job = await fleet.job(name, namespace)
    reading = asyncio.create_task(_read(fleet, job, is_alone=is_alone))
    try:
        async with aclosing(fleet.states(job)) as states:
            told: tuple[object, ...] = ()
            async for job in states:
                if not job.is_ended and told_of(job) != told:
                    _say(f"{job.name}: {told_state(job)}")
                told = told_of(job)
        await reading
    finally:
        reading.cancel()
        await asyncio.wait([reading])
    _say(f"{job.name}: {ending(job)}")
    return job


def told_of(job: FleetJob) -> tuple[object, ...]:
    """What is told anew when it changes. Of a job on its way, the message is about each step of it."""
    is_on_way = job.state is JobState.PLACING and job.clusters
    return job.state, job.clusters, "" if is_on_way else job.message


def told_state(job: FleetJob) -> str:
    where = f" on {', '.join(job.clusters)}" if job.clusters else ""
    said = told_of(job)[-1]
    return f"{job.state}{where}" + (f": {said}" if said else "")


def ending(job: FleetJob) -> str:
    """How it ended, how long it took and what it cost."""
    now = job.ended
    if now is None:
        return told_state(job)
    waited, ran, price = job.wait_seconds(now), job.run_seconds(now), job.price(now)
    said = [f"waited {human_duration(waited)}"] if waited is not None else []
    said += [f"ran {human_duration(ran)}"] if ran is not None else []
    said += [f"cost {columns.price(price)}"] if price is not None else []
    return told_state(job) + (f" ({', '.join(said)})" if said else "")


async def _read(fleet: AsyncFleet, job: FleetJob, *, is_alone: bool) -> None:
    has_several = job.pods > 1 or not is_alone
    try:
        async with aclosing(
            fleet.logs(f"{job.kind}/{job.name}", job.namespace, follow=True)
        ) as lines:
            async for line in lines:
                mark = f"[{line.cluster}/{line.pod}] " if has_several else ""
                print(f"{mark}{line.text}", flush=True)
    except (FleetError, StatusError) as error:
        # Of its logs; the job itself is followed on.
        warn(error.message if isinstance(error, StatusError) else str(error))


def _say(line: str) -> None:
    sys.stdout.flush()
    print(line, file=sys.stderr, flush=True)


def _code(job: FleetJob) -> int:
    return {JobState.FAILED: JOB_FAILED, JobState.CANCELLED: JOB_CANCELLED}.get(job.state, 0)
