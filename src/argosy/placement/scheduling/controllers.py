"""The scheduler's controller: one key per placement, of either half.

A placement is looked at when its policy snapshot is new, becomes the latest, or names another number of clusters or
generation of the placement; when it is being deleted; when one of its bindings is; and when a cluster changed in a
way that can matter to it (`interests`) or has left. A placement that has what it wants is not looked at for the
sake of a cluster, which is why nothing ever moves by itself.

A cycle that fails for a reason that only a change can mend is logged and left until then. After one whose writes
failed, nobody knows which of them arrived: the bindings are read anew, so that no cluster gets a second one.
"""

from __future__ import annotations

import logging
from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import ClusterDecision, PolicySnapshot
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.errors import AlreadyExists, NotFound, StatusError
from argosy.client.objects import Key
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.placement.batches import write_each
from argosy.placement.metrics import SchedulingMetrics
from argosy.placement.scheduling.deciding import decide
from argosy.placement.scheduling.interests import Interests, is_worth_a_look
from argosy.placement.scheduling.losses import Losses, NoLosses
from argosy.placement.scheduling.promises import NoPromises, Promises
from argosy.placement.scheduling.snapshots import Decision, Renewal, take
from argosy.placement.scheduling.writing import (
    new_binding,
    renewal_patch,
    status_document,
    unscheduled_patch,
    without,
)
from argosy.placement.scopes import SCOPES, scope_of
from argosy.placement.views import Views, parent_of

_LOG: Final = logging.getLogger(__name__)
# As many as upstream has for a fleet of a hundred clusters and as many placements.
_WORKERS: Final = 20
_TOLD: Final = (names.NUMBER_OF_CLUSTERS, names.PLACEMENT_GENERATION)


