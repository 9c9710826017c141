"""What containers use: processor time between two looks at /proc, and memory now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.workloads.runtimes.process.keeper import processes
from argosy.workloads.runtimes.protocol import Usage

_NANOS: Final = 1_000_000_000


class Meter:
    """Remembers the last look, by run."""

    def __init__(self) -> None:
        self._ticks: dict[str, tuple[int, float]] = {}
        self.usage: dict[str, Usage] = {}

    def measure(self, pids: Mapping[str, int], now: float) -> None:
        """Look at the processes of all runs: `pids` has the first process of each. One pass over /proc."""
        found = processes.look()
        ticks, usage = {}, {}
        for run, pid in pids.items():
            below = processes.descendants(found, [pid])
            spent = sum(one.ticks for one in below)
            memory = sum(processes.proportional_bytes(one.pid) for one in below)
            before, then = self._ticks.get(run, (spent, now))
            cores = 0
            if now > then:
                seconds = max(0, spent - before) / processes.TICKS_PER_SECOND
                cores = int(seconds / (now - then) * _NANOS)
            ticks[run] = (spent, now)
            usage[run] = Usage(cores, memory)
        self._ticks, self.usage = ticks, usage
