"""Reading the logs of containers for `kubectl logs`, across the files they were rotated into while following.

Records are `TIME STREAM TAG text`; parts of one long line (tag P) are joined again. As on a kubelet only the newest
file is read; a reader that follows goes on with the next file when the one it reads has been set aside, however many
were set aside meanwhile, and misses nothing but files that are gone.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from argosy.apiserver.specials.logs import LogQuery
from argosy.base.clock import Clock
from argosy.base.timestamps import parse_time

POLL_SECONDS: Final = 0.2


async def read_log(
    path: Path, query: LogQuery, clock: Clock, is_running: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """`TIME text` lines, oldest first; follows until the container has ended."""
    reader = _Reader()
    file = _open(path)
    while file is None:
        if not query.follow or not is_running():
            return
        await clock.sleep(POLL_SECONDS)
        file = _open(path)
    try:
        for line in _chosen(reader.lines(file), query):
            yield line
        while query.follow:
            ended = not is_running()
            for line in reader.lines(file):
                yield line
            if (newer := _newer(path, file)) is not None:
                # What was written between our last look and the change of files.
                for line in reader.lines(file):
                    yield line
                file.close()
                file = newer
                continue
            if ended:
                return
            await clock.sleep(POLL_SECONDS)
    finally:
        file.close()


def _open(path: Path) -> BinaryIO | None:
    try:
        return path.open("rb")
    except FileNotFoundError:
        return None


def _newer(path: Path, file: BinaryIO) -> BinaryIO | None:
    """The file that comes after one that was read to its end; the oldest that is left if that one is gone."""
    own = os.fstat(file.fileno()).st_ino
    try:
        if path.stat().st_ino == own:
            return None
    except FileNotFoundError:
        # In the middle of a change.
        return None
    # Their names have the time they were set aside in them.
    files = [
        one
        for place in (*sorted(path.parent.glob(f"{path.name}.*")), path)
        if (one := _open(place))
    ]
    numbers = [os.fstat(one.fileno()).st_ino for one in files]
    chosen = numbers.index(own) + 1 if own in numbers else 0
    for one in (*files[:chosen], *files[chosen + 1 :]):
        one.close()
    return files[chosen] if chosen < len(files) else None


class _Reader:
    """Joins the parts of lines."""

    def __init__(self) -> None:
        self._time = self._text = b""

    def lines(self, file: BinaryIO) -> Iterator[bytes]:
        """Whole lines from where the file stands; one that is still being written is left for the next time."""
        while True:
            start = file.tell()
            raw = file.readline()
            if not raw.endswith(b"\n"):
                file.seek(start)
                return
            stamp, _, rest = raw.partition(b" ")
            _, _, rest = rest.partition(b" ")
            tag, _, piece = rest.partition(b" ")
            time = self._time or stamp
            if tag == b"P":
                self._time, self._text = time, self._text + piece[:-1]
                continue
            yield time + b" " + self._text + piece
            self._time = self._text = b""


def _chosen(lines: Iterator[bytes], query: LogQuery) -> Iterator[bytes]:
    since = query.since
    if since is not None:
        lines = (line for line in lines if _time(line) >= since)
    return iter(deque(lines, maxlen=query.tail)) if query.tail is not None else lines


def _time(line: bytes) -> float:
    try:
        return parse_time(line.partition(b" ")[0].decode("ascii", "replace")).timestamp()
    except ValueError:
        return 0.0
