"""Policy snapshots: one for every policy a placement has had, as far back as its history goes.

How many clusters are wanted is no part of a policy's hash: it stands in an annotation, so that scaling schedules on
without beginning anew. The annotation with the placement's generation tells the scheduler for which edition it decides.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

import msgspec

from argosy.api.gojson import go_json
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.policies import PICK_N, PlacementPolicy
from argosy.api.objects.fleet.snapshots import PolicySnapshot
from argosy.base.types import Object
from argosy.placement.snapshotting.plans import (
    Change,
    Plan,
    belongs,
    latest_of,
    marked,
    owned,
    strangers,
    unmark_all,
)
from argosy.placement.views import index_of


def policy_hash(policy: PlacementPolicy | None) -> str:
    """As a snapshot holds it: bytes in base64, and the bytes are a hexadecimal digest."""
    if policy is not None:
        policy = msgspec.structs.replace(policy, number_of_clusters=None)
    digest = hashlib.sha256(go_json(policy)).hexdigest()
    return base64.b64encode(digest.encode()).decode()


def plan_policy(placement: Placement, snapshots: Sequence[PolicySnapshot]) -> Plan:
    """What makes the latest policy snapshot that of the placement."""
    mine = sorted(
        (each for each in snapshots if belongs(placement.metadata, each.metadata)),
        key=lambda each: index_of(each, names.POLICY_INDEX),
    )
    latest = latest_of(mine)
    digest = policy_hash(placement.spec.policy)
    if latest is not None and latest.spec.policy_hash == digest:
        others = unmark_all(each for each in mine if each is not latest)
        return Plan((*others, *_refreshed(placement, latest)), strangers(placement, snapshots))
    index = index_of(mine[-1], names.POLICY_INDEX) + 1 if mine else 0
    surplus = mine[: max(0, len(mine) + 1 - placement.spec.revision_history_limit)]
    kept = mine[len(surplus) :]
    return Plan(
        unmark_all(kept),
        (*strangers(placement, snapshots), *(each.metadata for each in surplus)),
        (_document(placement, index, digest),),
    )


def _annotations(placement: Placement) -> dict[str, str]:
    found = {names.PLACEMENT_GENERATION: str(placement.metadata.generation)}
    policy = placement.spec.policy
    if policy is not None and policy.type == PICK_N and policy.number_of_clusters is not None:
        found[names.NUMBER_OF_CLUSTERS] = str(policy.number_of_clusters)
    return found


def _refreshed(placement: Placement, latest: PolicySnapshot) -> tuple[Change, ...]:
    """What a snapshot that may stay has to be told."""
    meta = latest.metadata
    wanted = _annotations(placement)
    stale = {name: value for name, value in wanted.items() if meta.annotations.get(name) != value}
    patch: Object = {"annotations": stale} if stale else {}
    if not marked(meta):
        patch["labels"] = {names.IS_LATEST: "true"}
    return (Change(meta, {"metadata": patch}),) if patch else ()


def _document(placement: Placement, index: int, digest: str) -> Object:
    name = placement.metadata.name
    spec: Object = {"policyHash": digest}
    if placement.spec.policy is not None:
        spec["policy"] = msgspec.to_builtins(placement.spec.policy)
    labels = {names.PARENT: name, names.IS_LATEST: "true", names.POLICY_INDEX: str(index)}
    return {
        "metadata": owned(
            placement,
            names.policy_snapshot_name(name, index),
            labels=labels,
            annotations=_annotations(placement),
        ),
        "spec": spec,
    }
