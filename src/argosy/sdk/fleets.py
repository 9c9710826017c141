"""`AsyncFleet`: everything a user does with a fleet, over all its clusters.

Each method stands for one idea and lies in a file of that name, which is loaded when the method is first called; here
they meet the connections. Nothing is cached: what is told is what the clusters say now.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from argosy.base.clock import Clock
from argosy.client.protocol import Client
from argosy.sdk import connections, finding, waiting
from argosy.sdk.choices import Choice, Submission
from argosy.sdk.connections import Connections, Members
from argosy.sdk.errors import Unreachable
from argosy.sdk.jobs import FleetJob
from argosy.sdk.kinds import queue_of
from argosy.sdk.lines import FleetEvent, LogLine
from argosy.sdk.manifests import Manifest, read_manifest

if TYPE_CHECKING:
    from argosy.sdk.clusters import Cluster
    from argosy.sdk.queues import Queue


class AsyncFleet:
    """A fleet, by its hub. Close it, or use it as an async context manager:

    async with AsyncFleet.connect() as fleet:
        submitted = await fleet.submit("job.yaml", queue="local-queue")
        job = await fleet.wait(submitted.name, submitted.namespace)
    """

    def __init__(
        self,
        hub: Client,
        members: Members,
        clock: Clock | None = None,
        *,
        namespace: str = "default",
        closes: bool = False,
    ) -> None:
        """On clients that are there already; with `closes` they are closed with the fleet."""
        self._connections = Connections(
            hub, members, clock=clock, namespace=namespace, closes=closes
        )

    @classmethod
    def connect(
        cls, kubeconfig: str | Path | None = None, hub: str = "", *, namespace: str = ""
    ) -> Self:
        """By a kubeconfig: the given one, else $KUBECONFIG, else the default fleet's, else ~/.kube/config.

        `hub` is the hub's context, by default `hub`, else the current one; `namespace` overrides the context's.
        """
        way = connections.by_kubeconfig(kubeconfig, hub=hub, namespace=namespace)
        return cls(way.hub, way.members, namespace=way.namespace, closes=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._connections.close()

    @property
    def connections(self) -> Connections:
        """The clients behind it."""
        return self._connections

    @property
    def namespace(self) -> str:
        """Where things are looked for that name no namespace."""
        return self._connections.namespace

    @property
    def problems(self) -> tuple[Unreachable, ...]:
        """The members that could not be asked when last they were to be: what was told without them is not all."""
        return self._connections.problems

    async def clusters(self) -> list[Cluster]:
        """The members of the fleet, by name."""
        from argosy.sdk.clusters import list_clusters

        return await list_clusters(self._connections)

    async def queues(self) -> list[Queue]:
        """The ClusterQueues of all members, by cluster and name. See `problems` for members that did not answer."""
        from argosy.sdk.queues import list_queues

        return await list_queues(self._connections)

    async def jobs(
        self, namespace: str | None = None, *, selector: str = "", finished: bool = True
    ) -> list[FleetJob]:
        """The jobs of a namespace, or of all of them, oldest first; with those the history remembers, if `finished`."""
        return await finding.list_jobs(
            self._connections, namespace, selector=selector, finished=finished
        )

    async def job(self, name: str, namespace: str = "", kind: str = "") -> FleetJob:
        """One job, or the last of that name that the history remembers; NotFound, or Ambiguous without a `kind`."""
        return await finding.find_job(self._connections, name, namespace or self.namespace, kind)

    def watch_jobs(
        self, namespace: str | None = None, *, selector: str = "", finished: bool = True
    ) -> AsyncGenerator[list[FleetJob], None]:
        """All jobs, now and again whenever something has changed, at most once a second."""
        return finding.watch_jobs(
            self._connections, namespace, selector=selector, finished=finished
        )

    async def consider(
        self,
        manifest: Manifest,
        *,
        namespace: str = "",
        queue: str = "",
        clusters: int = 1,
        prefer: str = "",
    ) -> Choice:
        """Where the hub would place this job now, and why. Nothing is written."""
        from argosy.sdk.considering import consider
        from argosy.sdk.submitting import prepared

        job = read_manifest(manifest, namespace=namespace, default=self.namespace)
        job = prepared(job, queue=queue)
        waits_in = queue_of(job["metadata"])
        return await consider(
            self._connections, job, queue=waits_in, clusters=clusters, prefer=prefer
        )

    async def submit(
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
        """Create a job on the hub and the placement that brings it to its clusters.

        `queue` is the LocalQueue it waits in; `prefer` is `` (room), `cheapest`, `fastest` or `region=NAME`; `keep` is
        how long both objects stay after the end, `` for ever.
        """
        from argosy.sdk.submitting import submit

        job = read_manifest(manifest, namespace=namespace, default=self.namespace)
        return await submit(
            self._connections,
            job,
            queue=queue,
            clusters=clusters,
            prefer=prefer,
            keep=keep,
            dry_run=dry_run,
        )

    def states(self, job: FleetJob) -> AsyncGenerator[FleetJob, None]:
        """A job, now and whenever it reads differently, until it has ended."""
        return waiting.states(self._connections, job)

    async def wait(
        self, name: str, namespace: str = "", *, timeout: float | None = None
    ) -> FleetJob:
        """The job when it has ended, whichever way; WaitTimeout (a TimeoutError) after `timeout` seconds."""
        where = namespace or self.namespace
        return await waiting.wait(self._connections, name, where, timeout=timeout)

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
    ) -> AsyncGenerator[LogLine, None]:
        """The lines of all pods of a job, on all clusters it is on; with `follow`, from its start to its end."""
        from argosy.sdk.logs import Asked, read_logs

        asked = Asked(container, tail, timestamps, previous, since_seconds)
        where = namespace or self.namespace
        return read_logs(self._connections, name, where, asked, follow=follow)

    async def cancel(
        self, name: str, namespace: str = "", *, timeout: float | None = None
    ) -> list[str]:
        """Delete a job and its placement; with a `timeout`, wait until both are gone. Tells what was deleted."""
        from argosy.sdk.cancelling import cancel

        where = namespace or self.namespace
        return await cancel(self._connections, name, where, timeout=timeout)

    async def why(self, name: str, namespace: str = "") -> str:
        """Why a job is where it is, or is not: its placement, and its queue on the clusters it is on."""
        from argosy.sdk.whys import why

        return await why(self._connections, name, namespace or self.namespace)

    def events(
        self,
        namespace: str | None = None,
        *,
        follow: bool = False,
        types: Sequence[str] = (),
        about: str = "",
    ) -> AsyncGenerator[FleetEvent, None]:
        """The events of hub and members, merged by time; with `follow`, those to come as well, without end.

        `about` is KIND/NAME; of a job (`job/train`) also what is told of its placement, Workload and pods.
        """
        from argosy.sdk.events import events

        return events(self._connections, namespace, follow=follow, types=types, about=about)
