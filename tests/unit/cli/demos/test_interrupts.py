"""Ctrl-C is raised once, when nothing is being begun, and never while things are cleared away."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from argosy.cli.demos.interrupts import Interrupted, Interrupts


@pytest.fixture
def interrupts() -> Iterator[Interrupts]:
    before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    made = Interrupts()
    made.listen()
    yield made
    for number, handler in before.items():
        signal.signal(number, handler)


def press(number: signal.Signals = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


def test_the_first_is_raised_and_the_second_hurries(interrupts: Interrupts) -> None:
    with pytest.raises(Interrupted):
        press()
    assert not interrupts.is_hurried
    press()
    assert interrupts.is_hurried
    assert interrupts.code == 130


def test_what_is_begun_is_begun_whole(interrupts: Interrupts) -> None:
    done = []

    def begin() -> None:
        with interrupts.shielded():
            with interrupts.shielded():
                press()
                done.append("inner")
            done.append("outer")

    with pytest.raises(Interrupted):
        begin()
    assert done == ["inner", "outer"]


def test_an_error_of_what_is_begun_is_told(interrupts: Interrupts) -> None:
    def begin() -> None:
        with interrupts.shielded():
            press()
            raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        begin()


def test_clearing_away_is_not_interrupted(interrupts: Interrupts) -> None:
    interrupts.close()
    press(signal.SIGTERM)
    assert interrupts.code == 143


def test_who_ignores_hangups_goes_on_ignoring_them() -> None:
    before = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        made = Interrupts()
        made.listen()
        press(signal.SIGHUP)
        assert made.number == 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
