"""`argosy down` ends the fleet of a state directory, `argosy reset` deletes one that does not run."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from argosy.base.durations import human_duration
from argosy.fleet import kubeconfigs, runs, states
from argosy.fleet.kubeconfigs import KubeconfigError
from argosy.fleet.runs import Run
from argosy.fleet.states import StateError

_LOOK_SECONDS: Final = 0.05
# How long a process that was killed may need to be gone.
_KILL_SECONDS: Final = 5.0
_TIMED_OUT: Final = 124


def directory_of(parsed: argparse.Namespace) -> Path:
    given: Path = parsed.state or states.default_directory()
    return given.expanduser().absolute()


def down(parsed: argparse.Namespace) -> int:
    directory = directory_of(parsed)
    begun = time.monotonic()
    pid = _runner(directory)
    if pid is None:
        print(f"argosy: no fleet runs in {directory}")
        return 0
    run = runs.read(directory)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    if not _gone(directory, pid, parsed.timeout):
        if not parsed.force:
            print(
                f"argosy down: the fleet in {directory} (process {pid}) has not ended within {parsed.timeout:g} s: "
                "wait longer with --timeout, or kill it with --force",
                file=sys.stderr,
            )
            return _TIMED_OUT
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        if not _gone(directory, pid, _KILL_SECONDS):
            print(f"argosy down: process {pid} cannot be killed", file=sys.stderr)
            return 1
    print(f"argosy: {_what(run)} in {directory} ended after {time.monotonic() - begun:.1f} s")
    return 0


def reset(parsed: argparse.Namespace) -> int:
    directory = directory_of(parsed)
    try:
        record = states.look(directory)
        if record is None:
            print(f"argosy: there is no fleet in {directory}")
            return 0
        if not parsed.yes and not _agreed(directory):
            return 1
        with states.opened(directory):
            for path in {record.kubeconfig, record.merged} - {""}:
                _forget(Path(path), directory)
            left = states.remove(directory)
    except (StateError, OSError) as error:
        print(f"argosy reset: {error}", file=sys.stderr)
        return 1
    print(f"argosy: the fleet in {directory} is deleted")
    if left:
        print(f"argosy: not the fleet's, and still there: {', '.join(left)}", file=sys.stderr)
    return 0


def _runner(directory: Path) -> int | None:
    """Who runs the fleet, as both its lock and its record say: nobody else is to be signalled."""
    until = time.monotonic() + _KILL_SECONDS
    while True:
        pid = states.holder(directory)
        run = runs.read(directory)
        if pid is None or (run is not None and run.pid == pid) or time.monotonic() > until:
            return pid or None
        time.sleep(_LOOK_SECONDS)


def _gone(directory: Path, pid: int, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while states.holder(directory) == pid:
        if time.monotonic() > until:
            return False
        time.sleep(_LOOK_SECONDS)
    return True


def _what(run: Run | None) -> str:
    if run is None:
        return "the fleet"
    members = sum(len(each.clusters) for each in run.processes) - 1
    processes = f", {len(run.processes)} processes" if len(run.processes) > 1 else ""
    since = human_duration(max(0.0, time.time() - _seconds(run.started)))
    return f"the fleet (a hub and {members} members{processes}; it ran for {since})"


def _seconds(moment: str) -> float:
    from argosy.base.timestamps import parse_time

    return parse_time(moment).timestamp()


def _agreed(directory: Path) -> bool:
    if (pid := states.holder(directory)) is not None:
        raise states.StateInUse(directory, pid or None)
    if not sys.stdin.isatty():
        raise StateError(f"nobody can be asked whether {directory} is to be deleted: say --yes")
    print(f"This deletes the fleet in {directory}: its clusters and all that is in them.")
    answer = input("Go on? [y/N] ")
    return answer.strip().lower() in {"y", "yes"}


def _forget(path: Path, directory: Path) -> None:
    try:
        kubeconfigs.forget(path, owner=str(directory))
    except KubeconfigError as error:
        print(f"argosy reset: the fleet's contexts stay there: {error}", file=sys.stderr)
