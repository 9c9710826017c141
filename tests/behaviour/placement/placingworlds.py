"""A hub in memory with the scheduler and rollouts on it, in virtual time.

The story plays everybody else: it writes members, placements and their snapshots, and says how works fare in the bindings'
statuses.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.base.timestamps import format_time
from argosy.base.types import Json, Object
from argosy.client.objects import Key, decode
from argosy.client.protocol import Client
from argosy.client.resources import MEMBER_CLUSTERS
from argosy.control.assemblies import Assembly
from argosy.placement.picks import Picked
from argosy.placement.rollouts.controllers import Rollouts
from argosy.placement.scheduling.controllers import Scheduling
from argosy.placement.scheduling.promises import Promises
from argosy.placement.scopes import scope_of
from argosy.placement.views import Views
from tests.fakes.fleets import fleet_definitions
from tests.fakes.worlds import World, running
from tests.support.placing import agent, member_document, policy_document


class Hub:
    """What a story can do to placements, and see."""

    def __init__(self, world: World, overrides: dict[str, Picked]) -> None:
        self.world = world
        self.client = world.client
        # Override snapshots by cluster, as the rollout gets to know them.
        self.overrides = overrides

    # Members.

    async def join(self, name: str, **more: Json) -> None:
        more.setdefault("agent", self.agent())
        document = member_document(name, **more)
        status = document.pop("status")
        await self.client.create(MEMBER_CLUSTERS, document)
        await self.client.patch(MEMBER_CLUSTERS, name, {"status": status}, subresource="status")

    def agent(self, **more: Json) -> Object:
        return agent(now=self.world.clock.now(), **more)

    async def member_status(self, name: str, status: Object) -> None:
        await self.client.patch(MEMBER_CLUSTERS, name, {"status": status}, subresource="status")

    async def member_spec(self, name: str, patch: Object) -> None:
        await self.client.patch(MEMBER_CLUSTERS, name, patch)

    # Placements and their snapshots, as the placement controller writes them.

    async def place(
        self,
        name: str,
        policy: Object | None = None,
        strategy: Object | None = None,
        *,
        namespace: str = "",
        resources: bool = True,
    ) -> None:
        spec: Object = {
            "resourceSelectors": [{"group": "", "version": "v1", "kind": "ConfigMap", "name": "x"}],
            "strategy": strategy or {},
        }
        if policy is not None:
            spec["policy"] = policy
        meta = {"name": name, "finalizers": [names.PLACEMENT_CLEANUP]}
        scope = scope_of(namespace)
        body = {"metadata": meta, "spec": spec}
        await self.client.create(scope.placements, body, namespace=namespace or None)
        await self.policy(name, policy, namespace=namespace)
        if resources:
            await self.resources(name, namespace=namespace)

    async def policy(
        self, name: str, policy: Object | None, *, namespace: str = "", **more: Json
    ) -> None:
        await self.client.create(
            scope_of(namespace).policy_snapshots,
            policy_document(name, policy, **more),
            namespace=namespace or None,
        )

    async def outdate_policy(self, name: str, index: int = 0) -> None:
        labels = {names.IS_LATEST: "false"}
        resource = scope_of("").policy_snapshots
        await self.client.patch(resource, f"{name}-{index}", {"metadata": {"labels": labels}})

    async def annotate_policy(self, name: str, **annotations: str) -> None:
        """With the keys that upstream prefixes."""
        keys = {
            f"kubernetes-fleet.io/{key.replace('_', '-')}": annotations[key] for key in annotations
        }
        resource = scope_of("").policy_snapshots
        await self.client.patch(resource, f"{name}-0", {"metadata": {"annotations": keys}})

    async def resources(
        self, name: str, index: int = 0, *, namespace: str = "", shards: int = 1
    ) -> None:
        """The master of an index, which becomes the latest."""
        scope = scope_of(namespace)
        if index:
            old = f"{name}-{index - 1}-snapshot"
            patch = {"metadata": {"labels": {names.IS_LATEST: "false"}}}
            resource = scope.resource_snapshots
            await self.client.patch(resource, old, patch, namespace=namespace or None)
        meta = {
            "name": f"{name}-{index}-snapshot",
            "labels": {
                names.PARENT: name,
                names.IS_LATEST: "true",
                names.RESOURCE_INDEX: str(index),
            },
            "annotations": {names.RESOURCE_HASH: "x", names.NUMBER_OF_SNAPSHOTS: str(shards)},
        }
        body = {"metadata": meta, "spec": {"selectedResources": []}}
        await self.client.create(scope.resource_snapshots, body, namespace=namespace or None)

    async def shard(self, name: str, index: int, subindex: int) -> None:
        meta = {
            "name": f"{name}-{index}-{subindex}",
            "labels": {names.PARENT: name, names.RESOURCE_INDEX: str(index)},
            "annotations": {names.SUBINDEX: str(subindex)},
        }
        body = {"metadata": meta, "spec": {"selectedResources": []}}
        await self.client.create(scope_of("").resource_snapshots, body)

    # Works, as the work generator tells of them.

    async def fares(self, name: str, *clusters: str, reason: str = "AllWorkAreAvailable") -> None:
        """The placement's works are available on these clusters."""
        for each in await self.bindings(name):
            if each["spec"]["targetCluster"] not in clusters:
                continue
            condition = {
                "type": "Available",
                "status": "True",
                "reason": reason,
                "message": "",
                "observedGeneration": each["metadata"]["generation"],
                "lastTransitionTime": format_time(self.world.clock.time()),
            }
            kept = [
                said
                for said in each.get("status", {}).get("conditions", [])
                if said["type"] != "Available"
            ]
            status = {"conditions": [*kept, condition]}
            resource = scope_of("").bindings
            meta = each["metadata"]
            await self.client.patch(
                resource, meta["name"], {"status": status}, subresource="status"
            )
        await self.world.settle()

    # Looking.

    async def bindings(self, name: str, namespace: str = "") -> list[Object]:
        """In order of clusters."""
        found = await self.client.list(
            scope_of(namespace).bindings,
            namespace=namespace or None,
            label_selector=f"{names.PARENT}={name}",
        )
        documents = [decode(raw) for raw in found.items]
        return sorted(documents, key=lambda each: each["spec"]["targetCluster"])

    async def states(self, name: str) -> dict[str, str]:
        return {
            each["spec"]["targetCluster"]: each["spec"]["state"]
            for each in await self.bindings(name)
        }

    async def bound_to(self, name: str) -> dict[str, str]:
        """By cluster, the index of the resources it is bound to; "-" where it has to wait for them."""
        found = {}
        for each in await self.bindings(name):
            index = each["spec"]["resourceSnapshotName"].removeprefix(f"{name}-").partition("-")[0]
            started = [
                said["status"] == "True"
                for said in each.get("status", {}).get("conditions", [])
                if said["type"] == "RolloutStarted"
                and said["observedGeneration"] == each["metadata"]["generation"]
            ]
            found[each["spec"]["targetCluster"]] = index + ("" if started == [True] else "-")
        return found

    async def told(self, name: str, *, index: int = 0, namespace: str = "") -> Object:
        """The status of a policy snapshot."""
        resource = scope_of(namespace).policy_snapshots
        raw = await self.client.get(resource, f"{name}-{index}", namespace=namespace or None)
        found: Object = decode(raw).get("status", {})
        return found

    async def targets(self, name: str) -> list[str]:
        status = await self.told(name)
        return [
            each["clusterName"] for each in status.get("targetClusters", []) if each["selected"]
        ]


