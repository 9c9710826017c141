"""Jobs by what users call them: all of a namespace, one by its name, and all as they change."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Final

from argosy.sdk import kinds
from argosy.sdk.connections import Connections
from argosy.sdk.errors import Ambiguous, NotFound
from argosy.sdk.following import following_all
from argosy.sdk.jobs import FleetJob
from argosy.sdk.reading import fleet_jobs
from argosy.sdk.sights import look

# People do not read faster, and a busy hub changes all the time.
_PAUSE_SECONDS: Final = 1.0


async def list_jobs(
    ways: Connections, namespace: str | None, *, selector: str = "", finished: bool = True
) -> list[FleetJob]:
    """The history keeps no labels: with a selector, jobs whose objects are gone are left out."""
    sight = await look(ways, namespace, selector=selector, history=not selector or finished)
    found = fleet_jobs(sight, finished=finished)
    return [each for each in found if not each.from_history] if selector else found


async def watch_jobs(
    ways: Connections, namespace: str | None, *, selector: str = "", finished: bool = True
) -> AsyncGenerator[list[FleetJob], None]:
    """The same, now and after every change, at most once a second."""
    async with following_all(ways, namespace, selector=selector) as followed:
        async for _ in followed.changes(_PAUSE_SECONDS):
            found = fleet_jobs(followed.sight(), finished=finished)
            yield [each for each in found if not each.from_history] if selector else found


async def find_job(ways: Connections, name: str, namespace: str, kind: str = "") -> FleetJob:
    """The job of that name, or the last one that the history remembers. `rayjob/x` names kind and job."""
    wanted, name = split(name, kind)
    sight = await look(ways, namespace, name=name)
    found = [each for each in fleet_jobs(sight) if each.name == name and each.kind in wanted]
    present = [each for each in found if not each.from_history]
    if len(present) > 1:
        ones = ", ".join(f"{each.kind.lower()}/{name}" for each in present)
        raise Ambiguous(f'several jobs in namespace "{namespace}" are called "{name}": say {ones}')
    if present:
        return present[0]
    if found:
        # Those that never ended are none of the history's.
        return max(found, key=lambda each: each.ended.timestamp() if each.ended else 0.0)
    raise NotFound(
        f'no job "{name}" in namespace "{namespace}", and none in its history: '
        "argosy jobs -A shows the jobs of all namespaces"
    )


def split(name: str, kind: str = "") -> tuple[frozenset[str], str]:
    """The kinds that are meant, and the name."""
    said, _, rest = name.rpartition("/")
    text = kind or said
    wanted = kinds.matching(text)
    if not wanted:
        raise NotFound(f'"{text}" is no kind of job: there are {kinds.names_of_kinds()}')
    return wanted, rest
