"""What a container may use: processors and memory. Pure.

A whole number of processors, fewer than the machine has, becomes a set of processors of its own, those with the
fewest containers on them; parts of processors are not enforced. The memory limit is in bytes, 0 for none.
"""

from __future__ import annotations

from collections.abc import Iterable

from argosy.api.objects import Container
from argosy.base.quantities import parse


def choose_cpus(container: Container, machine: Iterable[int], taken: Iterable[int]) -> list[int]:
    """Processors for a container; [] for all of them. `taken` has a processor once for each container bound to it."""
    limit = container.resources.limits.get("cpu")
    if limit is None:
        return []
    milli = parse(limit).milli()
    everything = sorted(machine)
    count = milli // 1000
    if milli % 1000 or not 0 < count < len(everything):
        return []
    load = dict.fromkeys(everything, 0)
    for one in taken:
        if one in load:
            load[one] += 1
    return sorted(sorted(everything, key=lambda one: load[one])[:count])


def memory_bytes(container: Container) -> int:
    limit = container.resources.limits.get("memory")
    return parse(limit).value() if limit is not None else 0
