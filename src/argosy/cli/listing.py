"""`argosy list`: ClusterQueues, LocalQueues, ResourceFlavors, Cohorts, with kueuectl's columns.

kueuectl has no list of cohorts; its columns here are in the manner of the others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from argosy.api.objects.kueue.localqueues import LocalQueue
from argosy.api.objects.kueue.quotas import ClusterQueue, Cohort, ResourceFlavor
from argosy.api.objects.metadata import ObjectMeta, View, is_true
from argosy.base.durations import human_duration
from argosy.cli import printing
from argosy.cli.connecting import CommandError, Session, view
from argosy.client.objects import Raw, decode
from argosy.client.resources import (
    CLUSTER_QUEUES,
    COHORTS,
    LOCAL_QUEUES,
    RESOURCE_FLAVORS,
    Resource,
)

V = TypeVar("V", bound=View)

_BOOLEANS: Final = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}


async def cluster_queues(session: Session, parsed: argparse.Namespace) -> int:
    wanted = [_boolean(text) for text in printing.split(parsed.active)]
    if len(wanted) > 1:
        raise CommandError("only one active flag can be provided")
    return await _print(
        session,
        parsed,
        CLUSTER_QUEUES,
        ClusterQueue,
        ("NAME", "COHORT", "PENDING WORKLOADS", "ADMITTED WORKLOADS", "ACTIVE", "AGE"),
        lambda queue: (
            queue.metadata.name,
            queue.spec.cohort_name,
            str(queue.status.pending_workloads),
            str(queue.status.admitted_workloads),
            str(_is_active(queue)).lower(),
            age(session, queue.metadata),
        ),
        lambda queue: not wanted or _is_active(queue) == wanted[0],
    )


async def local_queues(session: Session, parsed: argparse.Namespace) -> int:
    return await _print(
        session,
        parsed,
        LOCAL_QUEUES,
        LocalQueue,
        ("NAME", "CLUSTERQUEUE", "PENDING WORKLOADS", "ADMITTED WORKLOADS", "AGE"),
        lambda queue: (
            queue.metadata.name,
            queue.spec.cluster_queue,
            str(queue.status.pending_workloads),
            str(queue.status.admitted_workloads),
            age(session, queue.metadata),
        ),
        lambda queue: parsed.clusterqueue in {"", queue.spec.cluster_queue},
    )


async def resource_flavors(session: Session, parsed: argparse.Namespace) -> int:
    return await _print(
        session,
        parsed,
        RESOURCE_FLAVORS,
        ResourceFlavor,
        ("NAME", "NODE LABELS", "AGE"),
        lambda flavor: (
            flavor.metadata.name,
            ", ".join(sorted(f"{key}={value}" for key, value in flavor.spec.node_labels.items())),
            age(session, flavor.metadata),
        ),
    )


async def cohorts(session: Session, parsed: argparse.Namespace) -> int:
    return await _print(
        session,
        parsed,
        COHORTS,
        Cohort,
        ("NAME", "PARENT", "WEIGHT", "AGE"),
        lambda cohort: (
            cohort.metadata.name,
            cohort.spec.parent_name,
            str(cohort.spec.fair_sharing.weight) if cohort.spec.fair_sharing else "1",
            age(session, cohort.metadata),
        ),
    )


async def _print(
    session: Session,
    parsed: argparse.Namespace,
    resource: Resource,
    kind: type[V],
    head: Sequence[str],
    cells: Callable[[V], Sequence[str]],
    keep: Callable[[V], bool] = lambda _: True,
) -> int:
    printing.check_output(parsed.output)
    is_everywhere = getattr(parsed, "all_namespaces", False)
    namespace = session.namespace if resource.namespaced and not is_everywhere else None
    found = await session.list(
        resource,
        namespace=namespace,
        label_selector=parsed.selector,
        field_selector=parsed.field_selector,
    )
    seen = [(view(kind, raw), raw) for raw in found.items]
    kept = [(one, raw) for one, raw in seen if keep(one)]
    if parsed.output:
        served = await session.kueue(resource)
        print_objects(served, (raw for _, raw in kept), found.revision, parsed)
    else:
        rows = [cells(one) for one, _ in kept]
        print_rows(head, rows, [raw.namespace for _, raw in kept] if is_everywhere else None)
    if not kept:
        printing.print_none(namespace)
    return 0


def print_rows(
    head: Sequence[str], rows: Sequence[Sequence[str]], namespaces: Sequence[str] | None
) -> None:
    """A table, nothing where there is no row; with namespaces as the first column where there are several."""
    if not rows:
        return
    if namespaces is not None:
        head = ("NAMESPACE", *head)
        rows = [(namespace, *row) for namespace, row in zip(namespaces, rows, strict=True)]
    sys.stdout.write(printing.table([head, *rows]))


def print_objects(
    resource: Resource, raws: Iterable[Raw], revision: str, parsed: argparse.Namespace
) -> None:
    if parsed.output == "name":
        for raw in raws:
            print(printing.full_name(resource, raw.name))
        return
    objects = [
        printing.shown(decode(raw), managed_fields=parsed.show_managed_fields) for raw in raws
    ]
    document = printing.list_document(resource, objects, revision)
    sys.stdout.write(printing.document(document, parsed.output))


def age(session: Session, meta: ObjectMeta) -> str:
    created = meta.creation_timestamp
    return human_duration((session.now - created).total_seconds()) if created else "<unknown>"


def _is_active(queue: ClusterQueue) -> bool:
    return is_true(queue.status.conditions, "Active")


def _boolean(text: str) -> bool:
    found = _BOOLEANS.get(text.lower())
    if found is None:
        raise CommandError(
            f'invalid argument "{text}" for "--active" flag: strconv.ParseBool: parsing "{text}": invalid syntax'
        )
    return found
