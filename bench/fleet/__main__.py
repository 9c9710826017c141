"""`make bench-fleet`: 80 clusters, 70,000 nodes, 350 Jobs, 140,000 pods, from an empty directory.

    python -m bench.fleet                   the whole proof
    python -m bench.fleet --clusters 10 20 40 80 --until running    how it grows

The fleet is the command that users run (`argosy up --fleet FILE --processes N`); everything is written and seen over
HTTPS. The clock starts when that command does. What is told: when all nodes are there (as the members say, and as the
hub says), when the queues are on all clusters, when the first and the last pod ran, how many writes a second that was,
and what each process cost; then when all Jobs were complete, and what is left when finished things have gone.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import msgspec
import uvloop

from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_QUEUES,
    CLUSTER_RESOURCE_PLACEMENTS,
    JOBS,
    LOCAL_QUEUES,
    NAMESPACES,
    RESOURCE_FLAVORS,
    RESOURCE_OVERRIDES,
    RESOURCE_PLACEMENTS,
    Resource,
)
from bench.apiserver.measuring import use_two_cores
from bench.apiserver.printing import aligned
from bench.fleet.costs import Cost, costs
from bench.fleet.objects import Plan, plan
from bench.fleet.observing import Answers, Observer, look
from peer.running import ControlPlane
from peer.serving import fleet

_MIB: Final = 2**20
_AT_ONCE: Final = 16
_DEADLINE_SECONDS: Final = 1800.0
_RESOURCES: Final[dict[str, Resource]] = {
    each.kind: each
    for each in (
        RESOURCE_FLAVORS,
        CLUSTER_QUEUES,
        LOCAL_QUEUES,
        NAMESPACES,
        CLUSTER_RESOURCE_PLACEMENTS,
        RESOURCE_PLACEMENTS,
        RESOURCE_OVERRIDES,
        JOBS,
    )
}
_STEPS: Final = (
    "ready",
    "nodes",
    "nodes at hub",
    "queues",
    "first pod",
    "last pod",
    "complete",
    "small",
)
_PER_CLUSTER: Final = (
    "ready per cluster",
    "filling per cluster",
    "all per cluster",
    "CPU per cluster",
    "memory per cluster",
)
_UNITS: Final = ("s", "s", "s", "s", "MiB")
_AIMS: Final = (
    "aims at 80 clusters: last pod within 300 s, 8,192 MiB in all, kubectl get p99 under 200 ms; "
    "what a cluster costs within x0.80 to x1.20"
)


@dataclass(slots=True)
class Proof:
    """One run, and what was measured."""

    plan: Plan
    began: float
    at: dict[str, float] = field(default_factory=dict)
    answers: Answers = field(default_factory=Answers)
    costs: dict[str, list[Cost]] = field(default_factory=dict)
    writes: int = 0

    @property
    def clusters(self) -> int:
        return len(self.plan.names)

    def reached(self, step: str) -> None:
        self.at[step] = time.monotonic() - self.began
        print(f"  {self.at[step]:7.1f} s  {step}", flush=True)


async def prove(plane: ControlPlane, proof: Proof, until: str) -> None:
    plan = proof.plan
    processes = list(plane.processes.values())
    async with (
        asyncio.timeout(_DEADLINE_SECONDS),
        Observer(plane.kubeconfig, plan.names, plan.namespace) as observer,
    ):
        probing = asyncio.create_task(observer.probe(proof.answers))
        await _until(lambda: _at_least(observer.nodes, plan.nodes))
        proof.reached("nodes")
        await _until(lambda: _at_least(observer.nodes_at_hub, plan.nodes))
        proof.reached("nodes at hub")
        await _queues(observer, plan)
        proof.reached("queues")
        writes = await observer.writes()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_submit(observer, plan))
            tasks.create_task(_fill(observer, proof))
        proof.writes = await observer.writes() - writes
        proof.costs["full"] = costs(processes)
        if until == "complete":
            await _empty(observer, proof)
            proof.costs["small"] = costs(processes)
        if probing.done():
            probing.result()
        probing.cancel()


async def _queues(observer: Observer, plan: Plan) -> None:
    """Write them, and wait until every member has them."""
    for each in plan.queues:
        await _create(observer, each)

    async def everywhere() -> bool:
        async with asyncio.TaskGroup() as tasks:
            asked = [
                tasks.create_task(each.list(LOCAL_QUEUES)) for each in observer.members.values()
            ]
        return all(each.result().items for each in asked)

    await _until(everywhere)


async def _submit(observer: Observer, plan: Plan) -> None:
    """The jobs and their placements, a few at a time."""
    waiting = plan.jobs[::-1]

    async def work() -> None:
        while waiting:
            for each in waiting.pop():
                await _create(observer, each)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(_AT_ONCE):
            tasks.create_task(work())


async def _fill(observer: Observer, proof: Proof) -> None:
    """Wait until all pods run."""
    said = 0.0
    while True:
        found = await observer.pods()
        if found.running and "first pod" not in proof.at:
            proof.reached("first pod")
        if found.succeeded:
            raise SystemExit(
                f"{found.succeeded:,} pods ended before all had begun: give the jobs more --seconds"
            )
        if found.running >= proof.plan.pods:
            proof.reached("last pod")
            return
        if time.monotonic() - said > 10:
            said = time.monotonic()
            print(f"           {found.running:,} of {proof.plan.pods:,} pods run", flush=True)
        await look()


async def _empty(observer: Observer, proof: Proof) -> None:
    """Wait until all jobs are complete, as the hub's history says, and until nothing of them is left."""

    async def placements() -> list[str]:
        listed = await observer.hub.list_all(RESOURCE_PLACEMENTS, namespace=proof.plan.namespace)
        return [raw.key.name for raw in listed.items if raw.key.name != "queue"]

    async def ended() -> bool:
        found = await observer.pods()
        return found.running == 0

    async def gone() -> bool:
        return not await placements() and (await observer.pods()).jobs == 0

    await _until(ended)
    proof.reached("complete")
    await _until(gone)
    proof.reached("small")


