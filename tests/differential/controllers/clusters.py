"""The clusters that scenarios are played on: a real one, and Argosy's, in real or in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.bootstrapping import bootstrap
from argosy.base.clock import Clock
from argosy.base.ids import SeededIds
from argosy.client import kubeconfig
from argosy.client.local import LocalClient
from argosy.client.protocol import Client
from argosy.client.remote import RemoteClient
from argosy.control.assemblies import Assembly
from argosy.workloads.apps import add_apps
from argosy.workloads.cronjobs import CronJobs
from argosy.workloads.disruption import Disruption
from argosy.workloads.endpoints import add_endpoints
from argosy.workloads.housekeeping import keep_house
from argosy.workloads.jobs import add_jobs
from argosy.workloads.nodes import add_nodes
from argosy.workloads.scheduling import add_scheduler
from argosy.workloads.volumes import add_volumes
from tests.fakes.clusters import memory_server

CONTROLLERS: dict[str, Callable[[Assembly], object]] = {
    "jobs": add_jobs,
    "apps": add_apps,
    "cronjobs": CronJobs,
    "disruption": Disruption,
    "endpoints": add_endpoints,
    "nodes": add_nodes,
    "scheduling": add_scheduler,
    "volumes": lambda assembly: add_volumes(assembly, None),
}


@asynccontextmanager
async def real(path: Path) -> AsyncIterator[Client]:
    """The cluster of a kubeconfig, which runs a kube-controller-manager and neither scheduler nor kubelets."""
    async with RemoteClient(kubeconfig.load(path)) as client:
        yield client


@asynccontextmanager
async def argosy(clock: Clock, controllers: Iterable[str]) -> AsyncIterator[Client]:
    """An Argosy cluster in memory that runs these controllers."""
    server = memory_server(clock=clock, tokens={"t": ADMIN})
    await bootstrap(server.cluster)
    client = LocalClient(server, ADMIN, agent="kube-controller-manager")
    assembly = Assembly(client, clock=clock, ids=SeededIds(3))
    for name in controllers:
        CONTROLLERS[name](assembly)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(keep_house(server.cluster, ca="CERTIFICATE")),
            group.create_task(assembly.run()),
        ]
        await assembly.started()
        yield LocalClient(server, ADMIN, agent="test")
        for task in tasks:
            task.cancel()
