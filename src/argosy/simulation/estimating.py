"""How large a run will be, said before it begins: how many jobs and events, how much memory and disk.

The figures per thing were measured on runs of the shipped scenarios and are rounded up. What does not fit is refused
before anything is built; what is near is warned of.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from argosy.base.quantities import NANOS, parse
from argosy.fleet.shapes import PoolShape
from argosy.simulation.arriving import expected, expected_pods
from argosy.simulation.drawing import mean
from argosy.simulation.plans import Scenario

_PROCESS_BYTES: Final = 120 << 20
_MEMBER_BYTES: Final = 12 << 20
_NODE_BYTES: Final = 12 << 10
# A job that the fleet still knows, with all that belongs to it on hub and member; and one of its pods.
_JOB_BYTES: Final = 90 << 10
_POD_BYTES: Final = 15 << 10
# A job as the ledger keeps it to the end.
_RECORD_BYTES: Final = 2 << 10
_JOB_DISK_BYTES: Final = 1500
# What more a fleet in real time needs: processes, and stores on disk.
_LIVE_PROCESS_BYTES: Final = 80 << 20
_LIVE_POD_BYTES: Final = 8 << 10
_MEMBER_DISK_BYTES: Final = 2 << 20
_NODE_DISK_BYTES: Final = 6 << 10
_POD_DISK_BYTES: Final = 12 << 10
# Finished jobs stay on their member for a day at most, on the hub for `keep`.
_KNOWN_SECONDS: Final = 3600.0
_NEAR: Final = 0.7


class TooLarge(Exception):
    """It does not fit this machine; the message says how much is there and what to change."""


@dataclass(slots=True, frozen=True)
class Estimate:
    """`warning` is empty where all is well."""

    jobs: int
    nodes: int
    memory_bytes: int
    disk_bytes: int
    warning: str = ""


def estimate(scenario: Scenario, *, processes: int = 0) -> Estimate:
    """What a run will need, about: in virtual time, or live in so many processes."""
    jobs = expected(scenario)
    nodes = sum(_machines(pool) for member in scenario.members for pool in member.pools)
    longest = max((mean(each.seconds) for each in scenario.streams), default=0.0)
    known = min(1.0, (longest + scenario.keep + _KNOWN_SECONDS) / scenario.horizon) * jobs
    pods = min(
        known * expected_pods(scenario), _room(scenario) * (1 + scenario.keep / max(1.0, longest))
    )
    memory = (
        _PROCESS_BYTES
        + len(scenario.members) * _MEMBER_BYTES
        + nodes * _NODE_BYTES
        + known * _JOB_BYTES
        + pods * _POD_BYTES
        + jobs * _RECORD_BYTES
    )
    disk = jobs * _JOB_DISK_BYTES
    if processes:
        memory += processes * _LIVE_PROCESS_BYTES + pods * _LIVE_POD_BYTES
        disk += (
            len(scenario.members) * _MEMBER_DISK_BYTES
            + nodes * _NODE_DISK_BYTES
            + pods * _POD_DISK_BYTES
        )
    return Estimate(round(jobs), nodes, int(memory), int(disk))


def _room(scenario: Scenario) -> float:
    """How many pods can run at once, by their cores: those of jobs that wait are not there."""
    cores = sum(
        _machines(pool) * parse(str(pool.spec["machine"]["cpu"])).nanos / NANOS
        for member in scenario.members
        for pool in member.pools
    )
    asked = (parse(each.resources.get("cpu", "0")).nanos / NANOS for each in scenario.streams)
    return cores / min((each for each in asked if each), default=1.0)


def _machines(pool: PoolShape) -> int:
    most: int = pool.spec.get("maximum") or pool.spec.get("minimum") or 0
    return most


def check(found: Estimate, directory: Path) -> Estimate:
    """The estimate with a warning if it will be tight; TooLarge if it will not fit."""
    free_memory, free_disk = available_memory(), shutil.disk_usage(directory).free
    if free_memory is not None and found.memory_bytes > free_memory:
        raise TooLarge(
            f"about {_size(found.memory_bytes)} of memory are needed for {found.jobs:,} jobs on {found.nodes:,} nodes, "
            f"and {_size(free_memory)} are free: shorten it with --until, or make the fleet smaller"
        )
    if found.disk_bytes > free_disk:
        raise TooLarge(
            f"about {_size(found.disk_bytes)} of disk are needed in {directory}, and {_size(free_disk)} are free: give "
            "--out another directory, or shorten it with --until"
        )
    warning = ""
    if free_memory is not None and found.memory_bytes > _NEAR * free_memory:
        warning = (
            f"about {_size(found.memory_bytes)} of {_size(free_memory)} free memory will be needed"
        )
    elif found.disk_bytes > _NEAR * free_disk:
        warning = f"about {_size(found.disk_bytes)} of {_size(free_disk)} free disk will be needed"
    return Estimate(found.jobs, found.nodes, found.memory_bytes, found.disk_bytes, warning)


def available_memory() -> int | None:
    """What the kernel says can be had without swapping; None where it does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return None


def _size(amount: int) -> str:
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20)):
        if amount >= size:
            return f"{amount / size:.1f} {unit}"
    return f"{amount / 1024:.0f} KiB"


def told(found: Estimate) -> str:
    return (
        f"about {found.jobs:,} jobs on {found.nodes:,} nodes; {_size(found.memory_bytes)} of memory, "
        f"{_size(found.disk_bytes)} of disk"
    )
