"""`argosy up --detach`: the same command once more, in a session of its own, watched until it is ready.

What it says goes to argosy.log in the state directory; how far it is, is read from run.json. If it ends instead of
becoming ready, or does not come any further, the end of the log is shown, and nothing is left running. Ctrl-C while
waiting ends what was started. Nothing heavy is loaded here: that is the other one's work.
"""

from __future__ import annotations

import argparse
import os
import selectors
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from argosy.cli.progress import Progress
from argosy.fleet import runs, states

# What progress lines begin with, in the foreground and in the log.
STARTING: Final = "argosy: starting:"
# Without any step forward in this time it is given up.
_PATIENCE_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.05
_END_SECONDS: Final = 15.0
_TAIL_LINES: Final = 20
# A log of a few lines needs less.
_ROOM_BYTES: Final = 64 * 1024
# A log that grew beyond this is put aside at the next start.
_LARGE_BYTES: Final = 10 << 20


def detach(parsed: argparse.Namespace) -> int:
    directory = (parsed.state or states.default_directory()).expanduser().absolute()
    progress = Progress(STARTING)
    try:
        is_new = states.look(directory) is None
        if (pid := states.holder(directory)) is not None:
            raise states.StateInUse(directory, pid or None)
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        log = _log(directory)
        begin = log.stat().st_size
        process = _start(parsed.given, log)
    except (OSError, states.StateError) as error:
        print(f"argosy up: {error}", file=sys.stderr)
        return 1
    try:
        line = _ready_line(process, directory, progress)
    except KeyboardInterrupt:
        progress.clear()
        _end(process)
        return 130
    progress.clear()
    if line:
        print(line, flush=True)
        print(_told(parsed, process.pid, log), file=sys.stderr)
        return 0
    code, is_refusal = _explain(process, log, begin)
    if is_new and is_refusal:
        _tidy(directory, log)
    return code


def _start(given: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    arguments = [each for each in given if each != "--detach"]
    with log.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "argosy", *arguments, "--background"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=file,
            start_new_session=True,
        )


def _ready_line(process: subprocess.Popen[bytes], directory: Path, progress: Progress) -> str:
    """What it said when it was ready; nothing if it ended, or did not come any further."""
    assert process.stdout is not None
    step, since = "", time.monotonic()
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while time.monotonic() - since < _PATIENCE_SECONDS:
            if selector.select(_LOOK_SECONDS):
                return process.stdout.readline().decode().rstrip("\n")
            run = runs.read(directory)
            if run is not None and run.pid == process.pid and run.step not in {"", step}:
                step, since = run.step, time.monotonic()
                progress(step)
    return ""


def _told(parsed: argparse.Namespace, pid: int, log: Path) -> str:
    given = "" if parsed.state is None else f" --state {parsed.state}"
    return (
        f"argosy: it runs in the background (process {pid}, log {log}); `argosy status{given}` shows it, "
        f"`argosy down{given}` ends it"
    )


def _explain(process: subprocess.Popen[bytes], log: Path, begin: int) -> tuple[int, bool]:
    """Say why it is not up; what it refused is said as if it had been refused here. Returns the exit code, and whether
    that was all.
    """
    try:
        code = process.wait(_LOOK_SECONDS)
    except subprocess.TimeoutExpired:
        _end(process)
        code = 1
        print(
            f"argosy up: the fleet did not become ready ({_PATIENCE_SECONDS:g} s without a step forward) and was ended",
            file=sys.stderr,
        )
    with log.open("rb") as file:
        file.seek(begin)
        said = file.read().decode(errors="replace").splitlines()
    said = [line for line in said if not line.startswith(STARTING)]
    if not said and shutil.disk_usage(log.parent).free < _ROOM_BYTES:
        print(
            f"argosy up: the disk is full, and not even {log} has room: free some space on that disk, and start again",
            file=sys.stderr,
        )
        return code or 1, True
    if said and all(line.startswith(("argosy up: ", "  ", "usage: ")) for line in said):
        print("\n".join(said), file=sys.stderr)
        return code or 1, True
    print(f"argosy up: the fleet ended before it was ready; the end of {log}:", file=sys.stderr)
    for line in said[-_TAIL_LINES:]:
        print(f"  {line}", file=sys.stderr)
    return 1, False


def _end(process: subprocess.Popen[bytes]) -> None:
    """Have it end: in order, and at once if it takes too long or Ctrl-C is pressed again."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(_END_SECONDS)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        process.kill()
        process.wait()


def _tidy(directory: Path, log: Path) -> None:
    """Leave no directory behind that holds a log and nothing else."""
    with suppress(OSError, states.StateError):
        if states.look(directory) is None:
            log.unlink()
            (directory / states.LOCK).unlink(missing_ok=True)
            directory.rmdir()


def _log(directory: Path) -> Path:
    path = directory / states.LOG
    if path.exists() and path.stat().st_size > _LARGE_BYTES:
        path.replace(path.with_name(f"{states.LOG}.1"))
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    return path
