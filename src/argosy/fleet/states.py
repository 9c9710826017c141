"""The state directory: where a fleet lives between its starts.

    fleet.json   what it is: the format of the directory, the members it was last started with, its kubeconfig
    run.json     who runs it now (`argosy.fleet.runs`); gone after a clean end
    fleet.lock   held by the one process that runs it; the kernel gives it back, however that process dies
    kubeconfig   unless another place was asked for
    argosy.log   what a fleet in the background says
    hub/, cluster-1/, ...   one directory per cluster

A directory is taken only if it is a fleet's, empty, or not there yet, and only if this Argosy knows its format:
whatever else is there stays as it is. `kubeconfig_of_default_fleet` is how commands find the fleet without being told.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from argosy import __version__
from argosy.base.types import Object

FORMAT: Final = 1
RECORD: Final = "fleet.json"
RUN: Final = "run.json"
LOCK: Final = "fleet.lock"
KUBECONFIG: Final = "kubeconfig"
LOG: Final = "argosy.log"
# Files of ours that make no fleet: an empty directory stays empty for all that matters.
_TRACES: Final = frozenset({LOCK, LOG, f"{LOG}.1", RUN, f"{RUN}.new", f"{RECORD}.new"})
_OURS: Final = frozenset({*_TRACES, RECORD, KUBECONFIG, f"{KUBECONFIG}.new"})
# Every directory of a cluster has it, from its first start on.
_CLUSTER_MARK: Final = "serviceaccounts.key"
# `argosy status` holds the lock for a moment to see whether it is free.
_LOCK_SECONDS: Final = 0.3
_LOOK_SECONDS: Final = 0.02
_SIGNATURE_BYTES: Final = 32


class StateError(Exception):
    """The directory cannot be used; the message is for the user."""


class StateInUse(StateError):
    def __init__(self, directory: Path, pid: int | None) -> None:
        holder = "another process" if pid is None else f"process {pid}"
        super().__init__(
            f"the fleet in {directory} is run by {holder} already: `argosy status` shows it, `argosy down` ends it, "
            "--state DIR makes another one"
        )
        self.pid = pid


class FleetRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=False):
    """fleet.json. `members` are shapes; empty where an older start did not write them down. `before` are shapes of
    earlier starts that members may still have: of those that are not run, and of all while a changed fleet file may not
    have arrived everywhere. `merged` is the user's
    kubeconfig that our contexts were merged into.
    """

    format: int = FORMAT
    argosy: str = __version__
    kubeconfig: str = ""
    merged: str = ""
    members: tuple[Object, ...] = ()
    before: tuple[Object, ...] = ()


class _Format(msgspec.Struct):
    format: int


def default_directory(
    env: Mapping[str, str] = os.environ, platform: str = sys.platform, home: Path | None = None
) -> Path:
    """Where the fleet is when nobody says: $ARGOSY_STATE, else below the user's data directory."""
    if given := env.get("ARGOSY_STATE"):
        return Path(given).expanduser().absolute()
    home = home or Path.home()
    data = Path(env.get("XDG_DATA_HOME") or "")
    if not data.is_absolute():
        data = home / ".local" / "share"
        if platform == "darwin":
            data = home / "Library" / "Application Support"
    return data / "argosy" / "fleet"


def kubeconfig_of_default_fleet(env: Mapping[str, str] = os.environ) -> Path | None:
    """The kubeconfig of the fleet in the default place, if there is one."""
    try:
        record = look(default_directory(env))
    except (StateError, OSError):
        return None
    if record is None or not record.kubeconfig:
        return None
    path = Path(record.kubeconfig)
    return path if path.exists() else None


