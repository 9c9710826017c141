"""Real kubectl, run as a user runs it: a kubeconfig, a namespace, arguments, what it printed.

Its home and cache are directories of the test, so that nothing leaks into or from the machine's own.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

RUN_SECONDS = 60.0


@dataclass(slots=True, frozen=True)
class Output:
    """What one run of kubectl left."""

    code: int
    stdout: str
    stderr: str

    @property
    def lines(self) -> list[str]:
        return self.stdout.splitlines()

    @property
    def rows(self) -> list[list[str]]:
        """A printed table as words, its head first. Cells that hold blanks fall into several words."""
        return [line.split() for line in self.lines]

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)


@dataclass(slots=True, frozen=True)
class Kubectl:
    """kubectl for one kubeconfig; calling it runs it in its namespace and wants success."""

    program: str
    kubeconfig: Path
    home: Path
    namespace: str = ""
    variables: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, stdin: Any = None) -> Output:
        """Run and want exit code 0."""
        output = self.run(*arguments, stdin=stdin)
        assert output.code == 0, f"kubectl {' '.join(arguments)}: {output.stderr or output.stdout}"
        return output

    def fails(self, *arguments: str, stdin: Any = None, code: int = 1) -> str:
        """Run, want failure; returns what it said on standard error."""
        output = self.run(*arguments, stdin=stdin)
        assert output.code == code, (
            f"kubectl {' '.join(arguments)} ended with {output.code}: {output}"
        )
        return output.stderr

    def run(self, *arguments: str, stdin: Any = None, seconds: float = RUN_SECONDS) -> Output:
        """Run to the end. Input that is no text is sent as YAML, a list as several documents."""
        done = subprocess.run(
            self.command(*arguments),
            input=manifest(stdin) if stdin is not None else "",
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )
        return Output(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a run that goes on (a watch); the caller ends it."""
        return subprocess.Popen(
            self.command(*arguments),
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def into(self, namespace: str) -> Kubectl:
        """The same kubectl with another default namespace."""
        return replace(self, namespace=namespace)

    def having(self, **variables: str) -> Kubectl:
        """The same kubectl with more environment variables."""
        return replace(self, variables={**self.variables, **variables})

    def command(self, *arguments: str) -> list[str]:
        return [self.program, *(("-n", self.namespace) if self.namespace else ()), *arguments]

    @property
    def environment(self) -> dict[str, str]:
        own = {
            "HOME": str(self.home),
            "KUBECACHEDIR": str(self.home / "cache"),
            "KUBECONFIG": str(self.kubeconfig),
        }
        return {"PATH": os.environ["PATH"], **own, **self.variables}


def manifest(given: Any) -> str:
    if isinstance(given, str):
        return given
    return yaml.safe_dump_all(given if isinstance(given, list) else [given], sort_keys=False)


def find_kubectl() -> str:
    """kubectl's path; without one the test is skipped, in CI it fails."""
    found = shutil.which("kubectl")
    if found is not None:
        return found
    if os.environ.get("CI", "").lower() in {"true", "1"}:
        pytest.fail("kubectl is not on the PATH; CI must have it")
    pytest.skip("kubectl is not on the PATH; install it to run these tests")
