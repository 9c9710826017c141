"""Following a log whose file is set aside while it is read: no line is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from argosy.apiserver.specials.logs import LogQuery
from argosy.base.clock import RealClock
from argosy.workloads.runtimes.process import reading


class Log:
    """A log file that somebody writes."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "0.log"
        self._asides = 0

    def say(self, *words: str) -> None:
        with self.path.open("a") as file:
            for word in words:
                file.write(f"2026-01-02T03:04:05.000000001Z stdout F {word}\n")

    def set_aside(self) -> None:
        self._asides += 1
        self.path.rename(self.path.with_name(f"0.log.2026-{self._asides}"))
        self.path.touch()


class Turns(RealClock):
    """At each pause of the reader something happens; after the last the container has ended."""

    def __init__(self, *turns: Callable[[], None]) -> None:
        self._turns = list(turns)

    async def sleep(self, seconds: float) -> None:
        self._turns.pop(0)()

    def is_running(self) -> bool:
        return bool(self._turns)


def follow(log: Log, clock: Turns) -> list[str]:
    async def read() -> list[str]:
        lines = reading.read_log(log.path, LogQuery("main", follow=True), clock, clock.is_running)
        return [line.decode().split()[1] async for line in lines]

    return asyncio.run(read())


def test_several_files_were_set_aside_between_two_looks(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.say("a")

    def rush() -> None:
        for word in ("b", "c", "d"):
            log.say(word)
            log.set_aside()
        log.say("e")

    assert follow(log, Turns(rush, lambda: log.say("f"))) == ["a", "b", "c", "d", "e", "f"]


def test_the_file_that_was_read_is_gone(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.say("a")

    def rush() -> None:
        for word in ("b", "c"):
            log.set_aside()
            log.say(word)
        (tmp_path / "0.log.2026-1").unlink()

    assert follow(log, Turns(rush, lambda: log.say("d"))) == ["a", "b", "c", "d"]


def test_lines_written_just_before_a_file_is_set_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = Log(tmp_path)
    log.say("a")
    looks = iter([True])
    newer = reading._newer

    def late(path: Path, file: object) -> object:
        if next(looks, False):
            log.say("b")
            log.set_aside()
            log.say("c")
        return newer(path, file)  # type: ignore[arg-type]

    monkeypatch.setattr(reading, "_newer", late)
    assert follow(log, Turns(lambda: None)) == ["a", "b", "c"]