def look(directory: Path) -> FleetRecord | None:
    """What the directory says of its fleet; None where there is none yet. Raises StateError where there can be none."""
    if not directory.exists():
        return None
    if not directory.is_dir():
        raise StateError(f"{directory} is a file: give --state a directory")
    try:
        content = (directory / RECORD).read_bytes()
    except FileNotFoundError:
        return _unwritten(directory)
    try:
        found = msgspec.json.decode(content, type=_Format).format
    except msgspec.MsgspecError as error:
        raise StateError(f"{directory / RECORD} is no record of a fleet: {error}") from None
    if found != FORMAT:
        age = "newer" if found > FORMAT else "older"
        raise StateError(
            f"{directory} has format {found}, of {age} Argosy, and this one ({__version__}) knows {FORMAT}: nothing "
            "was changed; use that Argosy, or give --state another directory"
        )
    try:
        return msgspec.json.decode(content, type=FleetRecord)
    except msgspec.MsgspecError as error:
        raise StateError(f"{directory / RECORD} cannot be read: {error}") from None


def _unwritten(directory: Path) -> FleetRecord | None:
    """Of a directory without record: nothing yet, or a fleet from before there were records."""
    if (directory / "hub" / _CLUSTER_MARK).exists():
        return FleetRecord()
    names = sorted({path.name for path in directory.iterdir()} - _TRACES)
    if not names:
        return None
    what = "a single cluster of `argosy serve`" if _CLUSTER_MARK in names else names[0]
    more = f" and {len(names) - 1} more" if len(names) > 1 and what == names[0] else ""
    raise StateError(
        f"{directory} is no fleet's directory (it has {what}{more}): nothing was changed; give --state a new or an "
        "empty one"
    )


class State:
    """A directory that is ours while we run; `record` is what fleet.json says, None before the first start."""

    def __init__(self, directory: Path, record: FleetRecord | None) -> None:
        self.directory: Final = directory
        self.record = record

    def write(self, record: FleetRecord) -> None:
        """Write it down, if it says anything new: a start that does not needs no room on its disk."""
        if msgspec.json.encode(record) == msgspec.json.encode(self.record):
            return
        body = msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n"
        write_file(self.directory / RECORD, body)
        self.record = record


@contextmanager
def opened(directory: Path) -> Iterator[State]:
    """Have the directory for oneself; it is made where it is not there."""
    look(directory)
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(directory / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _lock(descriptor, directory)
        _sign(descriptor, str(os.getpid()))
        yield State(directory, look(directory))
        _sign(descriptor, "")
    finally:
        os.close(descriptor)


def holder(directory: Path) -> int | None:
    """The pid of the process that runs the fleet of this directory (0: it has not said yet); None if nobody does."""
    try:
        descriptor = os.open(directory / LOCK, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _pid(descriptor) or 0
    finally:
        os.close(descriptor)
    return None


def remove(directory: Path) -> list[str]:
    """Delete a fleet, by whoever has opened its directory; returns the names of what was not the fleet's and stays."""
    left = []
    for path in sorted(directory.iterdir()):
        if path.is_dir() and not path.is_symlink() and (path / _CLUSTER_MARK).exists():
            shutil.rmtree(path)
        elif path.name in _OURS and path.name != RECORD:
            path.unlink()
        elif path.name != RECORD:
            left.append(path.name)
    # Last: a deletion that was cut short can be said again.
    (directory / RECORD).unlink(missing_ok=True)
    if not left:
        directory.rmdir()
    return left


def write_file(path: Path, body: bytes) -> None:
    """Readable by its owner only, there whole or not at all."""
    scratch = path.with_name(f"{path.name}.new")
    with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)


def _lock(descriptor: int, directory: Path) -> None:
    until = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise StateInUse(directory, _pid(descriptor)) from None
            time.sleep(_LOOK_SECONDS)
        else:
            return


def _sign(descriptor: int, pid: str) -> None:
    """Say who holds the lock, in as many bytes as ever: so that a start needs no room on a full disk."""
    os.pwrite(descriptor, pid.ljust(_SIGNATURE_BYTES).encode(), 0)


def _pid(descriptor: int) -> int | None:
    text = os.pread(descriptor, _SIGNATURE_BYTES, 0).strip()
    return int(text) if text.isdigit() else None
