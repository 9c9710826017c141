"""A hub in memory, in virtual time, on which update runs and evictions are decided and nobody else works.

The story plays the others: who selects resources (`ensure_latest`), the scheduler (`placed`), the work generator and
the members (`arrive`, `report`), and people (`approve`). Controllers can die (`die`) and be replaced (`live`).
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.members import MemberCluster
from argosy.api.objects.fleet.snapshots import ResourceSnapshot
from argosy.api.objects.metadata import decoder
from argosy.apiserver.access.identities import ADMIN
from argosy.base.clock import VirtualClock
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import Key
from argosy.client.protocol import Client
from argosy.client.resources import MEMBER_CLUSTERS, NAMESPACES
from argosy.control.assemblies import Assembly
from argosy.placement.evictions.controllers import Evictions
from argosy.placement.picks import Overrides, Picked
from argosy.placement.scopes import CLUSTER, NAMESPACE, Scope
from argosy.placement.updateruns.controllers import UpdateRuns
from argosy.placement.views import Views
from tests.fakes.clusters import memory_server
from tests.fakes.fleets import install_fleet_kinds
from tests.fakes.worlds import World, _Failures

Through = Callable[[Client], Client]


def nothing(_placement: Key, _shards: Sequence[ResourceSnapshot], _member: MemberCluster) -> Picked:
    return Picked()


class UnselectableError(Exception):
    """The placement's selectors are wrong."""


