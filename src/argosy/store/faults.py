"""What is said when a disk does not take a write: why, what goes on all the same, what to do; and when it is over.

A full disk is told as such, however it shows: SQLite says FULL where a write found no room, and an I/O error where the
room ran out at the fsync, so the free space is looked at, too. The words for one trouble are always the same, so that
whoever passes them on can see that they have been said.

The log has one line when a trouble begins and one when it ends. Where small writes succeed and large ones do not, the
trouble comes and goes with every write: one that begins within a minute of the last is told if it lasts for another.
"""

from __future__ import annotations

import errno
import logging
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

from argosy.store.errors import StoreUnavailable

_LOG: Final = logging.getLogger(__name__)
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
# Less than this is no room: a commit writes at least a few pages.
_ROOM_BYTES: Final = 64 * 1024
_QUIET_SECONDS: Final = 60.0
_GOES_ON: Final = (
    "reads go on, nothing that was acknowledged is lost, "
    "and writes go on by themselves as soon as the disk takes them"
)


def unwritable(path: str, error: sqlite3.Error) -> StoreUnavailable:
    """Why a file of SQLite cannot be written."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and not _has_room(path)):
        return full(path)
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    return StoreUnavailable(
        f"cannot write {path}: {error} ({name})",
        _GOES_ON,
        "check the health of that disk, and who may write there",
    )


def unopenable(path: Path, error: OSError) -> StoreUnavailable:
    """Why a store cannot be opened."""
    if error.errno in _NO_ROOM:
        return full(str(path))
    return StoreUnavailable(
        f"cannot open {error.filename or path}: {error.strerror}: check that its folder exists and is writable"
    )


def full(path: str) -> StoreUnavailable:
    file = Path(path)
    return StoreUnavailable(
        f"the disk is full: no room for {file.name} in the state directory {file.parent}",
        _GOES_ON,
        "free some space on that disk",
    )


def _has_room(path: str) -> bool:
    try:
        found = os.statvfs(path)
    except OSError:
        return True
    return found.f_bavail * found.f_frsize >= _ROOM_BYTES


class Faults:
    """The troubles of one store, told in the log. `monotonic` is the time in seconds."""

    def __init__(self, path: str, monotonic: Callable[[], float]) -> None:
        self._path = path
        self._monotonic = monotonic
        self._since: float | None = None
        self._ended = float("-inf")
        self._refused = 0
        self._is_told = False

    def refused(self, why: StoreUnavailable, writes: int) -> None:
        now = self._monotonic()
        if self._since is None:
            self._since, self._refused = now, 0
        self._refused += writes
        is_new = max(now - self._ended, now - self._since) >= _QUIET_SECONDS
        if is_new and not self._is_told:
            self._is_told = True
            _LOG.error("%s", why)

    def taken(self) -> None:
        """A write has succeeded."""
        if self._since is None:
            return
        now = self._monotonic()
        if self._is_told:
            self._is_told = False
            _LOG.warning(
                "%s takes writes again; %d were refused in %d s",
                self._path,
                self._refused,
                now - self._since,
            )
        self._since, self._ended = None, now
