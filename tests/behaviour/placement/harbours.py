"""A hub in memory with overrides and the work generator on it, in virtual time.

The story plays the others: it writes snapshots and bindings as scheduler and rollout do, and the statuses of Works as
members do.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

from argosy.api.objects.fleet import names
from argosy.apiserver.access.identities import ADMIN
from argosy.base.clock import VirtualClock
from argosy.base.errors import NotFound
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.timestamps import format_time
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.resources import (
    EVENTS,
    MEMBER_CLUSTERS,
    NAMESPACES,
    WORKS,
    Resource,
)
from argosy.control.assemblies import Assembly
from argosy.placement.overriding.controllers import OverrideSnapshots
from argosy.placement.scopes import scope_of
from argosy.placement.views import Views
from argosy.placement.working.controllers import Working
from tests.fakes.clusters import memory_server
from tests.fakes.fleets import install_fleet_kinds
from tests.fakes.worlds import _Failures

STRATEGY: Object = {
    "type": "ClientSideApply",
    "comparisonOption": "PartialComparison",
    "whenToApply": "Always",
    "whenToTakeOver": "Always",
}


class Hub:
    """What a story can do and see."""

    def __init__(self, client: LocalClient, clock: VirtualClock) -> None:
        self.client = client
        self.clock = clock

    async def settle(self, seconds: float = 0.05) -> None:
        await asyncio.sleep(seconds)

    async def create(self, resource: Resource, obj: Object, namespace: str = "") -> Object:
        return decode(await self.client.create(resource, obj, namespace=namespace or None))

    async def get(self, resource: Resource, name: str, namespace: str = "") -> Object | None:
        try:
            return decode(await self.client.get(resource, name, namespace=namespace or None))
        except NotFound:
            return None

    async def found(self, resource: Resource, name: str, namespace: str = "") -> Object:
        got = await self.get(resource, name, namespace)
        assert got is not None, f"{resource.plural} {namespace}/{name}"
        return got

    async def list(self, resource: Resource) -> list[Object]:
        return [decode(each) for each in (await self.client.list(resource)).items]

    async def patch(
        self,
        resource: Resource,
        name: str,
        body: Json,
        namespace: str = "",
        *,
        subresource: str = "",
    ) -> Object:
        raw = await self.client.patch(
            resource, name, body, namespace=namespace or None, subresource=subresource
        )
        return decode(raw)

    async def member(self, name: str, **labels: str) -> None:
        meta = {"name": name, "labels": {names.MEMBER_NAME: name, **labels}}
        identity = {"kind": "User", "name": name}
        await self.create(MEMBER_CLUSTERS, {"metadata": meta, "spec": {"identity": identity}})
        await self.create(NAMESPACES, {"metadata": {"name": names.member_namespace(name)}})

    # The scheduler and the rollout.

    async def snapshot(
        self,
        placement: str,
        *resources: Object,
        index: int = 0,
        namespace: str = "",
        shards: int = 1,
        envelopes: int = 0,
    ) -> None:
        """The master of an index."""
        meta: Object = {
            "name": names.resource_snapshot_name(placement, index),
            "labels": {
                names.PARENT: placement,
                names.RESOURCE_INDEX: str(index),
                names.IS_LATEST: "true",
            },
            "annotations": {
                names.NUMBER_OF_SNAPSHOTS: str(shards),
                names.NUMBER_OF_ENVELOPES: str(envelopes),
            },
        }
        body: Object = {"metadata": meta, "spec": {"selectedResources": list(resources)}}
        await self.create(scope_of(namespace).resource_snapshots, body, namespace)

    async def shard(self, placement: str, subindex: int, *resources: Object) -> None:
        """A further shard of index 0 of a placement of the cluster."""
        meta: Object = {
            "name": names.resource_snapshot_name(placement, 0, subindex),
            "labels": {names.PARENT: placement, names.RESOURCE_INDEX: "0"},
            "annotations": {names.SUBINDEX: str(subindex)},
        }
        body: Object = {"metadata": meta, "spec": {"selectedResources": list(resources)}}
        await self.create(scope_of("").resource_snapshots, body)

    async def binding(
        self, name: str, placement: str, cluster: str, namespace: str = "", **spec: Json
    ) -> None:
        """A binding as the scheduler makes it, then bound and let out."""
        decision = {"clusterName": cluster, "selected": True, "reason": "picked"}
        body: Object = {
            "metadata": {
                "name": name,
                "labels": {names.PARENT: placement},
                "finalizers": [names.BINDING_CLEANUP],
            },
            "spec": {
                "state": "Scheduled",
                "resourceSnapshotName": "",
                "schedulingPolicySnapshotName": f"{placement}-0",
                "targetCluster": cluster,
                "clusterDecision": decision,
            },
        }
        await self.create(scope_of(namespace).bindings, body, namespace)
        bound: Object = {
            "state": "Bound",
            "resourceSnapshotName": names.resource_snapshot_name(placement, 0),
            "applyStrategy": STRATEGY,
            **spec,
        }
        await self.respecify(name, namespace, **bound)

    async def respecify(self, name: str, namespace: str = "", **spec: Json) -> None:
        """Change a binding's spec, and say that its rollout has started."""
        bindings = scope_of(namespace).bindings
        await self.patch(bindings, name, {"spec": spec}, namespace)
        await self.start(name, namespace)

    async def start(self, name: str, namespace: str = "") -> None:
        bindings = scope_of(namespace).bindings
        now = await self.found(bindings, name, namespace)
        others = [
            each
            for each in now.get("status", {}).get("conditions", ())
            if each["type"] != "RolloutStarted"
        ]
        started = {
            "type": "RolloutStarted",
            "status": "True",
            "reason": "RolloutStarted",
            "message": "",
            "observedGeneration": now["metadata"]["generation"],
            "lastTransitionTime": format_time(self.clock.now()),
        }
        body = {"status": {"conditions": [started, *others]}}
        await self.patch(bindings, name, body, namespace, subresource="status")

    async def says(self, name: str, namespace: str = "") -> list[str]:
        """The conditions of a binding but for RolloutStarted, in order, if they are of its generation."""
        binding = await self.found(scope_of(namespace).bindings, name, namespace)
        generation = binding["metadata"]["generation"]
        return [
            f"{each['type']} {each['status']} {each['reason']}: {each['message']}"
            for each in binding.get("status", {}).get("conditions", ())
            if each["type"] != "RolloutStarted" and each["observedGeneration"] == generation
        ]

    # The member.

    async def work(self, cluster: str, name: str) -> Object:
        return await self.found(WORKS, name, names.member_namespace(cluster))

    async def works(self) -> list[str]:
        return sorted(
            f"{each['metadata']['namespace'].removeprefix('fleet-member-')}/{each['metadata']['name']}"
            for each in await self.list(WORKS)
        )

    async def answer(
        self,
        cluster: str,
        name: str,
        *conditions: tuple[str, str, str],
        manifests: list[Object] | None = None,
    ) -> None:
        """What a member says of a Work as it stands: (type, status, reason)."""
        work = await self.work(cluster, name)
        now = format_time(self.clock.now())
        told = [
            {
                "type": type_,
                "status": status,
                "reason": reason,
                "message": "",
                "observedGeneration": work["metadata"]["generation"],
                "lastTransitionTime": now,
            }
            for type_, status, reason in conditions
        ]
        body = {"status": {"conditions": told, "manifestConditions": manifests or []}}
        namespace = names.member_namespace(cluster)
        await self.patch(WORKS, name, body, namespace, subresource="status")

    async def events(self) -> list[str]:
        return [
            f"{each['type']} {each['reason']}: {each['message']}"
            for each in await self.list(EVENTS)
        ]


