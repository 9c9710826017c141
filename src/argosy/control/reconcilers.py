"""Controllers: workers that take keys from a queue and bring the world to what each object says.

`reconcile` is called with one key at a time per key, by any of N workers. It returns when to look again, or
raises: the key then comes back after its back-off, and the failure is logged with its cause. A Conflict is no
news (somebody else wrote first, the next look sees it), so it is retried without noise. One key's failure
never stops the others; a defect in the reconciler is logged with its traceback, and its key retried like any
other. A cluster that takes nothing for a while (its disk is full, it is being restarted) is not the key's fault: it is
tried every half minute at least, so that all is well soon after the cluster is.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from argosy.base.clock import Clock
from argosy.base.errors import Conflict, ServiceUnavailable, StatusError
from argosy.base.metrics import Registry
from argosy.control.measuring import ERROR, REQUEUE_AFTER, SUCCESS, ControllerMeasures
from argosy.control.queues import WorkQueue

K = TypeVar("K", bound=Hashable)

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Result:
    """What to do with a key that was reconciled: by default nothing more until something changes."""

    requeue_after: float | None = None


DONE: Final = Result()


class Controller(Generic[K]):
    """A named reconciler with its queue and workers."""

    def __init__(
        self,
        name: str,
        reconcile: Callable[[K], Awaitable[Result]],
        *,
        clock: Clock,
        queue: WorkQueue[K] | None = None,
        workers: int = 1,
        metrics: Registry | None = None,
        families: Sequence[str] = (),
    ) -> None:
        """`families`: prefixes of metrics under which it is counted, too."""
        self.name: Final = name
        # An empty queue is falsy, and a queue all the same.
        self.queue: Final[WorkQueue[K]] = (
            queue if queue is not None else WorkQueue(name, clock, metrics=metrics)
        )
        self._reconcile = reconcile
        self._clock = clock
        self._workers = workers
        self._measures = ControllerMeasures(metrics or Registry(), name, workers, families=families)

    async def run(self) -> None:
        """Work until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                for number in range(self._workers):
                    group.create_task(self._work(), name=f"{self.name}:{number}")
        finally:
            self.queue.close()

    async def _work(self) -> None:
        while True:
            key = await self.queue.get()
            try:
                await self._one(key)
            finally:
                self.queue.done(key)

    async def _one(self, key: K) -> None:
        started = self._clock.monotonic()
        outcome: str | None = None
        self._measures.begun()
        try:
            outcome = await self._tried(key)
        finally:
            self._measures.ended(self._clock.monotonic() - started, outcome)

    async def _tried(self, key: K) -> str:
        """Reconcile, and see to it that the key comes back if it has to."""
        try:
            result = await self._reconcile(key)
        except Conflict as error:
            _LOG.debug("%s: %s: %s", self.name, key, error)
        except ServiceUnavailable as error:
            _LOG.warning("%s: %s: %s", self.name, key, error)
            self.queue.add_when_back(key)
            return ERROR
        except StatusError as error:
            _LOG.warning("%s: %s: %s", self.name, key, error)
        except Exception:  # noqa: BLE001  (the task boundary: one broken key must not stop the others)
            _LOG.exception("%s: %s: reconciling failed", self.name, key)
        else:
            return self._settle(key, result)
        self.queue.add_rate_limited(key)
        return ERROR

    def _settle(self, key: K, result: Result) -> str:
        self.queue.forget(key)
        if result.requeue_after is None:
            return SUCCESS
        self.queue.add_after(key, result.requeue_after)
        return REQUEUE_AFTER
