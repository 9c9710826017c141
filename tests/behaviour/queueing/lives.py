"""A cluster in memory with the Workload controller on it, in virtual time. Queues and cache are what the story says; the
story is also the scheduler that reserves quota and the job that stops and gives it back.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime

from argosy.api.objects.kueue.workloads import Admission, PodSetAssignment, Workload
from argosy.api.objects.metadata import decoder
from argosy.base.types import Json, Object
from argosy.client.protocol import Client
from argosy.client.resources import CLUSTER_QUEUES, LOCAL_QUEUES, WORKLOADS, Resource
from argosy.control.assemblies import Assembly
from argosy.queueing.controllers.priorityclasses import PriorityClasses
from argosy.queueing.controllers.workloads import Workloads
from argosy.queueing.definitions import definitions
from argosy.queueing.workloads.decisions import LifeRules
from argosy.queueing.workloads.drafts import StatusDraft
from argosy.queueing.workloads.reserving import release_evicted, reserve, sync_admitted
from tests.fakes.worlds import World, running

_read = decoder(Workload)
_POD: Object = {
    "containers": [{"name": "c", "image": "busybox", "resources": {"requests": {"cpu": "1"}}}]
}
_RESOURCES: Object = {
    "coveredResources": ["cpu"],
    "flavors": [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": "9"}]}],
}


class Facts:
    """What queues and cache would know."""

    def __init__(self) -> None:
        self.inactive: set[str] = set()
        self.parked: dict[str, str] = {}

    def is_active(self, cluster_queue: str) -> bool:
        return cluster_queue not in self.inactive

    def parked_reason(self, workload: str) -> str:
        return self.parked.get(workload, "")


class Life:
    """What a story about workloads can do and see."""

    def __init__(self, world: World, facts: Facts) -> None:
        self.world = world
        self.facts = facts

    async def queues(self, *checks: str) -> None:
        """LocalQueue `lq` and ClusterQueue `cq`."""
        strategy = {"admissionChecks": [{"name": name} for name in checks]} if checks else None
        spec: Object = {"resourceGroups": [_RESOURCES], "namespaceSelector": {}}
        if strategy:
            spec["admissionChecksStrategy"] = strategy
        await self.world.create(CLUSTER_QUEUES, {"metadata": {"name": "cq"}, "spec": spec})
        await self.local_queue()

    async def local_queue(self) -> None:
        body = {"metadata": {"name": "lq"}, "spec": {"clusterQueue": "cq"}}
        await self.world.create(LOCAL_QUEUES, body)
        await self.world.settle()

    async def workload(self, metadata: Object | None = None, **spec: Json) -> None:
        pod_sets = [{"name": "main", "count": 1, "template": {"spec": _POD}}]
        body = {
            "metadata": {"name": "wl", **(metadata or {})},
            "spec": {"podSets": pod_sets, "queueName": "lq", **spec},
        }
        await self.world.create(WORKLOADS, body)
        await self.world.settle()

    async def read(self) -> Workload:
        raw = await self.world.client.get(WORKLOADS, "wl", namespace="ns")
        return _read(bytes(raw.body))

    async def exists(self) -> bool:
        return await self.world.get(WORKLOADS, "wl") is not None

    async def write(self, change: Callable[[StatusDraft], object]) -> None:
        """Change the status as its other writers do."""
        now = datetime.fromtimestamp(self.world.clock.time(), UTC)
        draft = StatusDraft(await self.read(), now)
        change(draft)
        patch = draft.patch()
        assert patch is not None, "nothing to write"
        await self.patch(WORKLOADS, "wl", patch, subresource="status")

    async def patch(self, resource: Resource, name: str, patch: Object, **more: Json) -> None:
        await self.world.client.patch(resource, name, patch, namespace="ns", **more)
        await self.world.settle()

    async def reserve(self) -> None:
        """As the scheduler does, for a queue with checks."""
        assigned = PodSetAssignment("main", {"cpu": "default"}, {"cpu": "1"}, 1)
        await self.write(lambda draft: reserve(draft, Admission("cq", (assigned,))))

    async def admit(self) -> None:
        """As the scheduler does, for a queue without."""
        assigned = PodSetAssignment("main", {"cpu": "default"}, {"cpu": "1"}, 1)

        def change(draft: StatusDraft) -> None:
            reserve(draft, Admission("cq", (assigned,)))
            sync_admitted(draft)

        await self.write(change)

    async def release(self) -> None:
        """As the job does when its pods are gone."""
        await self.write(release_evicted)

    async def check(self, state: str, message: str = "", **more: Json) -> None:
        """As the controller of check `a` does."""
        given = (await self.read()).status.admission_checks
        assert [one.name for one in given] == ["a"]
        now = datetime.fromtimestamp(self.world.clock.time(), UTC)
        one = {"name": "a", "state": state, "message": message, **more}
        one["lastTransitionTime"] = f"{now:%Y-%m-%dT%H:%M:%SZ}"
        await self.patch(
            WORKLOADS, "wl", {"status": {"admissionChecks": [one]}}, subresource="status"
        )

    async def says(self) -> dict[str, str]:
        """Conditions as `status reason: message` by type."""
        found = (await self.read()).status.conditions
        return {one.type: f"{one.status} {one.reason}: {one.message}" for one in found}

    async def told(self) -> list[str]:
        await self.world.pass_time(1)
        return [
            f"{type_} {reason}: {text}" for type_, reason, text in await self.world.events("wl")
        ]


def living(
    story: Callable[[Life], Coroutine[None, None, None]],
    rules: LifeRules | None = None,
    *,
    through: Callable[[Client], Client] | None = None,
) -> None:
    """Let a story happen."""
    facts = Facts()

    def add(assembly: Assembly) -> None:
        Workloads(assembly, facts, rules or LifeRules())
        PriorityClasses(assembly)

    async def tell(world: World) -> None:
        await story(Life(world, facts))

    running(tell, add, definitions=definitions(), through=through)
