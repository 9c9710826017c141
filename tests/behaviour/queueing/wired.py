"""A cluster in memory with all of queueing on it, in virtual time: API with its rules, job kinds, the engine with its
controllers; and Jobs, scheduler, agent and garbage collector to run what is admitted.

Stories talk to it as kubectl does: they write objects and read what became of them, and the metrics.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.http.messages import Request, Response
from argosy.apiserver.servers import ClusterServer
from argosy.base.clock import VirtualClock
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.timestamps import format_time
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.protocol import Propagation
from argosy.client.resources import (
    ADMISSION_CHECKS,
    CLUSTER_QUEUES,
    COHORTS,
    CUSTOM_RESOURCE_DEFINITIONS,
    JOBS,
    LOCAL_QUEUES,
    NAMESPACES,
    PODS,
    RESOURCE_FLAVORS,
    WORKLOADS,
    Resource,
)
from argosy.control.assemblies import Assembly
from argosy.queueing.admission import add_admission as add_rules
from argosy.queueing.assembling import add_queueing
from argosy.queueing.configuration import Configuration
from argosy.queueing.conversion import add_versions
from argosy.queueing.definitions import definitions
from argosy.queueing.jobs import add_admission
from argosy.workloads.apps import add_apps
from argosy.workloads.housekeeping import keep_house
from argosy.workloads.jobs import add_jobs
from argosy.workloads.scheduling import add_scheduler
from tests.behaviour.workloads.runtimes.simulating import add_agent, add_node
from tests.fakes.clusters import memory_server
from tests.fakes.worlds import World, _Failures

QUEUE = "kueue.x-k8s.io/queue-name"
IN_USE = "kueue.x-k8s.io/resource-in-use"
SUBMIT = "Can't submit new workloads to clusterQueue"


def quotas(cpu: str = "4", flavor: str = "default", **limits: str) -> list[Object]:
    """The resource groups of a ClusterQueue or Cohort with one flavor of CPUs."""
    resource = {"name": "cpu", "nominalQuota": cpu, **limits}
    return [{"coveredResources": ["cpu"], "flavors": [{"name": flavor, "resources": [resource]}]}]


class Port(World):
    """What a story about queueing can do and see."""

    def __init__(self, server: ClusterServer, client: LocalClient, clock: VirtualClock) -> None:
        super().__init__(client, clock)
        self._server = server

    # Setting up.

    async def flavor(self, name: str = "default", **spec: Json) -> None:
        await self.create(RESOURCE_FLAVORS, {"metadata": {"name": name}, "spec": spec})

    async def cluster_queue(self, name: str = "cq", cpu: str = "4", **spec: Json) -> None:
        body: Object = {"resourceGroups": quotas(cpu), "namespaceSelector": {}, **spec}
        await self.create(CLUSTER_QUEUES, {"metadata": {"name": name}, "spec": body})

    async def local_queue(self, name: str = "lq", cluster_queue: str = "cq", **spec: Json) -> None:
        body: Object = {"clusterQueue": cluster_queue, **spec}
        await self.create(LOCAL_QUEUES, {"metadata": {"name": name}, "spec": body})

    async def queues(self, cpu: str = "4", **spec: Json) -> None:
        """The flavor `default`, the ClusterQueue `cq` and the LocalQueue `lq`."""
        await self.flavor()
        await self.cluster_queue(cpu=cpu, **spec)
        await self.local_queue()
        await self.pass_time(2)

    async def cohort(self, name: str, **spec: Json) -> None:
        await self.create(COHORTS, {"metadata": {"name": name}, "spec": spec})

    async def check(self, name: str = "budget") -> None:
        """An admission check whose controller is the story."""
        body = {"metadata": {"name": name}, "spec": {"controllerName": "example.com/budget"}}
        await self.create(ADMISSION_CHECKS, body)
        active: Object = {"type": "Active", "status": "True", "reason": "Active", "message": ""}
        active["lastTransitionTime"] = format_time(self.clock.time())
        await self.patch(ADMISSION_CHECKS, name, {"status": {"conditions": [active]}}, "status")

    async def job(
        self,
        name: str,
        *,
        queue: str = "lq",
        cpu: str = "1",
        seconds: float = 3600,
        pods: int = 1,
        labels: Object | None = None,
        template: Object | None = None,
        **spec: Json,
    ) -> Object:
        """A Job of pods that run this long."""
        containers = [{"name": "main", "image": "busybox", "resources": {"requests": {"cpu": cpu}}}]
        pod = {
            "metadata": {"annotations": {"argosy.dev/duration": f"{seconds:g}s"}},
            "spec": {"restartPolicy": "Never", "containers": containers, **(template or {})},
        }
        body: Object = {"parallelism": pods, "completions": pods, "template": pod, **spec}
        meta = {"name": name, "labels": {QUEUE: queue, **(labels or {})}}
        return await self.create(JOBS, {"metadata": meta, "spec": body})

    # Changing.

    async def patch(
        self, resource: Resource, name: str, patch: Object, subresource: str = ""
    ) -> None:
        namespace = "ns" if resource.namespaced else None
        await self.client.patch(resource, name, patch, namespace=namespace, subresource=subresource)

    async def tell_check(self, job: str, state: str, message: str = "", **more: Json) -> None:
        """What the check's controller finds."""
        workload = await self.workload(job)
        (known,) = workload["status"]["admissionChecks"]
        said = {**known, "state": state, "message": message, **more}
        said["lastTransitionTime"] = format_time(self.clock.time())
        await self.patch(
            WORKLOADS,
            workload["metadata"]["name"],
            {"status": {"admissionChecks": [said]}},
            "status",
        )
        await self.pass_time(2)

    async def delete(self, resource: Resource, name: str) -> None:
        """As kubectl does: what the object owns goes with it."""
        await self.client.delete(
            resource,
            name,
            namespace="ns" if resource.namespaced else None,
            propagation=Propagation.BACKGROUND,
        )

    # Seeing.

    async def found(self, resource: Resource, name: str) -> Object:
        found = await self.get(resource, name)
        assert found is not None, f"there is no {resource.kind} {name}"
        return found

    async def workload(self, job: str) -> Object:
        """The only one of a job."""
        (found,) = await self.workloads(job)
        return found

    async def workloads(self, job: str) -> list[Object]:
        return [
            each
            for each in await self.list(WORKLOADS)
            if each["metadata"]["ownerReferences"][0]["name"] == job
        ]

    async def conditions(self, job: str) -> dict[str, str]:
        """Of a job's Workload: `True Reason: message` by type."""
        return says(await self.workload(job))

    async def is_admitted(self, job: str) -> bool:
        return (await self.conditions(job)).get("Admitted", "").startswith("True")

    async def admitted(self) -> set[str]:
        """The jobs that are admitted and not finished, by name."""
        found = set()
        for workload in await self.list(WORKLOADS):
            conditions = says(workload)
            if conditions.get("Admitted", "").startswith("True") and "Finished" not in conditions:
                found.add(workload["metadata"]["ownerReferences"][0]["name"])
        return found

    async def runs(self, job: str) -> bool:
        """Whether a Job is started and has pods."""
        found = await self.found(JOBS, job)
        pods = await self.list(PODS, f"batch.kubernetes.io/job-name={job}")
        return found["spec"]["suspend"] is False and bool(pods)

    async def active(self, resource: Resource, name: str) -> str:
        """The condition Active of a queue."""
        return says(await self.found(resource, name))["Active"]

    async def told(self, job: str) -> list[str]:
        """What was said about a job's Workload, in order."""
        name = (await self.workload(job))["metadata"]["name"]
        return [f"{kind} {reason}: {text}" for kind, reason, text in await self.events(name)]

    async def metrics(self, *prefixes: str) -> dict[str, str]:
        """Values by series, as /metrics shows them, of families that begin so; without the role and without buckets."""
        found = {}
        for line in await self._scrape():
            series, _, value = line.rpartition(" ")
            if line.startswith(prefixes) and "_bucket" not in series:
                role = 'replica_role="standalone"'
                assert role in series, f"{series} has no role"
                series = series.replace(f",{role}", "").replace(f"{{{role}}}", "")
                found[series.removeprefix("kueue_")] = value
        return found

    async def families(self) -> set[str]:
        """The names of all metrics."""
        return {line.split()[2] for line in await self._scrape() if line.startswith("# TYPE")}

    async def _scrape(self) -> list[str]:
        asked = Request("GET", "/metrics", {}, {b"authorization": b"Bearer admin"}, b"")
        answer = await self._server.handling(asked)
        assert isinstance(answer, Response)
        assert answer.status == 200, answer.body
        return bytes(answer.body).decode().splitlines()


