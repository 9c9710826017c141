"""Watches over silence, one key per cluster, and gives up what silent clusters have.

A cluster is looked at when the first of its bindings may be overdue, not when somebody beats: a fleet that is well
costs one look per cluster and minute, and nothing without placements that want this. While something is overdue that
no other cluster can have, it is looked at every so often.

Everything goes by what is written. A hub that dies between any two steps finds a mark too many, which goes when the
cluster is heard, or a binding that is marked and still there, which is given up or cleared in its turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import InternalMemberCluster
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.reschedules import SHORTEST_SECONDS, fence_seconds
from argosy.api.objects.metadata import decoder
from argosy.base.durations import format_duration
from argosy.base.errors import NotFound
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import INTERNAL_MEMBER_CLUSTERS
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.placement.rescheduling.deciding import Stake, is_replaced, overdue, terms
from argosy.placement.rescheduling.hearing import Hearing, heartbeat_of
from argosy.placement.rescheduling.wishes import after_of, problem
from argosy.placement.scheduling.promises import NoPromises, Promises
from argosy.placement.scheduling.snapshots import take
from argosy.placement.scopes import SCOPES, scope_of
from argosy.placement.views import Views, parent_of

# How often to ask whether another cluster has become free for what is overdue.
_PATIENCE_SECONDS: Final = 15.0
# A moment that is a rounding error away is worth one look, not a thousand.
_SOON_SECONDS: Final = 0.01


class Rescheduling:
    """Gives the jobs of lost clusters to others."""

    def __init__(
        self,
        assembly: Assembly,
        views: Views,
        hearing: Hearing,
        *,
        promises: Promises | None = None,
    ) -> None:
        self._views = views
        self._hearing = hearing
        self._clock = assembly.clock
        self._promises = promises or NoPromises()
        self._recorder = assembly.recorder("rescheduler")
        self._queue = assembly.controller("rescheduler", self._reconcile)
        # By silent cluster, the uids of bindings of which it was told that they have to stay.
        self._staying: dict[str, set[str]] = {}
        for scope in SCOPES:
            views.placements(scope).add_handler(self._placement_changed)
            views.all_bindings(scope).add_handler(self._binding_changed)
        hearing.internals.add_handler(self._internal_changed)
        hearing.on_return(self._returned)

    # What is worth a look.

    def _placement_changed(self, old: Placement | None, new: Placement | None) -> None:
        if new is None or (old is not None and _wish(old) == _wish(new)):
            return
        if why := problem(new):
            self._tell(new, "RescheduleIgnored", why)
        for binding in self._views.bindings(Key(*new.metadata.key)):
            self._watch(new, binding)

    def _binding_changed(self, old: Binding | None, new: Binding | None) -> None:
        if old is None and new is not None:
            placement = self._views.placement(parent_of(new))
            if placement is not None:
                self._watch(placement, new)

    def _watch(self, placement: Placement, binding: Binding) -> None:
        after = after_of(placement)
        if after is not None:
            cluster = binding.spec.target_cluster
            self._queue.add_after(cluster, after - self._hearing.silence(cluster))

    def _internal_changed(
        self, _old: InternalMemberCluster | None, new: InternalMemberCluster | None
    ) -> None:
        if new is not None and names.LOST in new.metadata.annotations:
            self._queue.add(new.metadata.name)

    def _returned(self, cluster: str) -> None:
        self._staying.pop(cluster, None)

    # A look.

    async def _reconcile(self, cluster: str) -> Result:
        internal = self._hearing.internal(cluster)
        member = self._views.members.get("", cluster)
        if internal is None or member is None or member.metadata.deletion_timestamp is not None:
            # Who leaves is nobody's loss: the scheduler sees to that.
            return DONE
        is_barred = names.LOST in internal.metadata.annotations
        if is_barred and await self._welcome(cluster, internal):
            is_barred = False
        held = [each for each in self._views.bindings_on(cluster) if self._wants(each)]
        found = overdue(self._stakes(held), self._hearing.silence(cluster))
        stayed = await self._give_up(cluster, found.due)
        looks = [_PATIENCE_SECONDS] if stayed else []
        if held or is_barred:
            # Also for those whose agent has not accepted the terms yet.
            looks.append(SHORTEST_SECONDS)
        if found.next_look is not None:
            looks.append(found.next_look)
        return Result(max(min(looks), _SOON_SECONDS)) if looks else DONE

    def _wants(self, binding: Binding) -> bool:
        placement = self._views.placement(parent_of(binding))
        return (
            placement is not None
            and binding.metadata.deletion_timestamp is None
            and after_of(placement) is not None
        )

    def _stakes(self, bindings: Sequence[Binding]) -> list[Stake]:
        found = []
        for binding in bindings:
            key = parent_of(binding)
            after = terms(
                self._views.placement(key),
                self._views.latest_policy(key),
                binding,
                self._views.works_of(Key(*binding.metadata.key)),
            )
            if after is not None:
                found.append(Stake(binding, after))
        return found

    # Giving up.

    async def _give_up(self, cluster: str, due: Sequence[Stake]) -> bool:
        """Give up what another cluster can have; whether something had to stay."""
        has_stayed = is_marked = False
        for stake in due:
            if self._hearing.silence(cluster) < stake.after:
                # It was heard while we were at it.
                break
            if not self._is_replaced(stake.binding):
                self._tell_staying(cluster, stake)
                has_stayed = True
                continue
            is_marked = is_marked or await self._mark(cluster)
            if not is_marked:
                return True
            await self._release(cluster, stake)
        return has_stayed

    def _is_replaced(self, binding: Binding) -> bool:
        key = parent_of(binding)
        policy = self._views.latest_policy(key)
        if policy is None:
            return False
        snapshot = take(
            key,
            policy,
            self._views.members,
            self._views.bindings(key),
            self._clock.now(),
            self._promises.reserved(key),
            self._hearing.lost(key),
        )
        return is_replaced(snapshot, binding)

    async def _mark(self, cluster: str) -> bool:
        """Write down that the cluster is lost, if nothing was heard of it since we last looked."""
        known = self._hearing.internal(cluster)
        namespace = names.member_namespace(cluster)
        try:
            raw = await self._views.client.get(
                INTERNAL_MEMBER_CLUSTERS, cluster, namespace=namespace
            )
        except NotFound:
            return False
        internal = decoder(InternalMemberCluster)(bytes(raw.body))
        if known is None or internal.status != known.status:
            return False
        mark = _mark_of(internal)
        if internal.metadata.annotations.get(names.LOST) != mark:
            await self._annotate(internal, mark)
        return True

    async def _release(self, cluster: str, stake: Stake) -> None:
        """Delete the binding as an eviction would, and only as it was seen."""
        meta = stake.binding.metadata
        resource = scope_of(meta.namespace).bindings
        given_up = {names.RESCHEDULED: format_time(self._clock.now())}
        patch: Object = {
            "metadata": {"annotations": given_up, "resourceVersion": meta.resource_version}
        }
        try:
            raw = await self._views.patch(resource, meta, patch)
            await self._views.client.delete(
                resource,
                meta.name,
                namespace=meta.namespace or None,
                uid=meta.uid,
                resource_version=raw.revision,
            )
        except NotFound:
            return
        placement = self._views.placement(parent_of(stake.binding))
        if placement is not None:
            self._tell(
                placement,
                "PlacementRescheduled",
                f'Cluster "{cluster}" has been silent for {format_duration(stake.after)}: its part of the placement '
                f"goes to another cluster. Its agent ends the old copy after {_fence(stake.after)} without "
                "the hub, and what is left of it is removed when the cluster returns.",
            )

    def _tell_staying(self, cluster: str, stake: Stake) -> None:
        told = self._staying.setdefault(cluster, set())
        placement = self._views.placement(parent_of(stake.binding))
        if placement is None or stake.binding.metadata.uid in told:
            return
        told.add(stake.binding.metadata.uid)
        self._tell(
            placement,
            "PlacementNotRescheduled",
            f'Cluster "{cluster}" has been silent for {format_duration(stake.after)}, but no other cluster can take '
            "its part of the placement. It stays there until one can, or the cluster returns.",
        )

    # Coming back.

    async def _welcome(self, cluster: str, internal: InternalMemberCluster) -> bool:
        """Take the mark from a cluster that is heard again, once all it was deprived of is being deleted."""
        if internal.metadata.annotations[names.LOST] == _mark_of(internal):
            return False
        for binding in self._views.bindings_on(cluster):
            meta = binding.metadata
            if meta.deletion_timestamp is None:
                await self._keep(binding)
            elif any(
                work.metadata.deletion_timestamp is None
                for work in self._views.works_of(Key(*meta.key))
            ):
                self._queue.add_after(cluster, 1.0)
                return False
        await self._annotate(internal, None)
        return True

    async def _keep(self, binding: Binding) -> None:
        """A hub died before it deleted this one: it stays."""
        meta = binding.metadata
        if names.RESCHEDULED in meta.annotations:
            patch: Object = {"metadata": {"annotations": {names.RESCHEDULED: None}}}
            await self._views.patch(scope_of(meta.namespace).bindings, meta, patch)

    async def _annotate(self, internal: InternalMemberCluster, mark: str | None) -> None:
        meta = internal.metadata
        patch: Object = {
            "metadata": {
                "annotations": {names.LOST: mark},
                "resourceVersion": meta.resource_version,
            }
        }
        raw = await self._views.patch(INTERNAL_MEMBER_CLUSTERS, meta, patch)
        self._hearing.internals.learn(raw)

    def _tell(self, placement: Placement, reason: str, message: str) -> None:
        meta = placement.metadata
        about = reference(scope_of(meta.namespace).placements, meta)
        self._recorder.event(about, "Warning", reason, message)


def _wish(placement: Placement) -> tuple[str | None, str, bool]:
    text = placement.metadata.annotations.get(names.RESCHEDULE)
    return text, placement.spec.wanted.type, placement.spec.is_external


def _mark_of(internal: InternalMemberCluster) -> str:
    """The last heartbeat: a later one shows that the cluster was heard again."""
    beat = heartbeat_of(internal.status)
    return format_time(beat) if beat is not None else "never"


def _fence(after: float) -> str:
    return format_duration(fence_seconds(after))
