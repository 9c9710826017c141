"""A fleet in a process of its own, and kubectl for its contexts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.kubectls import Kubectl, Output, find_kubectl
from tests.support.processes import ServeProcess, sailing

_LOOK_SECONDS = 0.25


@dataclass(slots=True, frozen=True)
class Fleet:
    """`hub` and the members' contexts, each through kubectl."""

    process: ServeProcess
    kubectl: Kubectl

    def __call__(self, context: str, *arguments: str, stdin: Any = None) -> Output:
        return self.kubectl("--context", context, *arguments, stdin=stdin)

    def until(
        self, context: str, what: tuple[str, ...], condition: str, status: str, seconds: float = 60
    ) -> None:
        """Wait until an object has a condition with this status."""
        path = f'jsonpath={{.status.conditions[?(@.type=="{condition}")].status}}'
        end = time.monotonic() + seconds
        got = ""
        while time.monotonic() < end:
            got = self.kubectl.run("--context", context, "get", *what, "-o", path).stdout
            if got == status:
                return
            time.sleep(_LOOK_SECONDS)
        described = self.kubectl.run("--context", context, "describe", *what).stdout
        raise AssertionError(f"{' '.join(what)}: {condition} is {got!r}, not {status}\n{described}")

    def argosy(self, *arguments: str) -> str:
        import subprocess

        from tests.support.processes import command

        config = ["--kubeconfig", str(self.process.kubeconfig), "--context", "hub"]
        done = subprocess.run(
            command(*arguments, *config), check=False, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def fleet(directory: Path, *flags: str) -> Iterator[Fleet]:
    """A fleet whose members have joined and told what they have."""
    with sailing(directory, *flags) as process:
        home = directory / "home"
        home.mkdir(exist_ok=True)
        made = Fleet(process, Kubectl(find_kubectl(), process.kubeconfig, home))
        end = time.monotonic() + 60
        path = "jsonpath={range .items[*]}{.status.resourceUsage.available.cpu} {end}"
        while time.monotonic() < end:
            told = made("hub", "get", "memberclusters", "-o", path).stdout.split()
            wanted = len(made("hub", "get", "memberclusters", "-o", "name").lines)
            if wanted and len([each for each in told if each != "0"]) == wanted:
                break
            time.sleep(_LOOK_SECONDS)
        yield made
