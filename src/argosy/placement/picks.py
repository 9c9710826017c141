"""Which override snapshots a cluster gets, as bindings and update runs write them down."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import NamespacedName
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.client.objects import Key


class Picked(NamedTuple):
    """Names of snapshots, in the order they are applied in."""

    cluster_overrides: tuple[str, ...] = ()
    overrides: tuple[NamespacedName, ...] = ()


# The overrides of a placement's resources (all shards of one index) on a cluster, as they stand now.
Overrides: TypeAlias = Callable[[Key, Sequence[ResourceSnapshot], MemberCluster], Picked]
