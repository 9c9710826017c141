"""ClusterResourceOverride and ResourceOverride, their snapshots, and the two kinds of envelopes."""

from __future__ import annotations

import msgspec

from argosy.api.objects.fleet.placements import ResourceSelectorTerm
from argosy.api.objects.fleet.policies import ClusterSelector
from argosy.api.objects.metadata import ObjectMeta, View
from argosy.base.types import Object

JSON_PATCH = "JSONPatch"
DELETE = "Delete"
CLUSTER = "Cluster"
NAMESPACED = "Namespaced"


class PlacementRef(View, frozen=True):
    name: str
    scope: str = ""


class JsonPatchOverride(View, frozen=True):
    op: str
    path: str
    value: msgspec.Raw = msgspec.Raw()


class OverrideRule(View, frozen=True):
    cluster_selector: ClusterSelector | None = None
    override_type: str = ""
    json_patch_overrides: tuple[JsonPatchOverride, ...] = ()


class OverridePolicy(View, frozen=True):
    override_rules: tuple[OverrideRule, ...] = ()


class ClusterResourceOverrideSpec(View, frozen=True):
    placement: PlacementRef | None = None
    cluster_resource_selectors: tuple[ResourceSelectorTerm, ...] = ()
    policy: OverridePolicy | None = None


class ClusterResourceOverride(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ClusterResourceOverrideSpec = ClusterResourceOverrideSpec()


class ResourceSelector(View, frozen=True):
    group: str
    version: str
    kind: str
    name: str


class ResourceOverrideSpec(View, frozen=True):
    placement: PlacementRef | None = None
    resource_selectors: tuple[ResourceSelector, ...] = ()
    policy: OverridePolicy | None = None


class ResourceOverride(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceOverrideSpec = ResourceOverrideSpec()


class ClusterResourceOverrideSnapshotSpec(View, frozen=True):
    override_spec: ClusterResourceOverrideSpec = ClusterResourceOverrideSpec()
    override_hash: str = ""


class ClusterResourceOverrideSnapshot(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ClusterResourceOverrideSnapshotSpec = ClusterResourceOverrideSnapshotSpec()


class ResourceOverrideSnapshotSpec(View, frozen=True):
    override_spec: ResourceOverrideSpec = ResourceOverrideSpec()
    override_hash: str = ""


class ResourceOverrideSnapshot(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ResourceOverrideSnapshotSpec = ResourceOverrideSnapshotSpec()


class Envelope(View, frozen=True):
    """Of either kind: objects by any key."""

    metadata: ObjectMeta = ObjectMeta()
    data: dict[str, Object] = msgspec.field(default_factory=dict)
