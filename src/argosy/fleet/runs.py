"""run.json: who runs a fleet right now, for `argosy status` and for whoever started it in the background.

The process that supervises the fleet writes it anew at every change and removes it at a clean end. A file that is there
while nobody holds the directory's lock is of a run that was killed.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Final

import msgspec

from argosy.base.clock import RealClock
from argosy.base.timestamps import format_time
from argosy.fleet.states import RUN, write_file

_LOG: Final = logging.getLogger(__name__)

STARTING: Final = "Starting"
READY: Final = "Ready"
ENDING: Final = "Ending"
HUB: Final = "hub"


class ProcessRun(msgspec.Struct, kw_only=True, rename="camel"):
    """One process and the clusters it serves. `pid` 0: it ended and is about to be started again."""

    name: str
    clusters: tuple[str, ...]
    pid: int = 0
    started: str = ""
    restarts: int = 0
    # How it ended the last time, and when.
    last_exit: str = ""
    last_exit_time: str = ""


class ClusterRun(msgspec.Struct, kw_only=True, rename="camel"):
    name: str
    address: str
    process: str


class Run(msgspec.Struct, kw_only=True, rename="camel"):
    """`step` is what it does while it is starting. The first process is the one that supervises."""

    pid: int
    state: str = STARTING
    step: str = ""
    started: str = ""
    argosy: str = ""
    processes: tuple[ProcessRun, ...] = ()
    clusters: tuple[ClusterRun, ...] = ()


def read(directory: Path) -> Run | None:
    """What the last run said; None if it ended cleanly, or never was."""
    try:
        return msgspec.json.decode((directory / RUN).read_bytes(), type=Run)
    except (FileNotFoundError, NotADirectoryError, msgspec.MsgspecError):
        return None


class RunFile:
    """The run that is told about. A full disk must not end a fleet: what cannot be written is logged."""

    def __init__(self, directory: Path, run: Run) -> None:
        self._path = directory / RUN
        self._said = b""
        self.run: Final = run
        self.write()

    def write(self) -> None:
        body = msgspec.json.format(msgspec.json.encode(self.run), indent=2) + b"\n"
        if body == self._said:
            return
        try:
            write_file(self._path, body)
        except OSError as error:
            _LOG.warning("%s cannot be written: %s", self._path, error)
        else:
            self._said = body

    def say(self, *, state: str = "", step: str = "") -> None:
        self.run.state = state or self.run.state
        self.run.step = step
        self.write()

    def serve(self, process: str, addresses: dict[str, str]) -> None:
        """Note where clusters are served, and by which process."""
        others = [each for each in self.run.clusters if each.name not in addresses]
        new = [
            ClusterRun(name=name, address=address, process=process)
            for name, address in addresses.items()
        ]
        order = [name for each in self.run.processes for name in each.clusters]
        self.run.clusters = tuple(sorted([*others, *new], key=lambda each: order.index(each.name)))
        self.write()

    def unserve(self, process: str) -> None:
        """Note that what a process served is served no more."""
        kept = (each for each in self.run.clusters if each.process != process)
        self.run.clusters = tuple(kept)
        self.write()

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)


def now() -> str:
    return format_time(RealClock().now())


def this_process(name: str, clusters: tuple[str, ...]) -> ProcessRun:
    return ProcessRun(name=name, clusters=clusters, pid=os.getpid(), started=now())