class Hub(World):
    """One placement `app` of one scope, and who works on it."""

    def __init__(self, client: LocalClient, clock: VirtualClock, scope: Scope) -> None:
        super().__init__(client, clock)
        self.scope = scope
        self.namespace = "" if scope is CLUSTER else "ns"
        self.placement = "app"
        self.overrides: Overrides = nothing
        self.asked: list[Key] = []
        # Why no resources can be selected, if none can.
        self.unselectable = ""
        self._task: asyncio.Task[None] | None = None

    # The hub's controllers.

    async def live(self, through: Through | None = None) -> None:
        client: Client = self.client if through is None else through(self.client)
        assembly = Assembly(client, clock=self.clock, ids=SeededIds(2), source=random.Random(3))
        views = Views(assembly)

        async def ensure_latest(key: Key) -> ResourceSnapshot:
            self.asked.append(key)
            if self.unselectable:
                raise UnselectableError(self.unselectable)
            return await self.snapshot(0, views)

        UpdateRuns(assembly, views, self.overrides, ensure_latest, refusals=(UnselectableError,))
        Evictions(assembly, views)
        self._task = asyncio.create_task(assembly.run())
        await assembly.started()

    async def die(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})
            self._task = None

    # Who selects resources.

    async def snapshot(self, index: int, views: Views | None = None) -> ResourceSnapshot:
        name = names.resource_snapshot_name(self.placement, index)
        found = await self.get(self.scope.resource_snapshots, name)
        if found is None:
            labels = {
                names.PARENT: self.placement,
                names.RESOURCE_INDEX: str(index),
                names.IS_LATEST: "true",
            }
            meta = {
                "name": name,
                "labels": labels,
                "annotations": {names.RESOURCE_HASH: "0" * 64, names.NUMBER_OF_SNAPSHOTS: "1"},
            }
            body: Object = {"metadata": meta, "spec": {"selectedResources": []}}
            raw = await self.client.create(
                self.scope.resource_snapshots, body, namespace=self.namespace or None
            )
        else:
            raw = await self.client.get(
                self.scope.resource_snapshots, name, namespace=self.namespace or None
            )
        if views is not None:
            views.learn(raw)
        return decoder(ResourceSnapshot)(bytes(raw.body))

    # The scheduler.

    async def member(self, name: str, **labels: str) -> None:
        identity = {"kind": "ServiceAccount", "name": name, "namespace": "fleet-system"}
        meta = {"name": name, "labels": labels}
        await self.create(MEMBER_CLUSTERS, {"metadata": meta, "spec": {"identity": identity}})

    async def placed(
        self,
        *clusters: str,
        policy: Object | None = None,
        strategy: Object | None = None,
        annotations: dict[str, str] | None = None,
    ) -> None:
        """The placement, scheduled on these clusters."""
        policy = policy or {"placementType": "PickAll"}
        selector = {"group": "", "version": "v1", "kind": "Namespace", "name": "x"}
        if self.scope is NAMESPACE:
            selector["kind"] = "ConfigMap"
        spec = {
            "resourceSelectors": [selector],
            "policy": policy,
            "strategy": strategy or {"type": "External"},
        }
        body = {"metadata": {"name": self.placement}, "spec": spec}
        await self.create(self.scope.placements, body)
        labels = {
            names.PARENT: self.placement,
            names.POLICY_INDEX: "0",
            names.IS_LATEST: "true",
        }
        name = names.policy_snapshot_name(self.placement, 0)
        meta = {"name": name, "labels": labels, "annotations": annotations or {}}
        body = {"metadata": meta, "spec": {"policy": policy, "policyHash": "aGFzaA=="}}
        await self.create(self.scope.policy_snapshots, body)
        scheduled = self.condition("Scheduled", "True", "SchedulingPolicyFulfilled", generation=1)
        status: Object = {"observedCRPGeneration": 1, "conditions": [scheduled]}
        await self.report_on(self.scope.policy_snapshots, name, status)
        for cluster in clusters:
            await self.bind(cluster)

    async def bind(self, cluster: str, **spec: Object) -> None:
        meta = {
            "name": self.binding_name(cluster),
            "labels": {names.PARENT: self.placement},
            "finalizers": [names.BINDING_CLEANUP],
        }
        decision = {"clusterName": cluster, "selected": True, "reason": "picked"}
        body: Object = {
            "state": "Scheduled",
            "resourceSnapshotName": "",
            "schedulingPolicySnapshotName": names.policy_snapshot_name(self.placement, 0),
            "targetCluster": cluster,
            "clusterDecision": decision,
            **spec,
        }
        await self.create(self.scope.bindings, {"metadata": meta, "spec": body})

    def binding_name(self, cluster: str) -> str:
        return names.binding_name(self.placement, cluster, "01234567")

    async def binding(self, cluster: str) -> Object:
        found = await self.get(self.scope.bindings, self.binding_name(cluster))
        assert found is not None, cluster
        return found

    # The work generator and the members.

    async def arrive(self, *clusters: str) -> None:
        """What was rolled out there is available."""
        for cluster in clusters:
            await self.report(cluster, Available=("True", "AllWorkAreAvailable"))

    async def report(self, cluster: str, **said: tuple[str, str]) -> None:
        """Add conditions to a binding, said of its generation."""
        binding = await self.binding(cluster)
        conditions = binding.get("status", {}).get("conditions", [])
        generation = binding["metadata"]["generation"]
        for type_, (status, reason) in said.items():
            conditions = [each for each in conditions if each["type"] != type_]
            conditions.append(self.condition(type_, status, reason, generation=generation))
        name = self.binding_name(cluster)
        await self.report_on(self.scope.bindings, name, {"conditions": conditions})

    # People.

    async def strategy(self, name: str, *stages: Object) -> None:
        body = {"metadata": {"name": name}, "spec": {"stages": list(stages)}}
        await self.create(self.scope.update_strategies, body)

    async def run(self, name: str = "run", state: str = "Run", **spec: str) -> None:
        body = {
            "placementName": self.placement,
            "stagedRolloutStrategyName": "stages",
            "state": state,
            **spec,
        }
        await self.create(self.scope.update_runs, {"metadata": {"name": name}, "spec": body})
        await self.settle()

    async def turn(self, state: str, name: str = "run") -> None:
        await self.client.patch(
            self.scope.update_runs,
            name,
            {"spec": {"state": state}},
            namespace=self.namespace or None,
        )
        await self.settle()

    async def approve(self, name: str) -> None:
        approved = self.condition("Approved", "True", "lgtm", generation=1)
        await self.report_on(self.scope.approval_requests, name, {"conditions": [approved]})
        await self.settle()

    # Looking.

    async def status(self, name: str = "run") -> Object:
        found = await self.get(self.scope.update_runs, name)
        assert found is not None, name
        status: Object = found.get("status", {})
        return status

    async def said(self, type_: str, name: str = "run") -> tuple[str, str, str]:
        """Status, reason and message of a run's condition."""
        for each in (await self.status(name)).get("conditions", []):
            if each["type"] == type_:
                return each["status"], each["reason"], each["message"]
        return "", "", ""

    async def states(self) -> dict[str, str]:
        """The clusters' bindings: their state, and the index they are on."""
        found = await self.list(self.scope.bindings)
        return {
            each["spec"]["targetCluster"]: (
                f"{each['spec']['state']} {each['spec']['resourceSnapshotName']}".strip()
            )
            for each in found
        }

    async def approvals(self) -> list[str]:
        return sorted(
            each["metadata"]["name"] for each in await self.list(self.scope.approval_requests)
        )

    def condition(self, type_: str, status: str, reason: str, *, generation: int) -> Object:
        return {
            "type": type_,
            "status": status,
            "reason": reason,
            "message": "as the test says",
            "lastTransitionTime": format_time(self.clock.time()),
            "observedGeneration": generation,
        }

    async def report_on(self, resource: object, name: str, status: Object) -> None:
        await self.client.patch(
            resource,
            name,
            {"status": status},
            namespace=self.namespace or None,
            subresource="status",
        )
        await self.settle()


def on_hub(
    story: Callable[[Hub], Awaitable[None]],
    shared: Path,
    scope: Scope = CLUSTER,
    *,
    alive: bool = True,
) -> None:
    """Let a story happen; whoever logs a traceback fails it."""

    async def main() -> None:
        clock = VirtualClock()
        client = LocalClient(memory_server(clock), ADMIN, agent="test")
        for name in ("ns", "default", "fleet-system"):
            await client.create(NAMESPACES, {"metadata": {"name": name}})
        await install_fleet_kinds(client, shared)
        hub = Hub(client, clock, scope)
        failures = _Failures()
        logging.getLogger("argosy").addHandler(failures)
        try:
            if alive:
                await hub.live()
            await story(hub)
        finally:
            await hub.die()
            logging.getLogger("argosy").removeHandler(failures)
        assert failures.seen == []

    run_virtual(main())
