"""A fleet that remembers its jobs, and what its history says."""

from __future__ import annotations

import msgspec

from argosy.api.objects.history import JobHistory, JobRecord
from argosy.base.types import Json, Object
from argosy.client.protocol import Propagation
from argosy.client.resources import (
    JOB_HISTORIES,
    JOBS,
    NAMESPACES,
    RESOURCE_PLACEMENTS,
)
from argosy.dispatch.assembling import HistorySettings
from argosy.sdk.submitting import placement_of
from tests.behaviour.fleet.worlds import Fleet, Shape, job, pick, rolling

KEEP = "argosy.dev/keep-after-end"
REMEMBERS = HistorySettings()
RUNS = Shape(members=("m1", "m2"), runs=True, remembers=REMEMBERS)
ONE = Shape(members=("m1",), runs=True, remembers=REMEMBERS)
FAILS: Object = {"argosy.dev/duration": "5s", "argosy.dev/outcome": "fail:3"}


async def space(fleet: Fleet, namespace: str = "app") -> None:
    for member in fleet.members.values():
        await member.create(NAMESPACES, {"metadata": {"name": namespace}})


async def pages(fleet: Fleet) -> list[JobHistory]:
    """In the order of their names."""
    found = await fleet.hub.list(JOB_HISTORIES)
    return sorted(
        (msgspec.convert(each, JobHistory) for each in found), key=lambda each: each.metadata.key
    )


async def records(fleet: Fleet) -> list[JobRecord]:
    """All of them; no uid comes twice."""
    found = [record for page in await pages(fleet) for record in page.records]
    assert len({each.uid for each in found}) == len(found)
    return found


async def record(fleet: Fleet, name: str = "j") -> JobRecord | None:
    found = [each for each in await records(fleet) if each.name == name]
    return found[0] if found else None


async def guided(
    fleet: Fleet,
    name: str = "j",
    *,
    seconds: int = 10,
    clusters: int = 1,
    keep: str = "",
    keep_placement: str = "",
    **spec: Json,
) -> str:
    """A job and its placement as the guide has them; returns the job's uid."""
    body = job(name, seconds, **spec)
    if keep:
        body["metadata"]["annotations"] = {KEEP: keep}
    uid = str((await fleet.hub.create(JOBS, body, "app"))["metadata"]["uid"])
    placement: Object = {
        "metadata": {"name": name},
        "spec": {
            "resourceSelectors": [{"group": "batch", "version": "v1", "kind": "Job", "name": name}],
            "policy": pick("PickN", clusters),
            "strategy": rolling(),
        },
    }
    if keep_placement:
        placement["metadata"]["annotations"] = {KEEP: keep_placement}
    await fleet.hub.create(RESOURCE_PLACEMENTS, placement, "app")
    return uid


async def submitted(fleet: Fleet, name: str = "j", *, seconds: int = 10, keep: str = "10m") -> str:
    """As `argosy submit` makes them; returns the job's uid."""
    body = job(name, seconds)
    body["metadata"]["annotations"] = {KEEP: keep}
    created = await fleet.hub.create(JOBS, body, "app")
    placement = placement_of(created, pick("PickN", 1), keep=keep)
    await fleet.hub.create(RESOURCE_PLACEMENTS, placement, "app")
    return str(created["metadata"]["uid"])


async def deleted(fleet: Fleet, name: str) -> None:
    """As kubectl deletes a job."""
    await fleet.hub.client.delete(JOBS, name, namespace="app", propagation=Propagation.BACKGROUND)
