"""What a cluster is served with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from argosy.cli.main import main
from argosy.fleet import serving
from argosy.fleet.serving import Interrupts, Settings


def test_containers_are_told_whole_paths_of_a_state_given_by_a_relative_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path] = []

    async def serve(
        settings: Settings, directory: Path, ready: Callable[[str], None], stop: Interrupts
    ) -> None:
        seen.append(directory)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(serving, "_serve", serve)
    asyncio.run(serving.serve(Settings(Path("kubeconfig"), state=Path("state")), print))
    assert seen == [tmp_path / "state"]


def test_the_first_interrupt_stops_and_the_second_hurries() -> None:
    async def story() -> None:
        interrupts, hurried = Interrupts(), []
        interrupts.hurry = lambda: hurried.append("now")
        interrupts()
        assert (interrupts.wanted.is_set(), hurried) == (True, [])
        interrupts()
        assert hurried == ["now"]

    asyncio.run(story())


def test_an_isolation_without_processes_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["serve", "--memory", "--kubeconfig", str(tmp_path / "k"), "--isolation", "none"]
    assert main(arguments) == 2
    assert "add --allow-processes, or leave out --isolation" in capsys.readouterr().err


def test_an_isolation_that_does_not_work_ends_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    arguments = ["serve", "--memory", "--kubeconfig", str(tmp_path / "k"), "--allow-processes"]
    assert main([*arguments, "--isolation", "podman"]) == 1
    told = capsys.readouterr()
    assert "ready" not in told.out
    assert told.err.splitlines()[-1] == (
        "argosy serve: --isolation podman: containers can not be isolated by podman on this machine: podman is not "
        "installed; mend that, choose another, or leave it out to have the strongest that works"
    )
