"""What a server costs: CPU seconds and resident memory of its processes, read from /proc.

A server may be several processes (kube-apiserver and etcd; the workers of one of ours); children
count with their parent, so what is compared is everything that makes the answers.
"""

from __future__ import annotations

import os
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


def use_two_cores() -> int:
    """Bind this process and its children to the first two cores; say how many there are."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, cores)
    return len(cores)
