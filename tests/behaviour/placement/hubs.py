"""A hub in memory on which the placement controller runs, and a test that plays scheduler and work generator."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path

from argosy.api.objects.fleet import names
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.protocol import Client
from argosy.client.resources import CONFIG_MAPS, JOBS, Resource
from argosy.control.assemblies import Assembly
from argosy.placement.placements import Placements, Settings
from argosy.placement.scopes import scope_of
from argosy.placement.snapshotting.resources import NO_DELAYS
from argosy.placement.views import Views
from tests.fakes.clients import FaultyClient
from tests.fakes.fleets import fleet_definitions
from tests.fakes.worlds import World, running

QUICK = Settings(delays=NO_DELAYS)
STAGES = ("RolloutStarted", "Overridden", "WorkSynchronized", "Applied", "Available")


class Hub:
    """What a story can do and see."""

    def __init__(self, world: World, placements: Placements, network: FaultyClient) -> None:
        self.world = world
        self.client = world.client
        self.placements = placements
        self.network = network

    def writes(self) -> list[tuple[str, str]]:
        """What the controller has written since it was last asked, but for events."""
        found = [
            (verb, plural)
            for verb, plural in self.network.calls
            if verb in {"create", "patch", "update", "delete"} and plural != "events"
        ]
        self.network.calls.clear()
        return found

    async def settle(self, seconds: float = 0.2) -> None:
        await self.world.pass_time(seconds)

    # A user.

    async def config_map(
        self, name: str, namespace: str = "ns", labels: dict[str, str] | None = None, **data: str
    ) -> None:
        body: Object = {"metadata": {"name": name, "labels": labels or {}}, "data": data}
        await self.client.create(CONFIG_MAPS, body, namespace=namespace)

    async def job(self, name: str, namespace: str = "ns", **spec: object) -> None:
        template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
        body: Object = {"metadata": {"name": name}, "spec": {"template": template, **spec}}
        await self.client.create(JOBS, body, namespace=namespace)

    async def place(self, key: Key, *selectors: Object, **spec: object) -> None:
        resource = scope_of(key.namespace).placements
        body: Object = {
            "metadata": {"name": key.name},
            "spec": {"resourceSelectors": list(selectors), "policy": {}, **spec},
        }
        await self.client.create(resource, body, namespace=key.namespace or None)

    async def respecify(self, key: Key, **spec: object) -> None:
        resource = scope_of(key.namespace).placements
        await self.client.patch(resource, key.name, {"spec": spec}, namespace=key.namespace or None)

    # What there is.

    async def placement(self, key: Key) -> Object | None:
        return await self.world.get(scope_of(key.namespace).placements, key.name, key.namespace)

    async def conditions(self, key: Key) -> dict[str, tuple[str, str]]:
        """Status and reason by type."""
        found = await self.placement(key)
        assert found is not None
        conditions = found.get("status", {}).get("conditions", [])
        return {each["type"]: (each["status"], each["reason"]) for each in conditions}

    async def children(self, key: Key, resource: Resource) -> list[Object]:
        found = await self.world.list(resource, f"{names.PARENT}={key.name}")
        return [each for each in found if each["metadata"].get("namespace", "") == key.namespace]

    async def policies(self, key: Key) -> list[Object]:
        return await self.children(key, scope_of(key.namespace).policy_snapshots)

    async def resources(self, key: Key) -> list[Object]:
        return await self.children(key, scope_of(key.namespace).resource_snapshots)

    async def latest(self, key: Key) -> Object:
        (found,) = [
            each
            for each in await self.resources(key)
            if each["metadata"]["labels"].get(names.IS_LATEST) == "true"
        ]
        return found

    async def selected(self, key: Key) -> list[str]:
        """The names in the latest resource snapshot."""
        latest = await self.latest(key)
        return [each["metadata"]["name"] for each in latest["spec"]["selectedResources"]]

    # The scheduler and those after it.

    async def schedule(self, key: Key, *clusters: str) -> None:
        """Pick clusters for the latest policy, and bind them to the latest resources."""
        (policy,) = [
            each
            for each in await self.policies(key)
            if each["metadata"]["labels"][names.IS_LATEST] == "true"
        ]
        scope = scope_of(key.namespace)
        decisions = [
            {"clusterName": each, "selected": True, "reason": f"picked {each}"} for each in clusters
        ]
        meta = policy["metadata"]
        scheduled = self._condition(
            "Scheduled", "True", "SchedulingPolicyFulfilled", f"found {len(clusters)}", meta
        )
        status = {
            "observedCRPGeneration": int(meta["annotations"][names.PLACEMENT_GENERATION]),
            "conditions": [scheduled],
            "targetClusters": decisions,
        }
        await self._status(scope.policy_snapshots, key.namespace, meta["name"], status)
        for each, decision in zip(clusters, decisions, strict=True):
            body: Object = {
                "metadata": {
                    "name": f"{key.name}-{each}",
                    "labels": {names.PARENT: key.name},
                },
                "spec": {
                    "state": "Scheduled",
                    "resourceSnapshotName": "",
                    "schedulingPolicySnapshotName": meta["name"],
                    "targetCluster": each,
                    "clusterDecision": decision,
                },
            }
            await self.client.create(scope.bindings, body, namespace=key.namespace or None)

    async def bind(self, key: Key, cluster: str, snapshot: str = "") -> None:
        name = snapshot or (await self.latest(key))["metadata"]["name"]
        await self.client.patch(
            scope_of(key.namespace).bindings,
            f"{key.name}-{cluster}",
            {"spec": {"state": "Bound", "resourceSnapshotName": name}},
            namespace=key.namespace or None,
        )

    async def report(self, key: Key, cluster: str, **stages: str) -> None:
        """Say of a binding what its stages have come to; all are True by default."""
        resource = scope_of(key.namespace).bindings
        name = f"{key.name}-{cluster}"
        binding = await self.world.get(resource, name, key.namespace)
        assert binding is not None
        said = stages or dict.fromkeys(STAGES, "True")
        conditions = [
            self._condition(type_, status, "Because", "so", binding["metadata"])
            for type_, status in said.items()
        ]
        await self._status(resource, key.namespace, name, {"conditions": conditions})

    async def finish(self, key: Key, *clusters: str) -> None:
        """Everything up to available."""
        await self.schedule(key, *clusters)
        for each in clusters:
            await self.bind(key, each)
            await self.report(key, each)

    async def _status(self, resource: Resource, namespace: str, name: str, status: Object) -> None:
        await self.client.patch(
            resource, name, {"status": status}, namespace=namespace or None, subresource="status"
        )

    def _condition(
        self, type_: str, status: str, reason: str, message: str, meta: Object
    ) -> Object:
        return {
            "type": type_,
            "status": status,
            "reason": reason,
            "message": message,
            "observedGeneration": meta["generation"],
            "lastTransitionTime": format_time(self.world.clock.now()),
        }


def on_hub(
    shared: Path,
    story: Callable[[Hub], Coroutine[None, None, None]],
    settings: Settings = QUICK,
    namespaces: tuple[str, ...] = ("ns", "other", "default"),
) -> None:
    """Let a story happen on a hub."""
    made: list[Placements] = []
    networks: list[FaultyClient] = []

    def add(assembly: Assembly) -> None:
        made.append(Placements(assembly, Views(assembly), settings))

    def through(client: Client) -> Client:
        networks.append(FaultyClient(client))
        return networks[0]

    async def main(world: World) -> None:
        await story(Hub(world, made[0], networks[0]))

    running(
        main,
        add,
        namespaces=namespaces,
        definitions=fleet_definitions(shared),
        through=through,
    )
