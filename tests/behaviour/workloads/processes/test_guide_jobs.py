"""The two Jobs of the user's guide, run as processes to their end: Job controller, agent and runtime together.

Only the pauses of their scripts are left out, and the node is named, since nobody schedules here.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import yaml

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.specials.logs import LogQuery
from argosy.base.clock import RealClock
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.resources import (
    CONFIG_MAPS,
    JOBS,
    NAMESPACES,
    NODES,
    PODS,
    SERVICE_ACCOUNTS,
)
from argosy.control.assemblies import Assembly
from argosy.workloads.jobs import add_jobs
from argosy.workloads.pods.caches import pod_informer
from argosy.workloads.runtimes.agents import Agent
from argosy.workloads.runtimes.process import ProcessRuntime
from tests.behaviour.workloads.processes.machines import PATIENCE_SECONDS
from tests.fakes.clusters import memory_server

NODE: Object = {
    "metadata": {"name": "here", "labels": {"argosy.dev/runtime": "process"}},
    "status": {
        "capacity": {"cpu": "8", "memory": "64Gi", "pods": "110"},
        "allocatable": {"cpu": "8", "memory": "64Gi", "pods": "110"},
        "addresses": [{"type": "InternalIP", "address": "10.1.2.3"}],
    },
}
WANT = {
    "mock-workload": [
        "Starting mock compute job...",
        "Loading input dataset...",
        "Epoch 1/3: Processing accuracy: 65%",
        "Epoch 2/3: Processing accuracy: 85%",
        "Epoch 3/3: Processing accuracy: 95%",
        "Processing completed successfully!",
    ],
    "model-evaluation": [
        "Starting model evaluation job...",
        "Loading test dataset...",
        "Running evaluation suite...",
        "Computing metrics...",
        "Accuracy: 94.5%",
        "F1 Score: 0.93",
        "Evaluation completed successfully!",
    ],
}


def jobs(shared: Path) -> list[Object]:
    text = (shared / "fixtures" / "kubefleet" / "guide-2-jobs.yaml").read_text()
    found = [one for one in yaml.safe_load_all(text) if one["kind"] == "Job"]
    for job in found:
        job["spec"]["suspend"] = False
        spec = job["spec"]["template"]["spec"]
        spec["nodeName"] = "here"
        command = spec["containers"][0]["command"]
        command[2] = "\n".join(line for line in command[2].split("\n") if "sleep" not in line)
    return found


def test_the_guides_jobs_run_to_completion(shared: Path, tmp_path: Path) -> None:
    asyncio.run(_run(jobs(shared), tmp_path))


async def _run(given: list[Object], folder: Path) -> None:
    client = LocalClient(memory_server(RealClock()), ADMIN, agent="test")
    for name in ("compute-jobs", "kube-node-lease"):
        await client.create(NAMESPACES, {"metadata": {"name": name}})
    # What the housekeeping of a cluster makes in every namespace.
    for resource, name in ((SERVICE_ACCOUNTS, "default"), (CONFIG_MAPS, "kube-root-ca.crt")):
        made: Object = {"metadata": {"name": name, "namespace": "compute-jobs"}}
        if resource is CONFIG_MAPS:
            made["data"] = {"ca.crt": "certificate"}
        await client.create(resource, made)
    await client.create(NODES, NODE)
    await client.patch(NODES, "here", {"status": NODE["status"]}, subresource="status")
    assembly = Assembly(client, clock=RealClock())
    add_jobs(assembly)
    agent = Agent(assembly)
    state, logs = folder / "state", folder / "logs"
    runtime = ProcessRuntime(
        agent, client, assembly.clock, state=state, logs=logs, isolation="none"
    )
    agent.serve(runtime)
    pods = pod_informer(assembly)
    running = asyncio.create_task(assembly.run())
    try:
        await assembly.started()
        for job in given:
            await client.create(JOBS, job)
        async with asyncio.timeout(PATIENCE_SECONDS), aclosing(client.watch(JOBS)) as watch:
            async for _ in watch:
                found = [decode(raw) for raw in (await client.list(JOBS)).items]
                if sum(map(_is_complete, found)) == len(given):
                    break
        for raw in (await client.list(PODS)).items:
            got = decode(raw)
            assert got["status"]["phase"] == "Succeeded"
            job = got["metadata"]["labels"]["job-name"]
            view = pods.get(got["metadata"]["namespace"], got["metadata"]["name"])
            assert view is not None
            container = got["spec"]["containers"][0]["name"]
            lines = [one async for one in runtime.logs(view, LogQuery(container))]
            assert [line.decode().partition(" ")[2].rstrip() for line in lines] == WANT[job]
        assert len((await client.list(PODS)).items) == 6
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def _is_complete(job: Object) -> bool:
    conditions = (job.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Complete" and one["status"] == "True" for one in conditions)
