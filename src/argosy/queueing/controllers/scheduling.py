"""The scheduler's task: cycle after cycle while there is something to decide, and every decision written.

A cycle counts its decisions at once, so the next one follows without waiting for the API; writes go out side by side,
bounded, and share commits. Each names the revision it was decided on. One that fails is taken back: the workload is put
as it really is and gets its turn again. Events are told when what they tell of is written.

Why a workload waits may change with every cycle, and by the next one it may wait no more. So that is not written at
once: the last word after a moment counts, if the workload still waits then.

The task rests when another cycle would decide the same: nothing has changed, and the heads are those of the last time.
Between cycles others get as long as the last one took. Whoever gives quota back writes it through the same loop, so a
scheduler that took every turn it could get would look at the same victims again and again while their ends queue up.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Final

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.errors import Conflict, NotFound, StatusError
from argosy.client.resources import WORKLOADS
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.control.references import reference
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.cycles.writes import Kind, Write, waiting
from argosy.queueing.metrics.attempts import AttemptMetrics
from argosy.queueing.metrics.lives import WorkloadMetrics

_LOG: Final = logging.getLogger(__name__)
# Upstream's name of the scheduler as an author of events and of fields.
ADMISSION: Final = "kueue-admission"
# Writes under way at once: enough to share commits, few enough to stay near the state they were decided on.
_AT_ONCE: Final = 512
# How long the reason of a wait has to stand before it is written.
_PATIENCE_SECONDS: Final = 1.0


class Scheduling:
    """Runs an engine's cycles against the API."""

    def __init__(self, assembly: Assembly, engine: Engine, metrics: WorkloadMetrics) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._recorder = assembly.recorder(ADMISSION)
        self._workloads: Informer[Workload] = assembly.informer(WORKLOADS, Workload)
        self._engine = engine
        self._metrics = metrics
        self._attempts = AttemptMetrics(assembly.metrics)
        self._news = asyncio.Event()
        self._room = asyncio.Semaphore(_AT_ONCE)
        # Why workloads wait, to be written.
        self._waits: dict[str, Write] = {}
        self._has_waits = asyncio.Event()
        assembly.task("queueing", self._run)
        assembly.task("queueing-waits", self._tell_waits)

    def wake(self) -> None:
        """Something has changed."""
        self._news.set()

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as writers:
            while True:
                await self._rest()
                self._news.clear()
                started = self._clock.monotonic()
                writes = self._cycle()
                ended = self._clock.monotonic()
                for write in writes:
                    if write.kind is Kind.WAIT:
                        self._waits[write.key] = write
                        self._has_waits.set()
                        continue
                    self._waits.pop(write.key, None)
                    await self._room.acquire()
                    writers.create_task(self._write(write))
                # Others get their turn: events to be taken in, writes to go out.
                due = ended + (ended - started)
                await self._clock.sleep(max(0.0, due - self._clock.monotonic()))

    def _cycle(self) -> list[Write]:
        """What the next cycle decides. Its time is the machine's: it is work, and nothing else happens meanwhile."""
        started = time.perf_counter()
        outcome, writes = self._engine.cycle(self._clock.now())
        self._attempts.cycle(outcome, time.perf_counter() - started)
        return writes

    async def _rest(self) -> None:
        """Wait until a cycle may decide something new."""
        while not self._engine.has_work(self._clock.time()):
            due = self._engine.queues.next_time
            if due is None:
                await self._news.wait()
            else:
                await self._rest_until(due)
            self._news.clear()

    async def _rest_until(self, due: float) -> None:
        try:
            async with asyncio.timeout(max(0.0, due - self._clock.time())):
                await self._news.wait()
        except TimeoutError:
            return

    async def _tell_waits(self) -> None:
        """Write why workloads wait, a moment after that was found out."""
        while True:
            await self._has_waits.wait()
            await self._clock.sleep(_PATIENCE_SECONDS)
            self._has_waits.clear()
            waits, self._waits = self._waits, {}
            async with asyncio.TaskGroup() as writers:
                for write in waits.values():
                    current = self._still_waiting(write)
                    if current is not None:
                        await self._room.acquire()
                        writers.create_task(self._write(current))

    def _still_waiting(self, write: Write) -> Write | None:
        """What is to be said of a workload as it is now; nothing if it says that, or waits no more."""
        meta, entry = write.draft.workload.metadata, write.entry
        actual = self._workloads.get(meta.namespace, meta.name)
        if actual is None or entry is None or write.key in self._engine.cache.workloads:
            return None
        if actual.is_finished or not actual.spec.active:
            return None
        return waiting(entry, actual, self._clock.now())

    async def _write(self, write: Write) -> None:
        try:
            await self._send(write)
        finally:
            self._room.release()
            self.wake()

    async def _send(self, write: Write) -> None:
        meta = write.draft.workload.metadata
        patch = write.draft.patch()
        if patch is None:
            self._engine.written(write, int(meta.resource_version), self._clock.time())
            return
        patch["metadata"] = {"resourceVersion": meta.resource_version}
        try:
            raw = await self._client.patch(
                WORKLOADS,
                meta.name,
                patch,
                namespace=meta.namespace,
                subresource="status",
                field_manager=ADMISSION,
            )
        except StatusError as problem:
            if not isinstance(problem, Conflict | NotFound):
                _LOG.warning("workload %s: its status cannot be written: %s", write.key, problem)
            actual = self._workloads.get(meta.namespace, meta.name)
            self._engine.failed(write, actual, self._clock.time())
            return
        self._engine.written(write, int(raw.revision), self._clock.time())
        self._count(write)
        for about, event in write.events:
            self._recorder.event(
                reference(WORKLOADS, about.metadata), event.type, event.reason, event.message
            )

    def _count(self, write: Write) -> None:
        if write.kind is Kind.ADMIT:
            self._metrics.reserved(write.draft)
            if write.draft.workload.is_admitted:
                self._metrics.admitted(write.draft)
        elif write.kind is Kind.REPLACE:
            self._metrics.replaced(write.draft.workload)
        elif write.kind is Kind.PREEMPT:
            self._metrics.preempted(write.draft.workload, write.preempting_queue)
            if write.eviction is not None:
                self._metrics.evicted(write.draft.workload, write.eviction)
