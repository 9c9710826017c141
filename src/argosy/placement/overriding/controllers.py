"""Keeps the snapshots of overrides, and takes them away with their override.

A snapshot that somebody deletes or marks by hand is put right as well: bindings name snapshots, and rollouts take the
latest.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.overrides import ClusterResourceOverride, ResourceOverride
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.errors import NotFound
from argosy.client.objects import Key
from argosy.client.resources import (
    CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS,
    CLUSTER_RESOURCE_OVERRIDES,
    RESOURCE_OVERRIDE_SNAPSHOTS,
    RESOURCE_OVERRIDES,
    Resource,
)
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.placement.overriding.snapshots import (
    Override,
    OverrideSnapshot,
    document,
    hash_of,
    steps,
)
from argosy.placement.views import Views

_PARENT: Final = "override"


class OverrideSnapshots:
    """One controller for both kinds; an override of the cluster has no namespace."""

    def __init__(self, assembly: Assembly, views: Views) -> None:
        self._views = views
        self._cluster_wide = assembly.informer(CLUSTER_RESOURCE_OVERRIDES, ClusterResourceOverride)
        self._namespaced = assembly.informer(RESOURCE_OVERRIDES, ResourceOverride)
        self._dirty = assembly.controller("override-controller", self._reconcile, workers=4)
        if not views.cluster_overrides.has_index(_PARENT):
            views.cluster_overrides.add_index(_PARENT, lambda each: [str(_override_of(each))])
        if not views.overrides.has_index(_PARENT):
            views.overrides.add_index(_PARENT, lambda each: [str(_override_of(each))])
        self._cluster_wide.add_handler(self._override_changed)
        self._namespaced.add_handler(self._override_changed)
        views.cluster_overrides.add_handler(self._snapshot_changed)
        views.overrides.add_handler(self._snapshot_changed)

    def _override_changed(self, old: Override | None, new: Override | None) -> None:
        if new is None:
            return
        before, after = old.metadata if old is not None else None, new.metadata
        if (
            before is None
            or before.generation != after.generation
            or before.deletion_timestamp != after.deletion_timestamp
        ):
            self._dirty.add(Key(*after.key))

    def _snapshot_changed(self, old: OverrideSnapshot | None, new: OverrideSnapshot | None) -> None:
        if old is not None and (new is None or old.metadata.labels != new.metadata.labels):
            self._dirty.add(_override_of(old))

    async def _reconcile(self, key: Key) -> Result:
        override = self._override(key)
        if override is None:
            return DONE
        meta, kind = override.metadata, _kind(key)
        if meta.deletion_timestamp is not None:
            await self._clean_up(key, meta)
            return DONE
        if names.OVERRIDE_CLEANUP not in meta.finalizers:
            await self._views.set_finalizers(kind, meta, (*meta.finalizers, names.OVERRIDE_CLEANUP))
        await self._fit(key, override)
        return DONE

    async def _fit(self, key: Key, override: Override) -> None:
        hash_, snapshots = hash_of(override.spec), _snapshot_kind(key)
        todo = steps(hash_, self._snapshots(key))
        for meta in todo.delete:
            await self._views.delete(snapshots, meta)
        if todo.create is not None:
            made = document(override, _kind(key), todo.create, hash_)
            await self._views.create(snapshots, made, key.namespace)
        for meta in todo.mark:
            await self._mark(snapshots, meta, "true")
        for meta in todo.unmark:
            await self._mark(snapshots, meta, "false")

    async def _mark(self, resource: Resource, meta: ObjectMeta, is_latest: str) -> None:
        try:
            labels = {"metadata": {"labels": {names.IS_LATEST: is_latest}}}
            await self._views.patch(resource, meta, labels)
        except NotFound:
            return

    async def _clean_up(self, key: Key, meta: ObjectMeta) -> None:
        if names.OVERRIDE_CLEANUP not in meta.finalizers:
            return
        for snapshot in self._snapshots(key):
            await self._views.delete(_snapshot_kind(key), snapshot.metadata)
        left = [each for each in meta.finalizers if each != names.OVERRIDE_CLEANUP]
        await self._views.set_finalizers(_kind(key), meta, left)

    def _override(self, key: Key) -> Override | None:
        return self._namespaced.get(*key) if key.namespace else self._cluster_wide.get(*key)

    def _snapshots(self, key: Key) -> list[OverrideSnapshot]:
        if key.namespace:
            return [*self._views.overrides.by_index(_PARENT, str(key))]
        return [*self._views.cluster_overrides.by_index(_PARENT, str(key))]


def _override_of(snapshot: OverrideSnapshot) -> Key:
    meta = snapshot.metadata
    return Key(meta.namespace, meta.labels.get(names.PARENT_OVERRIDE, ""))


def _kind(key: Key) -> Resource:
    return RESOURCE_OVERRIDES if key.namespace else CLUSTER_RESOURCE_OVERRIDES


def _snapshot_kind(key: Key) -> Resource:
    return RESOURCE_OVERRIDE_SNAPSHOTS if key.namespace else CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS
