"""Which override snapshots a cluster gets, asked of what the hub knows now.

The objects of a resource snapshot never change, so who they are is read once per snapshot and forgotten with it. With
no override anywhere, which is most fleets, nothing is read at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.client.objects import Key
from argosy.placement.overriding.identities import identities
from argosy.placement.overriding.matching import (
    NOTHING_MATCHED,
    Identified,
    Matched,
    for_cluster,
    matching,
)
from argosy.placement.picks import Picked
from argosy.placement.scopes import SCOPES
from argosy.placement.views import Views


class Overriding:
    """Answers for rollouts and update runs."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._known: dict[str, frozenset[Identified]] = {}
        for scope in SCOPES:
            views.resources(scope).add_handler(self._snapshot_changed)

    def picked(
        self, placement: Key, shards: Sequence[ResourceSnapshot], member: MemberCluster
    ) -> Picked:
        """The overrides of a placement's resources (all shards of one index) on a cluster, as they stand now."""
        return for_cluster(self.matched(placement, shards), member)

    def matched(self, placement: Key, shards: Sequence[ResourceSnapshot]) -> Matched:
        """Those for any cluster: worth keeping by who asks for many clusters at once."""
        views = self._views
        if not len(views.cluster_overrides) and not len(views.overrides):
            return NOTHING_MATCHED
        present = [who for shard in shards for who in self._identities(shard)]
        return matching(placement, present, views.cluster_overrides, views.overrides)

    def _identities(self, shard: ResourceSnapshot) -> frozenset[Identified]:
        uid = shard.metadata.uid
        if (known := self._known.get(uid)) is None:
            known = self._known[uid] = identities(shard)
        return known

    def _snapshot_changed(self, old: ResourceSnapshot | None, new: ResourceSnapshot | None) -> None:
        if old is not None and new is None:
            self._known.pop(old.metadata.uid, None)
