"""Policy and resource snapshots: what a placement wanted and selected at one moment."""

from __future__ import annotations

import msgspec

from argosy.api.objects.fleet.policies import PlacementPolicy
from argosy.api.objects.metadata import Condition, ObjectMeta, View

SCHEDULED = "Scheduled"


class ClusterScore(View, frozen=True):
    """`priority_score` is the topology spread score; its name is upstream's."""

    affinity_score: int | None = None
    priority_score: int | None = None


class ClusterDecision(View, frozen=True):
    cluster_name: str
    selected: bool
    cluster_score: ClusterScore | None = None
    reason: str = msgspec.field(default="")


class PolicySnapshotSpec(View, frozen=True):
    """`policy.number_of_clusters` is as old as the snapshot; the annotation tells today's."""

    policy: PlacementPolicy | None = None
    # Base64 of the hexadecimal digest, as it stands in JSON.
    policy_hash: str = ""


class PolicySnapshotStatus(View, frozen=True):
    observed_crp_generation: int = msgspec.field(default=0, name="observedCRPGeneration")
    conditions: tuple[Condition, ...] = ()
    target_clusters: tuple[ClusterDecision, ...] = ()


class PolicySnapshot(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: PolicySnapshotSpec = PolicySnapshotSpec()
    status: PolicySnapshotStatus = PolicySnapshotStatus()


class ResourceSnapshotSpec(View, frozen=True):
    """Objects as JSON: most readers pass them on."""

    selected_resources: tuple[msgspec.Raw, ...] = ()


class ResourceSnapshot(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceSnapshotSpec = ResourceSnapshotSpec()
