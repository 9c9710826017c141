"""The demo's fleet: `argosy up` in a process of its own, which ends with the demo.

It is in a session of its own, so that Ctrl-C reaches the demo first and the demo ends it; on Linux the kernel ends it,
too, should the demo be killed. A fleet that is to be kept is let go at the end.
"""

from __future__ import annotations

import ctypes
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

from argosy.cli.demos.directories import Directory
from argosy.cli.demos.interrupts import Interrupts
from argosy.fleet import runs

_START_SECONDS: Final = 60.0
_END_SECONDS: Final = 15.0
_LOOK_SECONDS: Final = 0.05
_TAIL_LINES: Final = 15
_PR_SET_PDEATHSIG: Final = 1


class FleetFailed(Exception):
    """It did not start, or did not stay."""


class FleetProcess:
    """Begins with `start`; `end` may be called whether it has begun or not."""

    def __init__(self, directory: Directory, interrupts: Interrupts, *, keep: bool) -> None:
        self._directory = directory
        self._interrupts = interrupts
        self._keep = keep
        self._process: subprocess.Popen[bytes] | None = None

    def command(self, flags: Sequence[str] = ()) -> list[str]:
        """Its arguments, as somebody would type them."""
        places = ("--state", str(self._directory.fleet), "--kubeconfig", self._kubeconfig)
        return ["up", *flags, *places, "--detach"]

    @property
    def _kubeconfig(self) -> str:
        return str(self._directory.kubeconfig)

    def start(self, flags: Sequence[str], tell: Callable[[str], None]) -> str:
        """Start it and wait until it is ready; returns the line that says so."""
        arguments = [each for each in self.command(flags) if each != "--detach"]
        with self._interrupts.shielded():
            self._directory.fleet.mkdir(mode=0o700)
            with self._directory.log.open("ab") as log:
                self._process = subprocess.Popen(
                    # What --detach does.
                    [sys.executable, "-m", "argosy", *arguments, "--background"],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    start_new_session=True,
                    preexec_fn=None if self._keep else _die_with_parent(),  # noqa: PLW1509  (no threads yet)
                )
        line = self._ready_line(self._process, tell)
        if not line:
            code = self._process.poll()
            how = f"its exit code is {code}" if code is not None else "it says nothing"
            raise FleetFailed(f"the fleet did not become ready: {how}")
        return line

    def _ready_line(self, process: subprocess.Popen[bytes], tell: Callable[[str], None]) -> str:
        assert process.stdout is not None
        end = time.monotonic() + _START_SECONDS
        said = ""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while time.monotonic() < end:
                if selector.select(_LOOK_SECONDS):
                    return process.stdout.readline().decode().rstrip("\n")
                run = runs.read(self._directory.fleet)
                if run is not None and run.step not in {"", said}:
                    said = run.step
                    tell(f"starting: {said} ...")
        return ""

    def check(self) -> None:
        """Raise FleetFailed if it has ended."""
        if self._process is not None and (code := self._process.poll()) is not None:
            raise FleetFailed(f"the fleet ended with exit code {code}")

    def tail(self) -> list[str]:
        """The last lines it logged."""
        try:
            lines = self._directory.log.read_text(errors="replace").splitlines()
        except OSError:
            return []
        return lines[-_TAIL_LINES:]

    def let_go(self) -> int:
        """Leave it to itself; returns its process id."""
        assert self._process is not None
        if self._process.stdout is not None:
            self._process.stdout.close()
        return self._process.pid

    def end(self) -> None:
        """Have it end: in order, and at once if that takes too long or somebody is in a hurry."""
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        end = time.monotonic() + _END_SECONDS
        while process.poll() is None:
            if self._interrupts.is_hurried or time.monotonic() > end:
                process.kill()
                process.wait()
            else:
                time.sleep(_LOOK_SECONDS)
        if process.stdout is not None:
            process.stdout.close()


def _die_with_parent() -> Callable[[], None] | None:
    """On Linux, what has the kernel end a child with its parent. Stores are written for such ends."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    return lambda: library.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) and None
