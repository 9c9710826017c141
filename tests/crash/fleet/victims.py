"""A fleet of processes and whoever kills them: which process, when, how often, all said by a seed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support.connections import Connection, address_of
from tests.support.processes import NotReady, fleet_arguments, launch, ready

MEMBERS = ("cluster-1", "cluster-2", "cluster-3")
HUB = "hub"
ALL = "all"


@dataclass(frozen=True, slots=True)
class Death:
    """`victim` dies so long after the last start of the fleet, or while it is starting."""

    victim: str
    after_seconds: float
    in_start: bool = False


def deaths(source: random.Random, processes: int) -> list[Death]:
    """One to three. Where members have processes of their own it is mostly one of these."""
    victims = [HUB] if processes == 1 else [HUB, ALL, *("members-1", "members-2") * 2]
    found = []
    for _ in range(source.choice((1, 1, 1, 2, 2, 3))):
        victim = source.choice(victims)
        if victim == HUB and source.random() < 0.25:
            found.append(Death(victim, source.uniform(0.1, 2.0), in_start=True))
        else:
            found.append(Death(victim, source.uniform(0.0, 2.5)))
    return found


class Doomed:
    """A fleet in a directory that is started again whenever it was killed."""

    def __init__(self, directory: Path, processes: int) -> None:
        self.directory = directory
        self.processes = processes
        self._arguments = fleet_arguments(directory, "--processes", str(processes))
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def kubeconfig(self) -> Path:
        return self.directory / "kubeconfig"

    @property
    def log(self) -> str:
        return (self.directory / "log").read_text()

    def connection(self, context: str) -> Connection:
        return Connection(address_of(self.kubeconfig, context), timeout_seconds=10)

    def up(self) -> None:
        """`argosy up`, if nobody runs it; returns when it is ready."""
        if self._process is not None and self._process.poll() is None:
            return
        self._bury()
        self._process = launch(self.directory, self._arguments)
        ready(self._process, self.directory)

    def up_and_die(self, seconds: float) -> None:
        """`argosy up`, killed while it starts, or a moment after."""
        self.kill(HUB)
        self._bury()
        process = self._process = launch(self.directory, self._arguments)
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        with suppress(NotReady):
            ready(process, self.directory)
        timer.join()
        self._bury()

    def kill(self, victim: str) -> None:
        """kill -9, and no word to anybody."""
        if self._process is None or self._process.poll() is not None:
            return
        pids = self._pids()
        if victim in {HUB, ALL}:
            pids[HUB] = self._process.pid
        for name, pid in pids.items():
            if victim in {name, ALL}:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if victim in {HUB, ALL}:
            self._process.wait()

    def end(self) -> None:
        """In order, if it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(30)
        self._bury()

    def _pids(self) -> dict[str, int]:
        """The processes of members, by name; one that is just being started again has none."""
        run = json.loads((self.directory / "state" / "run.json").read_text())
        return {each["name"]: each["pid"] for each in run["processes"] if each.get("pid")}

    def _bury(self) -> None:
        if self._process is not None:
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._process = None
