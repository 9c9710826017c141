"""What each process of a fleet costs, read from /proc."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.apiserver.measuring import PAGE, TICKS


@dataclass(slots=True, frozen=True)
class Cost:
    name: str
    cpu_seconds: float
    rss_bytes: int


def costs(processes: Iterable[subprocess.Popen[bytes]]) -> list[Cost]:
    """Of the hub's process and of those it has started, in the order of their starts."""
    found: list[Cost] = []
    waiting = [("hub", process.pid) for process in processes]
    while waiting:
        name, pid = waiting.pop(0)
        directory = Path(f"/proc/{pid}")
        fields = (directory / "stat").read_text().rpartition(")")[2].split()
        cpu = (int(fields[11]) + int(fields[12])) / TICKS
        rss = int((directory / "statm").read_text().split()[1]) * PAGE
        found.append(Cost(name, cpu, rss))
        for task in (directory / "task").iterdir():
            for child in (task / "children").read_text().split():
                waiting.append((f"members-{len(found) + len(waiting)}", int(child)))
    return found