class CountingClient:
    """Counts what controllers write."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.writes = 0

    def __getattr__(self, name: str) -> object:
        if name in {"create", "update", "patch", "delete", "apply"}:
            self.writes += 1
        return getattr(self._client, name)


class Counts:
    """Puts itself between the controllers and the hub; `writes` are those since the last look."""

    def __init__(self) -> None:
        self._clients: list[CountingClient] = []
        self._seen = 0

    def __call__(self, client: Client) -> Client:
        self._clients.append(CountingClient(client))
        return self._clients[-1]  # type: ignore[return-value]  # it passes everything on

    def writes(self) -> int:
        total = sum(each.writes for each in self._clients)
        self._seen, new = total, total - self._seen
        return new


def add_controllers(
    assembly: Assembly,
    overrides: dict[str, Picked] | None = None,
    promises: Promises | None = None,
) -> None:
    known = {} if overrides is None else overrides

    def picked(_key: Key, _: Sequence[ResourceSnapshot], member: MemberCluster) -> Picked:
        return known.get(member.metadata.name, Picked())

    views = Views(assembly)
    Scheduling(assembly, views, promises=promises)
    Rollouts(assembly, views, picked)


def playing(
    shared: Path,
    story: Callable[[Hub], Coroutine[None, None, None]],
    *,
    promises: Promises | None = None,
    through: Callable[[Client], Client] | None = None,
    idle: bool = False,
) -> None:
    """Let a story happen on a hub; on an `idle` one, it brings its own controllers."""
    overrides: dict[str, Picked] = {}

    def add(assembly: Assembly) -> None:
        if not idle:
            add_controllers(assembly, overrides, promises)

    async def tell(world: World) -> None:
        await story(Hub(world, overrides))

    running(tell, add, definitions=fleet_definitions(shared), through=through)