async def _create(observer: Observer, obj: Object) -> None:
    # In the version it is written in, which may be older than ours.
    version = obj["apiVersion"].rpartition("/")[2]
    resource = msgspec.structs.replace(_RESOURCES[obj["kind"]], version=version)
    await observer.hub.create(resource, obj, namespace=obj["metadata"].get("namespace"))


async def _at_least(count: Callable[[], Awaitable[int]], wanted: int) -> bool:
    return await count() >= wanted


async def _until(holds: Callable[[], Awaitable[bool]]) -> None:
    while not await holds():
        await look()


def run(clusters: int, *, processes: int, seconds: int, until: str) -> Proof:
    found = plan(clusters, seconds)
    print(f"{clusters} clusters, {found.nodes:,} nodes, {len(found.jobs)} jobs", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as scratch,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        file = Path(scratch) / "fleet.yaml"
        file.write_text(found.fleet_file)
        proof = Proof(found, time.monotonic())
        flags = ("--fleet", str(file), "--processes", str(processes))
        with fleet(Path(scratch), *flags) as plane:
            proof.reached("ready")
            runner.run(prove(plane, proof, until))
    return proof


def tables(proofs: list[Proof]) -> str:
    head = ["clusters", "nodes", "pods", *_STEPS, "writes/s", "CPU s", "RSS MiB"]
    lines = [head]
    details = []
    for proof in proofs:
        full = proof.costs["full"]
        filling = proof.at["last pod"] - proof.at["queues"]
        rss = sum(each.rss_bytes for each in full) / _MIB
        lines.append(
            [
                str(proof.clusters),
                f"{proof.plan.nodes:,}",
                f"{proof.plan.pods:,}",
                *(f"{proof.at[step]:.1f} s" if step in proof.at else "-" for step in _STEPS),
                f"{proof.writes / filling:,.0f}",
                f"{sum(each.cpu_seconds for each in full):.0f}",
                f"{rss:,.0f}",
            ]
        )
        details.append(f"{proof.clusters} clusters: the hub answered: {proof.answers.told()}")
        for moment, found in proof.costs.items():
            told = "; ".join(
                f"{each.name} {each.cpu_seconds:.0f} CPU s, {each.rss_bytes / _MIB:,.0f} MiB"
                for each in found
            )
            details.append(f"{proof.clusters} clusters, {moment}: {told}")
    return "\n\n".join((aligned(lines), aligned(growth(proofs)), "\n".join(details)))


def growth(proofs: list[Proof]) -> list[list[str]]:
    """What a cluster costs in a fleet of each size, and how that compares with the smallest fleet."""
    lines = [["clusters", *_PER_CLUSTER]]
    first: list[float] = []
    for proof in proofs:
        full = proof.costs["full"]
        found = [
            proof.at["ready"],
            proof.at["last pod"] - proof.at["queues"],
            proof.at["last pod"],
            sum(each.cpu_seconds for each in full),
            sum(each.rss_bytes for each in full) / _MIB,
        ]
        each = [amount / proof.clusters for amount in found]
        first = first or each
        told = [
            f"{amount:.2f} {unit} (x{amount / least:.2f})"
            for amount, least, unit in zip(each, first, _UNITS, strict=True)
        ]
        lines.append([str(proof.clusters), *told])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.fleet", description=__doc__)
    parser.add_argument("--clusters", type=int, nargs="+", default=[80])
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=300, help="how long a pod runs")
    parser.add_argument("--until", choices=["running", "complete"], default="complete")
    options = parser.parse_args()
    print(f"{use_two_cores()} cores, fsync on, driven and seen over HTTPS", flush=True)
    proofs = [
        run(number, processes=options.processes, seconds=options.seconds, until=options.until)
        for number in options.clusters
    ]
    print(f"\n{tables(proofs)}\n\n{_AIMS}")


if __name__ == "__main__":
    main()
