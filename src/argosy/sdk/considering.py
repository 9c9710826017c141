"""Where a job would go if it were submitted now: the hub's own decision, asked for without writing anything.

The very code of the hub's scheduler decides (`placement.scheduling`), on the MemberClusters as they are listed and with
what is promised to others taken off; beside each cluster stands what a user wants to know of it. Whoever may not list
bindings and Works is not told of promises, and is told that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, TypeVar

import msgspec

from argosy.api.needs import needs
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.policies import PlacementPolicy
from argosy.api.objects.fleet.snapshots import (
    PolicySnapshot,
    PolicySnapshotSpec,
    ResourceSnapshot,
)
from argosy.api.objects.fleet.works import SentWork
from argosy.api.objects.metadata import ObjectMeta, Quantities, View, decoder
from argosy.api.podresources import Amounts
from argosy.api.prices import per_hour, prices
from argosy.base.errors import Forbidden, NotFound
from argosy.base.quantities import NANOS
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.protocol import Client
from argosy.client.resources import LOCAL_QUEUES, WORKS, Resource
from argosy.member.properties.facts import PENDING_WORKLOADS, QUEUE_WAIT
from argosy.placement.reserving.reckoning import reckon
from argosy.placement.scheduling.affinity import Preferences
from argosy.placement.scheduling.deciding import decide
from argosy.placement.scheduling.screening import Screen
from argosy.placement.scheduling.snapshots import CycleError, take
from argosy.placement.scopes import SCOPES
from argosy.sdk.choices import Choice, Considered
from argosy.sdk.clusters import as_number, members
from argosy.sdk.connections import Connections
from argosy.sdk.errors import FleetError, Unplaceable
from argosy.sdk.preferring import policy_of, region_of
from argosy.sdk.sessions import Session

V = TypeVar("V", bound=View)

_UNSCHEDULABLE: Final = "ClusterUnschedulable, "


async def consider(
    ways: Connections, job: Object, *, queue: str = "", clusters: int = 1, prefer: str = ""
) -> Choice:
    """`job` is a manifest that names its namespace."""
    found = await members(ways)
    policy = policy_of(clusters, prefer, needs(job), found)
    (reserved, warnings), queues = await asyncio.gather(
        _promised(ways.hub, found), _queues(ways, found, job["metadata"]["namespace"], queue)
    )
    choice = choose(job, policy, found, ways.clock.now(), reserved=reserved, queues=queues)
    return replace(choice, warnings=warnings)


def choose(
    job: Object,
    policy: Object,
    found: Sequence[MemberCluster],
    now: datetime,
    *,
    reserved: Mapping[str, Quantities] | None = None,
    queues: Mapping[str, bool] | None = None,
) -> Choice:
    """The decision itself. `queues` says of clusters whether they have the job's queue. Pure."""
    meta = ObjectMeta(
        name="considered-0",
        annotations={
            names.NUMBER_OF_CLUSTERS: str(policy["numberOfClusters"]),
            names.PLACEMENT_GENERATION: "1",
        },
    )
    wanted = msgspec.convert(policy, PlacementPolicy)
    key = Key(job["metadata"]["namespace"], "considered")
    amounts = needs(job)
    snapshot = take(
        key,
        PolicySnapshot(meta, PolicySnapshotSpec(wanted)),
        found,
        (),
        now,
        reserved,
        needs={name: str(amount) for name, amount in amounts.items()},
    )
    decision = decide(snapshot)
    if decision.failure:
        raise Unplaceable(f"no cluster can be chosen: {decision.failure}")
    picked = {each.cluster_name: each.reason for each in decision.created}
    try:
        objections = {
            each.cluster: each.reason.removeprefix(_UNSCHEDULABLE)
            for each in Screen(snapshot).screen(()).filtered
        }
        preferences = Preferences(wanted, snapshot.clusters, snapshot.reserved)
        scores = {each.metadata.name: preferences.score(each) for each in snapshot.clusters}
    except CycleError as error:
        raise Unplaceable(f"no cluster can be chosen: {error}") from error
    seen = [
        _considered(
            each,
            amounts,
            (reserved or {}).get(each.metadata.name, {}),
            score=scores[each.metadata.name],
            objection=objections.get(each.metadata.name, ""),
            picked=picked.get(each.metadata.name, ""),
            has_queue=(queues or {}).get(each.metadata.name),
        )
        for each in snapshot.clusters
    ]
    return Choice(
        tuple(sorted(seen, key=_best_first)),
        policy["numberOfClusters"],
        {name: amount.nanos / NANOS for name, amount in amounts.items()},
        at=now,
    )


