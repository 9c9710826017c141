"""Waiting for the end of a job: by watches, for as long as it takes or is allowed to.

A job that ends may be gone a moment later, by its TTL or because it was submitted with a time to keep it; then the
history says how it ended. One that vanishes without a trace, which happens on hubs that keep no history, was deleted
by somebody: it reads as cancelled.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from argosy.control.informers import Selection
from argosy.sdk import kinds
from argosy.sdk.connections import Connections
from argosy.sdk.errors import WaitTimeout
from argosy.sdk.finding import find_job
from argosy.sdk.following import Following
from argosy.sdk.jobs import FleetJob, JobState
from argosy.sdk.reading import fleet_jobs

# How long the history may take to tell of a job that is gone.
_PATIENCE_SECONDS: Final = 10.0


async def wait(
    ways: Connections, name: str, namespace: str, *, timeout: float | None = None
) -> FleetJob:
    """The job when it has ended. WaitTimeout tells how far it was."""
    last = await find_job(ways, name, namespace)
    try:
        async with asyncio.timeout(timeout), aclosing(states(ways, last)) as seen:
            async for last in seen:
                if last.is_ended:
                    return last
    except TimeoutError:
        raise WaitTimeout(
            f"{last.kind} {last.namespace}/{last.name} has not ended after {timeout:g} s: "
            f"it is {last.state}" + (f" ({last.message})" if last.message else "")
        ) from None
    return last


async def states(ways: Connections, job: FleetJob) -> AsyncGenerator[FleetJob, None]:
    """A job now and whenever it reads differently, until it has ended."""
    yield job
    if job.is_ended:
        return
    followed = await _follow(ways, job)
    async with followed.running(), aclosing(followed.changes()) as changes:
        is_missing = False
        while True:
            try:
                # One that is missing is given some time to turn up in the history.
                async with asyncio.timeout(_PATIENCE_SECONDS if is_missing else None):
                    await anext(changes)
            except TimeoutError:
                yield replace(
                    job, state=JobState.CANCELLED, message="it was deleted", ended=ways.clock.now()
                )
                return
            found = _find(followed, job)
            if found is not None and found.started is None:
                # Objects do not tell when an ended job had started; the history will.
                found = replace(found, started=job.started)
            is_missing = found is None
            if found is not None and found != job:
                job = found
                yield job
            if job.is_ended:
                return


async def _follow(ways: Connections, job: FleetJob) -> Following:
    followed = Following(ways)
    group, _, version = job.api_version.rpartition("/")
    resource = kinds.resource_of(group, job.kind, version)
    await followed.follow_jobs(
        [resource], Selection(job.namespace, "", f"metadata.name={job.name}")
    )
    of, _, placement = job.placement.partition("/")
    await followed.follow_placements(job.namespace, placement if of == "rp" else "")
    await followed.follow_history(job.namespace)
    await followed.follow_members()
    return followed


def _find(followed: Following, job: FleetJob) -> FleetJob | None:
    found = fleet_jobs(followed.sight())
    return next((each for each in found if each.uid == job.uid), None)
