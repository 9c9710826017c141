"""Who runs the Jobs: Argosy with its simulated nodes, and a real control plane whose kubelets are kwok's.

Both start fresh in a temporary directory, with fsync on; the peer runs etcd, kube-apiserver, kube-controller-manager,
kube-scheduler and kwok, with or without the client rate limits that they are released with. Then come nodes, and Jobs
whose pods all run at once and end after `run_seconds`. That time is taken off what the Jobs took, so what remains is
what the control plane needed.

`others` says which share of the cores strangers had meanwhile: above `QUIET` rates are not comparable. On starved
cores kube-apiserver drops the watches of its own components, kwok then plays stages twice, and the Job controller
was seen to delete a few pods that it still needed (`lost`).
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench.apiserver.measuring import cores, usage
from bench.workloads.observing import Observer, job
from peer.running import ControlPlane, control_plane
from peer.serving import argosy

STACK = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok")
DEADLINE_SECONDS = 900.0

Contestant = Literal["argosy", "kwok", "kwok, limits lifted"]
# The annotation that tells a pod when to end.
ENDS_AFTER: dict[Contestant, str] = {
    "argosy": "argosy.dev/duration",
    "kwok": "peer.argosy.dev/ends-after",
    "kwok, limits lifted": "peer.argosy.dev/ends-after",
}


@dataclass(slots=True, frozen=True)
class Case:
    """How many nodes, how many Jobs of how many pods, and how long each pod runs."""

    nodes: int
    jobs: int
    pods: int
    run_seconds: float

    @property
    def all_pods(self) -> int:
        return self.jobs * self.pods


@dataclass(slots=True, frozen=True)
class Run:
    """Seconds from the creation of the Jobs; `complete_seconds` without the time that pods ran."""

    case: Case
    nodes_ready_seconds: float
    running_seconds: float
    complete_seconds: float
    cpu_seconds: float
    rss_bytes: int
    lost: int
    others: float

    @property
    def running_per_second(self) -> float:
        return self.case.all_pods / self.running_seconds

    @property
    def complete_per_second(self) -> float:
        return self.case.all_pods / self.complete_seconds


def measure(contestant: Contestant, case: Case) -> Run:
    """Start a contestant, run the case, tear everything down."""
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as directory,
        _started(contestant, Path(directory)) as plane,
    ):
        return asyncio.run(_measure(contestant, plane, case))


@contextmanager
def _started(contestant: Contestant, directory: Path) -> Iterator[ControlPlane]:
    if contestant == "argosy":
        with argosy(directory) as plane:
            yield plane
        return
    limits = contestant == "kwok"
    with control_plane(
        directory, controllers="*", scheduler=True, kwok=True, limits=limits
    ) as plane:
        yield plane


async def _measure(contestant: Contestant, plane: ControlPlane, case: Case) -> Run:
    async with asyncio.timeout(DEADLINE_SECONDS), Observer(plane) as observer:
        began = time.monotonic()
        await observer.add_namespace()
        if contestant == "argosy":
            await observer.add_pool(case.nodes)
        else:
            await observer.add_nodes(case.nodes)
        ready = time.monotonic() - began
        busy, before = cores(), usage(plane.processes.values())
        ends = {ENDS_AFTER[contestant]: f"{case.run_seconds}s"}
        if case.jobs == 1:
            seen = await observer.run_job(job("work", case.pods, ends), case.pods)
        else:
            bodies = [job(f"work-{number}", case.pods, ends) for number in range(case.jobs)]
            seen = await observer.run_jobs(bodies, case.all_pods)
        after = usage(plane.processes.values())
        spent = after.cpu_seconds - before.cpu_seconds
        others = cores().others_since(busy, spent, seen.complete_seconds)
    return Run(
        case=case,
        nodes_ready_seconds=ready,
        running_seconds=seen.running_seconds,
        complete_seconds=seen.complete_seconds - case.run_seconds,
        cpu_seconds=spent,
        rss_bytes=after.rss_bytes,
        lost=seen.lost,
        others=others,
    )