class Scheduling:
    """Gives placements their clusters."""

    def __init__(
        self,
        assembly: Assembly,
        views: Views,
        *,
        promises: Promises | None = None,
        losses: Losses | None = None,
    ) -> None:
        self._views = views
        self._clock = assembly.clock
        self._ids = assembly.ids
        self._promises = promises or NoPromises()
        self._losses = losses or NoLosses()
        self._interests = Interests()
        # Placements whose bindings may be others than is known here.
        self._unsure: set[Key] = set()
        self._metrics = SchedulingMetrics(assembly.metrics, assembly.clock)
        self._queue = assembly.controller("scheduler", self._reconcile, workers=_WORKERS)
        for scope in SCOPES:
            views.placements(scope).add_handler(self._placement_changed)
            views.policies(scope).add_handler(self._policy_changed)
            views.all_bindings(scope).add_handler(self._binding_changed)
        views.members.add_handler(self._member_changed)
        self._losses.on_return(self._member_returned)

    # What is worth a look.

    def _placement_changed(self, old: Placement | None, new: Placement | None) -> None:
        some = new or old
        if some is None:
            return
        key = Key(*some.metadata.key)
        self._interests.put(key, new, self._views.latest_policy(key))
        if new is not None and _is_leaving(new.metadata) and not _is_leaving(_meta(old)):
            self._queue.add(key)

    def _policy_changed(self, old: PolicySnapshot | None, new: PolicySnapshot | None) -> None:
        if new is None:
            return
        key = parent_of(new)
        self._interests.put(key, self._views.placement(key), self._views.latest_policy(key))
        if _says_more(old.metadata if old is not None else None, new.metadata):
            self._queue.add(key)

    def _binding_changed(self, old: Binding | None, new: Binding | None) -> None:
        """Deleted by somebody: a wish of theirs if it says so first, a surprise if it is just gone."""
        was_going = old is not None and old.metadata.deletion_timestamp is not None
        if new is not None and new.metadata.deletion_timestamp is not None and not was_going:
            self._queue.add(parent_of(new))
        elif new is None and old is not None and not was_going:
            self._queue.add(parent_of(old))

    def _member_changed(self, old: MemberCluster | None, new: MemberCluster | None) -> None:
        """A new cluster is no news before its agent has joined it."""
        if old is None:
            return
        if new is None:
            for binding in self._views.bindings_on(old.metadata.name):
                self._queue.add(parent_of(binding))
        elif not is_worth_a_look(old, new, self._clock.now()):
            return
        self._look_at_interested()

    def _member_returned(self, _cluster: str) -> None:
        """It may have been lost to a placement that upstream's five minutes would still have let have it."""
        self._look_at_interested()

    def _look_at_interested(self) -> None:
        for key in self._interests:
            self._queue.add(key)

    # A look.

    async def _reconcile(self, key: Key) -> Result:
        placement = self._views.placement(key)
        if placement is None:
            self._unsure.discard(key)
            return DONE
        if placement.metadata.deletion_timestamp is not None:
            if names.SCHEDULER_CLEANUP in placement.metadata.finalizers:
                await self._clean_up(key)
            return DONE
        policy = self._views.latest_policy(key)
        if policy is None:
            return DONE
        finalizers = placement.metadata.finalizers
        if names.SCHEDULER_CLEANUP not in finalizers:
            await self._views.set_finalizers(
                scope_of(key.namespace).placements,
                placement.metadata,
                (*finalizers, names.SCHEDULER_CLEANUP),
            )
        started, is_failed = self._metrics.begun(), True
        try:
            failure = await self._cycle(key, policy)
            is_failed = bool(failure)
        finally:
            self._metrics.ended(started, is_failed=is_failed)
        if failure:
            _LOG.warning("scheduler: %s cannot be scheduled: %s", key, failure)
        return DONE

    async def _cycle(self, key: Key, policy: PolicySnapshot) -> str:
        """Decide and write; why it could not be decided, "" if it could."""
        if key in self._unsure:
            await self._read_again(key)
        decision = decide(
            take(
                key,
                policy,
                self._views.members,
                self._views.bindings(key),
                self._clock.now(),
                self._promises.reserved(key),
                self._losses.lost(key),
                self._promises.needs(key),
            )
        )
        picked = [each.cluster_name for each in decision.created]
        picked += [each.decision.cluster_name for each in decision.renewed]
        if picked:
            self._promises.promise(key, picked)
        try:
            await self._write(key, policy, decision)
        except StatusError:
            self._unsure.add(key)
            raise
        return decision.failure

    async def _read_again(self, key: Key) -> None:
        """Know what has become of one's own writes, even if no watch has told yet."""
        found = await self._views.client.list_all(
            scope_of(key.namespace).bindings,
            namespace=key.namespace or None,
            label_selector=f"{names.PARENT}={key.name}",
        )
        for raw in found.items:
            self._views.learn(raw)
        self._unsure.discard(key)

    async def _write(self, key: Key, policy: PolicySnapshot, decision: Decision) -> None:
        """What is picked is written before anything is given up, and told when all of it is true."""
        await write_each(decision.released, self._release)
        await write_each(decision.dangling, self._unschedule)
        await write_each(decision.created, lambda each: self._create(key, policy, each))
        await write_each(decision.renewed, lambda each: self._renew(policy, each))
        await write_each(decision.unscheduled, self._unschedule)
        if decision.status is None:
            return
        resource = scope_of(key.namespace).policy_snapshots
        try:
            await self._views.patch_status(
                resource, policy.metadata, status_document(decision.status)
            )
        except NotFound:
            return

    async def _clean_up(self, key: Key) -> None:
        """Its bindings go with it; their Works follow."""
        await write_each(self._views.bindings(key), self._remove)
        placement = self._views.placement(key)
        if placement is not None:
            await self._views.set_finalizers(
                scope_of(key.namespace).placements,
                placement.metadata,
                without(placement.metadata.finalizers, names.SCHEDULER_CLEANUP),
            )

    async def _remove(self, binding: Binding) -> None:
        await self._release(binding)
        if binding.metadata.deletion_timestamp is None:
            await self._views.delete(
                scope_of(binding.metadata.namespace).bindings, binding.metadata
            )

    async def _release(self, binding: Binding) -> None:
        meta = binding.metadata
        await self._views.set_finalizers(
            scope_of(meta.namespace).bindings, meta, without(meta.finalizers, names.BINDING_CLEANUP)
        )

    async def _create(self, key: Key, policy: PolicySnapshot, decision: ClusterDecision) -> None:
        body = new_binding(key, policy.metadata.name, decision, self._ids.uid())
        try:
            await self._views.create(scope_of(key.namespace).bindings, body, key.namespace)
        except AlreadyExists:
            return

    async def _renew(self, policy: PolicySnapshot, renewal: Renewal) -> None:
        meta = renewal.binding.metadata
        await self._views.patch(
            scope_of(meta.namespace).bindings, meta, renewal_patch(renewal, policy.metadata.name)
        )

    async def _unschedule(self, binding: Binding) -> None:
        meta = binding.metadata
        await self._views.patch(scope_of(meta.namespace).bindings, meta, unscheduled_patch(binding))


def _meta(placement: Placement | None) -> ObjectMeta:
    return placement.metadata if placement is not None else ObjectMeta()


def _is_leaving(meta: ObjectMeta) -> bool:
    return meta.deletion_timestamp is not None and names.SCHEDULER_CLEANUP in meta.finalizers


def _says_more(old: ObjectMeta | None, new: ObjectMeta) -> bool:
    """Whether the latest policy snapshot is new as such, or asks for something else."""
    if new.labels.get(names.IS_LATEST) != "true":
        return False
    if old is None or old.labels.get(names.IS_LATEST) != "true":
        return True
    return any(old.annotations.get(each) != new.annotations.get(each) for each in _TOLD)
