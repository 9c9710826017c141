"""`argosy jobs`: the jobs of the whole fleet in one table, the finished ones too. With -w it goes on with a line for
each job that changes, as `kubectl get -w` does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Final

from argosy.base.durations import human_duration
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.cli import columns, printing
from argosy.cli.connecting import CommandError
from argosy.sdk import kinds
from argosy.sdk.finding import split
from argosy.sdk.fleets import AsyncFleet
from argosy.sdk.jobs import FleetJob, JobState

_FORMS: Final = ("json", "yaml", "wide", "name")
_HEAD: Final = ("NAME", "CLUSTER", "QUEUE", "STATE", "WAIT", "RUN", "PRICE", "AGE")
_WIDE: Final = ("KIND", "PODS", "PLACEMENT", "MESSAGE")
_STATE_COLORS: Final = {
    JobState.RUNNING: "green",
    JobState.FAILED: "red",
    JobState.UNPLACED: "red",
    JobState.PLACING: "yellow",
    JobState.QUEUED: "yellow",
    JobState.COMPLETE: "gray",
    JobState.CANCELLED: "gray",
}


async def jobs(fleet: AsyncFleet, parsed: argparse.Namespace) -> int:
    printing.check_output(parsed.output, _FORMS)
    wanted = _wanted(parsed)
    namespace = None if parsed.all_namespaces else fleet.namespace
    if parsed.watch:
        return await _watch(fleet, parsed, namespace, wanted)
    found = await fleet.jobs(namespace, selector=parsed.selector, finished=not parsed.active)
    now = datetime.now(UTC)
    chosen = ordered((each for each in found if wanted(each)), parsed.sort_by, now)
    missing = _missing(parsed.names, chosen)
    _print(chosen, parsed, now, is_first=True)
    if not chosen and not missing and parsed.output not in printing.DOCUMENTS:
        printing.print_none(namespace)
    if missing:
        where = "any namespace" if namespace is None else f'namespace "{namespace}"'
        one = ", ".join(f'"{each}"' for each in missing)
        raise CommandError(
            f"no job {one} in {where} that was asked for: argosy jobs -A shows the jobs of all namespaces"
        )
    return 0


async def _watch(
    fleet: AsyncFleet,
    parsed: argparse.Namespace,
    namespace: str | None,
    wanted: Callable[[FleetJob], bool],
) -> int:
    seen: dict[tuple[str, str], FleetJob] = {}
    watched = fleet.watch_jobs(namespace, selector=parsed.selector, finished=not parsed.active)
    is_first = True
    async with aclosing(watched) as changes:
        async for found in changes:
            now = datetime.now(UTC)
            chosen = [each for each in found if wanted(each)]
            news = [each for each in chosen if seen.get((each.uid, each.name)) != each]
            seen = {(each.uid, each.name): each for each in chosen}
            if news or is_first:
                _print(ordered(news, parsed.sort_by, now), parsed, now, is_first=is_first)
                sys.stdout.flush()
                is_first = is_first and not news
    return 0


def _wanted(parsed: argparse.Namespace) -> Callable[[FleetJob], bool]:
    states = _states(printing.split(parsed.state))
    names = [split(each) for each in parsed.names]

    def wanted(job: FleetJob) -> bool:
        return (
            (not states or job.state in states)
            and parsed.queue in {"", job.queue}
            and (not parsed.cluster or parsed.cluster in job.clusters)
            and (not names or any(job.kind in of and job.name == name for of, name in names))
        )

    return wanted


def _states(given: Iterable[str]) -> frozenset[JobState]:
    known = {each.lower(): each for each in JobState}
    wrong = [each for each in given if each.lower() not in known]
    if wrong:
        raise CommandError(
            f'--state "{wrong[0]}" is no state of a job: there are {", ".join(JobState)}'
        )
    return frozenset(known[each.lower()] for each in given)


def _missing(names: Sequence[str], chosen: Sequence[FleetJob]) -> list[str]:
    found = {each.name for each in chosen}
    return [each for each in names if split(each)[1] not in found]


def ordered(found: Iterable[FleetJob], by: str, now: datetime) -> list[FleetJob]:
    """In the order that was asked for; where that says nothing, in the order of creation."""
    jobs_ = list(found)
    if by == "name":
        return sorted(jobs_, key=lambda each: (each.namespace, each.name))
    measures: dict[str, Callable[[FleetJob], float | None]] = {
        "wait": lambda each: each.wait_seconds(now),
        "run": lambda each: each.run_seconds(now),
        "price": lambda each: each.price(now),
    }
    measure = measures.get(by)
    return sorted(jobs_, key=lambda each: -(measure(each) or 0.0)) if measure else jobs_


def _print(
    found: Sequence[FleetJob], parsed: argparse.Namespace, now: datetime, *, is_first: bool
) -> None:
    form = parsed.output
    if form == "name":
        for each in found:
            group = each.api_version.rpartition("/")[0]
            print(printing.full_name(kinds.resource_of(group, each.kind), each.name))
    elif form in printing.DOCUMENTS and parsed.watch:
        for each in found:
            lead = "---\n" if form == "yaml" else ""
            sys.stdout.write(lead + printing.document(job_document(each, now), form))
    elif form in printing.DOCUMENTS:
        document: Object = {"jobs": [job_document(each, now) for each in found]}
        sys.stdout.write(printing.document(document, form))
    elif found:
        has_head = is_first and not parsed.no_headers
        sys.stdout.write(
            job_table(
                found,
                now,
                wide=form == "wide",
                namespaces=parsed.all_namespaces,
                head=has_head,
                colorful=columns.is_colorful(),
            )
        )


def job_table(
    found: Sequence[FleetJob],
    now: datetime,
    *,
    wide: bool = False,
    namespaces: bool = False,
    head: bool = True,
    colorful: bool = False,
) -> str:
    """Aligned as with its head, whether that is printed or not."""
    first = (*(("NAMESPACE",) if namespaces else ()), *_HEAD, *(_WIDE if wide else ()))
    rows = [
        (*((each.namespace,) if namespaces else ()), *_cells(each, now), *_more(each, wide=wide))
        for each in found
    ]
    lines = printing.table([first, *rows]).splitlines(keepends=True)
    if colorful:
        for number, each in enumerate(found, start=1):
            color = _STATE_COLORS.get(each.state, "")
            lines[number] = columns.colored(lines[number].rstrip("\n"), color) + "\n"
    return "".join(lines if head else lines[1:])


def _cells(job: FleetJob, now: datetime) -> tuple[str, ...]:
    age = (now - job.created).total_seconds() if job.created is not None else None
    return (
        job.name,
        ",".join(job.clusters) or columns.NONE,
        job.queue or columns.NONE,
        str(job.state),
        columns.duration(job.wait_seconds(now)),
        columns.duration(job.run_seconds(now)),
        columns.price(job.price(now)),
        human_duration(age) if age is not None else "<unknown>",
    )


def _more(job: FleetJob, *, wide: bool) -> tuple[str, ...]:
    if not wide:
        return ()
    message = " ".join(job.message.split())
    return job.kind, str(job.pods), job.placement or columns.NONE, message or columns.NONE


def job_document(job: FleetJob, now: datetime) -> Object:
    """What has not happened, or nobody knows, is null."""
    return {
        "namespace": job.namespace,
        "name": job.name,
        "kind": job.kind,
        "apiVersion": job.api_version,
        "uid": job.uid,
        "labels": dict(job.labels),
        "state": str(job.state),
        "message": job.message,
        "queue": job.queue,
        "clusters": list(job.clusters),
        "placement": job.placement,
        "pods": job.pods,
        "createdAt": _time(job.created),
        "startedAt": _time(job.started),
        "endedAt": _time(job.ended),
        "waitSeconds": job.wait_seconds(now),
        "runSeconds": job.run_seconds(now),
        "price": job.price(now),
        "pricePerHour": job.price_per_hour,
        "isFromHistory": job.from_history,
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else format_time(moment)
