"""`make bench-placement`: placements a second, many members, and a change that reaches all of them.

KubeFleet with its own kube-apiservers and etcds on two cores like these: 6.4 placements a second for the first row
(1,000 in 156 s, 309 CPU seconds, 1.96 GiB for the hub's API server alone); for the second, with 80 members that nobody
works on, 44 s until the 200 are synchronized and 88 s until all Works exist (174 CPU seconds, 2.35 GiB).
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import uvloop

from argosy.base.types import Object
from argosy.client import kubeconfig
from argosy.client.remote import RemoteClient
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENTS,
    CLUSTER_ROLES,
    JOBS,
    MEMBER_CLUSTERS,
    NAMESPACES,
    RESOURCE_PLACEMENTS,
    WORKS,
)
from bench.apiserver.measuring import cores, usage, use_two_cores
from bench.apiserver.printing import QUIET, aligned
from bench.placement.objects import (
    NAMESPACE,
    cluster_role,
    job,
    job_placement,
    namespace_placement,
    role_placement,
)
from bench.placement.observing import Observer, has
from bench.recording import add_recording, record
from peer.running import ControlPlane
from peer.serving import fleet

MIB = 2**20
AT_ONCE = 32
JOBS_PLACED = 1000
PICKED, EVERYWHERE, CHANGED = 200, 20, 10
PEER_PER_SECOND = 6.4
DEADLINE_SECONDS = 900.0
# A change counts when it is made: nobody waits for more of them to come.
NO_DELAYS = (
    "--resource-changes-collection-duration=0s",
    "--resource-snapshot-creation-minimum-interval=0s",
)
COLUMNS = "load, members, wall, told, CPU s, RSS MiB, others"


@dataclass
class Hub:
    """A hub whose members have joined, and what is seen of its placements."""

    client: RemoteClient
    observer: Observer


async def burst(hub: Hub) -> str:
    """The guide's pattern, a thousand times."""
    names = [f"job-{number:04}" for number in range(JOBS_PLACED)]
    began = time.monotonic()

    async def submit(name: str) -> None:
        await hub.client.create(JOBS, job(name), namespace=NAMESPACE)
        await hub.client.create(RESOURCE_PLACEMENTS, job_placement(name), namespace=NAMESPACE)

    await _each(names, submit)
    ended = await hub.observer.until(JOBS_PLACED, has("Applied", "job-"))
    rate = JOBS_PLACED / (ended - began)
    spread_over = " + ".join(str(number) for number in hub.observer.by_cluster("job-"))
    return (
        f"{rate:.1f} placements/s, {rate / PEER_PER_SECOND:.1f}x KubeFleet's {PEER_PER_SECOND}; "
        f"{spread_over} on the clusters (KubeFleet's: all on one)"
    )


async def spread(hub: Hub) -> str:
    """Some on one cluster, some on all of them."""
    members = len((await hub.client.list_all(MEMBER_CLUSTERS)).items)
    began = time.monotonic()

    async def pick(name: str) -> None:
        await hub.client.create(JOBS, job(name), namespace=NAMESPACE)
        await hub.client.create(RESOURCE_PLACEMENTS, job_placement(name), namespace=NAMESPACE)

    async def everywhere(name: str) -> None:
        await hub.client.create(CLUSTER_ROLES, cluster_role(name))
        await hub.client.create(CLUSTER_RESOURCE_PLACEMENTS, role_placement(name))

    await _each([f"role-{number:03}" for number in range(EVERYWHERE)], everywhere)
    await _each([f"pick-{number:03}" for number in range(PICKED)], pick)
    picked = await hub.observer.until(PICKED, has("WorkSynchronized", "pick-")) - began
    works = await hub.observer.until(EVERYWHERE, has("WorkSynchronized", "role-")) - began
    await hub.observer.until(PICKED, has("Applied", "pick-"))
    applied = await hub.observer.until(EVERYWHERE, has("Applied", "role-")) - began
    number = PICKED + EVERYWHERE * members
    found = len(
        (await hub.client.list_all(WORKS, label_selector="kubernetes-fleet.io/parent-CRP")).items
    )
    assert found >= number, f"{found} Works are there, {number} were awaited"
    return (
        f"{PICKED} synchronized after {picked:.1f} s, {number:,} Works after {works:.1f} s "
        f"({number / works:.0f} Works/s), applied after {applied:.1f} s"
    )


