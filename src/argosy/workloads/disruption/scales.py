"""How many pods the controllers of pods want: what shares in a budget are counted against.

The sets of Kubernetes are read from informers; a ReplicaSet of a Deployment leaves the last word to it. Any other
controller is asked through its `scale` subresource, which custom resources may have. Who has none (a Job, a DaemonSet)
cannot be asked, and neither can a controller that is gone: `Unscalable` then says so in Kubernetes' words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from argosy.api.objects import OwnerReference, Pod
from argosy.api.objects.apps import Deployment, ReplicaSet, ReplicationController, StatefulSet
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.resources import (
    CUSTOM_RESOURCE_DEFINITIONS,
    DAEMON_SETS,
    DEPLOYMENTS,
    JOBS,
    REPLICA_SETS,
    REPLICATION_CONTROLLERS,
    STATEFUL_SETS,
    Resource,
)
from argosy.control.assemblies import Assembly

# Kinds of Kubernetes' own that control pods and cannot be scaled.
_UNSCALABLE: Final = (JOBS, DAEMON_SETS)


class Unscalable(Exception):
    """A pod whose controller cannot say how many pods it wants."""


class Scale(NamedTuple):
    """The controller that has the last word, and how many pods it wants."""

    uid: str
    replicas: int


class Scales:
    """One cluster's controllers of pods."""

    def __init__(self, assembly: Assembly) -> None:
        self._client = assembly.client
        self._replica_sets = assembly.informer(REPLICA_SETS, ReplicaSet)
        self._deployments = assembly.informer(DEPLOYMENTS, Deployment)
        self._stateful_sets = assembly.informer(STATEFUL_SETS, StatefulSet)
        self._replication = assembly.informer(REPLICATION_CONTROLLERS, ReplicationController)

    async def wanted(self, pods: Iterable[Pod]) -> tuple[int, bool]:
        """What the controllers of the pods want together, and whether a pod has none. Raises Unscalable."""
        known: set[str] = set()
        scales: dict[str, int] = {}
        has_unmanaged = False
        for pod in pods:
            owner = pod.metadata.controller
            if owner is None:
                has_unmanaged = True
            elif owner.uid not in known:
                known.add(owner.uid)
                found = await self._scale(pod.metadata.namespace, owner)
                if found is None:
                    raise Unscalable(f'found no controllers for pod "{pod.metadata.name}"')
                scales[found.uid] = found.replicas
        return sum(scales.values()), has_unmanaged

    async def _scale(self, namespace: str, owner: OwnerReference) -> Scale | None:
        found: ReplicaSet | StatefulSet | ReplicationController | None = None
        if owner.kind == REPLICA_SETS.kind:
            found = self._replica_sets.get(namespace, owner.name)
            if found is not None and (above := self._deployment(found)) is not None:
                return above
        elif owner.kind == STATEFUL_SETS.kind:
            found = self._stateful_sets.get(namespace, owner.name)
        elif owner.kind == REPLICATION_CONTROLLERS.kind:
            found = self._replication.get(namespace, owner.name)
        else:
            return await self._asked(namespace, owner)
        if found is None or found.metadata.uid != owner.uid:
            return None
        return Scale(owner.uid, found.spec.replicas)

    def _deployment(self, replica_set: ReplicaSet) -> Scale | None:
        owner = replica_set.metadata.controller
        if owner is None or owner.kind != DEPLOYMENTS.kind:
            return None
        found = self._deployments.get(replica_set.metadata.namespace, owner.name)
        if found is None or found.metadata.uid != owner.uid:
            return None
        return Scale(owner.uid, found.spec.replicas)

    async def _asked(self, namespace: str, owner: OwnerReference) -> Scale | None:
        resource, has_scale = await self._resource(owner)
        if not has_scale:
            what = f"{resource.plural}.{resource.group}".removesuffix(".")
            raise Unscalable(f"{what} does not implement the scale subresource")
        try:
            raw = await self._client.get(
                resource, owner.name, namespace=namespace, subresource="scale"
            )
        except NotFound:
            return None
        scale = decode(raw)
        if scale["metadata"].get("uid") != owner.uid:
            return None
        return Scale(owner.uid, (scale.get("spec") or {}).get("replicas") or 0)

    async def _resource(self, owner: OwnerReference) -> tuple[Resource, bool]:
        """The resource of an owner, and whether it can be scaled."""
        for resource in _UNSCALABLE:
            if (resource.api_version, resource.kind) == (owner.api_version, owner.kind):
                return resource, False
        group, _, version = owner.api_version.rpartition("/")
        for raw in (await self._client.list_all(CUSTOM_RESOURCE_DEFINITIONS)).items:
            spec: Object = decode(raw)["spec"]
            if spec["group"] != group or spec["names"]["kind"] != owner.kind:
                continue
            for served in spec["versions"]:
                if served["name"] == version and served["served"]:
                    found = Resource(group, version, spec["names"]["plural"], owner.kind)
                    return found, "scale" in (served.get("subresources") or {})
        raise Unscalable(f'no matches for kind "{owner.kind}" in version "{owner.api_version}"')
