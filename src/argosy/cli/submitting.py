"""`argosy submit`: jobs go to the fleet, and their user sees where, at what price, and why there.

All manifests are read and judged before the first is submitted. Each job of a file is submitted for itself, in its
order, with a placement of its own; the first that is refused ends it, and those before it stay, which is told.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from argosy.base.errors import StatusError
from argosy.base.types import Object
from argosy.cli import printing
from argosy.cli.choosing import considered_table, submission_document
from argosy.cli.connecting import CommandError
from argosy.cli.following import follow
from argosy.cli.sailing import seconds_of, warn
from argosy.sdk import kinds
from argosy.sdk.choices import Submission
from argosy.sdk.errors import FleetError
from argosy.sdk.fleets import AsyncFleet
from argosy.sdk.manifests import read_manifests

_FOREVER = "forever"


async def submit(fleet: AsyncFleet, parsed: argparse.Namespace) -> int:
    printing.check_output(parsed.output)
    timeout = _timeout(parsed)
    jobs = list(_jobs(fleet, parsed))
    if parsed.name and len(jobs) > 1:
        raise CommandError(f"--name {parsed.name} is for one job, and there are {len(jobs)}")
    made: list[Submission] = []
    for job in jobs:
        made.append(await _one(fleet, parsed, job, [title(each) for each in made]))
        if parsed.output not in printing.DOCUMENTS:
            _tell(made[-1], parsed.output)
    if parsed.output in printing.DOCUMENTS:
        documents = [submission_document(each) for each in made]
        whole = documents[0] if len(documents) == 1 else {"submissions": documents}
        sys.stdout.write(printing.document(whole, parsed.output))
    if not parsed.follow:
        return 0
    sys.stdout.flush()
    return await follow(fleet, [(each.name, each.namespace) for each in made], timeout)


def title(made: Submission) -> str:
    """As kubectl writes it: job.batch/train."""
    version = str(made.job.get("apiVersion", ""))
    group = version.rpartition("/")[0]
    return printing.full_name(kinds.resource_of(group, made.kind), made.name)


def _timeout(parsed: argparse.Namespace) -> float | None:
    if parsed.timeout and not parsed.follow:
        raise CommandError("--timeout is for --follow: say both, or leave it out")
    if parsed.dry_run and parsed.follow:
        raise CommandError(
            "--dry-run submits nothing that could be followed: leave out one of both"
        )
    return seconds_of("--timeout", parsed.timeout)


def _jobs(fleet: AsyncFleet, parsed: argparse.Namespace) -> Iterator[Object]:
    files = [*parsed.files, *parsed.filename]
    if not files:
        raise CommandError("say what to submit: argosy submit job.yaml, or - for standard input")
    if files.count("-") > 1:
        raise CommandError("standard input (-) can be read once")
    for file in files:
        for job in read_manifests(
            file, namespace=getattr(parsed, "namespace", ""), default=fleet.namespace
        ):
            if parsed.name:
                job["metadata"].pop("generateName", None)
                job["metadata"]["name"] = parsed.name
            yield job


async def _one(
    fleet: AsyncFleet, parsed: argparse.Namespace, job: Object, before: list[str]
) -> Submission:
    try:
        return await fleet.submit(
            job,
            queue=parsed.queue,
            clusters=parsed.clusters,
            prefer=parsed.prefer,
            keep="" if parsed.keep == _FOREVER else parsed.keep,
            dry_run=parsed.dry_run,
        )
    except (FleetError, StatusError) as error:
        if not before or parsed.dry_run:
            raise
        said = error.message if isinstance(error, StatusError) else str(error)
        raise CommandError(f"{said} (submitted before it: {', '.join(before)})") from error


def _tell(made: Submission, form: str) -> None:
    if form == "name":
        print(title(made))
    else:
        sys.stdout.write(considered_table(made.choice))
        print(_result(made))
    for each in made.warnings:
        warn(each)


def _result(made: Submission) -> str:
    where = ", ".join(made.choice.clusters)
    goes = f"goes to {where}" if where else "waits for a cluster that can have it"
    queue = f", queue {made.queue}" if made.queue else ""
    if made.is_dry_run:
        would = f"would go to {where}" if where else "would wait for a cluster that can have it"
        return f"{title(made)} {would}{queue} (dry run: nothing was submitted)"
    return f"{title(made)} submitted: it {goes}{queue}"
