"""Controllers: workers that take keys from a queue and bring the world to what each object says.

`reconcile` is called with one key at a time per key, by any of N workers. It returns when to look again, or
raises: the key then comes back after its back-off, and the failure is logged with its cause. A Conflict is no
news (somebody else wrote first, the next look sees it), so it is retried without noise. One key's failure
never stops the others; a defect in the reconciler is logged with its traceback, and its key retried like any
other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from argosy.base.clock import Clock
from argosy.base.errors import Conflict, StatusError
from argosy.base.metrics import Registry
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
    ) -> None:
        self.name: Final = name
        # An empty queue is falsy, and a queue all the same.
        self.queue: Final[WorkQueue[K]] = (
            queue if queue is not None else WorkQueue(name, clock, metrics=metrics)
        )
        self._reconcile = reconcile
        self._clock = clock
        self._workers = workers
        registry = metrics or Registry()
        self._outcomes = registry.counter(
            "controller_runtime_reconcile_total",
            "Reconciliations per controller and result.",
            ("controller", "result"),
        )
        self._seconds = registry.histogram(
            "controller_runtime_reconcile_time_seconds",
            "Time a reconciliation took.",
            ("controller",),
        )

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
        try:
            result = await self._reconcile(key)
        except Conflict as error:
            _LOG.debug("%s: %s: %s", self.name, key, error)
            self._retry(key)
        except StatusError as error:
            _LOG.warning("%s: %s: %s", self.name, key, error)
            self._retry(key)
        except Exception:  # noqa: BLE001  (the task boundary: one broken key must not stop the others)
            _LOG.exception("%s: %s: reconciling failed", self.name, key)
            self._retry(key)
        else:
            self._settle(key, result)
        self._seconds.observe((self.name,), self._clock.monotonic() - started)

    def _settle(self, key: K, result: Result) -> None:
        self.queue.forget(key)
        if result.requeue_after is None:
            self._outcomes.inc((self.name, "success"))
            return
        self._outcomes.inc((self.name, "requeue_after"))
        self.queue.add_after(key, result.requeue_after)

    def _retry(self, key: K) -> None:
        self._outcomes.inc((self.name, "error"))
        self.queue.add_rate_limited(key)