def says(obj: Object) -> dict[str, str]:
    """Conditions of an object: `True Reason: message` by type."""
    return {
        each["type"]: f"{each['status']} {each['reason']}: {each['message']}"
        for each in obj.get("status", {}).get("conditions", ())
    }


async def prepared(clock: VirtualClock, configuration: Configuration) -> ClusterServer:
    """A server in memory with the kinds of queueing and their rules, and the namespace `ns`. Nobody works on it yet."""
    server = memory_server(clock, tokens={"admin": ADMIN})
    cluster = server.cluster
    await bootstrap(cluster)
    add_rules(cluster)
    add_admission(cluster, configuration)
    add_versions(cluster)
    client = LocalClient(server, ADMIN, agent="test")
    await client.create(NAMESPACES, {"metadata": {"name": "ns"}})
    for definition in definitions():
        await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
    return server


def queueing(
    story: Callable[[Port], Awaitable[None]],
    *,
    configuration: Configuration | None = None,
    nodes: int = 4,
) -> None:
    """Tell a story on a cluster with simulated nodes of 8 CPUs and the namespace `ns`."""
    chosen = configuration or Configuration()

    async def tell() -> None:
        clock = VirtualClock()
        server = await prepared(clock, chosen)
        chores = asyncio.create_task(keep_house(server.cluster, ca="CERTIFICATE"))
        client = LocalClient(server, ADMIN, agent="test", namespace="ns")
        port = Port(server, client, clock)
        assembly = Assembly(
            client,
            clock=clock,
            ids=SeededIds(2),
            source=random.Random(3),
            metrics=server.metrics,
        )
        for add in (add_agent, add_scheduler, add_jobs, add_apps):
            add(assembly)
        add_queueing(assembly, chosen)
        failures = _Failures()
        logging.getLogger("argosy").addHandler(failures)
        tasks = {chores, asyncio.create_task(assembly.run())}
        await assembly.started()
        for number in range(nodes):
            await add_node(port, f"n{number}")
        await story(port)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        logging.getLogger("argosy").removeHandler(failures)
        assert failures.seen == []

    run_virtual(tell())