APPLIED = ("Applied", "True", "AllManifestsApplied")
AVAILABLE = ("Available", "True", "AllManifestsAvailable")


def on_hub(shared: Path, story: Callable[[Hub], Awaitable[None]]) -> None:
    """Tell a story on a hub with the members m1 and m2 and the namespace `ns`."""

    async def tell() -> None:
        clock = VirtualClock()
        server = memory_server(clock)
        client = LocalClient(server, ADMIN, agent="test")
        await install_fleet_kinds(client, shared)
        for name in ("ns", "default"):
            await client.create(NAMESPACES, {"metadata": {"name": name}})
        failures = _Failures()
        logging.getLogger("argosy").addHandler(failures)
        assembly = Assembly(client, clock=clock, ids=SeededIds(2), source=random.Random(3))
        views = Views(assembly)
        OverrideSnapshots(assembly, views)
        Working(assembly, views)
        task = asyncio.create_task(assembly.run())
        hub = Hub(client, clock)
        try:
            await assembly.started()
            await hub.member("m1", env="canary")
            await hub.member("m2", env="prod")
            await story(hub)
        finally:
            task.cancel()
            await asyncio.wait({task})
            logging.getLogger("argosy").removeHandler(failures)
        assert failures.seen == []

    run_virtual(tell())


def config_map(name: str, namespace: str = "ns", **data: str) -> Object:
    meta = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": data or {"a": "1"}}


def cluster_role(name: str) -> Object:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name, "labels": {"base": "yes"}},
        "rules": [],
    }


def envelope(name: str, *objects: Object, namespace: str = "ns") -> Object:
    return {
        "apiVersion": "placement.kubernetes-fleet.io/v1beta1",
        "kind": "ResourceEnvelope" if namespace else "ClusterResourceEnvelope",
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "data": {f"o{number}": each for number, each in enumerate(objects)},
    }
