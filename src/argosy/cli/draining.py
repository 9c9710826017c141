"""`argosy drain cluster` and `argosy uncordon cluster`: have placements leave a member, and come back.

A drained cluster has a taint that keeps new placements away. Then every ClusterResourcePlacement that is there is asked
to leave, by an eviction, which a disruption budget may refuse. Twice, because one may have been on its way there before
the taint was. Of what stays is said why and what would help; that is what the exit code tells.

There are no evictions of ResourcePlacements. Upstream says nothing of them; here they are named.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable
from typing import Final
from uuid import uuid4

import msgspec

from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.evictions import PlacementEviction
from argosy.api.objects.fleet.members import MemberCluster, Taint
from argosy.api.objects.metadata import decoder, find_condition
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.cli.connecting import FIELD_MANAGER, Session
from argosy.cli.patience import absent, insisting, within
from argosy.client.resources import (
    CLUSTER_RESOURCE_BINDINGS,
    CLUSTER_RESOURCE_PLACEMENT_EVICTIONS,
    MEMBER_CLUSTERS,
    RESOURCE_BINDINGS,
    Resource,
)
from argosy.placement.evictions import deciding
from argosy.placement.views import parent_of

CORDON: Final = Taint("cordon-key", "cordon-value", "NoSchedule")
_PASSES: Final = 2
_LOOK_SECONDS: Final = 0.2
_GONE: Final = frozenset({deciding.MISSING, deciding.DELETING, deciding.UNBOUND})
_HINTS: Final = {
    deciding.FIXED: "take the cluster out of its spec.policy.clusterNames",
    deciding.AMBIGUOUS: "drain again when one of them has gone",
}


async def drain(session: Session, parsed: argparse.Namespace) -> int:
    cluster = parsed.name
    if await _tainted(session, parsed, wanted=True):
        print(f'cluster "{cluster}" cordoned')
    else:
        print(f'cluster "{cluster}" was cordoned already')
    late = (
        f'cluster "{cluster}" is cordoned, but its evictions were not decided within {parsed.timeout}: see '
        "`kubectl get clusterresourceplacementevictions` and whether the hub's controllers run, then drain again"
    )
    staying = await within(parsed.timeout, lambda: _evicted(session, cluster), late)
    stuck = await _named(session, RESOURCE_BINDINGS, cluster)
    for name in stuck:
        _warn(
            f'resourceplacement "{name}" stays on cluster "{cluster}": ResourcePlacements cannot be evicted, '
            "change its policy or delete it"
        )
    if staying:
        _warn(f'cluster "{cluster}" is cordoned, but not drained')
        return 1
    left = f", {len(stuck)} ResourcePlacement(s) aside" if stuck else ""
    print(f'cluster "{cluster}" drained{left}; `argosy uncordon cluster {cluster}` takes it back')
    return 0


async def uncordon(session: Session, parsed: argparse.Namespace) -> int:
    if await _tainted(session, parsed, wanted=False):
        print(f'cluster "{parsed.name}" uncordoned')
    else:
        print(f'cluster "{parsed.name}" was not cordoned')
    return 0


async def _tainted(session: Session, parsed: argparse.Namespace, *, wanted: bool) -> bool:
    """Have the taint there or not; whether that was a change."""
    name = parsed.name
    late = f'cluster "{name}" could not be changed within {parsed.timeout}: others write to it all the time; try again'

    def work() -> Awaitable[bool]:
        return insisting(lambda: _taint(session, name, wanted=wanted))

    try:
        return await within(parsed.timeout, work, late)
    except NotFound as error:
        hint = "`kubectl get memberclusters` lists those of the fleet"
        raise absent(error, MEMBER_CLUSTERS.group, "member cluster", hint) from None


async def _taint(session: Session, name: str, *, wanted: bool) -> bool:
    raw = await session.client.get(MEMBER_CLUSTERS, name)
    member: MemberCluster = decoder(MemberCluster)(bytes(raw.body))
    others = [each for each in member.spec.taints if each != CORDON]
    if wanted == (len(others) < len(member.spec.taints)):
        return False
    taints = [*member.spec.taints, CORDON] if wanted else others
    patch: Object = {
        "metadata": {"resourceVersion": member.metadata.resource_version},
        "spec": {"taints": msgspec.to_builtins(taints) or None},
    }
    await session.client.patch(MEMBER_CLUSTERS, name, patch, field_manager=FIELD_MANAGER)
    return True


async def _evicted(session: Session, cluster: str) -> bool:
    """Whether some placement stays. Every placement is asked once at most for a `no`."""
    refused: set[str] = set()
    asked: set[str] = set()
    for _ in range(_PASSES):
        here = [
            name
            for name in await _named(session, CLUSTER_RESOURCE_BINDINGS, cluster)
            if name not in refused
        ]
        asked |= set(here)
        for placement, eviction in (await _decided(session, cluster, here)).items():
            if not _told(placement, cluster, eviction):
                refused.add(placement)
    if not asked:
        print(f'no ClusterResourcePlacement is on cluster "{cluster}"')
    back = set(await _named(session, CLUSTER_RESOURCE_BINDINGS, cluster)) - refused
    for placement in sorted(back):
        _warn(
            f'clusterresourceplacement "{placement}" came back to cluster "{cluster}": it tolerates the taint '
            f"{CORDON.key}, change its tolerations and drain again"
        )
    return bool(refused or back)


async def _named(session: Session, bindings: Resource, cluster: str) -> list[str]:
    """The placements that are on a cluster and not about to go."""
    found = await session.client.list_all(bindings)
    here = set()
    for raw in found.items:
        binding: Binding = decoder(Binding)(bytes(raw.body))
        is_going = binding.metadata.deletion_timestamp is not None
        if binding.spec.target_cluster == cluster and not is_going:
            here.add(str(parent_of(binding)))
    return sorted(here)


async def _decided(
    session: Session, cluster: str, placements: list[str]
) -> dict[str, PlacementEviction]:
    """An eviction of each placement, once it has been decided."""
    waiting = {}
    for placement in placements:
        name = f"drain-eviction-{placement}-{cluster}-{str(uuid4())[:8]}"
        spec = {"placementName": placement, "clusterName": cluster}
        body: Object = {"metadata": {"name": name}, "spec": spec}
        await session.client.create(
            CLUSTER_RESOURCE_PLACEMENT_EVICTIONS, body, field_manager=FIELD_MANAGER
        )
        waiting[placement] = name
    decided: dict[str, PlacementEviction] = {}
    while waiting:
        for placement, name in list(waiting.items()):
            raw = await session.client.get(CLUSTER_RESOURCE_PLACEMENT_EVICTIONS, name)
            eviction: PlacementEviction = decoder(PlacementEviction)(bytes(raw.body))
            if deciding.is_over(eviction):
                decided[placement] = eviction
                del waiting[placement]
        if waiting:
            await asyncio.sleep(_LOOK_SECONDS)
    return decided


def _told(placement: str, cluster: str, eviction: PlacementEviction) -> bool:
    """Say what became of an eviction; whether the placement leaves."""
    conditions = eviction.status.conditions
    said = find_condition(conditions, deciding.EXECUTED) or find_condition(
        conditions, deciding.VALID
    )
    message = "" if said is None else said.message
    if message in _GONE or (said is not None and said.status == "True"):
        print(f'clusterresourceplacement "{placement}" leaves cluster "{cluster}": {message}')
        return True
    hint = _HINTS.get(message) or (
        f'change ClusterResourcePlacementDisruptionBudget "{placement}" and drain again'
        if "DisruptionBudget" in message
        else "drain again later"
    )
    _warn(f'clusterresourceplacement "{placement}" stays on cluster "{cluster}": {message}; {hint}')
    return False


def _warn(text: str) -> None:
    print(text, file=sys.stderr)
