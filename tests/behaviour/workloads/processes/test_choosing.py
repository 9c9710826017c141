"""Which isolation is used: the strongest that works here, or the one that was asked for, or none at all."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from argosy.workloads.runtimes.process import Unfit
from tests.behaviour.workloads.processes.machines import HAS_BUBBLEWRAP, Machine, pod, run, shell


def without_programs(folder: Path, monkeypatch: pytest.MonkeyPatch, *broken: str) -> None:
    """A path without sandboxes, but with these, which fail."""
    programs = folder / "programs"
    programs.mkdir()
    for one in ("true", "bash", "sh"):
        (programs / one).symlink_to(f"/bin/{one}")
    for one in broken:
        (programs / one).write_text(
            f"#!/bin/sh\necho hm\necho 'Error: {one} is ill' >&2\nexit 126\n"
        )
        (programs / one).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))


def chosen(folder: Path) -> str:
    async def story(machine: Machine) -> str:
        return machine.runtime.isolation

    return run(folder, story, None)


def test_what_is_not_installed_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    without_programs(tmp_path, monkeypatch)
    assert chosen(tmp_path) in {"namespaces", "none"}
    assert "podman: podman is not installed; bubblewrap: bwrap is not installed" in caplog.text


def test_what_is_installed_and_does_not_work_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    without_programs(tmp_path, monkeypatch, "podman", "bwrap")
    assert chosen(tmp_path) in {"namespaces", "none"}
    assert "(podman: podman is ill; bubblewrap: bwrap is ill" in caplog.text
    assert not (tmp_path / "state" / "trial").exists()


@pytest.mark.skipif(not HAS_BUBBLEWRAP, reason="bubblewrap is not installed here")
def test_bubblewrap_is_used_where_podman_does_not_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    before = os.environ["PATH"]
    without_programs(tmp_path, monkeypatch, "podman")
    monkeypatch.setenv("PATH", f"{tmp_path / 'programs'}:{before}")
    assert chosen(tmp_path) == "bubblewrap"
    assert "in a bubblewrap sandbox" in caplog.text


def test_what_is_asked_for_and_does_not_work_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_programs(tmp_path, monkeypatch, "podman")

    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell("true")))
        with pytest.raises(Unfit) as caught:
            await asyncio.wait_for(machine.runtime.decided(), 20)
        assert str(caught.value) == (
            "containers can not be isolated by podman on this machine: podman is ill"
        )
        assert machine.statuses == {}

    run(tmp_path, story, "podman", waits=False)
