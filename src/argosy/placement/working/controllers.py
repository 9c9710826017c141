"""Turns bindings into Works and the results of Works into the statuses of bindings.

A binding is looked at when its spec changes, when its rollout has started or was held back, when a Work of it says
something new, is relabelled or goes, and when what it waits for is there: its cluster, a shard. A Work that is made
says nothing yet, so that is no occasion; a placement that has other words for its agents (`carrying`) is one. A look at
a binding whose Works are in place costs no decoding and, if nobody said anything new, no write.

A deleted binding keeps its finalizer until its last Work is gone: members need them to clean up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.placements import REPORT_DIFF, Placement
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.fleet.works import SentWork
from argosy.base.errors import AlreadyExists, Invalid, NotFound, StatusError, already_exists
from argosy.client.objects import Key
from argosy.client.resources import WORKS
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.placement.overriding.applying import OverrideFailed, Overrider
from argosy.placement.scopes import SCOPES, scope_of
from argosy.placement.views import Views, binding_of, parent_of, placement_of
from argosy.placement.working.building import Draft, build, shards_of
from argosy.placement.working.carrying import amendment, carried
from argosy.placement.working.envelopes import DuplicateWorks, EnvelopeRefused
from argosy.placement.working.occasions import is_due, occasion, tells_more
from argosy.placement.working.reporting import Report, in_progress, report
from argosy.placement.working.statuses import Failure, Stage, patch, status_of
from argosy.placement.working.syncing import Plan, carry_name, is_leaving, is_synced, plan
from argosy.placement.working.writing import Writing

# Bindings looked at together: many small writes share the wait for the disk.
_WORKERS: Final = 32
# When to look again at what events should tell sooner, as upstream does.
_CLEANUP_SECONDS: Final = 30.0
# A Work that the server refuses will be refused again, unless something else changed.
_REFUSED_SECONDS: Final = 60.0
_TAKEN_SECONDS: Final = 5.0
_NOT_FOUND: Final = "the master resource snapshot is not found"


class _Look(NamedTuple):
    """What came of looking at a binding. No verdict: it is too early for one."""

    verdict: Report | Failure | None = None
    result: Result = DONE
    # To be raised once the verdict is written, so that the binding is tried again.
    error: StatusError | None = None


class Working:
    """The work generator."""

    def __init__(self, assembly: Assembly, views: Views) -> None:
        self._views = views
        self._clock = assembly.clock
        self._writing = Writing(views)
        self._recorder = assembly.recorder("work generator")
        self._dirty = assembly.controller("work-generator", self._reconcile, workers=_WORKERS)
        for scope in SCOPES:
            views.placements(scope).add_handler(self._placement_changed)
            views.all_bindings(scope).add_handler(self._binding_changed)
            views.resources(scope).add_handler(self._snapshot_changed)
        views.works.add_handler(self._work_changed)
        views.members.add_handler(self._member_changed)

    # What is worth a look.

    def _placement_changed(self, old: Placement | None, new: Placement | None) -> None:
        if new is None or (carried(old) if old is not None else {}) == carried(new):
            return
        for binding in self._views.bindings(Key(*new.metadata.key)):
            self._dirty.add(Key(*binding.metadata.key))

    def _binding_changed(self, old: Binding | None, new: Binding | None) -> None:
        if new is not None and (old is None or occasion(old) != occasion(new)):
            self._dirty.add(Key(*new.metadata.key))

    def _member_changed(self, old: MemberCluster | None, new: MemberCluster | None) -> None:
        if old is None and new is not None:
            for binding in self._views.bindings_on(new.metadata.name):
                self._dirty.add(Key(*binding.metadata.key))

    def _snapshot_changed(self, old: ResourceSnapshot | None, new: ResourceSnapshot | None) -> None:
        if old is not None or new is None:
            return
        parent = parent_of(new)
        index = new.metadata.labels.get(names.RESOURCE_INDEX, "")
        if not index.isdecimal():
            return
        master = names.resource_snapshot_name(parent.name, int(index))
        for binding in self._views.bindings(parent):
            if binding.spec.resource_snapshot_name == master:
                self._dirty.add(Key(*binding.metadata.key))

    def _work_changed(self, old: SentWork | None, new: SentWork | None) -> None:
        if old is None:
            return
        if new is None:
            self._dirty.add(binding_of(old))
            self._look_at_rivals(old)
        elif tells_more(old, new):
            self._dirty.add(binding_of(old))
            self._dirty.add(binding_of(new))

    def _look_at_rivals(self, work: SentWork) -> None:
        """Other bindings of the placement for the cluster may wait for the name of a Work that is gone."""
        cluster = names.member_of(work.metadata.namespace)
        for binding in self._views.bindings(placement_of(work)):
            if binding.spec.target_cluster == cluster:
                self._dirty.add(Key(*binding.metadata.key))

    # A look.

    async def _reconcile(self, key: Key) -> Result:
        binding = self._views.binding(key)
        if binding is None:
            return DONE
        if binding.metadata.deletion_timestamp is not None:
            return await self._clean_up(key, binding)
        member = self._views.members.get("", binding.spec.target_cluster)
        if member is None or not is_due(binding):
            return DONE
        await self._claim(key, binding)
        look = await self._synced(key, binding, member)
        if look.verdict is not None:
            await self._tell(key, binding, look.verdict)
        if look.error is not None:
            raise look.error
        return look.result

    async def _claim(self, key: Key, binding: Binding) -> None:
        meta = binding.metadata
        if names.WORK_CLEANUP not in meta.finalizers:
            finalizers = (*meta.finalizers, names.WORK_CLEANUP)
            await self._views.set_finalizers(scope_of(key.namespace).bindings, meta, finalizers)

    async def _synced(self, key: Key, binding: Binding, member: MemberCluster) -> _Look:
        """Bring the Works of a binding to what it says."""
        views, spec = self._views, binding.spec
        words = await self._carry(key, binding)
        works = self._works(key, binding)
        master = views.resources(scope_of(key.namespace)).get(
            key.namespace, spec.resource_snapshot_name
        )
        if master is None:
            return await self._stranded(binding, works)
        shards = shards_of(master, views.resource_snapshots(parent_of(binding)))
        if shards is None:
            return _Look()
        if is_synced(binding, shards, works):
            return _Look(report(works, is_diffing=_is_diffing(binding)))
        try:
            drafts = build(binding, shards, self._overrider(binding, member), works, words)
        except OverrideFailed as error:
            return _Look(Failure(Stage.OVERRIDING, str(error)))
        except EnvelopeRefused as error:
            return _Look(Failure(Stage.SYNCING, str(error)))
        except DuplicateWorks as error:
            about = reference(scope_of(key.namespace).bindings, binding.metadata)
            self._recorder.event(about, "Warning", "DuplicateEnvelopeWorks", error.event)
            return _Look(Failure(Stage.SYNCING, str(error)))
        return await self._carry_out(binding, drafts, works)

    async def _carry(self, key: Key, binding: Binding) -> Mapping[str, str]:
        """Have the Works there are carry what their placement says, and tell what that is."""
        placement = self._views.placement(parent_of(binding))
        if placement is None:
            return {}
        words = carried(placement)
        for work in self._works(key, binding):
            if (patch := amendment(work, words)) is not None:
                await self._writing.change(Key(*work.metadata.key), patch)
        return words

    async def _stranded(self, binding: Binding, works: Sequence[SentWork]) -> _Look:
        """The snapshot is gone. Works that were made of it are what the binding says all the same."""
        if not carry_name(works, binding.spec.resource_snapshot_name):
            return _Look(Failure(Stage.OVERRIDING, _NOT_FOUND))
        strategy = binding.spec.apply_strategy
        outdated = [each for each in works if each.spec.apply_strategy != strategy]
        if outdated:
            return await self._write(binding, Plan(strategies=tuple(outdated)))
        return _Look(report(works, is_diffing=_is_diffing(binding)))

    async def _carry_out(
        self, binding: Binding, drafts: Sequence[Draft], works: Sequence[SentWork]
    ) -> _Look:
        namespace = names.member_namespace(binding.spec.target_cluster)
        todo = plan(
            drafts,
            works,
            named=lambda name: self._views.works.get(namespace, name),
            is_alive=lambda other: self._views.binding(other) is not None,
        )
        if todo.is_idle:
            return _Look(report(works, is_diffing=_is_diffing(binding)))
        return await self._write(binding, todo)

    async def _write(self, binding: Binding, todo: Plan) -> _Look:
        errors = await self._writing.carry_out(binding, todo)
        if errors:
            return _refused(errors[0])
        if todo.waiting:
            taken = todo.waiting[0]
            text = already_exists(WORKS.group, WORKS.plural, taken.metadata.name).message
            text = f"object is being deleted: {text}" if is_leaving(taken) else text
            return _Look(Failure(Stage.SYNCING, text), Result(_CLEANUP_SECONDS))
        return _Look(in_progress(is_diffing=_is_diffing(binding)))

    async def _clean_up(self, key: Key, binding: Binding) -> Result:
        meta = binding.metadata
        if names.WORK_CLEANUP not in meta.finalizers:
            return DONE
        works = self._views.works_of(key)
        if works:
            todo = Plan(delete=tuple(each for each in works if not is_leaving(each)))
            errors = await self._writing.carry_out(binding, todo)
            if errors:
                raise errors[0]
            return Result(_CLEANUP_SECONDS)
        left = [each for each in meta.finalizers if each != names.WORK_CLEANUP]
        await self._views.set_finalizers(scope_of(key.namespace).bindings, meta, left)
        return DONE

    async def _tell(self, key: Key, seen: Binding, verdict: Report | Failure) -> None:
        """Write what came of a binding, unless it has become another one meanwhile: then it is looked at again."""
        binding = self._views.binding(key)
        if binding is None or occasion(binding) != occasion(seen):
            return
        status = patch(binding.status, status_of(binding, verdict, self._clock.now()))
        if status is None:
            return
        # Rollouts write another condition into the same list.
        body = {
            "metadata": {"resourceVersion": binding.metadata.resource_version},
            "status": status,
        }
        resource = scope_of(key.namespace).bindings
        try:
            await self._views.patch(resource, binding.metadata, body, subresource="status")
        except NotFound:
            return

    def _works(self, key: Key, binding: Binding) -> list[SentWork]:
        """Those of a binding in its member's namespace, but for those that are on their way out."""
        namespace = names.member_namespace(binding.spec.target_cluster)
        return [
            each
            for each in self._views.works_of(key)
            if each.metadata.namespace == namespace and not is_leaving(each)
        ]

    def _overrider(self, binding: Binding, member: MemberCluster) -> Overrider:
        cluster_wide, namespaced = [], []
        for name in binding.spec.cluster_resource_override_snapshots:
            snapshot = self._views.cluster_overrides.get("", name)
            if snapshot is None:
                raise OverrideFailed(f"clusterResourceSnapshot {name} is not found")
            cluster_wide.append(snapshot)
        for named in binding.spec.resource_override_snapshots:
            override = self._views.overrides.get(named.namespace, named.name)
            if override is None:
                raise OverrideFailed(
                    f"resourceSnapshot {{{named.name} {named.namespace}}} is not found"
                )
            namespaced.append(override)
        return Overrider(member, cluster_wide, namespaced)


def _is_diffing(binding: Binding) -> bool:
    strategy = binding.spec.apply_strategy
    return strategy is not None and strategy.type == REPORT_DIFF


def _refused(error: StatusError) -> _Look:
    """What a failed write means: try again, now or later; a name that was just taken is no news to tell."""
    if isinstance(error, AlreadyExists):
        return _Look(result=Result(_TAKEN_SECONDS))
    failure = Failure(Stage.SYNCING, error.message)
    if isinstance(error, Invalid):
        return _Look(failure, Result(_REFUSED_SECONDS))
    return _Look(failure, error=error)
