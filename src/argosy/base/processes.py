"""What a process uses of its machine, under the names every Prometheus client gives it.

Read from /proc when somebody asks. Where there is no /proc, processor time is all that is told.
"""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path
from typing import Final

from argosy.base.metrics import Registry

_STAT: Final = Path("/proc/self/stat")
_FILES: Final = Path("/proc/self/fd")
# Fields of /proc/self/stat, counted from the one after the command's name.
_VIRTUAL_BYTES: Final = 20
_RESIDENT_PAGES: Final = 21
_STARTED: Final = time.time()


def add_process_metrics(registry: Registry) -> None:
    """Have a registry tell of the process it is in."""
    registry.counter(
        "process_cpu_seconds_total", "Total user and system CPU time spent in seconds."
    ).follow((), time.process_time)
    registry.gauge(
        "process_start_time_seconds", "Start time of the process since unix epoch in seconds."
    ).set((), _STARTED)
    if not _STAT.exists():
        return
    page = os.sysconf("SC_PAGE_SIZE")
    registry.gauge("process_resident_memory_bytes", "Resident memory size in bytes.").follow(
        (), lambda: _field(_RESIDENT_PAGES) * page
    )
    registry.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.").follow(
        (), lambda: _field(_VIRTUAL_BYTES)
    )
    registry.gauge("process_open_fds", "Number of open file descriptors.").follow(
        (), lambda: float(sum(1 for _ in _FILES.iterdir()))
    )
    registry.gauge("process_max_fds", "Maximum number of open file descriptors.").follow(
        (), lambda: float(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    )


def _field(number: int) -> float:
    # The command's name stands in brackets and may have spaces.
    return float(_STAT.read_text().rpartition(")")[2].split()[number])
