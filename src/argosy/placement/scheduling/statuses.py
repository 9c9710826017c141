"""What a policy snapshot's status tells: which clusters were picked, which were not and why, and if that is enough.

The clusters picked come first, then those that did not score high enough, then those that cannot be picked; a
thousand in all, twenty of them unpicked. A status that says the same in another order is left alone, as upstream
does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from argosy.api.objects.conditions import with_condition
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.snapshots import (
    SCHEDULED,
    ClusterDecision,
    PolicySnapshotStatus,
)
from argosy.api.objects.metadata import Condition, find_condition
from argosy.placement.scheduling.ranking import Score, Scored
from argosy.placement.scheduling.screening import Filtered
from argosy.placement.scheduling.snapshots import CycleError, Snapshot

MAX_DECISIONS: Final = 1000
MAX_UNPICKED: Final = 20

FULFILLED: Final = "SchedulingPolicyFulfilled"
UNFULFILLED: Final = "SchedulingPolicyUnfulfilled"


def picked_decision(cluster: str, score: Score) -> ClusterDecision:
    reason = (
        f'Successfully scheduled resources for placement in "{cluster}"'
        f" (affinity score: {score.affinity}, topology spread score: {score.spread}):"
        " picked by scheduling policy"
    )
    return ClusterDecision(cluster, True, score.view, reason)


def named_decision(cluster: str) -> ClusterDecision:
    """Of a cluster that the policy names: nobody scored it."""
    reason = f'Successfully scheduled resources for placement in "{cluster}": picked by scheduling policy'
    return ClusterDecision(cluster, True, None, reason)


def ineligible_decision(cluster: str, why: str) -> ClusterDecision:
    reason = f'Cluster "{cluster}" is not eligible for resource placement yet: {why}'
    return ClusterDecision(cluster, False, None, reason)


def missing_decision(cluster: str) -> ClusterDecision:
    return ClusterDecision(cluster, False, None, f'Specified cluster "{cluster}" is not found')


def unpicked_decision(scored: Scored) -> ClusterDecision:
    score = scored.score
    reason = (
        f'Cluster "{scored.cluster}" does not score high enough'
        f" (affinity score: {score.affinity}, topology spread score: {score.spread})"
    )
    if not score.room:
        reason += "; it has no room left for what is placed"
    return ClusterDecision(scored.cluster, False, score.view, reason)


def told(
    picked: Iterable[ClusterDecision],
    unpicked: Iterable[Scored] = (),
    filtered: Iterable[Filtered] = (),
) -> list[ClusterDecision]:
    """The decisions in the order and number they are told. A cluster that is held is never told as unfit."""
    decisions = list(picked)[:MAX_DECISIONS]
    seen = {each.cluster_name for each in decisions}
    others = [unpicked_decision(each) for each in unpicked if each.cluster not in seen]
    others += [
        ClusterDecision(each.cluster, False, None, each.reason)
        for each in filtered
        if each.cluster not in seen
    ]
    return decisions + others[: min(MAX_UNPICKED, MAX_DECISIONS - len(decisions))]


def status_after(
    snapshot: Snapshot,
    decisions: Sequence[ClusterDecision],
    *,
    found: int,
    is_fulfilled: bool,
    is_whole: bool = True,
) -> PolicySnapshotStatus | None:
    """The status that tells these decisions; None if it does already.

    Decisions that are not the whole story, because nobody looked at other clusters, change nothing of what was told
    about those while the rest stays true.
    """
    policy = snapshot.policy_snapshot
    generation = _placement_generation(snapshot)
    said = policy.status
    condition = Condition(
        type=SCHEDULED,
        status="True" if is_fulfilled else "False",
        reason=FULFILLED if is_fulfilled else UNFULFILLED,
        message=(
            f"found all cluster needed as specified by the scheduling policy, found {found} cluster(s)"
            if is_fulfilled
            else "could not find all clusters needed as specified by the scheduling policy,"
            f" found {found} cluster(s) instead"
        ),
        observed_generation=policy.metadata.generation,
    )
    if (
        said.observed_crp_generation == generation
        and _by_cluster(each for each in said.target_clusters if is_whole or each.selected)
        == _by_cluster(decisions)
        and _says(find_condition(said.conditions, SCHEDULED), condition)
    ):
        return None
    return msgspec.structs.replace(
        said,
        observed_crp_generation=generation,
        conditions=with_condition(said.conditions, condition, snapshot.now),
        target_clusters=tuple(decisions),
    )


def _placement_generation(snapshot: Snapshot) -> int:
    meta = snapshot.policy_snapshot.metadata
    text = meta.annotations.get(names.PLACEMENT_GENERATION, "")
    if not text.isdecimal():
        raise CycleError(
            f"policy snapshot {meta.name}: annotation {names.PLACEMENT_GENERATION}"
            f" is {text!r} and no generation"
        )
    return int(text)


def _by_cluster(decisions: Iterable[ClusterDecision]) -> dict[str, ClusterDecision]:
    return {each.cluster_name: each for each in decisions}


def _says(old: Condition | None, new: Condition) -> bool:
    return (
        old is not None
        and (old.status, old.reason) == (new.status, new.reason)
        and old.observed_generation >= new.observed_generation
    )
