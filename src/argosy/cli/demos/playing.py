"""The player: tells a story step by step, runs its commands in sight, waits, and says which step failed."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

from argosy.cli.demos.stages import Stage
from argosy.cli.demos.steps import Act, Run, Say, Story, Until

_LOOK_SECONDS: Final = 0.3
_TIMED_OUT: Final = 124
_CLUSTER: Final = re.compile(r"\{cluster:([^}]+)\}")
# Lines of a command that failed and are told again with the failure.
_LAST_LINES: Final = 5


class StepFailed(Exception):
    """A step did not do what the story says; the message says which and why."""


class Player:
    """Plays on one stage. `check` raises if the fleet is gone."""

    def __init__(self, stage: Stage, story: Story, check: Callable[[], None]) -> None:
        self._stage = stage
        self._story = story
        self._check = check

    def play(self, first: int = 1) -> None:
        """All steps; the first has this number."""
        steps = self._story.steps
        last = first + len(steps) - 1
        for number, step in enumerate(steps, first):
            self._rest()
            self._stage.screen.title(f"{number}/{last}", step.title)
            self._stage.screen.say(step.why)
            try:
                for part in step.parts:
                    self._part(part)
            except StepFailed as error:
                raise StepFailed(
                    f'step {number} of {last}, "{step.title}", failed: {error}'
                ) from None

    def _part(self, part: Run | Until | Say | Act) -> None:
        match part:
            case Run():
                self.run(part)
            case Until():
                self.wait(part)
            case Say():
                self._stage.screen.say(part.text)
            case Act():
                part.play(self._stage)

    def run(self, part: Run) -> None:
        screen = self._stage.screen
        command = self.worded(part.command)
        screen.command(command)
        said: list[str] = []

        def tell(line: str) -> None:
            said.append(line)
            if not part.columns:
                screen.output(line)

        code = self._stage.shell.run(command, tell, part.seconds)
        for line in picked(said, part.columns) if part.columns else ():
            screen.output(line)
        if code != 0:
            self._check()
            ended = (
                f"did not end within {part.seconds:g} s"
                if code == _TIMED_OUT
                else f"ended with exit code {code}"
            )
            raise StepFailed(f"`{command}` {ended}{_last(said)}")

    def wait(self, part: Until) -> None:
        begun = time.monotonic()
        told = False
        while lacks := part.lacks(self._stage.fleet):
            self._check()
            passed = time.monotonic() - begun
            if passed > part.seconds:
                raise StepFailed(
                    f"after {part.seconds:g} s still not so, that {part.what}: {lacks}"
                )
            if self._stage.screen.is_terminal:
                self._stage.screen.progress(f"{passed:3.0f} s, waiting until {part.what}: {lacks}")
            elif not told:
                self._stage.screen.progress(f"waiting until {part.what} ...")
            told = True
            time.sleep(_LOOK_SECONDS)
        self._stage.screen.clear()

    def worded(self, command: str) -> str:
        """The command with names for what only this run knows."""
        for name, value in self._stage.names.items():
            command = command.replace(f"{{{name}}}", value)
        return _CLUSTER.sub(lambda found: self._cluster(found[1]), command)

    def _cluster(self, job: str) -> str:
        clusters = self._stage.fleet.job(job, self._story.namespace).clusters
        if not clusters:
            raise StepFailed(f"job {self._story.namespace}/{job} was not placed on any cluster")
        return clusters[0]

    def _rest(self) -> None:
        """Leave time to read."""
        pause = self._stage.pause
        if pause is None:
            sys.stdout.write("\nEnter goes on ")
            sys.stdout.flush()
            sys.stdin.readline()
        elif pause:
            time.sleep(pause)


def picked(lines: Sequence[str], columns: Sequence[str]) -> list[str]:
    """A table with these of its columns; all of it, if it has not got them."""
    heads = list(re.finditer(r"\S+(?: \S+)*", lines[0])) if lines else []
    bounds = [head.start() for head in heads] + [1 << 16]
    places = {head[0]: slice(*bounds[n : n + 2]) for n, head in enumerate(heads)}
    if not set(columns) <= set(places):
        return list(lines)
    cells = [[line[places[name]].rstrip() for name in columns] for line in lines]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _last(said: Sequence[str]) -> str:
    lines = [line.strip() for line in said if line.strip()][-_LAST_LINES:]
    return f" and said: {' / '.join(lines)}" if lines else ""
