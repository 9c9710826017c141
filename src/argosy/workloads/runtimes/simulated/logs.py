"""What simulated containers have written, made up when somebody reads it.

A line is a function of the pod, the container, the run's start and the time: nothing is stored. A command that can be
read is played, so that `echo` shows what the user expects at the time it would have been said; any other container says
every few seconds that it runs. As after a rotation, the last `KEPT` lines are there.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from itertools import count
from typing import Final, NamedTuple

from argosy.api.objects import Container, ContainerStatus, Pod
from argosy.api.objects.pods import ContainerStateTerminated
from argosy.base.durations import format_duration
from argosy.base.timestamps import format_micro
from argosy.workloads.runtimes.simulated.behaviors import command_of, read_command
from argosy.workloads.runtimes.simulated.environments import environment
from argosy.workloads.runtimes.simulated.files import files_of
from argosy.workloads.runtimes.simulated.shells.builtins import BUILTINS
from argosy.workloads.runtimes.simulated.shells.playing import Effect, Exited, Printed, Shell

KEPT: Final = 10_000


class Line(NamedTuple):
    """When it was written, in seconds since the epoch, and its text without the end.

    Without a text it is no line, but says that there is none until that time: a script may be silent for ever.
    """

    time: float
    text: str | None

    @property
    def encoded(self) -> bytes:
        return f"{format_micro(self.time)} {self.text}\n".encode()


class Span(NamedTuple):
    """One run of a container; it has not ended while `end` is infinity."""

    number: int
    start: float
    end: float


def span_of(status: ContainerStatus, *, previous: bool) -> Span | None:
    """The run whose lines are asked for, by what the status tells: the present one, else the last."""
    last, number = status.last_state.terminated, status.restart_count
    if previous:
        return _ended(last, number - 1)
    if (running := status.state.running) is not None and running.started_at is not None:
        return Span(number, running.started_at.timestamp(), math.inf)
    return _ended(status.state.terminated, number) or _ended(last, number)


def lines(
    pod: Pod, container: Container, span: Span, now: float, interval: float
) -> Iterator[Line]:
    """Lines from the start on, also those of the future; up to the end of the run."""
    if read_command(pod, container).is_told:
        written = _played(pod, container, span, now)
    else:
        written = _made_up(pod, container, span, now, interval)
    for line in written:
        if line.time > span.end:
            return
        yield line


def past(
    written: Iterator[Line], now: float, *, since: float | None, tail: int | None
) -> tuple[list[Line], Line | None]:
    """The lines up to now that are wanted, and what comes first after now."""
    kept: deque[Line] = deque(maxlen=KEPT if tail is None else min(tail, KEPT))
    for line in written:
        if line.time > now:
            return list(kept), line
        if line.text is not None and (since is None or line.time >= since):
            kept.append(line)
    return list(kept), None


def _played(pod: Pod, container: Container, span: Span, now: float) -> Iterator[Line]:
    variables = environment(pod, container)
    shell = Shell(
        variables, BUILTINS, span.start, min(now, span.end) - span.start, files=files_of(pod)
    )
    text, at = "", span.start
    for effect in _effects(shell, command_of(container, variables)):
        if isinstance(effect, Printed):
            *whole, text = (text + effect.text).split("\n")
            for line in whole:
                yield Line(at, line)
        else:
            # Not the shell's own time: a shell within it has another.
            at += effect.seconds
            yield Line(at, None)
    if text:
        yield Line(at, text)


def _effects(shell: Shell, words: list[str]) -> Iterator[Effect]:
    try:
        yield from shell.run(words)
    except Exited:
        return


def _made_up(
    pod: Pod, container: Container, span: Span, now: float, interval: float
) -> Iterator[Line]:
    who = f'Simulated container "{container.name}" of pod {pod.metadata.namespace}/{pod.metadata.name}'
    # What has been rotated away is not made up.
    first = max(0, int((min(now, span.end) - span.start) / interval) - KEPT)
    for number in count(first):
        age = number * interval
        if span.start + age > span.end:
            return
        did = f"has run for {format_duration(round(age, 3))}" if number else "starts"
        yield Line(span.start + age, f"{who} {did}")


def _ended(told: ContainerStateTerminated | None, number: int) -> Span | None:
    if told is None or told.started_at is None or told.finished_at is None:
        return None
    return Span(number, told.started_at.timestamp(), told.finished_at.timestamp() + 1.0)
