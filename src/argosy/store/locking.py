"""One process per store.

The lock is an flock on a file beside the store, which the kernel releases when its holder dies, however it
dies. The file tells the holder's pid, for the message the next one gets. It stays when the lock is released:
removing it would let two processes lock two files of the same name.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from argosy.store.errors import StoreInUse


class FileLock:
    """An exclusive lock, held from construction to `release`."""

    def __init__(self, store: Path) -> None:
        path = store.with_name(store.name + ".lock")
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(self._descriptor, 32).strip()
            os.close(self._descriptor)
            raise StoreInUse(str(store), int(holder) if holder.isdigit() else None) from error
        # The holder's pid is for a message only: a disk without room for it may have a store worth reading.
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, b"%d\n" % os.getpid(), 0)

    def release(self) -> None:
        os.close(self._descriptor)
