"""What the hub's controllers know: placements and all that belongs to them, by placement, by binding and by cluster.

Each kind is watched and decoded once. A controller writes through `Views`, which hands the answer to the informer at
once, so it and everybody after it reads what was written; nobody acts twice because the watch is a moment behind.

Children are found by the labels upstream finds them by. A placement of a namespace has its children there, so the key
of a child's parent is its own namespace and the name in its label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Protocol, TypeVar

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.overrides import (
    ClusterResourceOverrideSnapshot,
    ResourceOverrideSnapshot,
)
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import PolicySnapshot, ResourceSnapshot
from argosy.api.objects.fleet.works import SentWork
from argosy.api.objects.metadata import ObjectMeta, View
from argosy.base.errors import NotFound
from argosy.base.types import Json, Object
from argosy.client.objects import Key, Raw
from argosy.client.protocol import Client, PatchType
from argosy.client.resources import (
    CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS,
    MEMBER_CLUSTERS,
    RESOURCE_OVERRIDE_SNAPSHOTS,
    WORKS,
    Resource,
)
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.placement.scopes import SCOPES, Scope, scope_of

MANAGER: Final = "hub-agent"
_PARENT: Final = "parent"
_CLUSTER: Final = "cluster"
_BINDING: Final = "binding"


class _Owned(Protocol):
    @property
    def metadata(self) -> ObjectMeta: ...


_V = TypeVar("_V", bound=View)
_S = TypeVar("_S", bound=_Owned)


class Views:
    """The informers of the hub, and the way to write what they hold."""

    def __init__(self, assembly: Assembly) -> None:
        self.client: Final[Client] = assembly.client
        self.members: Final = assembly.informer(MEMBER_CLUSTERS, MemberCluster)
        self.works: Final = assembly.informer(WORKS, SentWork)
        self.cluster_overrides: Final = assembly.informer(
            CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS, ClusterResourceOverrideSnapshot
        )
        self.overrides: Final = assembly.informer(
            RESOURCE_OVERRIDE_SNAPSHOTS, ResourceOverrideSnapshot
        )
        self._placements = _halves(assembly, "placements", Placement)
        self._policies = _halves(assembly, "policy_snapshots", PolicySnapshot)
        self._resources = _halves(assembly, "resource_snapshots", ResourceSnapshot)
        self._bindings = _halves(assembly, "bindings", Binding)
        self._learners: dict[Resource, Callable[[Raw], None]] = {
            MEMBER_CLUSTERS: self.members.learn,
            WORKS: self.works.learn,
            CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS: self.cluster_overrides.learn,
            RESOURCE_OVERRIDE_SNAPSHOTS: self.overrides.learn,
        }
        for scope in SCOPES:
            policies, resources = self._policies[scope], self._resources[scope]
            bindings = self._bindings[scope]
            self._learners[scope.placements] = self._placements[scope].learn
            self._learners[scope.policy_snapshots] = policies.learn
            self._learners[scope.resource_snapshots] = resources.learn
            self._learners[scope.bindings] = bindings.learn
            _index(policies, _PARENT, lambda each: [str(parent_of(each))])
            _index(resources, _PARENT, lambda each: [str(parent_of(each))])
            _index(bindings, _PARENT, lambda each: [str(parent_of(each))])
            _index(bindings, _CLUSTER, lambda each: [each.spec.target_cluster])
        _index(self.works, _BINDING, lambda work: [str(binding_of(work))])

    # Reading.

    def placement(self, key: Key) -> Placement | None:
        return self._placements[scope_of(key.namespace)].get(*key)

    def placements(self, scope: Scope) -> Informer[Placement]:
        return self._placements[scope]

    def policy_snapshots(self, key: Key) -> list[PolicySnapshot]:
        """All of a placement, the latest or not, in order of their names."""
        return self._policies[scope_of(key.namespace)].by_index(_PARENT, str(key))

    def latest_policy(self, key: Key) -> PolicySnapshot | None:
        """The one marked as latest; None while there is none, or, for a moment, more than one."""
        return _only(self.policy_snapshots(key))

    def policies(self, scope: Scope) -> Informer[PolicySnapshot]:
        return self._policies[scope]

    def resource_snapshots(self, key: Key) -> list[ResourceSnapshot]:
        """All of a placement, shards too, in order of their names."""
        return self._resources[scope_of(key.namespace)].by_index(_PARENT, str(key))

    def latest_resources(self, key: Key) -> ResourceSnapshot | None:
        """The master marked as latest."""
        return _only(self.resource_snapshots(key))

    def resources(self, scope: Scope) -> Informer[ResourceSnapshot]:
        return self._resources[scope]

    def binding(self, key: Key) -> Binding | None:
        return self._bindings[scope_of(key.namespace)].get(*key)

    def bindings(self, key: Key) -> list[Binding]:
        """Those of a placement, in order of their names."""
        return self._bindings[scope_of(key.namespace)].by_index(_PARENT, str(key))

    def bindings_on(self, cluster: str) -> list[Binding]:
        """Those of any placement on a cluster."""
        return [
            binding
            for bindings in self._bindings.values()
            for binding in bindings.by_index(_CLUSTER, cluster)
        ]

    def all_bindings(self, scope: Scope) -> Informer[Binding]:
        return self._bindings[scope]

    def works_of(self, binding: Key) -> list[SentWork]:
        return self.works.by_index(_BINDING, str(binding))

    # Writing.

    async def create(self, resource: Resource, obj: Object, namespace: str = "") -> Raw:
        raw = await self.client.create(
            resource, obj, namespace=namespace or None, field_manager=MANAGER
        )
        self.learn(raw)
        return raw

    async def patch(
        self,
        resource: Resource,
        meta: ObjectMeta,
        patch: Json,
        *,
        subresource: str = "",
        kind: PatchType = PatchType.MERGE,
    ) -> Raw:
        raw = await self.client.patch(
            resource,
            meta.name,
            patch,
            kind=kind,
            namespace=meta.namespace or None,
            subresource=subresource,
            field_manager=MANAGER,
        )
        self.learn(raw)
        return raw

    async def patch_status(self, resource: Resource, meta: ObjectMeta, status: Json) -> Raw:
        return await self.patch(resource, meta, {"status": status}, subresource="status")

    async def delete(self, resource: Resource, meta: ObjectMeta) -> None:
        """Delete it; it is fine if it has gone already."""
        try:
            await self.client.delete(
                resource, meta.name, namespace=meta.namespace or None, uid=meta.uid
            )
        except NotFound:
            return

    async def set_finalizers(
        self, resource: Resource, meta: ObjectMeta, finalizers: Iterable[str]
    ) -> None:
        """Only if nobody else changed the object meanwhile: they share the list."""
        wanted = list(finalizers)
        if wanted == list(meta.finalizers):
            return
        patch: Object = {
            "metadata": {
                "finalizers": wanted or None,
                "resourceVersion": meta.resource_version,
            }
        }
        try:
            await self.patch(resource, meta, patch)
        except NotFound:
            return

    def learn(self, raw: Raw) -> None:
        """Have readers see what was just written."""
        if (learner := self._learners.get(raw.resource)) is not None:
            learner(raw)


def parent_of(child: _Owned) -> Key:
    """The placement that a snapshot or a binding belongs to."""
    meta = child.metadata
    return Key(meta.namespace, meta.labels.get(names.PARENT, ""))


def placement_of(work: SentWork) -> Key:
    """The placement that a Work belongs to."""
    labels = work.metadata.labels
    return Key(labels.get(names.PARENT_NAMESPACE, ""), labels.get(names.PARENT, ""))


def binding_of(work: SentWork) -> Key:
    """The binding that a Work belongs to."""
    labels = work.metadata.labels
    return Key(labels.get(names.PARENT_NAMESPACE, ""), labels.get(names.PARENT_BINDING, ""))


def index_of(snapshot: _Owned, label: str) -> int:
    """The index in a snapshot's label; -1 if somebody broke it."""
    found = snapshot.metadata.labels.get(label, "")
    return int(found) if found.isdecimal() else -1


def _halves(assembly: Assembly, which: str, view: type[_V]) -> dict[Scope, Informer[_V]]:
    return {scope: assembly.informer(getattr(scope, which), view) for scope in SCOPES}


def _index(informer: Informer[_V], name: str, index: Callable[[_V], Iterable[str]]) -> None:
    if not informer.has_index(name):
        informer.add_index(name, index)


def _only(snapshots: list[_S]) -> _S | None:
    latest = [each for each in snapshots if each.metadata.labels.get(names.IS_LATEST) == "true"]
    return latest[0] if len(latest) == 1 else None
