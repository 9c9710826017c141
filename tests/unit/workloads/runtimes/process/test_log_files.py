"""How the keeper writes logs."""

from __future__ import annotations

import os
from errno import ENOSPC
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from argosy.workloads.runtimes.process.keeper.logs import PIECE_BYTES, LogFile, Stream, stamp


class Disk:
    """Writes until it is full."""

    def __init__(self, room: int) -> None:
        self.room = room

    def write(self, descriptor: int, data: bytes) -> int:
        if not self.room:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        size = min(self.room, len(data))
        self.room -= size
        return os.write(descriptor, data[:size])


def texts(path: Path) -> list[bytes]:
    """What records say: stream, tag and text."""
    return [line.split(b" ", 1)[1] for line in path.read_bytes().splitlines()]


def test_lines_of_both_streams(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "0.log"
    file = LogFile(path, lambda text: None)
    out, error = Stream("stdout", file), Stream("stderr", file)
    out.feed(b"one\ntw")
    error.feed(b"oops\n")
    out.feed(b"o\n\nrest")
    out.finish()
    file.close()
    assert texts(path) == [
        b"stdout F one",
        b"stderr F oops",
        b"stdout F two",
        b"stdout F ",
        b"stdout F rest",
    ]
    first = path.read_bytes().split(b" ")[0]
    assert len(first) == len(stamp()) == len(b"2026-01-02T03:04:05.678901234Z")


def test_a_long_line_is_several_records(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "0.log", lambda text: None)
    stream = Stream("stdout", file)
    stream.feed(b"x" * (2 * PIECE_BYTES + 5) + b"\n")
    file.close()
    got = [(one.split(b" ")[1], len(one.split(b" ")[2])) for one in texts(tmp_path / "0.log")]
    assert got == [(b"P", PIECE_BYTES), (b"P", PIECE_BYTES), (b"F", 5)]


@given(st.lists(st.binary(max_size=40_000), max_size=5))
def test_joined_records_are_what_was_written(chunks: list[bytes]) -> None:
    written: list[bytes] = []

    class Memory(LogFile):
        def append(self, records: list[bytes]) -> None:
            written.extend(records)

    stream = Stream("stdout", Memory(Path("unused"), lambda text: None))
    for chunk in chunks:
        stream.feed(chunk)
    stream.finish()
    joined = b""
    for one in written:
        _, _, tag, text = one[:-1].split(b" ", 3)
        joined += text + (b"\n" if tag == b"F" else b"")
    whole = b"".join(chunks)
    assert joined in {whole, whole + b"\n"}


def test_five_files_at_most(tmp_path: Path) -> None:
    file = LogFile(tmp_path / "0.log", lambda text: None, max_bytes=200)
    stream = Stream("stdout", file)
    for number in range(40):
        stream.feed(b"%040d\n" % number)
    file.close()
    names = sorted(one.name for one in tmp_path.iterdir())
    assert len(names) == 5
    assert names[0] == "0.log"
    assert all(one.stat().st_size <= 200 for one in tmp_path.iterdir())
    assert texts(tmp_path / "0.log")[-1] == b"stdout F %040d" % 39


def test_a_full_disk_drops_lines_and_says_so(tmp_path: Path) -> None:
    disk = Disk(100)
    complaints: list[str] = []
    path = tmp_path / "0.log"
    file = LogFile(path, complaints.append, write=disk.write)
    stream = Stream("stdout", file)
    stream.feed(b"first\nsecond\nthird\n")
    stream.feed(b"fourth\n")
    assert complaints == ["No space left on device"]
    # What is there is whole.
    assert texts(path) == [b"stdout F first", b"stdout F second"]
    disk.room = 10_000
    stream.feed(b"fifth\n")
    file.close()
    assert texts(path) == [
        b"stdout F first",
        b"stdout F second",
        b"stderr F argosy: 2 lines of the log were dropped: No space left on device",
        b"stdout F fifth",
    ]
    assert complaints == ["No space left on device"]


def test_a_debt_is_told_at_the_end(tmp_path: Path) -> None:
    disk = Disk(0)
    file = LogFile(tmp_path / "0.log", lambda text: None, write=disk.write)
    stream = Stream("stdout", file)
    stream.feed(b"lost\n")
    disk.room = 1000
    file.close()
    want = b"stderr F argosy: 1 lines of the log were dropped: No space left on device"
    assert texts(tmp_path / "0.log") == [want]
