"""Names of images, and why a sandbox has not begun."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.workloads.runtimes.process.images import full_name
from argosy.workloads.runtimes.process.keeper.starting import why_not

NAMES = {
    "ubuntu": "docker.io/library/ubuntu",
    "ubuntu:22.04": "docker.io/library/ubuntu:22.04",
    "team/tool:1": "docker.io/team/tool:1",
    "quay.io/team/tool": "quay.io/team/tool",
    "localhost/tool": "localhost/tool",
    "registry:5000/tool": "registry:5000/tool",
}


@pytest.mark.parametrize("name", NAMES)
def test_the_full_name_of_an_image(name: str) -> None:
    assert full_name(name) == NAMES[name]


REASONS = {
    "not in the path": (
        "nope",
        "bwrap: execvp nope: No such file or directory",
        'exec: "nope": executable file not found in $PATH',
    ),
    "no such file": (
        "/x/nope",
        "bwrap: execvp /x/nope: No such file or directory",
        'exec: "/x/nope": stat /x/nope: no such file or directory',
    ),
    "not executable": (
        "/etc/hosts",
        "bwrap: execvp /etc/hosts: Permission denied",
        'exec: "/etc/hosts": permission denied',
    ),
    "the sandbox itself": (
        "true",
        "bwrap: Can't mkdir /proc/x: No such file or directory",
        "bubblewrap: Can't mkdir /proc/x: No such file or directory",
    ),
    "no words": ("true", "what a command said", "the sandbox has failed without a word"),
}


@pytest.mark.parametrize("case", REASONS)
def test_why_a_sandbox_has_not_begun(case: str, tmp_path: Path) -> None:
    program, line, want = REASONS[case]
    log = tmp_path / "log"
    log.write_text(f"2026-01-02T03:04:05.000000001Z stderr F {line}\n")
    assert why_not(program, log) == want


def test_words_that_are_lost(tmp_path: Path) -> None:
    assert "its words are lost" in why_not("true", tmp_path / "none")
