"""Why a job is where it is, or is not: one text from its placement to its queues.

First how the job stands, in a line. Then its placement's own explanation (`placement.explaining`), from the hub. Then,
for every cluster it is on, what the queue there says of its Workload (`queueing.explaining`), in the words of `argosy
why` on that cluster. A cluster that cannot be asked is told in its place.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from argosy.api.objects.kueue.workloads import Workload
from argosy.base.durations import human_duration
from argosy.base.errors import NotFound, StatusError
from argosy.client.objects import decode
from argosy.client.protocol import Client
from argosy.placement.explaining import whys as placements
from argosy.queueing.explaining.explaining import explain
from argosy.queueing.explaining.pictures import Picture
from argosy.sdk import kinds, owned
from argosy.sdk.connections import Connections
from argosy.sdk.errors import FleetError, Unreachable
from argosy.sdk.families import gather as gather_family
from argosy.sdk.finding import find_job
from argosy.sdk.gathering import gather
from argosy.sdk.jobs import FleetJob, JobState
from argosy.sdk.positions import position_of
from argosy.sdk.sessions import Session, view
from argosy.sdk.telling import told


async def why(ways: Connections, name: str, namespace: str) -> str:
    """Paragraphs of lines."""
    job = await find_job(ways, name, namespace)
    paragraphs = [opening(job, ways)]
    if not job.from_history:
        if job.placement:
            paragraphs.append(await _placement(ways, job))
        if not job.is_ended and job.state is not JobState.UNPLACED:
            paragraphs += [each async for each in _queues(ways, job)]
    return "\n".join(paragraphs)


def opening(job: FleetJob, ways: Connections) -> str:
    now = ways.clock.now()
    where = f" on {', '.join(job.clusters)}" if job.clusters else ""
    said = f": {job.message}" if job.message else ""
    line = f"{job.kind} {job.namespace}/{job.name} is {job.state}{where}{said}."
    waited, ran = job.wait_seconds(now), job.run_seconds(now)
    if ran is not None and waited is not None:
        line += f" It waited {human_duration(waited)} and has run for {human_duration(ran)}."
    elif waited is not None:
        line += f" It has waited {human_duration(waited)}."
    if job.from_history:
        line += " It is gone from the hub; this is what the history has kept of it."
    return line + "\n"


async def _placement(ways: Connections, job: FleetJob) -> str:
    kind, _, name = job.placement.partition("/")
    try:
        return placements.told(await gather_family(ways.hub, job.namespace, kind, name))
    except FleetError as error:
        return f"{error}\n"


async def _queues(ways: Connections, job: FleetJob) -> AsyncIterator[str]:
    for cluster in job.clusters:
        try:
            text = await ways.ask(cluster, lambda client: explain_on(client, ways, job))
        except (Unreachable, FleetError) as error:
            text = f"{error}\n"
        except StatusError as error:
            text = f"{error.message}\n"
        if text:
            yield f"On cluster {cluster}:\n" + "".join(
                f"  {line}".rstrip() + "\n" for line in text.splitlines()
            )


async def explain_on(client: Client, ways: Connections, job: FleetJob) -> str:
    """What the queue of one cluster says of the job; "" where it is not queued."""
    group, _, version = job.api_version.rpartition("/")
    resource = kinds.resource_of(group, job.kind, version)
    session = Session(client, job.namespace, ways.clock.now())
    try:
        found = decode(await client.get(resource, job.name, namespace=job.namespace))
    except NotFound:
        return f"{job.kind} {job.name} is not there yet.\n"
    workloads = [view(Workload, raw) for raw in await owned.of_job(session, found)]
    if not workloads:
        queue = kinds.queue_of(found["metadata"])
        return f"It has no Workload yet, though it names queue {queue}.\n" if queue else ""
    picture = Picture(await gather(session, namespace=job.namespace))
    texts = []
    for workload in workloads:
        position = await position_of(session, workload, picture)
        texts.append(
            told(explain(workload, picture, now=session.now, position=position), session.now)
        )
    return "\n".join(texts)
