"""`argosy serve` as a child process: start it, wait for its line, stop it or kill it.

Tests use the command users use, from the environment the tests run in. `ARGOSY_TEST_COMMAND` may name another
way to start it.
"""

from __future__ import annotations

import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

READY_SECONDS = 60.0
STOP_SECONDS = 15.0


class NotReady(Exception):
    """The process ended or stayed silent instead of saying that it is ready."""


def command(*arguments: str) -> list[str]:
    """The command line of `argosy ARGUMENTS`."""
    given = os.environ.get("ARGOSY_TEST_COMMAND")
    head = shlex.split(given) if given else [str(Path(sys.executable).with_name("argosy"))]
    return [*head, *arguments]


# Asked for by tests that want controllers and nodes, not the API alone.
WORKING = "--working"


def process_arguments() -> list[str]:
    """Have nodes run processes as on a machine without sandboxes, whether this one has them or not."""
    unshare = shutil.which("unshare")
    trial = [unshare, "--mount", "--pid", "--fork", "true"] if unshare else ["false"]
    done = subprocess.run(trial, check=False, capture_output=True)
    return ["--allow-processes", "--isolation", "none" if done.returncode else "namespaces"]


def serve_arguments(directory: Path, *more: str) -> list[str]:
    """Arguments of a cluster that keeps its state in `directory`; a bare one unless `WORKING` is among `more`."""
    kubeconfig = directory / "kubeconfig"
    rest = [argument for argument in more if argument != WORKING]
    kind = [] if WORKING in more else ["--bare"]
    state = str(directory / "state")
    return ["serve", "--state", state, "--kubeconfig", str(kubeconfig), *kind, *rest]


@dataclass(slots=True)
class ServeProcess:
    """A running `argosy serve` and the files it works with."""

    process: subprocess.Popen[bytes]
    directory: Path
    # The one line it printed when it was ready.
    line: str

    @property
    def kubeconfig(self) -> Path:
        return self.directory / "kubeconfig"

    @property
    def log(self) -> str:
        return (self.directory / "log").read_text()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to end; returns its exit code."""
        self.process.send_signal(number)
        return self.process.wait(STOP_SECONDS)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def start(directory: Path, *more: str) -> ServeProcess:
    """Start a cluster in `directory` and wait until it is ready; a second start goes on with the first's state."""
    return _start(directory, serve_arguments(directory, *more))


def start_fleet(directory: Path, *more: str) -> ServeProcess:
    """Start a fleet in `directory` in the same way."""
    return _start(directory, fleet_arguments(directory, *more))


def fleet_arguments(directory: Path, *more: str) -> list[str]:
    """Arguments of a fleet that keeps its state in `directory`."""
    state, kubeconfig = str(directory / "state"), str(directory / "kubeconfig")
    return ["up", "--state", state, "--kubeconfig", kubeconfig, *more]


def _start(directory: Path, arguments: list[str]) -> ServeProcess:
    return ready(launch(directory, arguments), directory)


def launch(directory: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    """Start a cluster or a fleet and wait for nothing."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "log").open("ab") as log:
        return subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=log)


def ready(process: subprocess.Popen[bytes], directory: Path) -> ServeProcess:
    """What was launched, when it is ready. Raises NotReady."""
    try:
        line = _ready_line(process)
    except NotReady as problem:
        process.kill()
        process.wait()
        raise NotReady(f"{problem}: {(directory / 'log').read_text()[-2000:]}") from None
    return ServeProcess(process, directory, line)


@contextmanager
def serving(directory: Path, *more: str) -> Iterator[ServeProcess]:
    """A cluster for the length of a block."""
    with _ending(start(directory, *more)) as served:
        yield served


@contextmanager
def sailing(directory: Path, *more: str) -> Iterator[ServeProcess]:
    """A fleet for the length of a block."""
    with _ending(start_fleet(directory, *more)) as served:
        yield served


@contextmanager
def _ending(served: ServeProcess) -> Iterator[ServeProcess]:
    try:
        yield served
    finally:
        if served.process.poll() is None:
            served.stop()
        if served.process.stdout is not None:
            served.process.stdout.close()


def _ready_line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    deadline = time.monotonic() + READY_SECONDS
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        if not selector.select(deadline - time.monotonic()):
            raise NotReady(f"argosy serve said nothing for {READY_SECONDS:g} s")
        line = process.stdout.readline().decode()
    if not line:
        raise NotReady("argosy serve ended before it was ready")
    return line.rstrip("\n")
