"""Submitting: one job in, the Job and its placement on the hub out.

The Job is created first, so that a generated name is known and the placement can name it as its owner; whoever deletes
the Job takes its placement along. If the placement cannot be made, the Job is taken back: nothing is left that nobody
would ever run. Where the hub would place it now is found out before anything is written, and told; the hub decides
again, by itself, when the placement is there.

What is sure to go wrong is refused: a namespace that the hub or the chosen clusters do not have. What may go right
later is a warning: a queue that is not there yet, no cluster that can have it now.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from argosy.api.needs import needs
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.history import KEEP
from argosy.base.durations import parse_duration
from argosy.base.errors import AlreadyExists, Forbidden, NotFound, StatusError
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.protocol import Client, Propagation
from argosy.client.resources import LOCAL_QUEUES, NAMESPACES, RESOURCE_PLACEMENTS, Resource
from argosy.sdk import errors, kinds
from argosy.sdk.choices import Choice, Submission
from argosy.sdk.clusters import members
from argosy.sdk.connections import Connections
from argosy.sdk.considering import consider
from argosy.sdk.preferring import policy_of
from argosy.sdk.sessions import FIELD_MANAGER

_SUFFIX: Final = "-placement"
# A placement's name is the value of a label on all that comes of it.
_LONGEST: Final = 63
_DIGITS: Final = 8


async def submit(
    ways: Connections,
    job: Object,
    *,
    queue: str = "",
    clusters: int = 1,
    prefer: str = "",
    keep: str = "10m",
    dry_run: bool = False,
) -> Submission:
    """`job` is a manifest that names its namespace, as `manifests` reads it."""
    job = prepared(job, queue=queue, keep=keep)
    meta = job["metadata"]
    namespace, waits_in = meta["namespace"], kinds.queue_of(meta)
    await _check_namespace(ways.hub, namespace)
    choice = await consider(ways, job, queue=waits_in, clusters=clusters, prefer=prefer)
    found = await members(ways)
    await _check_members(ways, choice, found, namespace)
    warnings = [*choice.warnings, *_warnings(choice, waits_in, namespace)]
    policy = policy_of(clusters, prefer, needs(job), found)
    resource = _resource(job)
    created = await _create_job(ways.hub, resource, job, dry_run=dry_run)
    placement = await _create_placement(
        ways.hub, resource, created, placement_of(created, policy, keep=keep), dry_run=dry_run
    )
    return Submission(
        namespace,
        created["metadata"]["name"],
        job["kind"],
        placement["metadata"]["name"],
        waits_in,
        choice,
        created,
        placement,
        tuple(warnings),
        dry_run,
    )


def prepared(job: Object, *, queue: str = "", keep: str = "") -> Object:
    """The job as it is sent: with its queue, held back for it, and with how long to keep it. Pure."""
    _check_keep(keep)
    meta = {**job["metadata"]}
    labels, annotations = dict(meta.get("labels") or {}), dict(meta.get("annotations") or {})
    if queue:
        labels[kinds.QUEUE_NAME] = queue
        if kinds.QUEUE_NAME in annotations:
            # Two words for one thing must not differ.
            annotations[kinds.QUEUE_NAME] = queue
    if keep:
        annotations[KEEP] = keep
    meta |= {key: each for key, each in (("labels", labels), ("annotations", annotations)) if each}
    ready: Object = {**job, "metadata": meta}
    return kinds.suspend(ready) if kinds.queue_of(meta) else ready


def placement_of(job: Object, policy: Object, *, keep: str = "") -> Object:
    """The placement of a job that is on the hub, and goes when the job goes. Pure.

    What the queue changes in the job on its member is no drift and is not put back, so a running job reads as applied.
    """
    meta = job["metadata"]
    group, _, version = job["apiVersion"].rpartition("/")
    annotations = {names.QUEUE_MANAGED: "ignore"}
    if keep:
        annotations[KEEP] = keep
    owner = {
        "apiVersion": job["apiVersion"],
        "kind": job["kind"],
        "name": meta["name"],
        "uid": meta["uid"],
    }
    selector = {"group": group, "version": version, "kind": job["kind"], "name": meta["name"]}
    return {
        "apiVersion": RESOURCE_PLACEMENTS.api_version,
        "kind": RESOURCE_PLACEMENTS.kind,
        "metadata": {
            "name": placement_name(meta["name"]),
            "namespace": meta["namespace"],
            "annotations": annotations,
            "ownerReferences": [owner],
        },
        "spec": {
            "resourceSelectors": [selector],
            "policy": policy,
            "strategy": {
                "type": "RollingUpdate",
                "applyStrategy": {"whenToApply": "IfNotDrifted"},
            },
        },
    }


def placement_name(job: str) -> str:
    """`<job>-placement`, as the guide has it; a name that is too long for that is cut, and stays unique by digits."""
    if len(job) + len(_SUFFIX) <= _LONGEST:
        return job + _SUFFIX
    digits = hashlib.sha256(job.encode()).hexdigest()[:_DIGITS]
    return f"{job[: _LONGEST - len(_SUFFIX) - _DIGITS - 1]}-{digits}{_SUFFIX}"


def _check_keep(keep: str) -> None:
    try:
        is_short = bool(keep) and parse_duration(keep) < 0
    except ValueError as error:
        raise errors.FleetError(
            f'keep: "{keep}" is no duration such as 10m or 2h: {error}'
        ) from None
    if is_short:
        raise errors.FleetError(
            f'keep: "{keep}" is negative; say how long to keep the job after its end'
        )


def _resource(job: Object) -> Resource:
    group, _, version = job["apiVersion"].rpartition("/")
    return kinds.resource_of(group, job["kind"], version)


# What is looked at before.


async def _check_namespace(hub: Client, namespace: str) -> None:
    try:
        await hub.get(NAMESPACES, namespace)
    except Forbidden:
        # Then the creation of the Job will tell.
        return
    except NotFound:
        raise errors.NotFound(
            f'namespace "{namespace}" does not exist on the hub: create it there, and place it: '
            + _how_to_place(namespace)
        ) from None


async def _check_members(
    ways: Connections, choice: Choice, found: Sequence[MemberCluster], namespace: str
) -> None:
    """Unplaceable if the namespace is missing where the job would go, or everywhere it could."""
    told = {each.metadata.name: each.status.namespaces for each in found}
    chosen = choice.clusters
    unsure = [name for name in chosen if told.get(name) is None]

    async def asked(_name: str, client: Client) -> bool:
        try:
            await client.get(NAMESPACES, namespace)
        except NotFound:
            return False
        return True

    answers = await ways.ask_each(unsure, asked)
    missing = [
        name
        for name in (chosen or tuple(told))
        if answers.get(name) is False or namespace not in (told.get(name) or (namespace,))
    ]
    if missing and (chosen or len(missing) == len(told)):
        where = "any member" if not chosen else ", ".join(missing)
        raise errors.Unplaceable(
            f'namespace "{namespace}" does not exist on {where}, so no job of it can run there. Place it: '
            + _how_to_place(namespace)
        )


def _how_to_place(namespace: str) -> str:
    return (
        "create a ClusterResourcePlacement on the hub with resourceSelectors "
        f'[{{group: "", version: v1, kind: Namespace, name: {namespace}, selectionScope: NamespaceOnly}}] '
        "and policy {placementType: PickAll}"
    )


def _warnings(choice: Choice, queue: str, namespace: str) -> Iterator[str]:
    if not choice.clusters:
        reasons = "; ".join(f"{each.cluster}: {each.reason}" for each in choice.considered)
        yield f"no cluster can have it now, it waits until one can: {reasons or 'the fleet has no members'}"
    elif not choice.is_fulfilled:
        yield f"only {len(choice.clusters)} of {choice.wanted} clusters can have it now"
    if choice.considered and not any(each.can_ever_fit for each in choice.considered):
        yield (
            "it asks for more than any cluster has in all, so it waits until one grows: "
            + "; ".join(f"{each.cluster}: {each.reason}" for each in choice.considered)
        )
    if not queue:
        return
    without = [each.cluster for each in choice.considered if each.has_queue is False]
    chosen = [name for name in choice.clusters if name in without]
    if chosen or (without and len(without) == len(choice.considered)):
        where = ", ".join(chosen) if chosen else "any member"
        yield (
            f'LocalQueue "{queue}" of namespace "{namespace}" is not on {where}: the job would wait for it. '
            f"Create it on the hub and place it everywhere: create a ResourcePlacement in {namespace} with "
            f"resourceSelectors [{{group: {LOCAL_QUEUES.group}, version: {LOCAL_QUEUES.version}, "
            f"kind: LocalQueue, name: {queue}}}] and policy {{placementType: PickAll}}"
        )


# What is written.


async def _create_job(hub: Client, resource: Resource, job: Object, *, dry_run: bool) -> Object:
    try:
        created = await hub.create(
            resource,
            job,
            namespace=job["metadata"]["namespace"],
            field_manager=FIELD_MANAGER,
            dry_run=dry_run,
        )
    except AlreadyExists as error:
        raise errors.FleetError(
            f"{error.message}: cancel that one, or give this one another name (or generateName)"
        ) from error
    except NotFound as error:
        raise errors.NotFound(
            f"the hub does not serve {resource.kind} ({resource.api_version}): "
            f"install its CustomResourceDefinition on the hub and on the members ({error.message})"
        ) from error
    return decode(created)


async def _create_placement(
    hub: Client, resource: Resource, job: Object, placement: Object, *, dry_run: bool
) -> Object:
    meta = job["metadata"]
    is_done = False
    try:
        created = await hub.create(
            RESOURCE_PLACEMENTS,
            placement,
            namespace=meta["namespace"],
            field_manager=FIELD_MANAGER,
            dry_run=dry_run,
        )
        is_done = True
    except AlreadyExists as error:
        raise errors.FleetError(
            f"{error.message}: it is another job's, or was left by one; "
            f"delete it, or give {meta['name']} another name. The job was taken back"
        ) from error
    finally:
        if not is_done and not dry_run:
            await _take_back(hub, resource, meta)
    return decode(created)


async def _take_back(hub: Client, resource: Resource, meta: Mapping[str, str]) -> None:
    try:
        await hub.delete(
            resource,
            meta["name"],
            namespace=meta["namespace"],
            uid=meta["uid"],
            propagation=Propagation.BACKGROUND,
        )
    except StatusError:
        # What went wrong first is what is told; a job that stays reads as Unplaced, with what to do.
        return
