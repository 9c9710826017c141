"""What a container writes, as lines in a file, in the form kubelets keep.

    2026-01-02T03:04:05.678901234Z stdout F text of the line

A line that does not fit into one record is split; all parts but the last are marked P. At 10 MiB the file is set
aside under a name with the time, and of five files the oldest goes.

A full disk, or any other trouble with the file, never reaches the container: records that can not be written are
counted and dropped, the file ends with a whole line, and once there is room again a line says how many are missing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

MAX_BYTES: Final = 10 * 1024 * 1024
MAX_FILES: Final = 5
# The longest piece of a line in one record, as of containerd.
PIECE_BYTES: Final = 16 * 1024


class LogFile:
    """The log of one run of one container. `complain` is told once per trouble, in words."""

    def __init__(
        self,
        path: Path,
        complain: Callable[[str], None],
        *,
        max_bytes: int = MAX_BYTES,
        write: Callable[[int, bytes], int] = os.write,
    ) -> None:
        self._path = path
        self._complain = complain
        self._max_bytes = max_bytes
        self._write = write
        self._descriptor = -1
        self._size = 0
        self._dropped = 0
        self._why = ""
        # What the last write has left in the file.
        self._kept = b""

    def append(self, records: list[bytes]) -> None:
        """Write whole records; those for which there is no room are dropped."""
        debt, lines = self._dropped, len(records)
        if debt:
            records = [self._apology(), *records]
        try:
            self._put(b"".join(records))
        except OSError as error:
            self._why = error.strerror or str(error)
            if not debt:
                self._complain(self._why)
            kept = self._kept.count(b"\n")
            self._dropped = len(records) - kept if kept else debt + lines
        else:
            self._dropped = 0

    def close(self) -> None:
        """Close the file; a debt of dropped lines is told if there is room now."""
        if self._dropped:
            self.append([])
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _apology(self) -> bytes:
        text = f"argosy: {self._dropped} lines of the log were dropped: {self._why}"
        return record(stamp(), b"stderr", b"F", text.encode())

    def _put(self, data: bytes) -> None:
        self._kept = b""
        if self._descriptor < 0:
            self._open()
        if self._size and self._size + len(data) > self._max_bytes:
            self._rotate()
        written = 0
        try:
            while written < len(data):
                written += self._write(self._descriptor, data[written:])
        except OSError:
            # Half a record would run into the next one.
            written = data.rfind(b"\n", 0, written) + 1
            os.ftruncate(self._descriptor, self._size + written)
            raise
        finally:
            self._size += written
            self._kept = data[:written]

    def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._descriptor = os.open(self._path, flags, 0o640)
        self._size = os.fstat(self._descriptor).st_size

    def _rotate(self) -> None:
        os.close(self._descriptor)
        self._descriptor = -1
        date, _, clock = stamp().decode().rstrip("Z").partition("T")
        now = f"{date.replace('-', '')}-{clock.replace(':', '')}"
        aside = self._path.with_name(f"{self._path.name}.{now}")
        self._path.rename(aside)
        old = sorted(self._path.parent.glob(f"{self._path.name}.*"))
        for one in old[: max(0, len(old) - (MAX_FILES - 1))]:
            one.unlink(missing_ok=True)
        self._open()


class Stream:
    """Cuts what comes out of stdout or stderr into records."""

    def __init__(self, name: str, file: LogFile) -> None:
        self._name = name.encode()
        self._file = file
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """Take some output, as it came."""
        lines = (self._rest + data).split(b"\n")
        self._rest = lines.pop()
        now = stamp()
        records = [piece for line in lines for piece in self._pieces(now, line)]
        while len(self._rest) >= PIECE_BYTES:
            records.append(record(now, self._name, b"P", self._rest[:PIECE_BYTES]))
            self._rest = self._rest[PIECE_BYTES:]
        if records:
            self._file.append(records)

    def finish(self) -> None:
        """The end of the output: what stands without a newline is a line too."""
        if self._rest:
            self._file.append(self._pieces(stamp(), self._rest))
            self._rest = b""

    def _pieces(self, now: bytes, line: bytes) -> list[bytes]:
        if len(line) <= PIECE_BYTES:
            return [record(now, self._name, b"F", line)]
        cuts = range(0, len(line), PIECE_BYTES)
        parts = [line[start : start + PIECE_BYTES] for start in cuts]
        return [record(now, self._name, b"P", part) for part in parts[:-1]] + [
            record(now, self._name, b"F", parts[-1])
        ]


def record(now: bytes, stream: bytes, tag: bytes, text: bytes) -> bytes:
    return b"%s %s %s %s\n" % (now, stream, tag, text)


def stamp() -> bytes:
    """The time to the nanosecond."""
    seconds, nanos = divmod(time.time_ns(), 1_000_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{nanos:09d}Z".encode()
