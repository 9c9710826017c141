"""What the controllers of one cluster share, and how they run together.

An assembly holds the client, clock, ids, random source, metrics and informers of one cluster. A controller is built on
it: it asks for informers, recorders and queues, and adds itself. `run` starts the informers, waits until all have
synced, and only then lets controllers and background tasks work, so nobody decides on half a picture. Upstream calls
this a manager.

A background task that fails is logged and started again after a pause: one defect must not stop the other
controllers of the cluster.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Sequence
from typing import Final, NamedTuple, TypeVar

from argosy.base.clock import Clock
from argosy.base.ids import Ids, RandomIds
from argosy.base.metrics import Registry
from argosy.client.protocol import Client
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS, Resource
from argosy.control.arrivals import Arrival, Definition
from argosy.control.informers import EVERYTHING, Informer, Informers, Selection
from argosy.control.persisting import for_ever
from argosy.control.queues import DEFAULT_LIMIT, RateLimit, WorkQueue
from argosy.control.reconcilers import Controller, Result
from argosy.control.recorders import EventRecorder

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

# What a component says in a rush is written when there is time: its objects matter more than its words.
_EVENTS_PER_SECOND: Final = 100.0
_EVENTS_AT_ONCE: Final = 500


class Upkeep(NamedTuple):
    """What a cluster does though nothing happens. Rarer is cheaper, and notices later.

    `node_lease_seconds`: how long a sign of life of a node holds; it is renewed four times in that time (the kubelet's
    nodeLeaseDurationSeconds). `scan_seconds`: how often the autoscaler looks unasked (its --scan-interval).
    `writes_events`: whether controllers and kubelets tell what they do as Events (the kubelet's eventRecordQPS).
    """

    node_lease_seconds: float = 40.0
    scan_seconds: float = 10.0
    writes_events: bool = True


UPKEEP: Final = Upkeep()


class Assembly:
    """The controllers of one cluster. Build everything, then `run` once."""

    def __init__(
        self,
        client: Client,
        *,
        clock: Clock,
        ids: Ids | None = None,
        source: random.Random | None = None,
        metrics: Registry | None = None,
        limit: RateLimit = DEFAULT_LIMIT,
        upkeep: Upkeep = UPKEEP,
    ) -> None:
        """`limit` is how keys that fail are slowed down, whose controller ever they are."""
        self.client: Final = client
        self.clock: Final = clock
        self.ids: Final = ids or RandomIds()
        self.source: Final = source or random.Random()
        self.metrics: Final = metrics or Registry()
        self.upkeep: Final = upkeep
        self._limit = limit
        self._informers = Informers(client, clock, self.source)
        self._recorders: dict[str, EventRecorder] = {}
        self._controllers: dict[str, Callable[[], Coroutine[None, None, None]]] = {}
        self._tasks: dict[str, Callable[[], Awaitable[None]]] = {}
        self._started = asyncio.Event()
        self._arriving: dict[tuple[Resource, type], Informer[object]] = {}

    def informer(
        self, resource: Resource, kind: type[T], selection: Selection = EVERYTHING
    ) -> Informer[T]:
        """The shared informer of a selection; only before `run`."""
        return self._informers.informer(resource, kind, selection)

    def informer_when_served(self, resource: Resource, kind: type[T]) -> Informer[T]:
        """An informer of a custom resource that may not be there yet. Nobody waits for it; only before `run`."""
        key = (resource, kind)
        found: Informer[T] | None = self._arriving.get(key)  # type: ignore[assignment]  # kind is in the key
        if found is None:
            found = Informer(self.client, resource, kind, clock=self.clock, source=self.source)
            self._arriving[key] = found  # type: ignore[assignment]  # as above
            definitions = self.informer(CUSTOM_RESOURCE_DEFINITIONS, Definition)
            arrival = Arrival(definitions, found, resource)
            self.task(f"arrival:{resource.qualified}:{kind.__name__}", arrival.run)
        return found

    def recorder(self, component: str) -> EventRecorder:
        """The shared recorder of a component; only before `run`."""
        if component not in self._recorders:
            self._recorders[component] = EventRecorder(
                self.client,
                component,
                clock=self.clock,
                ids=self.ids,
                source=self.source,
                per_second=_EVENTS_PER_SECOND,
                burst=_EVENTS_AT_ONCE,
                is_mute=not self.upkeep.writes_events,
            )
        return self._recorders[component]

    def controller(
        self,
        name: str,
        reconcile: Callable[[K], Awaitable[Result]],
        *,
        workers: int = 1,
        families: Sequence[str] = (),
    ) -> WorkQueue[K]:
        """Have `reconcile` called for the keys put into the queue that is returned. `families`: prefixes of metrics
        under which it is counted beside controller-runtime's.
        """
        queue: WorkQueue[K] = WorkQueue(name, self.clock, limit=self._limit, metrics=self.metrics)
        controller = Controller(
            name,
            reconcile,
            clock=self.clock,
            queue=queue,
            workers=workers,
            metrics=self.metrics,
            families=families,
        )
        if name in self._controllers:
            raise RuntimeError(f"there is a controller {name} already")
        self._controllers[name] = controller.run
        return controller.queue

    def task(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """Have `run` awaited beside the controllers, again and again, until the assembly ends."""
        if name in self._tasks:
            raise RuntimeError(f"there is a task {name} already")
        self._tasks[name] = run

    async def started(self) -> None:
        """Wait until informers have synced and controllers work."""
        await self._started.wait()

    async def run(self) -> None:
        """Run everything until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._informers.run(), name="informers")
            for component, recorder in self._recorders.items():
                group.create_task(recorder.run(), name=f"events:{component}")
            await self._informers.synced()
            for name, run in self._controllers.items():
                group.create_task(run(), name=name)
            for name, work in self._tasks.items():
                group.create_task(for_ever(name, work, self.clock), name=name)
            self._started.set()
