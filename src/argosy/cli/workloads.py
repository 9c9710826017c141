"""`argosy list workload`: what every job's Workload is doing, with kueuectl's columns and filters.

A Workload is FINISHED, ADMITTED, QUOTARESERVED or PENDING, the first that holds. The position in the queue comes from
the visibility API; where the cluster does not serve it the cell stays empty. The type of a job is told as the cluster
names it (`job`, `rayjob`), by its own discovery.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

import msgspec

from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.workloads import ADMITTED, FINISHED, Workload
from argosy.base.durations import human_duration
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.cli import listing, naming, printing
from argosy.cli.connecting import CommandError, Session, view
from argosy.client.resources import LOCAL_QUEUES, WORKLOADS
from argosy.sdk import owned
from argosy.sdk.positions import Key, positions_in

PENDING: Final = "pending"
STATUSES: Final = ("all", PENDING, "quotareserved", "admitted", "finished")
_HEAD: Final = (
    "NAME", "JOB TYPE", "JOB NAME", "LOCALQUEUE", "CLUSTERQUEUE", "STATUS", "POSITION IN QUEUE", "EXEC TIME", "AGE",
)  # fmt: skip
_LONGEST_TYPE: Final = 20


async def workloads(session: Session, parsed: argparse.Namespace) -> int:
    printing.check_output(parsed.output)
    statuses = _statuses(parsed.status)
    namespace = None if parsed.all_namespaces else session.namespace
    owner: Object | None = None
    if parsed.owner:
        kind, name = naming.split_name(parsed.owner, "--for must be in resource/name form")
        _, owner = await naming.find_object(
            session, kind, name, all_namespaces=parsed.all_namespaces
        )
        if owner is None:
            printing.print_none(namespace)
            return 0
    uid = owner["metadata"]["uid"] if owner is not None else ""
    found = await owned.list_workloads(
        session, namespace, uid=uid, selector=parsed.selector, fields=parsed.field_selector
    )
    seen = [(view(Workload, raw), raw) for raw in found.items]
    kept = [(one, raw) for one, raw in seen if _is_wanted(one, parsed, statuses)]
    if parsed.output:
        served = await session.kueue(WORKLOADS)
        listing.print_objects(served, (raw for _, raw in kept), found.revision, parsed)
    else:
        await _print(session, [one for one, _ in kept], is_everywhere=parsed.all_namespaces)
    if not kept:
        printing.print_none(namespace)
    return 0


def status_of(workload: Workload) -> str:
    if workload.is_finished:
        return "finished"
    if workload.is_admitted:
        return "admitted"
    return "quotareserved" if workload.has_quota_reservation else PENDING


def _statuses(given: Iterable[str]) -> set[str]:
    found = {text.lower() for text in printing.split(given)}
    for text in found:
        if text not in STATUSES:
            raise CommandError(
                f'invalid status value ({text}). Must be "all", "pending", "admitted" or "finished"'
            )
    return set() if "all" in found else found


def _is_wanted(workload: Workload, parsed: argparse.Namespace, statuses: set[str]) -> bool:
    admission = workload.status.admission
    return (
        parsed.localqueue in {"", workload.spec.queue_name}
        and parsed.clusterqueue in {"", admission.cluster_queue if admission else None}
        and (not statuses or status_of(workload) in statuses)
    )


async def _print(session: Session, found: list[Workload], *, is_everywhere: bool) -> None:
    queues = await _cluster_queues(session, found)
    names = sorted({queues[w.metadata.key] for w in found if status_of(w) == PENDING} - {""})
    versions = sorted({o.api_version for w in found for o in w.metadata.owner_references})
    positions, types = await asyncio.gather(
        positions_in(session, names), _job_types(session, versions)
    )
    rows = [
        (
            workload.metadata.name,
            _types_of(workload, types),
            ", ".join(sorted({owner.name for owner in workload.metadata.owner_references})),
            workload.spec.queue_name,
            queues[workload.metadata.key],
            status_of(workload).upper(),
            positions.get(workload.metadata.key, ""),
            _execution_time(workload, session.now),
            listing.age(session, workload.metadata),
        )
        for workload in found
    ]
    namespaces = [workload.metadata.namespace for workload in found]
    listing.print_rows(_HEAD, rows, namespaces if is_everywhere else None)


async def _cluster_queues(session: Session, found: list[Workload]) -> Mapping[Key, str]:
    """The ClusterQueue of every workload: where it was admitted, else where its LocalQueue leads."""
    named = {
        workload.metadata.key: workload.status.admission.cluster_queue
        for workload in found
        if workload.status.admission and workload.status.admission.cluster_queue
    }
    asked = {
        (workload.metadata.namespace, workload.spec.queue_name)
        for workload in found
        if workload.metadata.key not in named and workload.spec.queue_name
    }
    known: dict[Key, str] = {}
    for namespace in sorted({namespace for namespace, _ in asked}):
        for raw in (await session.list(LOCAL_QUEUES, namespace=namespace)).items:
            known[raw.key] = view(LocalQueue, raw).spec.cluster_queue
    return {
        workload.metadata.key: named.get(
            workload.metadata.key,
            known.get((workload.metadata.namespace, workload.spec.queue_name), ""),
        )
        for workload in found
    }


async def _job_types(session: Session, versions: Iterable[str]) -> dict[tuple[str, str], str]:
    """How the cluster names the kinds of these groups and versions."""
    found: dict[tuple[str, str], str] = {}
    for version in versions:
        path = f"/apis/{version}" if "/" in version else f"/api/{version}"
        try:
            document = msgspec.json.decode(await session.client.fetch(path))
        except NotFound:
            continue
        for one in document["resources"]:
            singular, group = one.get("singularName", ""), one.get("group", "")
            if singular:
                text = f"{singular}.{group}" if group else singular
                found.setdefault((version, one["kind"]), _shortened(text))
    return found


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TYPE else f"{text[:_LONGEST_TYPE]}..."


def _types_of(workload: Workload, types: Mapping[tuple[str, str], str]) -> str:
    owners = workload.metadata.owner_references
    named = {types.get((owner.api_version, owner.kind), "") for owner in owners}
    return ", ".join(sorted(named - {""}))


def _execution_time(workload: Workload, now: datetime) -> str:
    admitted = workload.condition(ADMITTED)
    if admitted is None or admitted.status != "True" or admitted.last_transition_time is None:
        return ""
    finished = workload.condition(FINISHED)
    end = now
    if finished is not None and finished.status == "True" and finished.last_transition_time:
        end = finished.last_transition_time
    return human_duration((end - admitted.last_transition_time).total_seconds())
