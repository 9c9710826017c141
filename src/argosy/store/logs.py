"""The file of a store: an append-only log in SQLite.

One row per write, by revision: key, bytes, and whether it deleted the object (the bytes are then its final
state). The newest row of a key is its present; the rows since `compacted` are the watch history; so a restart
reads the table once, in order, and has both. A row that is neither (superseded, or a deletion, by a change at
or before `compacted`) is garbage, which `sweep` deletes, writing down `compacted` in the same transaction: so
the revision never goes back, even if the newest row goes.

How it stays fast: a batch is one INSERT of many rows that commits by itself, hence one entry into SQLite, in
which the interpreter's lock is given up once. The statement is prepared for a few sizes and padded with NULL
rows to the next. WAL with synchronous=FULL makes every commit one fsync; exclusive locking spares the
shared-memory file; pages of 8 KiB hold three objects of 2 KiB where 4 KiB pages hold one.

The objects include Secrets, so the file is the owner's alone. Nothing here knows threads: one caller at a time.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from argosy.store.errors import DamagedStore, NewerStore, StoreUnavailable
from argosy.store.faults import unwritable
from argosy.store.records import FIRST_REVISION

# Changes when an older Argosy could no longer read the file.
FORMAT: Final = 1
# "Argo": tells our files from other programs' SQLite files.
_APPLICATION: Final = 0x4172676F
_PAGE_BYTES: Final = 8192
# Copy the WAL into the file at 8 MiB: the tail page of the log is then copied once, not per commit, and the WALs
# of eighty stores stay small.
_CHECKPOINT_PAGES: Final = 1024
# Appending needs the way to the last page only, and reading happens at start only.
_CACHE_KIB: Final = 512

MAX_ROWS: Final = 128
_SIZES: Final = tuple(2**i for i in range(MAX_ROWS.bit_length()))
SWEEP_ROWS: Final = 1024

_SCHEMA: Final = """
CREATE TABLE log(
  revision INTEGER PRIMARY KEY,
  resource TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  deleted INTEGER NOT NULL,
  value BLOB NOT NULL
);
CREATE TABLE compaction(only INTEGER PRIMARY KEY CHECK (only = 0), revision INTEGER NOT NULL);
INSERT INTO compaction VALUES (0, %d);
PRAGMA application_id = %d;
PRAGMA user_version = %d;
"""


class Row(NamedTuple):
    """One write, in the order of the table's columns."""

    revision: int
    resource: str
    namespace: str
    name: str
    deleted: bool
    value: bytes


_Value: TypeAlias = int | str | bytes | None
_PADDING: Final[tuple[_Value, ...]] = (None,) * len(Row._fields)


def _insert(rows: int) -> str:
    values = ",".join(["(" + ",".join("?" * len(Row._fields)) + ")"] * rows)
    return f"INSERT INTO log SELECT * FROM (VALUES {values}) WHERE column1 IS NOT NULL"  # noqa: S608


_INSERTS: Final = {size: _insert(size) for size in _SIZES}
_DELETE: Final = f"DELETE FROM log WHERE revision IN ({','.join('?' * SWEEP_ROWS)})"  # noqa: S608


class Log:
    """An open file."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        _create(path)
        try:
            self._connection = self._open()
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def rows(self) -> Iterator[tuple[int, str, str, str, int, bytes]]:
        """Every row, oldest first; bare tuples, for speed."""
        try:
            yield from self._connection.execute("SELECT * FROM log ORDER BY revision")
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def compacted(self) -> int:
        try:
            row = self._connection.execute("SELECT revision FROM compaction").fetchone()
        except sqlite3.Error as error:
            raise self._explain(error) from error
        if row is None:
            raise self.damaged("its compaction table is empty")
        return int(row[0])

    def append(self, rows: Sequence[Row]) -> None:
        """Write rows in one transaction; returns after they are on disk."""
        size = next(size for size in _SIZES if size >= len(rows))
        values: list[_Value] = list(chain(*rows, *repeat(_PADDING, size - len(rows))))
        try:
            self._connection.execute(_INSERTS[size], values)
        except sqlite3.Error as error:
            raise self.unavailable(error) from error

    def sweep(self, garbage: Sequence[int], compacted: int) -> None:
        """Delete at most SWEEP_ROWS rows that nothing after `compacted` needs."""
        connection = self._connection
        padded = [*garbage, *repeat(None, SWEEP_ROWS - len(garbage))]
        try:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.execute("UPDATE compaction SET revision = ?", (compacted,))
                connection.execute(_DELETE, padded)
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise self.unavailable(error) from error

    def close(self) -> None:
        self._connection.close()

    def damaged(self, what: str) -> DamagedStore:
        return DamagedStore(self._path, what)

    def unavailable(self, error: sqlite3.Error) -> StoreUnavailable:
        return unwritable(self._path, error)

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False, cached_statements=32
        )
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            # Takes effect on a new file only.
            connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
            self._recognize(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            # Deleted rows need not be overwritten; some builds of SQLite would.
            connection.execute("PRAGMA secure_delete = OFF")
            if _number(connection, "PRAGMA user_version") == 0:
                script = _SCHEMA % (FIRST_REVISION, _APPLICATION, FORMAT)
                connection.executescript(f"BEGIN IMMEDIATE; {script} COMMIT;")
        except BaseException:
            connection.close()
            raise
        return connection

    def _recognize(self, connection: sqlite3.Connection) -> None:
        """Refuse files that are not ours before changing anything in them."""
        found = _number(connection, "PRAGMA user_version")
        if found > FORMAT and _number(connection, "PRAGMA application_id") == _APPLICATION:
            raise NewerStore(self._path, found, FORMAT)
        tables = _number(connection, "SELECT count(*) FROM sqlite_schema")
        if tables and _number(connection, "PRAGMA application_id") != _APPLICATION:
            raise self.damaged("it is a database, but not one of Argosy's")

    def _explain(self, error: sqlite3.Error) -> DamagedStore | StoreUnavailable:
        """What an error while opening or reading means for the user."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}:
            return self.damaged(self._diagnose(str(error)))
        return self.unavailable(error)

    def _diagnose(self, text: str) -> str:
        """SQLite's own word on what is broken, where it can still tell."""
        try:
            probe = sqlite3.connect(f"file:{self._path}?mode=ro&immutable=1", uri=True)
            try:
                found = probe.execute("PRAGMA quick_check(1)").fetchone()
            finally:
                probe.close()
        except sqlite3.Error:
            return text
        first = str(found[0]).splitlines()[-1] if found else "ok"
        return text if first == "ok" else f"{text}; {first}"


def _number(connection: sqlite3.Connection, sql: str) -> int:
    return int(connection.execute(sql).fetchone()[0])


def _create(path: Path) -> None:
    """Make the file, private, if it is not there; SQLite gives its WAL the same mode."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        return
    os.close(descriptor)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
