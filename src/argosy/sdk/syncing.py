"""`Fleet`: the same as `AsyncFleet`, for programs without an event loop.

One loop runs in a thread of its own for as long as the fleet is open. A call is handed over and waited for, an iterator
asks for one item at a time; nothing spins and nothing is polled. Leaving an iterator early closes what it stood on.
Ctrl-C cancels what is waited for. A `Fleet` may be used by several threads.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from argosy.sdk.choices import Choice, Submission
from argosy.sdk.errors import Unreachable
from argosy.sdk.fleets import AsyncFleet
from argosy.sdk.jobs import FleetJob
from argosy.sdk.lines import FleetEvent, LogLine
from argosy.sdk.manifests import Manifest

if TYPE_CHECKING:
    from argosy.sdk.clusters import Cluster
    from argosy.sdk.queues import Queue

T = TypeVar("T")


class _Thread:
    """A loop in a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="argosy-fleet", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Have it done there, and wait."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            # Interrupted here: whatever it was doing there has to end as well.
            future.cancel()
            raise

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()


class Fleet:
    """A fleet, by its hub, without await:

    with Fleet.connect() as fleet:
        for line in fleet.logs("train", follow=True):
            print(line.text)
    """

    def __init__(self, make: Callable[[], AsyncFleet]) -> None:
        """`make` is called in the thread of the loop. Most programs want `connect`."""
        self._thread = _Thread()
        self._is_closed = False

        async def made() -> AsyncFleet:
            return make()

        try:
            self._fleet = self._thread.do(made())
        except BaseException:
            self._thread.stop()
            raise

    @classmethod
    def connect(
        cls, kubeconfig: str | Path | None = None, hub: str = "", *, namespace: str = ""
    ) -> Self:
        """As `AsyncFleet.connect`."""
        return cls(lambda: AsyncFleet.connect(kubeconfig, hub, namespace=namespace))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the loop and its thread; a second time does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._thread.do(self._fleet.close())
        finally:
            self._thread.stop()

    @property
    def namespace(self) -> str:
        return self._fleet.namespace

    @property
    def problems(self) -> tuple[Unreachable, ...]:
        """The members that could not be asked when last they were to be."""
        return self._fleet.problems

    def clusters(self) -> list[Cluster]:
        """As `AsyncFleet.clusters`."""
        return self._thread.do(self._fleet.clusters())

    def queues(self) -> list[Queue]:
        """As `AsyncFleet.queues`."""
        return self._thread.do(self._fleet.queues())

    def jobs(
        self, namespace: str | None = None, *, selector: str = "", finished: bool = True
    ) -> list[FleetJob]:
        """As `AsyncFleet.jobs`."""
        return self._thread.do(self._fleet.jobs(namespace, selector=selector, finished=finished))

    def job(self, name: str, namespace: str = "", kind: str = "") -> FleetJob:
        """As `AsyncFleet.job`."""
        return self._thread.do(self._fleet.job(name, namespace, kind))

    def watch_jobs(
        self, namespace: str | None = None, *, selector: str = "", finished: bool = True
    ) -> Generator[list[FleetJob], None, None]:
        """As `AsyncFleet.watch_jobs`."""
        return self._each(
            lambda: self._fleet.watch_jobs(namespace, selector=selector, finished=finished)
        )

    def consider(
        self,
        manifest: Manifest,
        *,
        namespace: str = "",
        queue: str = "",
        clusters: int = 1,
        prefer: str = "",
    ) -> Choice:
        """As `AsyncFleet.consider`."""
        return self._thread.do(
            self._fleet.consider(
                manifest, namespace=namespace, queue=queue, clusters=clusters, prefer=prefer
            )
        )

    def submit(
        self,
        manifest: Manifest,
        *,
        namespace: str = "",
        queue: str = "",
        clusters: int = 1,
        prefer: str = "",
        keep: str = "10m",
        dry_run: bool = False,
    ) -> Submission:
        """As `AsyncFleet.submit`."""
        return self._thread.do(
            self._fleet.submit(
                manifest,
                namespace=namespace,
                queue=queue,
                clusters=clusters,
                prefer=prefer,
                keep=keep,
                dry_run=dry_run,
            )
        )

    def states(self, job: FleetJob) -> Generator[FleetJob, None, None]:
        """As `AsyncFleet.states`."""
        return self._each(lambda: self._fleet.states(job))

    def wait(self, name: str, namespace: str = "", *, timeout: float | None = None) -> FleetJob:
        """As `AsyncFleet.wait`."""
        return self._thread.do(self._fleet.wait(name, namespace, timeout=timeout))

    def logs(
        self,
        name: str,
        namespace: str = "",
        *,
        follow: bool = False,
        tail: int | None = None,
        container: str = "",
        timestamps: bool = False,
        previous: bool = False,
        since_seconds: int | None = None,
    ) -> Generator[LogLine, None, None]:
        """As `AsyncFleet.logs`."""
        return self._each(
            lambda: self._fleet.logs(
                name,
                namespace,
                follow=follow,
                tail=tail,
                container=container,
                timestamps=timestamps,
                previous=previous,
                since_seconds=since_seconds,
            )
        )

    def cancel(self, name: str, namespace: str = "", *, timeout: float | None = None) -> list[str]:
        """As `AsyncFleet.cancel`."""
        return self._thread.do(self._fleet.cancel(name, namespace, timeout=timeout))

    def why(self, name: str, namespace: str = "") -> str:
        """As `AsyncFleet.why`."""
        return self._thread.do(self._fleet.why(name, namespace))

    def events(
        self,
        namespace: str | None = None,
        *,
        follow: bool = False,
        types: Sequence[str] = (),
        about: str = "",
    ) -> Generator[FleetEvent, None, None]:
        """As `AsyncFleet.events`."""
        return self._each(
            lambda: self._fleet.events(namespace, follow=follow, types=types, about=about)
        )

    def _each(self, make: Callable[[], AsyncGenerator[T, None]]) -> Generator[T, None, None]:
        """An async iterator as a plain one."""
        items = make()
        try:
            while True:
                try:
                    item = self._thread.do(anext(items))
                except StopAsyncIteration:
                    return
                yield item
        finally:
            self._thread.do(items.aclose())
