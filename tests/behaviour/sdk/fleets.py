"""A fleet of one process in virtual time, as the SDK sees it: the hub's and members' clients are of this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager

from argosy.base.loops import run_virtual
from argosy.base.types import Json, Object
from argosy.client.resources import CLUSTER_QUEUES, LOCAL_QUEUES, RESOURCE_FLAVORS
from argosy.sdk import AsyncFleet
from tests.behaviour.fleet import worlds
from tests.behaviour.fleet.worlds import Shape, pick

QUEUED = Shape(runs=True, has_queues=True)
RUNNING = Shape(runs=True)
EVERYWHERE = pick("PickAll")


def told(
    story: Callable[[worlds.Fleet, AsyncFleet], Coroutine[None, None, None]],
    shape: Shape = RUNNING,
) -> None:
    """A story in a fleet whose namespace `app` is on every member, seen through the SDK."""

    async def main() -> None:
        async with opened(shape) as (here, fleet):
            await story(here, fleet)

    run_virtual(main())


@asynccontextmanager
async def opened(shape: Shape) -> AsyncIterator[tuple[worlds.Fleet, AsyncFleet]]:
    async with worlds.fleet(shape) as here:
        clients = {name: member.client for name, member in here.members.items()}
        space: Object = {"group": "", "version": "v1", "kind": "Namespace", "name": "app"}
        space["selectionScope"] = "NamespaceOnly"
        await here.place("everywhere", space, policy=EVERYWHERE)
        async with AsyncFleet(here.hub.client, clients, here.clock, namespace="app") as fleet:
            yield here, fleet


async def with_queue(here: worlds.Fleet, cpu: int = 4, name: str = "main") -> None:
    """A LocalQueue on the hub and every member, with so many cores on each."""
    flavors = [{"name": "any", "resources": [{"name": "cpu", "nominalQuota": str(cpu)}]}]
    await here.hub.create(RESOURCE_FLAVORS, {"metadata": {"name": "any"}})
    await here.hub.create(
        CLUSTER_QUEUES,
        {
            "metadata": {"name": "all"},
            "spec": {
                "namespaceSelector": {},
                "resourceGroups": [{"coveredResources": ["cpu"], "flavors": flavors}],
            },
        },
    )
    queue = {"metadata": {"name": name}, "spec": {"clusterQueue": "all"}}
    await here.hub.have(LOCAL_QUEUES, queue)
    kueue = {"group": "kueue.x-k8s.io", "version": "v1beta2"}
    await here.place(
        "quota",
        {**kueue, "kind": "ResourceFlavor", "name": "any"},
        {**kueue, "kind": "ClusterQueue", "name": "all"},
        policy=EVERYWHERE,
    )
    await here.place("app/queue", {**kueue, "kind": "LocalQueue", "name": name}, policy=EVERYWHERE)


def job(name: str, seconds: int = 10, cpu: str = "1", **spec: Json) -> Object:
    """As users write them: no selector of its own, no queue."""
    container: Object = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    container["command"] = ["sh", "-c", f"echo hello from {name}"]
    template: Object = {
        "metadata": {"annotations": {"argosy.dev/duration": f"{seconds}s"}},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "app"},
        "spec": {"template": template, **spec},
    }
