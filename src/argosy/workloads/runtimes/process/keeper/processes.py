"""Who runs on this machine and what it uses, read from /proc.

One pass over /proc answers for all containers. A process belongs to a container when it descends from the container's
first process or carries the container's mark in its environment, which children inherit and daemons keep when they
leave their parent. Processes that come and go while we look are left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

MARK: Final = "ARGOSY_RUN"
TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGESIZE")


class Process(NamedTuple):
    """Times count the children that were waited for, so a tree's sum never loses the work of those who ended."""

    pid: int
    parent: int
    ticks: int
    memory_bytes: int
    is_zombie: bool


def look() -> dict[int, Process]:
    """All processes by pid."""
    found = {}
    for name in os.listdir("/proc"):  # noqa: PTH208  (names only, thousands of times)
        if name.isdigit():
            one = read(int(name))
            if one is not None:
                found[one.pid] = one
    return found


def read(pid: int) -> Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123  (a hot path)
            text = file.read()
    except OSError:
        return None
    # The name stands in parentheses and may hold anything; fields count from behind it.
    fields = text[text.rindex(b")") + 2 :].split()
    ticks = sum(int(fields[index]) for index in (11, 12, 13, 14))
    return Process(pid, int(fields[1]), ticks, int(fields[21]) * _PAGE, fields[0] in b"ZX")


def descendants(processes: Mapping[int, Process], roots: Iterable[int]) -> list[Process]:
    """The processes with these pids, and all below them, parents first."""
    children: dict[int, list[int]] = {}
    for one in processes.values():
        children.setdefault(one.parent, []).append(one.pid)
    found, left = [], list(roots)
    for pid in left:
        if pid in processes:
            found.append(processes[pid])
        left.extend(children.get(pid, ()))
    return found


def marked(pids: Iterable[int], mark: str) -> list[int]:
    """Those whose environment names this container (or, with a shorter mark, any of a group)."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for pid in pids:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:  # noqa: PTH123  (a hot path)
                environment = file.read()
        except OSError:
            continue
        if environment.startswith(wanted) or b"\0" + wanted in environment:
            found.append(pid)
    return found


def proportional_bytes(pid: int) -> int:
    """Memory of a process, of what it shares only its part; slow beside `read`."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:  # noqa: PTH123
            for line in file:
                if line.startswith(b"Pss:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        return 0
    return 0
