"""What a store refuses, and why.

    StoreError
    ├── Mismatch           the object is not at the revision the writer expected
    ├── Compacted          the revision has left the history
    ├── FutureRevision     the revision has not happened yet
    ├── TooSlow            a watcher let its buffer fill up and was cut off
    ├── Closed             the watch or the store was closed
    ├── StoreUnavailable   the disk refused a write; reads go on, and so do writes once the disk takes them again
    ├── StoreInUse         another process has the file open
    ├── DamagedStore       the file cannot be read
    └── NewerStore         a newer Argosy wrote the file

The store knows no HTTP: the API server turns these into Kubernetes' Status (Mismatch: AlreadyExists or
Conflict, Compacted: Expired, StoreUnavailable: ServiceUnavailable). The last four carry texts for people at a
terminal.
"""

from __future__ import annotations

from argosy.store.records import Record


class StoreError(Exception):
    """The root of the tree."""


class Mismatch(StoreError):
    """`current` is what a writer has to start from again; None when nothing is there."""

    def __init__(self, current: Record | None) -> None:
        found = "nothing" if current is None else f"revision {current.revision}"
        super().__init__(f"the object has changed: {found} is there now")
        self.current = current


class Compacted(StoreError):
    def __init__(self, requested: int, oldest: int) -> None:
        super().__init__(f"revision {requested} has left the history, which begins at {oldest}")
        self.requested = requested
        self.oldest = oldest


class FutureRevision(StoreError):
    def __init__(self, requested: int, current: int) -> None:
        super().__init__(f"revision {requested} has not happened yet; the store is at {current}")
        self.requested = requested
        self.current = current


class TooSlow(StoreError):
    """The watcher has to list and watch again."""

    def __init__(self, events: int, size: int) -> None:
        super().__init__(f"the watcher left {events} events ({size} bytes) unread and was cut off")


class Closed(StoreError):
    pass


class StoreUnavailable(StoreError):
    """`why` alone is for somebody who cannot start; `then` is what goes on meanwhile, `advice` what to do."""

    def __init__(self, why: str, then: str = "", advice: str = "") -> None:
        super().__init__("; ".join(filter(None, (": ".join(filter(None, (why, then))), advice))))
        self.why = why
        self.then = then
        self.advice = advice

    def again(self) -> StoreUnavailable:
        """The same for another writer: an error that is raised twice mixes up its tracebacks."""
        return StoreUnavailable(self.why, self.then, self.advice)


class StoreInUse(StoreError):
    def __init__(self, path: str, pid: int | None) -> None:
        holder = "another process" if pid is None else f"process {pid}"
        super().__init__(
            f"{path} is in use by {holder}: stop it, or give this one another state directory"
        )
        self.pid = pid


class DamagedStore(StoreError):
    def __init__(self, path: str, what: str) -> None:
        super().__init__(
            f"{path} is damaged ({what}): restore it from a backup, or move it away to start with an empty cluster"
        )


class NewerStore(StoreError):
    def __init__(self, path: str, found: int, known: int) -> None:
        super().__init__(
            f"{path} has format {found}, this Argosy knows formats up to {known}: run the newer Argosy that wrote it"
        )
