"""`argosy demo`: a directory, a fleet, a story; and nothing of them afterwards."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from argosy.cli.demos import directories, examples
from argosy.cli.demos.directories import Directory, DirectoryError
from argosy.cli.demos.fleets import FleetFailed, FleetProcess
from argosy.cli.demos.interrupts import Interrupted, Interrupts
from argosy.cli.demos.playing import Player, StepFailed
from argosy.cli.demos.stages import Screen, Shell, Stage
from argosy.cli.demos.steps import Story

if TYPE_CHECKING:
    from argosy.sdk import Fleet

# Between two steps, to read what was there.
_READING_SECONDS: Final = 2.0
_COMMAND_WIDTH: Final = 48


def run(parsed: argparse.Namespace) -> int:
    interrupts = Interrupts()
    interrupts.listen()
    try:
        demo = _Demo(parsed, interrupts)
        try:
            try:
                return demo.run()
            finally:
                interrupts.close()
        finally:
            interrupts.close()
            demo.clear()
    except Interrupted:
        print("\nargosy demo: interrupted; nothing of it is left", file=sys.stderr)
        return interrupts.code
    except (DirectoryError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        print(f"argosy demo: {error}", file=sys.stderr)
        return 1


class _Demo:
    """One run. What is begun is noted before it can be interrupted, and `clear` ends it."""

    def __init__(self, parsed: argparse.Namespace, interrupts: Interrupts) -> None:
        self._parsed = parsed
        self._interrupts = interrupts
        self._screen = Screen()
        self._directory: Directory | None = None
        self._process: FleetProcess | None = None
        self._is_kept = False

    def run(self) -> int:
        parsed = self._parsed
        with self._interrupts.shielded():
            self._directory = directories.take(parsed.state, keep=parsed.keep)
            self._process = FleetProcess(self._directory, self._interrupts, keep=parsed.keep)
        begun = time.monotonic()
        story = _story(parsed)
        try:
            self._tell(story, self._directory, self._process)
        except (StepFailed, FleetFailed) as error:
            self._fail(str(error), self._process)
            return 1
        self._screen.say("")
        if parsed.keep:
            self._keep(story, self._directory, self._process)
        else:
            self._screen.say(
                f"That was all, in {time.monotonic() - begun:.0f} s. The fleet ends now, and nothing is left of it."
            )
        self._next(story)
        return 0

    def clear(self) -> None:
        """Leave nothing behind, unless it is to be kept."""
        self._screen.clear()
        if self._is_kept:
            return
        if self._process is not None:
            self._process.end()
        if self._directory is not None:
            self._directory.remove()

    def _tell(self, story: Story, directory: Directory, process: FleetProcess) -> None:
        from argosy.sdk import Fleet

        environment = _environment(directory)
        shell = Shell(self._interrupts, environment)
        self._open(story, shell, directory, process)
        fleet: Fleet | None = None
        try:
            with self._interrupts.shielded():
                fleet = Fleet.connect(directory.kubeconfig)
            names = {"examples": examples.shown(examples.folder(story.name))}
            stage = Stage(self._screen, shell, fleet, names, self._pause())
            Player(stage, story, process.check).play(first=2)
        finally:
            if fleet is not None:
                fleet.close()

    def _open(
        self, story: Story, shell: Shell, directory: Directory, process: FleetProcess
    ) -> None:
        """The first step of every story: the fleet."""
        screen = self._screen
        screen.say(story.title)
        if not shell.has_kubectl:
            screen.say(
                "kubectl is not on the PATH. Here a small stand-in of the demo plays it (apply, get, describe, wait, "
                "logs, with the requests kubectl sends); to try things yourself, install it: "
                "https://kubernetes.io/docs/tasks/tools/"
            )
        screen.title(f"1/{len(story.steps) + 1}", "A fleet on this machine")
        screen.say(
            "A hub and three member clusters, each a Kubernetes API with controllers, scheduler, queues and simulated "
            "nodes, in one Python process. The kubeconfig has a context for each."
        )
        words = [
            examples.shown(Path(word)) if word.startswith("/") else word
            for word in process.command(story.up)
        ]
        screen.command(f"argosy {shlex.join(words)}")
        line = process.start(story.up, screen.progress)
        screen.clear()
        screen.output(line)
        screen.command(f"export KUBECONFIG={shlex.quote(examples.shown(directory.kubeconfig))}")

    def _pause(self) -> float | None:
        pace = self._parsed.pace or ("read" if self._screen.is_terminal else "fast")
        return {"fast": 0.0, "read": _READING_SECONDS, "step": None}[pace]

    def _fail(self, message: str, process: FleetProcess) -> None:
        self._screen.clear()
        print(f"\nargosy demo: {message}", file=sys.stderr)
        if lines := process.tail():
            print("The end of the fleet's log:", file=sys.stderr)
            for line in lines:
                print(f"  {line}", file=sys.stderr)

    def _keep(self, story: Story, directory: Directory, process: FleetProcess) -> None:
        fleet = examples.shown(directory.fleet)
        with self._interrupts.shielded():
            pid = process.let_go()
            self._is_kept = True
        self._screen.say(
            f"That was all. The fleet goes on (process {pid}): `argosy status --state {fleet}` shows it, "
            f"`argosy down --state {fleet}` ends it."
        )
        self._screen.command(f"export KUBECONFIG={shlex.quote(str(directory.kubeconfig))}")

    def _next(self, story: Story) -> None:
        self._screen.say(
            "What to try next:" if self._is_kept else "What to try next, after `argosy up`:"
        )
        place = examples.shown(examples.folder(story.name))
        width = _COMMAND_WIDTH
        for command, reason in story.next:
            typed = command.replace("{examples}", place)
            print(f"  {typed.ljust(width)}   # {reason}", flush=True)


def _story(parsed: argparse.Namespace) -> Story:
    if parsed.story == "burst":
        from argosy.cli.demos.bursts import story

        return story(parsed.jobs, parsed.rate, by_template=parsed.template)
    from argosy.cli.demos import fairness, guide

    return fairness.STORY if parsed.story == "fairness" else guide.STORY


def _environment(directory: Directory) -> dict[str, str]:
    """What commands see: the demo's fleet and nothing of another."""
    own = {
        "KUBECONFIG": str(directory.kubeconfig),
        "KUBECACHEDIR": str(directory.cache),
        "ARGOSY_STATE": str(directory.fleet),
        "NO_COLOR": "1",
    }
    return {**os.environ, **own}
