"""The threads that wait for disks.

Eighty stores share a few threads. A thread per store would be idle for most of them, and when all are busy
eighty threads would fight for the interpreter's lock while each commits a handful of rows; few threads make the
stores take turns, and what a store gathers while it waits shares its next fsync. A store alone in the process
has a thread to itself, in effect.

A job is called again, behind the others, as long as it returns True. Threads start with the first job and end
when there has been none for a while: a store that nobody writes to costs nothing.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Final, TypeAlias

Job: TypeAlias = Callable[[], bool]

_THREADS: Final = 4
_IDLE_SECONDS: Final = 5.0


class Writers:
    """A small pool of daemon threads."""

    def __init__(self, threads: int = _THREADS, idle_seconds: float = _IDLE_SECONDS) -> None:
        self._limit = threads
        self._idle_seconds = idle_seconds
        self._changed = threading.Condition()
        self._jobs: deque[Job] = deque()
        self._threads = 0
        self._idle = 0

    def submit(self, job: Job) -> None:
        with self._changed:
            self._jobs.append(job)
            if self._idle >= len(self._jobs):
                self._changed.notify()
            elif self._threads < self._limit:
                self._threads += 1
                name = f"argosy-writer-{self._threads}"
                threading.Thread(target=self._work, name=name, daemon=True).start()

    def _work(self) -> None:
        while (job := self._take()) is not None:
            if job():
                with self._changed:
                    self._jobs.append(job)

    def _take(self) -> Job | None:
        with self._changed:
            while not self._jobs:
                self._idle += 1
                told = self._changed.wait(self._idle_seconds)
                self._idle -= 1
                if not told and not self._jobs:
                    self._threads -= 1
                    return None
            return self._jobs.popleft()


# Shared by every store of the process.
WRITERS: Final = Writers()