async def change(hub: Hub) -> str:
    """Placements that are everywhere, changed."""
    names = [f"role-{number:03}" for number in range(CHANGED)]
    began = time.monotonic()

    async def edit(name: str) -> None:
        await hub.client.patch(CLUSTER_ROLES, name, {"rules": cluster_role(name, "list")["rules"]})

    await _each(names, edit)
    ended = await hub.observer.until(CHANGED, has("Available", "role-", index="1"))
    return f"every member has the change of {CHANGED} placements after {ended - began:.1f} s"


async def _each(names: Iterable[str], act: Callable[[str], Awaitable[None]]) -> None:
    waiting = list(names)[::-1]

    async def work() -> None:
        while waiting:
            await act(waiting.pop())

    async with asyncio.TaskGroup() as tasks:
        for _ in range(AT_ONCE):
            tasks.create_task(work())


@asynccontextmanager
async def _hub(plane: ControlPlane, members: int) -> AsyncIterator[Hub]:
    connection = kubeconfig.load(plane.kubeconfig, context="hub")
    async with RemoteClient(connection) as client:
        observer = Observer(client)
        watching = asyncio.create_task(observer.run())
        try:
            await _joined(client, members)
            await client.create(NAMESPACES, {"metadata": {"name": NAMESPACE}})
            await client.create(CLUSTER_RESOURCE_PLACEMENTS, namespace_placement())
            await observer.until(1, has("Available", "bench-namespace"))
            yield Hub(client, observer)
        finally:
            watching.cancel()


async def _joined(client: RemoteClient, members: int) -> None:
    while True:
        found = [_available(raw.raw) for raw in (await client.list_all(MEMBER_CLUSTERS)).items]
        if sum(found) >= members:
            return
        await asyncio.sleep(0.2)


def _available(raw: bytes) -> bool:
    import msgspec

    member: Object = msgspec.json.decode(raw)
    return bool(member.get("status", {}).get("resourceUsage", {}).get("available"))


def measure(
    members: int, loads: Mapping[str, Callable[[Hub], Awaitable[str]]], flags: tuple[str, ...] = ()
) -> list[list[str]]:
    """The lines of the loads that one fleet takes, one after the other."""
    lines: list[list[str]] = []

    async def run(plane: ControlPlane) -> None:
        processes = list(plane.processes.values())
        async with asyncio.timeout(DEADLINE_SECONDS), _hub(plane, members) as hub:
            for name, load in loads.items():
                busy, before, began = cores(), usage(processes), time.monotonic()
                told = await load(hub)
                wall = time.monotonic() - began
                after = usage(processes)
                spent = after.cpu_seconds - before.cpu_seconds
                others = cores().others_since(busy, spent, wall)
                lines.append(
                    [
                        name,
                        str(members),
                        f"{wall:.1f} s",
                        told,
                        f"{spent:.1f}",
                        f"{after.rss_bytes / MIB:,.0f}",
                        f"{100 * others:.0f} %" + ("" if others <= QUIET else " (not quiet)"),
                    ]
                )
                print("  ".join(lines[-1]), flush=True)

    with (
        tempfile.TemporaryDirectory(prefix="bench-") as directory,
        fleet(Path(directory), "--members", str(members), *flags) as plane,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        runner.run(run(plane))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.placement", description=__doc__)
    parser.add_argument("--only", choices=["burst", "spread"], help="one fleet alone")
    parser.add_argument("--members", type=int, default=80, help="of the second fleet")
    add_recording(parser)
    options = parser.parse_args()
    print(f"{use_two_cores()} cores, fsync on, driven and seen over HTTPS", flush=True)
    lines = [COLUMNS.split(", ")]
    if options.only in {None, "burst"}:
        lines += measure(2, {f"{JOBS_PLACED:,} jobs, one cluster each": burst})
    if options.only in {None, "spread"}:
        loads = {
            f"{PICKED} on one, {EVERYWHERE} on all": spread,
            f"{CHANGED} on all, changed": change,
        }
        lines += measure(options.members, loads, NO_DELAYS)
    print(f"\n{aligned(lines)}")
    if options.record:
        record("placement", "make bench-placement", lines)


if __name__ == "__main__":
    main()
