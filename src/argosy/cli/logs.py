"""`argosy logs JOB`: the lines of a job's pods, wherever they run."""

from __future__ import annotations

import argparse
import math
from contextlib import aclosing

from argosy.cli.following import told_state
from argosy.cli.sailing import seconds_of, warn
from argosy.sdk.fleets import AsyncFleet
from argosy.sdk.lines import LogLine


async def logs(fleet: AsyncFleet, parsed: argparse.Namespace) -> int:
    since = seconds_of("--since", parsed.since)
    job = await fleet.job(parsed.name)
    has_prefix = parsed.prefix
    if has_prefix is None:
        has_prefix = job.pods > 1 or len(job.clusters) > 1
    lines = fleet.logs(
        parsed.name,
        follow=parsed.follow,
        tail=parsed.tail,
        container=parsed.container,
        timestamps=parsed.timestamps,
        previous=parsed.previous,
        since_seconds=None if since is None else math.ceil(since),
    )
    is_empty = True
    async with aclosing(lines) as found:
        async for line in found:
            is_empty = False
            print(_told(line, has_prefix=has_prefix), flush=parsed.follow)
    if is_empty and not parsed.follow and job.started is None and not job.is_ended:
        warn(f"{job.name} has written nothing yet: it is {told_state(job)}; -f waits for its start")
    return 0


def _told(line: LogLine, *, has_prefix: bool) -> str:
    mark = f"[{line.cluster}/{line.pod}/{line.container}] " if has_prefix else ""
    return f"{mark}{line.time} {line.text}" if line.time else f"{mark}{line.text}"
