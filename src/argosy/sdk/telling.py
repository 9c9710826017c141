"""An explanation in words, for people: what is the matter, the numbers, who holds what is missing, what would help."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from argosy.base.durations import human_duration
from argosy.queueing.explaining.explanations import Explanation, Level, Outlook, Said
from argosy.queueing.explaining.looks import FlavorLook
from argosy.queueing.explaining.remedies import amounts_of
from argosy.queueing.quotas.amounts import Usage, printed
from argosy.queueing.workloads.phases import Phase
from argosy.sdk.tables import table

# Longer lists are cut; documents have all of it.
_HOLDERS_TOLD: Final = 10
_STATES: Final = {
    Phase.PENDING: "is pending",
    Phase.QUOTA_RESERVED: "has quota reserved and is not admitted yet",
    Phase.ADMITTED: "is admitted",
    Phase.FINISHED: "is finished",
}


def told(found: Explanation, now: datetime) -> str:
    paragraphs = [
        "\n".join(_opening(found, now)) + "\n",
        _numbers(found.looks) if found.outlook is not Outlook.FITS else "",
        "".join(f"{_level(level)}\n" for level in dict.fromkeys(found.levels)),
        _holders(found, now),
        "\n".join(_remedies(found)) + "\n" if found.remedies else "",
        "".join(f"{note}\n" for note in found.notes),
    ]
    return "\n".join(paragraph for paragraph in paragraphs if paragraph)


def _opening(found: Explanation, now: datetime) -> Iterator[str]:
    workload = found.workload
    where = ""
    if found.cluster_queue:
        above = "".join(f", cohort {name}" for name in found.cohorts)
        where = (
            f" in ClusterQueue {found.cluster_queue} (LocalQueue {workload.spec.queue_name}{above})"
        )
    yield f"Workload {found.key} {_STATES[found.phase]}{where}, priority {workload.spec.priority or 0}."
    if found.said is not None:
        yield f"  {_said(found.said, now)}"
    if found.now is not None:
        yield (
            f"  Now {_said(found.now, now)}"
            if found.said is not None
            else f"  {_said(found.now, now)}"
        )
    if found.usage:
        yield f"It holds {_usage(found.usage)}."
    yield from _outlook(found)


def _said(said: Said, now: datetime) -> str:
    since = f" for {human_duration((now - said.since).total_seconds())}" if said.since else ""
    return f"{said.reason}{since}: {said.message}" if said.message else f"{said.reason}{since}"


def _outlook(found: Explanation) -> Iterator[str]:
    match found.outlook:
        case Outlook.BLOCKED:
            yield "It is not looked at until that is changed."
        case Outlook.WAITS:
            is_hopeless = found.looks and all(
                look.is_impossible or look.is_mismatch for look in found.looks
            )
            yield "It can never fit as it is." if is_hopeless else "It does not fit now."
        case Outlook.FITS:
            yield "There is room for it now."
        case Outlook.PREEMPTS:
            yield "It does not fit now, and may preempt:"
            for target in found.victims:
                info = target.info
                yield f"  {info.key} of ClusterQueue {info.cluster_queue}, priority {info.priority} ({target.reason})"
        case Outlook.NONE:
            pass
    position = found.position
    if position is None or found.outlook is Outlook.BLOCKED:
        return
    if position.place == 0:
        yield "It is first in line."
        return
    among = f" of {position.length}" if position.length > position.place else ""
    yield f"It is number {position.place + 1}{among} in line{_after(position.ahead)}."
    if found.is_strict:
        yield f"ClusterQueue {found.cluster_queue} is StrictFIFO: nobody passes those who come before."


def _after(ahead: str) -> str:
    return f", right after {ahead}" if ahead else ""


def _numbers(found: list[FlavorLook]) -> str:
    several = len({look.pod_set for look in found}) > 1
    head = ("FLAVOR", "RESOURCE", "NEEDS", "FREE", "USED", "NOMINAL", "MAXIMUM", "MISSING")
    rows = [
        (
            *((look.pod_set,) if several else ()),
            need.flavor,
            need.resource,
            *(
                printed(need.resource, value)
                for value in (
                    need.requested,
                    max(0, need.free),
                    need.used,
                    need.nominal,
                    need.maximum,
                    need.missing,
                )
            ),
        )
        for look in found
        if not look.is_mismatch
        for need in look.needs
    ]
    text = table([(*(("POD SET",) if several else ()), *head), *rows]) if rows else ""
    unsuited = [reason for look in found if look.is_mismatch for reason in look.reasons]
    return text + "".join(f"{reason}\n" for reason in dict.fromkeys(unsuited))


def _level(level: Level) -> str:
    flavor, resource = level.where
    limits = ""
    if level.borrowing_limit is not None:
        limits += f", may borrow {printed(resource, level.borrowing_limit)}"
    if level.lending_limit is not None:
        limits += f", lends {printed(resource, level.lending_limit)}"
    return (
        f"{level.kind} {level.name} uses {printed(resource, level.used)} of {printed(resource, level.quota)}"
        f" {resource} (flavor {flavor}){limits}: {printed(resource, max(0, level.free))} left"
    )


def _holders(found: Explanation, now: datetime) -> str:
    if not found.holders:
        return ""
    rows = [
        (
            holder.key,
            holder.info.cluster_queue,
            str(holder.info.priority),
            amounts_of(holder) + (", leaving" if holder.is_leaving else ""),
            human_duration((now - holder.since).total_seconds()) if holder.since else "",
        )
        for holder in found.holders[:_HOLDERS_TOLD]
    ]
    text = table([("HELD BY", "CLUSTERQUEUE", "PRIORITY", "HOLDS", "SINCE"), *rows])
    more = len(found.holders) - len(rows)
    return f"{text}and {more} more\n" if more > 0 else text


def _remedies(found: Explanation) -> Iterator[str]:
    yield "What would help:" if len(found.remedies) == 1 else "What would help, any of these:"
    for remedy in found.remedies:
        command = f": {remedy.command}" if remedy.command else ""
        yield f"  - {remedy.text}{command}"


def _usage(usage: Usage) -> str:
    return ", ".join(
        f"{printed(where.resource, value)} {where.resource} of flavor {where.flavor}"
        for where, value in sorted(usage.items())
    )
