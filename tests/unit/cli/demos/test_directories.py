"""The demo's directory: only one's own is ever emptied."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from argosy.cli.demos.directories import DirectoryError, take


def test_a_new_one_goes_whole(tmp_path: Path) -> None:
    directory = take(tmp_path / "a" / "demo", keep=False)
    directory.cache.mkdir()
    assert directory.path.stat().st_mode & 0o777 == 0o700
    directory.remove()
    assert not directory.path.exists()


def test_without_a_place_it_is_a_temporary_one() -> None:
    directory = take(None, keep=False)
    assert directory.path.name.startswith("argosy-demo-")
    directory.remove()


def test_what_a_killed_demo_left_is_cleared(tmp_path: Path) -> None:
    left = take(tmp_path / "demo", keep=False)
    left.fleet.mkdir()
    (left.fleet / "fleet.json").write_text("{}")
    left.kubeconfig.write_text("x")
    again = take(tmp_path / "demo", keep=False)
    assert [path.name for path in again.path.iterdir()] == [".argosy-demo"]


def test_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("")
    with pytest.raises(DirectoryError, match=r"\(it has a and 1 more\): nothing was changed"):
        take(tmp_path, keep=False)
    with pytest.raises(DirectoryError, match="is a file"):
        take(tmp_path / "a", keep=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_one_whose_fleet_runs_is_not_taken(tmp_path: Path) -> None:
    running = take(tmp_path / "demo", keep=True)
    running.fleet.mkdir()
    with (running.fleet / "fleet.lock").open("w+") as lock:
        lock.write("4711\n")
        lock.flush()
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(DirectoryError, match=r"\(process 4711\): `argosy down --state "):
            take(tmp_path / "demo", keep=False)
