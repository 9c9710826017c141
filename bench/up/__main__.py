"""`make bench-up`: how long a user waits: for the command's help, for a fleet, for a job that is submitted.

Every time is that of the command as users run it, from its start to its end (or to the line that says the fleet is
ready), in processes of their own. `submit` through the SDK is one call on an open connection, after which the
Job and its placement are on the hub and the choice of its cluster is told.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median

from argosy.base.types import Object
from argosy.sdk import Fleet
from bench.apiserver.measuring import cores
from bench.apiserver.printing import QUIET
from bench.recording import add_recording, record

ROUNDS = 5
JOBS = 30
LOOK_SECONDS = 2.0


def job(name: str) -> Object:
    container = {
        "name": "worker",
        "image": "example.com/worker:v1",
        "command": ["sleep", "5"],
        "resources": {"requests": {"cpu": "1"}},
    }
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"template": template},
    }


def timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


class Commands:
    """`argosy` with a fleet's directory of its own."""

    def __init__(self, directory: Path) -> None:
        self._environment: Mapping[str, str] = {
            **os.environ,
            "ARGOSY_STATE": str(directory / "fleet"),
        }

    def __call__(self, *arguments: str) -> None:
        done = subprocess.run(
            [str(Path(sys.executable).with_name("argosy")), *arguments],
            env=dict(self._environment),
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"argosy {' '.join(arguments)}: {done.stderr or done.stdout}")

    def timed(self, *arguments: str) -> float:
        return timed(lambda: self(*arguments))


def rows(directory: Path) -> list[list[str]]:
    fresh, again = [], []
    for number in range(ROUNDS):
        argosy = Commands(directory / f"round-{number}")
        fresh.append(argosy.timed("up", "--detach"))
        argosy("down")
        again.append(argosy.timed("up", "--detach"))
        argosy("down")
    argosy = Commands(directory / "last")
    helps = [argosy.timed("--help") for _ in range(2 * ROUNDS)]
    argosy("up", "--detach")
    try:
        jobs = [argosy.timed("jobs") for _ in range(ROUNDS)]
        with Fleet.connect(directory / "last" / "fleet" / "kubeconfig") as fleet:
            submits = [_submitted(fleet, f"job-{number}") for number in range(JOBS)]
    finally:
        argosy("down")
    return [
        ["", "median", "worst"],
        _line("`argosy --help`", helps),
        _line("`argosy up --detach`, a new fleet of a hub and three members", fresh),
        _line("`argosy up --detach`, the same fleet again", again),
        _line("`argosy jobs`", jobs),
        _line(f"submit a job with the SDK, {JOBS} one after the other", submits),
    ]


def _submitted(fleet: Fleet, name: str) -> float:
    return timed(lambda: fleet.submit(job(name)))


def others() -> float:
    """The share of the cores that somebody else uses, while nothing of ours runs."""
    before = cores()
    time.sleep(LOOK_SECONDS)
    return cores().others_since(before, 0.0, LOOK_SECONDS)


def verdict(shares: list[float]) -> str:
    word = "quiet" if max(shares) <= QUIET else "NOT QUIET, times are too long"
    told = " and ".join(f"{share:.0%}" for share in shares)
    return f"{word}: before and after, others used {told} of the cores"


def _line(name: str, seconds: list[float]) -> list[str]:
    return [name, *(f"{1000 * each:,.0f} ms" for each in (median(seconds), max(seconds)))]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.up", description=__doc__)
    add_recording(parser)
    options = parser.parse_args()
    before = others()
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        lines = rows(Path(scratch))
    told = verdict([before, others()])
    for name, *cells in lines:
        print(f"{name:64}{''.join(f'{cell:>12}' for cell in cells)}")
    print(told)
    if options.record:
        record("up", "make bench-up", lines, told)


if __name__ == "__main__":
    main()
