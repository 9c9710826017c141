"""The controllers of one embedded cluster, put together: everything a Kubernetes control plane and its nodes do.

`workloads` and `capacity` do not know each other; here they get the same assembly, so that each kind of object is
watched and decoded once for all of them. The custom kinds they work on are installed first, as on any cluster.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from argosy import capacity
from argosy.apiserver.access.identities import AUTHENTICATED, MASTERS, User
from argosy.apiserver.servers import ClusterServer
from argosy.base.clock import Clock
from argosy.base.ids import Ids
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.protocol import Client
from argosy.client.resources import CLUSTER_ROLES, STORAGE_CLASSES
from argosy.control.assemblies import UPKEEP, Assembly, Upkeep
from argosy.fleet.installing import OWNER, shipped
from argosy.fleet.installing import install as install_kinds
from argosy.queueing.admission import add_admission as add_queueing_admission
from argosy.queueing.assembling import add_queueing
from argosy.queueing.configuration import Configuration
from argosy.queueing.conversion import add_versions
from argosy.queueing.definitions import definitions as queueing_definitions
from argosy.queueing.jobs import add_admission as add_job_admission
from argosy.queueing.visibility import Pending
from argosy.workloads import jobsets
from argosy.workloads.apps import add_apps
from argosy.workloads.cronjobs import CronJobs
from argosy.workloads.disruption import Disruption
from argosy.workloads.endpoints import add_endpoints
from argosy.workloads.jobs import add_jobs
from argosy.workloads.nodes import add_nodes
from argosy.workloads.retention import add_jobset_retention, add_retention
from argosy.workloads.runtimes.agents import Agent
from argosy.workloads.runtimes.answering import Answers
from argosy.workloads.runtimes.process import Isolation, ProcessRuntime
from argosy.workloads.runtimes.simulated import add_simulated
from argosy.workloads.scheduling import add_scheduler
from argosy.workloads.volumes import add_volumes, standard_class

_USER: Final = User("system:kube-controller-manager", groups=(MASTERS, AUTHENTICATED))
_AGENT: Final = "kube-controller-manager"
# As metrics-server brings it along: whoever may view a namespace may see what its pods use.
METRICS_READER: Final[Object] = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRole",
    "metadata": {
        "name": "system:aggregated-metrics-reader",
        "labels": {
            f"rbac.authorization.k8s.io/aggregate-to-{role}": "true"
            for role in ("view", "edit", "admin")
        },
    },
    "rules": [
        {
            "apiGroups": ["metrics.k8s.io"],
            "resources": ["pods", "nodes"],
            "verbs": ["get", "list", "watch"],
        }
    ],
}


@dataclass(slots=True, frozen=True)
class Workplace:
    """Where pods leave things on this machine, and where they find the API server.

    `allows_processes`: nodes may run containers' commands as processes of this machine, with this isolation (None: the
    strongest that works). `hidden`: files beside the directory that containers are not to see.
    """

    directory: Path
    api: tuple[str, int]
    allows_processes: bool = False
    isolation: Isolation | None = None
    hidden: tuple[Path, ...] = ()


async def _at_once() -> None:
    """There is nothing to wait for."""


@dataclass(slots=True, frozen=True)
class Works:
    """What runs beside the API server; `hurry` cuts short the time that containers get to end; `prepared` waits until
    it is known how containers are run, and raises Unfit where they can not be.
    """

    assembly: Assembly
    hurry: Callable[[], None] = lambda: None
    prepared: Callable[[], Awaitable[object]] = _at_once


async def assemble(
    server: ClusterServer,
    answers: Answers,
    workplace: Workplace,
    *,
    clock: Clock,
    ids: Ids,
    queueing: Configuration | None = Configuration(),  # noqa: B008  (immutable)
    pending: Pending | None = None,
    source: random.Random | None = None,
    upkeep: Upkeep = UPKEEP,
) -> Works:
    """All controllers of a cluster, ready to run. `queueing` None: whoever queues there, it is not us. `pending` is
    shown what waits in queues.
    """
    jobsets.add_admission(server.cluster)
    if queueing is not None:
        add_queueing_admission(server.cluster)
        add_job_admission(server.cluster, queueing)
        add_versions(server.cluster)
    client = LocalClient(server, _USER, agent=_AGENT)
    await install(client, with_queueing=queueing is not None)
    assembly = Assembly(
        client, clock=clock, ids=ids, source=source, metrics=server.metrics, upkeep=upkeep
    )
    add_jobs(assembly)
    CronJobs(assembly)
    jobsets.add_jobsets(assembly)
    add_apps(assembly)
    add_endpoints(assembly)
    add_volumes(assembly, workplace.directory / "volumes")
    Disruption(assembly)
    add_nodes(assembly)
    add_retention(assembly)
    add_jobset_retention(assembly)
    add_scheduler(assembly)
    if queueing is not None:
        engine = add_queueing(assembly, queueing)
        if pending is not None:
            pending.serve(engine.queues)
    capacity.add_capacity(assembly, allow_processes=workplace.allows_processes)
    agent = Agent(assembly)
    add_simulated(assembly, agent)
    answers.serve(agent)
    if not workplace.allows_processes:
        return Works(assembly)
    processes = _processes(assembly, agent, workplace)
    agent.serve(processes)
    return Works(assembly, processes.hurry, processes.decided)


async def install(client: Client, *, with_queueing: bool = True) -> None:
    """What controllers and users count on: custom kinds, a storage class where there is none, who may read metrics."""
    await install_kinds(client, member_kinds(with_queueing=with_queueing))
    await client.apply(
        CLUSTER_ROLES,
        METRICS_READER["metadata"]["name"],
        METRICS_READER,
        field_manager=OWNER,
        force=True,
    )
    if not (await client.list(STORAGE_CLASSES, limit=1)).items:
        await client.create(STORAGE_CLASSES, standard_class())


@functools.cache
def member_kinds(*, with_queueing: bool) -> tuple[Object, ...]:
    """The custom kinds of a cluster, made once for all clusters of the process."""
    queueing = queueing_definitions() if with_queueing else ()
    return shipped((*capacity.definitions(), *jobsets.definitions(), *queueing))


def _processes(assembly: Assembly, agent: Agent, workplace: Workplace) -> ProcessRuntime:
    return ProcessRuntime(
        agent,
        assembly.client,
        assembly.clock,
        state=workplace.directory / "processes",
        logs=workplace.directory / "logs",
        api=workplace.api,
        hidden=(workplace.directory, *workplace.hidden),
        isolation=workplace.isolation,
    )
