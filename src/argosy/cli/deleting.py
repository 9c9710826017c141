"""`argosy delete workload`: a Workload goes with its job, or its job would make a new one.

The jobs that own the Workloads are named and asked for first; with them gone, the garbage collector takes the
Workloads. Only a Workload without an owner is deleted itself. A job is deleted by name and uid, so that one which was
created anew meanwhile stays.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from argosy.api.objects.kueue.workloads import Workload
from argosy.api.objects.metadata import OwnerReference
from argosy.base.errors import NotFound
from argosy.cli import printing
from argosy.cli.connecting import CommandError, Session, view
from argosy.client.objects import Raw
from argosy.client.protocol import Propagation
from argosy.client.resources import WORKLOADS, Resource


@dataclass(slots=True, frozen=True)
class _Owner:
    """A job that a Workload belongs to."""

    resource: Resource
    name: str
    uid: str

    def __str__(self) -> str:
        return f"{self.resource.qualified}/{self.name}"


async def workloads(session: Session, parsed: argparse.Namespace) -> int:
    printing.check_dry_run(parsed.dry_run)
    _check(parsed)
    found = await (_all(session, parsed) if parsed.all else _named(session, parsed.names))
    resources = await _resources(session, found)
    owned = {
        one.metadata.key: [
            _Owner(resources[owner.api_version, owner.kind], owner.name, owner.uid)
            for owner in one.metadata.owner_references
        ]
        for one in found
    }
    asks = parsed.dry_run == "none" and not parsed.yes and any(owned.values())
    if asks and not _confirmed(owned, everything=parsed.all):
        print("Deletion is canceled")
        return 0
    for key, owners in owned.items():
        await _delete(session, parsed.dry_run, key, owners)
    return 0


def _check(parsed: argparse.Namespace) -> None:
    if not parsed.all and not parsed.names:
        raise CommandError("requires at least 1 arg(s), only received 0")
    if parsed.all and parsed.names:
        raise CommandError("name cannot be provided when a selector is specified")
    if parsed.all_namespaces and parsed.names:
        raise CommandError("a resource cannot be retrieved by name across all namespaces")


async def _all(session: Session, parsed: argparse.Namespace) -> list[Workload]:
    namespace = None if parsed.all_namespaces else session.namespace
    found = await session.list(WORKLOADS, namespace=namespace)
    return [view(Workload, raw) for raw in found.items]


async def _named(session: Session, names: list[str]) -> list[Workload]:
    """Those that are there; of the others it is said that they are not."""
    found: list[Raw] = []
    for name in names:
        try:
            found.append(await session.get(WORKLOADS, name))
        except NotFound as error:
            print(error.message, file=sys.stderr)
    return [view(Workload, raw) for raw in found]


async def _resources(session: Session, found: list[Workload]) -> Mapping[tuple[str, str], Resource]:
    """The resources of all owners, by their apiVersion and kind."""
    owners = {
        (owner.api_version, owner.kind): owner
        for workload in found
        for owner in workload.metadata.owner_references
    }
    return {key: await _resource(session, owner) for key, owner in sorted(owners.items())}


async def _resource(session: Session, owner: OwnerReference) -> Resource:
    group, _, version = owner.api_version.rpartition("/")
    path = f"/apis/{group}/{version}" if group else f"/api/{version}"
    missing = CommandError(f'no matches for kind "{owner.kind}" in version "{owner.api_version}"')
    try:
        document = msgspec.json.decode(await session.client.fetch(path))
    except NotFound:
        raise missing from None
    for one in document["resources"]:
        if one["kind"] == owner.kind and "/" not in one["name"]:
            return Resource(group, version, one["name"], owner.kind, one["namespaced"])
    raise missing


def _confirmed(owned: Mapping[tuple[str, str], list[_Owner]], *, everything: bool) -> bool:
    if everything:
        message = "This operation will also delete the jobs associated with these workloads.\n"
    else:
        lines = [
            f"  - {', '.join(map(str, owners))} associated with the {namespace}/{name} workload\n"
            for (namespace, name), owners in owned.items()
            if owners
        ]
        message = "This operation will also delete:\n" + "\n".join(lines)
    print(message, end="")
    print("Do you want to proceed (y/n)? ", end="", flush=True)
    return sys.stdin.readline().strip().lower() == "y"


async def _delete(
    session: Session, dry_run: str, key: tuple[str, str], owners: list[_Owner]
) -> None:
    namespace, name = key
    suffix = "" if dry_run == "none" else f" ({dry_run} dry run)"
    targets = owners or [_Owner(await session.kueue(WORKLOADS), name, "")]
    for target in targets:
        if dry_run != "client":
            try:
                await session.client.delete(
                    target.resource,
                    target.name,
                    namespace=namespace,
                    uid=target.uid,
                    propagation=Propagation.BACKGROUND,
                    dry_run=dry_run == "server",
                )
            except NotFound:
                # Somebody was faster; it is gone all the same.
                pass
        shown = str(target) if owners else printing.full_name(target.resource, name)
        print(f"{shown} deleted{suffix}")
