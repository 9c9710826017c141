"""A cluster in memory whose jobs are queued: job kinds under queueing are the real ones, and so are Jobs, scheduler,
agent and garbage collector; who is admitted is said by the story.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterable

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.bootstrapping import bootstrap
from argosy.base.clock import VirtualClock
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.timestamps import format_time
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.resources import (
    CUSTOM_RESOURCE_DEFINITIONS,
    EVENTS,
    JOBS,
    LOCAL_QUEUES,
    NAMESPACES,
    PODS,
    RESOURCE_FLAVORS,
    WORKLOADS,
    Resource,
)
from argosy.control.assemblies import Assembly
from argosy.queueing.assembling import add_queueing
from argosy.queueing.configuration import Configuration
from argosy.queueing.definitions import definitions
from argosy.queueing.jobs import add_admission, add_jobs
from argosy.workloads import jobsets
from argosy.workloads.apps import add_apps
from argosy.workloads.housekeeping import keep_house
from argosy.workloads.jobs import add_jobs as add_batch
from argosy.workloads.scheduling import add_scheduler
from tests.behaviour.workloads.runtimes.simulating import add_agent, add_node
from tests.fakes.clusters import memory_server
from tests.fakes.worlds import World, _Failures

QUEUE = "kueue.x-k8s.io/queue-name"
FLAVOR: Object = {
    "metadata": {"name": "spot"},
    "spec": {
        "nodeLabels": {"tier": "spot"},
        "tolerations": [{"key": "spot", "operator": "Exists", "effect": "NoSchedule"}],
    },
}
# The simulated runtime is told how long a pod runs.
TEMPLATE: Object = {
    "metadata": {"annotations": {"argosy.dev/duration": "60s"}},
    "spec": {
        "restartPolicy": "Never",
        "containers": [
            {"name": "main", "image": "busybox", "resources": {"requests": {"cpu": "1"}}}
        ],
    },
}


class Harbor(World):
    """What a story about queued jobs can do and see."""

    async def job(self, name: str = "train", *, queue: str = "lq", **spec: Json) -> Object:
        meta: Object = {"name": name, **spec.pop("metadata", {})}
        if queue:
            meta["labels"] = {QUEUE: queue, **meta.get("labels", {})}
        return await self.make(JOBS, {"metadata": meta, "spec": {"template": TEMPLATE, **spec}})

    async def make(self, resource: Resource, body: Object) -> Object:
        made = await self.create(resource, body)
        await self.pass_time(2)
        return made

    async def found(self, resource: Resource, name: str) -> Object:
        found = await self.get(resource, name)
        assert found is not None, f"there is no {resource.kind} {name}"
        return found

    async def workload(self) -> Object:
        """The only one there is."""
        (found,) = await self.list(WORKLOADS)
        return found

    async def conditions(self) -> dict[str, str]:
        """Of the only Workload: `True Reason: message` by type."""
        status = (await self.workload()).get("status", {})
        return {
            each["type"]: f"{each['status']} {each['reason']}: {each['message']}"
            for each in status.get("conditions", ())
        }

    async def set(
        self, workload: Object, conditions: Iterable[tuple[str, str, str, str]], **status: Json
    ) -> None:
        """Write conditions as other controllers of queueing would."""
        known = {each["type"]: each for each in workload.get("status", {}).get("conditions", ())}
        for type_, value, reason, message in conditions:
            known[type_] = {
                "type": type_,
                "status": value,
                "reason": reason,
                "message": message,
                "lastTransitionTime": format_time(self.clock.time()),
            }
        await self.client.patch(
            WORKLOADS,
            workload["metadata"]["name"],
            {"status": {"conditions": list(known.values()), **status}},
            namespace="ns",
            subresource="status",
        )
        await self.pass_time(2)

    async def admit(
        self, workload: Object | None = None, counts: dict[str, int] | None = None, **more: Json
    ) -> None:
        """Give a Workload quota of the flavor `spot`."""
        workload = workload or await self.workload()
        assignments = [
            {
                "name": each["name"],
                "flavors": {"cpu": "spot"},
                "resourceUsage": {"cpu": str((counts or {}).get(each["name"], each["count"]))},
                "count": (counts or {}).get(each["name"], each["count"]),
            }
            for each in workload["spec"]["podSets"]
        ]
        conditions = [
            ("QuotaReserved", "True", "QuotaReserved", "Quota reserved in ClusterQueue cq"),
            ("Admitted", "True", "Admitted", "The workload is admitted"),
        ]
        known = {each["type"] for each in workload.get("status", {}).get("conditions", ())}
        conditions += [
            (each, "False", "QuotaReserved", "Previously: x")
            for each in ("Evicted",)
            if each in known
        ]
        admission = {"clusterQueue": "cq", "podSetAssignments": assignments}
        await self.set(workload, conditions, admission=admission, **more)

    async def evict(
        self, reason: str = "Preempted", message: str = "Preempted for another"
    ) -> None:
        await self.set(await self.workload(), [("Evicted", "True", reason, message)])

    async def pods(self) -> list[Object]:
        return await self.list(PODS)

    async def told(self, name: str) -> list[str]:
        """What was said about an object by queueing."""
        found = [
            event
            for event in await self.list(EVENTS)
            if event["involvedObject"]["name"] == name
            and event["source"].get("component", "").endswith("-kueue-controller")
        ]
        found.sort(key=lambda event: int(event["metadata"]["resourceVersion"]))
        return [f"{event['type']} {event['reason']}: {event['message']}" for event in found]


def queueing(
    story: Callable[[Harbor], Awaitable[None]],
    *,
    configuration: Configuration | None = None,
    crds: Iterable[Object] = (),
    nodes: int = 2,
    is_whole: bool = False,
) -> None:
    """Tell a story on a cluster with simulated nodes, the namespace `ns`, and a flavor. `is_whole`: the rest of queueing
    is there too, and admits by quota.
    """
    chosen = configuration or Configuration()

    async def tell() -> None:
        clock = VirtualClock()
        server = memory_server(clock)
        cluster = server.cluster
        await bootstrap(cluster)
        jobsets.add_admission(cluster)
        add_admission(cluster, chosen)
        chores = asyncio.create_task(keep_house(cluster, ca="CERTIFICATE"))
        client = LocalClient(server, ADMIN, agent="test", namespace="ns")
        await client.create(NAMESPACES, {"metadata": {"name": "ns"}})
        for definition in (*definitions(), *crds):
            await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
        await client.create(RESOURCE_FLAVORS, FLAVOR)
        await client.create(
            LOCAL_QUEUES,
            {"metadata": {"name": "lq"}, "spec": {"clusterQueue": "cq"}},
            namespace="ns",
        )
        await asyncio.sleep(1)
        harbor = Harbor(client, clock)
        assembly = Assembly(client, clock=clock, ids=SeededIds(2), source=random.Random(3))
        for add in (add_agent, add_scheduler, add_batch, add_apps):
            add(assembly)
        if any(crd["spec"]["names"]["kind"] == "JobSet" for crd in crds):
            jobsets.add_jobsets(assembly)
        (add_queueing if is_whole else add_jobs)(assembly, chosen)
        failures = _Failures()
        logging.getLogger("argosy").addHandler(failures)
        tasks = {chores, asyncio.create_task(assembly.run())}
        await assembly.started()
        for number in range(nodes):
            await add_node(harbor, f"n{number}", labels={"tier": "spot"})
        await story(harbor)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        logging.getLogger("argosy").removeHandler(failures)
        assert failures.seen == []

    run_virtual(tell())
