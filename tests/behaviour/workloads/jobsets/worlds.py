"""A cluster in memory whose JobSets run on simulated nodes, in virtual time: Jobs, scheduler, agent and garbage collector
are the real ones.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.bootstrapping import bootstrap
from argosy.base.clock import VirtualClock
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS, JOBS, NAMESPACES, PODS, SERVICES
from argosy.control.assemblies import Assembly
from argosy.workloads.housekeeping import keep_house
from argosy.workloads.jobs import add_jobs
from argosy.workloads.jobsets import add_admission, add_jobsets, definitions
from argosy.workloads.jobsets.names import JOB_SETS
from argosy.workloads.scheduling import add_scheduler
from tests.behaviour.workloads.runtimes.simulating import add_agent, add_node
from tests.fakes.clients import Fault, FaultyClient
from tests.fakes.clusters import memory_server
from tests.fakes.worlds import World, _Failures


class Fleet(World):
    """What a story about JobSets can do and see. Pods run for a minute unless told."""

    async def jobset(self, *jobs: Object, name: str = "js", **spec: Json) -> Object:
        metadata = {"name": name, **spec.pop("metadata", {})}
        body = {"metadata": metadata, "spec": {"replicatedJobs": list(jobs), **spec}}
        made = await self.create(JOB_SETS, body)
        await self.pass_time(5)
        return made

    async def change(self, spec: Object, name: str = "js") -> None:
        await self.client.patch(JOB_SETS, name, {"spec": spec}, namespace="ns")
        await self.pass_time(5)

    async def jobs(self) -> dict[str, str]:
        """The state of each Job."""
        return {job["metadata"]["name"]: _state(job) for job in await self.list(JOBS)}

    async def job(self, name: str) -> Object:
        found = await self.get(JOBS, name)
        assert found is not None
        return found

    async def pod_of(self, job: str) -> Object:
        pods = await self.list(PODS, f"job-name={job}")
        return pods[0]

    async def services(self) -> list[str]:
        """The services of the namespace."""
        found = await self.list(SERVICES)
        return [one["metadata"]["name"] for one in found if one["metadata"]["namespace"] == "ns"]

    async def conditions(self, name: str = "js") -> list[str]:
        found = await self.get(JOB_SETS, name)
        assert found is not None
        return [
            f"{each['type']}={each['status']} {each['reason']}: {each['message']}"
            for each in found.get("status", {}).get("conditions", ())
        ]

    async def counts(self, name: str = "js") -> dict[str, Object]:
        """What is not zero in the status of each replicated job."""
        found = await self.get(JOB_SETS, name)
        assert found is not None
        return {
            each.pop("name"): {key: value for key, value in each.items() if value}
            for each in found["status"]["replicatedJobsStatus"]
        }

    async def told(self, name: str = "js") -> list[str]:
        return [f"{type_} {reason}: {text}" for type_, reason, text in await self.events(name)]


def replicated(
    name: str, *, duration: str = "60s", outcome: str = "succeed", **more: Json
) -> Object:
    """A replicated job whose pods live so long and end so."""
    annotations = {"argosy.dev/duration": duration, "argosy.dev/outcome": outcome}
    pod = {
        "metadata": {"annotations": annotations},
        "spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "busybox"}],
            **more.pop("pod", {}),
        },
    }
    job = {"backoffLimit": 0, "template": pod, **more.pop("job", {})}
    return {"name": name, "template": {"spec": job, **more.pop("template", {})}, **more}


def sailing(
    story: Callable[[Fleet], Awaitable[None]],
    *,
    nodes: int = 2,
    faults: Callable[[str], Fault] | None = None,
) -> None:
    """Tell a story on a cluster with simulated nodes and the namespace `ns`. `faults` befall the calls of the JobSet
    controller, nobody else's.
    """

    async def tell() -> None:
        clock = VirtualClock()
        server = memory_server(clock)
        cluster = server.cluster
        await bootstrap(cluster)
        add_admission(cluster)
        chores = asyncio.create_task(keep_house(cluster, ca="CERTIFICATE"))
        client = LocalClient(server, ADMIN, agent="test", namespace="ns")
        await client.create(NAMESPACES, {"metadata": {"name": "ns"}})
        for definition in definitions():
            await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
        await asyncio.sleep(1)
        fleet = Fleet(client, clock)
        assembly = Assembly(client, clock=clock, ids=SeededIds(2), source=random.Random(3))
        for add in (add_agent, add_scheduler, add_jobs):
            add(assembly)
        faulty = FaultyClient(client, faults)
        own = Assembly(faulty, clock=clock, ids=SeededIds(4), source=random.Random(5))
        add_jobsets(own)
        failures = _Failures()
        logging.getLogger("argosy").addHandler(failures)
        tasks = {chores, *(asyncio.create_task(each.run()) for each in (assembly, own))}
        await assembly.started()
        await own.started()
        for number in range(nodes):
            await add_node(fleet, f"n{number}", labels={"rack": f"r{number}"})
        await story(fleet)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        logging.getLogger("argosy").removeHandler(failures)
        assert failures.seen == []

    run_virtual(tell())


def _state(job: Object) -> str:
    if job["metadata"].get("deletionTimestamp"):
        return "Deleting"
    for condition in job.get("status", {}).get("conditions", ()):
        if condition["type"] in {"Complete", "Failed"} and condition["status"] == "True":
            return str(condition["type"])
    return "Suspended" if job["spec"].get("suspend") else "Active"