def _considered(
    member: MemberCluster,
    amounts: Amounts,
    promised: Quantities,
    *,
    score: int,
    objection: str,
    picked: str,
    has_queue: bool | None,
) -> Considered:
    free = {
        name: as_number(text) - as_number(promised.get(name))
        for name, text in member.status.resource_usage.available.items()
    }
    properties = member.status.properties
    wait, pending = properties.get(QUEUE_WAIT), properties.get(PENDING_WORKLOADS)
    whole = member.status.resource_usage.allocatable
    # One without machines has told nothing yet, or gets some when they are needed.
    has_machines = as_number(whole.get("cpu")) > 0
    never = [
        f"{name} {amount} of {whole.get(name, 0)}"
        for name, amount in amounts.items()
        if has_machines and as_number(whole.get(name)) < amount.nanos / NANOS
    ]
    short = [name for name, amount in amounts.items() if free.get(name, 0.0) < amount.nanos / NANOS]
    return Considered(
        member.metadata.name,
        free,
        per_hour(amounts, prices(properties)),
        as_number(wait.value) if wait is not None else None,
        int(as_number(pending.value)) if pending is not None else None,
        not short,
        not never,
        None if objection else score,
        bool(picked),
        _reason(score, objection, short, never, is_chosen=bool(picked), has_queue=has_queue),
        region_of(member),
        has_queue,
    )


def _reason(
    score: int,
    objection: str,
    short: Sequence[str],
    never: Sequence[str],
    *,
    is_chosen: bool,
    has_queue: bool | None,
) -> str:
    if objection:
        return objection
    said = [f"{score} points"] if is_chosen else [f"{score} points are not enough"]
    if never:
        said.append(f"larger than the whole cluster: {', '.join(never)}")
    elif short:
        said.append(f"no room now for its {' and '.join(short)}")
    if has_queue is False:
        said.append("its queue is not there")
    return "; ".join(said)


def _best_first(seen: Considered) -> tuple[bool, float, str]:
    """Chosen ones, then by points, then those that cannot be chosen; by name where that is equal."""
    score = float("inf") if seen.score is None else -seen.score
    return not seen.is_chosen, score, seen.cluster


async def _promised(
    hub: Client, found: Sequence[MemberCluster]
) -> tuple[Mapping[str, Quantities], tuple[str, ...]]:
    """What is promised of the clusters, as far as the user may know."""
    bindings: list[Binding] = []
    snapshots: list[ResourceSnapshot] = []
    latest = f"{names.IS_LATEST}=true"
    try:
        for scope in SCOPES:
            bindings += await _views(hub, scope.bindings, Binding)
            snapshots += await _views(hub, scope.resource_snapshots, ResourceSnapshot, latest)
        works = await _views(hub, WORKS, SentWork)
    except Forbidden:
        return {}, (
            "what is promised to others could not be seen: clusters may have less room than is told",
        )
    return reckon(bindings, snapshots, works, found), ()


async def _views(hub: Client, resource: Resource, view: type[V], selector: str = "") -> list[V]:
    found = await hub.list_all(resource, label_selector=selector)
    read = decoder(view)
    return [read(bytes(raw.body)) for raw in found.items]


async def _queues(
    ways: Connections, found: Sequence[MemberCluster], namespace: str, queue: str
) -> dict[str, bool]:
    """Which members have the queue; those that cannot be asked are not among them."""
    if not queue:
        return {}

    async def asked(_name: str, client: Client) -> bool:
        session = Session(client, namespace, ways.clock.now())
        try:
            await session.get(LOCAL_QUEUES, queue)
        except (NotFound, FleetError):
            return False
        return True

    return await ways.ask_each([each.metadata.name for each in found], asked)
