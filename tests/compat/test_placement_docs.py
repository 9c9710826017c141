"""The page on placement, played: every command it shows is run on a fleet, in order, and prints what the page prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compat.fleets import Fleet, fleet

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "placement.md"
# What stands for lines, or the end of a line, that the page leaves out.
ELLIPSIS = "…"
# What differs from run to run: ages, the random ends of names, hashes in names of Workloads.
VOLATILE = (
    (re.compile(r"\b(\d+m)?\d+s\b"), "AGE"),
    (re.compile(r"-[0-9a-f]{8}\b"), "-ID"),
    (re.compile(r"(job-[a-z-]+)-[0-9a-f]{5}\b"), r"\1-HASH"),
)


def _steps() -> list[tuple[str, list[str]]]:
    """Commands of the page's console blocks, each with the lines it is to print."""
    steps: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(), re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


def _plain(line: str) -> str:
    for pattern, word in VOLATILE:
        line = pattern.sub(word, line)
    return " ".join(line.split())


def _missing(shown: list[str], printed: str) -> str:
    """The first line of the page that was not printed after the one before it."""
    left = [_plain(line) for line in printed.splitlines()]
    for line in filter(None, map(_plain, shown)):
        head, cut, _ = line.partition(ELLIPSIS)
        at = next(
            (i for i, each in enumerate(left) if (each.startswith(head) if cut else each == line)),
            None,
        )
        if at is None:
            return line
        if line != ELLIPSIS:
            left = left[at + 1 :]
    return ""


def _run(made: Fleet, command: str) -> subprocess.CompletedProcess[str]:
    tools = (Path(sys.executable).parent, Path(made.kubectl.program).parent)
    environment = {
        **os.environ,
        "KUBECONFIG": str(made.process.kubeconfig),
        "HOME": str(made.kubectl.home),
        "PATH": os.pathsep.join([*map(str, tools), os.environ.get("PATH", "")]),
    }
    return subprocess.run(
        ["bash", "-c", command],
        cwd=ROOT,
        env=environment,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=90,
    )


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    steps = _steps()
    assert len(steps) > 20
    with fleet(tmp_path) as made:
        for command, shown in steps:
            done = _run(made, command)
            assert done.returncode == 0, f"$ {command}\n{done.stdout}"
            missing = _missing(shown, done.stdout)
            assert not missing, f"$ {command}\nwants {missing!r}, printed:\n{done.stdout}"


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^):]+)\)", PAGE.read_text()):
        assert (PAGE.parent / target).exists(), target
