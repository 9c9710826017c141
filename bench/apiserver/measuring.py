"""What a server costs: CPU seconds and resident memory of its processes, read from /proc.

A server may be several processes (kube-apiserver and etcd; the workers of one of ours); children
count with their parent, so what is compared is everything that makes the answers.

`Cores` tells how much of the cores anybody else used meanwhile. Throughput on cores that are shared
with strangers says nothing: two rounds of the same row on a busy machine differed by a factor of
three, and their ratio to the peer even changed sides. CPU per operation stayed within a fifth.
"""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(slots=True, frozen=True)
class Usage:
    """CPU seconds since the processes began, and bytes in memory now."""

    cpu_seconds: float
    rss_bytes: int


def usage(processes: Iterable[subprocess.Popen[bytes]]) -> Usage:
    """Sum up the processes and their descendants."""
    cpu, rss = 0.0, 0
    waiting = [process.pid for process in processes]
    while waiting:
        pid = waiting.pop()
        directory = Path(f"/proc/{pid}")
        fields = (directory / "stat").read_text().rpartition(")")[2].split()
        cpu += (int(fields[11]) + int(fields[12])) / TICKS
        rss += int((directory / "statm").read_text().split()[1]) * PAGE
        for task in (directory / "task").iterdir():
            waiting += [int(child) for child in (task / "children").read_text().split()]
    return Usage(cpu, rss)


@dataclass(slots=True, frozen=True)
class Cores:
    """CPU seconds that our cores have been busy, and those that we and our children used."""

    busy_seconds: float
    own_seconds: float

    def others_since(self, before: Cores, server_seconds: float, elapsed: float) -> float:
        """Return the share of the cores that went to neither the server nor the generator."""
        busy = self.busy_seconds - before.busy_seconds
        own = self.own_seconds - before.own_seconds + server_seconds
        return max(0.0, busy - own) / (elapsed * len(os.sched_getaffinity(0)))


def cores() -> Cores:
    """Read how busy the cores are that this process may use."""
    mine = {f"cpu{core}" for core in os.sched_getaffinity(0)}
    ticks = 0
    for line in Path("/proc/stat").read_text().splitlines():
        name, *fields = line.split()
        if name in mine:
            user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields[:8])
            ticks += user + nice + system + irq + softirq + steal
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return Cores(ticks / TICKS, sum(each.ru_utime + each.ru_stime for each in spent))


def use_two_cores() -> int:
    """Bind this process and its children to the first two cores; say how many there are."""
    chosen = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, chosen)
    return len(chosen)
