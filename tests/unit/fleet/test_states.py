"""The state directory: whose it is, where it is, who has it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from argosy.cli.main import main
from argosy.fleet import states
from argosy.fleet.states import FORMAT, FleetRecord, StateError, StateInUse

DEFAULTS = {
    "named by the environment": ({"ARGOSY_STATE": "/srv/fleet"}, "linux", "/srv/fleet"),
    "in the data directory": ({"XDG_DATA_HOME": "/data"}, "linux", "/data/argosy/fleet"),
    "a data directory that is no whole path does not count": (
        {"XDG_DATA_HOME": "data"},
        "linux",
        "/home/u/.local/share/argosy/fleet",
    ),
    "at home": ({}, "linux", "/home/u/.local/share/argosy/fleet"),
    "at home on a Mac": ({}, "darwin", "/home/u/Library/Application Support/argosy/fleet"),
}


@pytest.mark.parametrize(("env", "platform", "want"), DEFAULTS.values(), ids=DEFAULTS.keys())
def test_where_a_fleet_is_when_nobody_says(env: dict[str, str], platform: str, want: str) -> None:
    assert states.default_directory(env, platform, Path("/home/u")) == Path(want)


def test_what_was_written_is_read_at_the_next_start(tmp_path: Path) -> None:
    record = FleetRecord(kubeconfig="/k", merged="/m", members=({"name": "cluster-1"},))
    with states.opened(tmp_path / "new" / "fleet") as state:
        assert state.record is None
        state.write(record)
    assert states.look(tmp_path / "new" / "fleet") == record
    assert ((tmp_path / "new" / "fleet").stat().st_mode & 0o777) == 0o700


def entries(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


REFUSED = {
    "of a newer format": (
        {"fleet.json": json.dumps({"format": FORMAT + 1, "things": []})},
        f"has format {FORMAT + 1}, of newer Argosy",
    ),
    "with a record that is none": ({"fleet.json": "{"}, "is no record of a fleet"),
    "with somebody's files": ({"thesis.tex": "", "plot.png": ""}, "(it has plot.png and 1 more)"),
    "of a single cluster": (
        {"serviceaccounts.key": "", "store.db": ""},
        "(it has a single cluster of `argosy serve`)",
    ),
}


@pytest.mark.parametrize(("files", "want"), REFUSED.values(), ids=REFUSED.keys())
@pytest.mark.parametrize("verb", ["up", "up --detach", "status", "reset --yes"])
def test_a_directory_that_is_no_fleets_is_refused_and_left_alone(
    files: dict[str, str],
    want: str,
    verb: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    before = entries(tmp_path)
    assert main([*verb.split(), "--state", str(tmp_path)]) == 1
    told = capsys.readouterr()
    (line,) = told.err.splitlines()
    assert line.startswith(f"argosy {verb.split(maxsplit=1)[0]}: {tmp_path}")
    assert want in line
    assert entries(tmp_path) == before


def test_a_file_where_the_directory_should_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "state").write_text("")
    assert main(["up", "--state", str(tmp_path / "state")]) == 1
    assert "is a file: give --state a directory" in capsys.readouterr().err


def test_traces_of_a_start_that_came_to_nothing_are_no_fleet(tmp_path: Path) -> None:
    for name in ("fleet.lock", "argosy.log"):
        (tmp_path / name).write_text("")
    assert states.look(tmp_path) is None


def test_a_fleet_from_before_there_were_records_is_taken(tmp_path: Path) -> None:
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "serviceaccounts.key").write_text("")
    assert states.look(tmp_path) == FleetRecord()


def test_one_process_at_a_time(tmp_path: Path) -> None:
    holding = (
        "import sys, pathlib, argosy.fleet.states as s\n"
        f"with s.opened(pathlib.Path({str(tmp_path)!r})):\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", holding]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        assert states.holder(tmp_path) == other.pid
        with (
            pytest.raises(StateInUse, match=f"by process {other.pid} already"),
            states.opened(tmp_path),
        ):
            """It is not ours."""
        other.kill()
        other.wait()
        assert states.holder(tmp_path) is None
        with states.opened(tmp_path):
            assert states.holder(tmp_path) is not None


def test_the_kubeconfig_of_the_default_fleet(tmp_path: Path) -> None:
    env = {"ARGOSY_STATE": str(tmp_path / "fleet")}
    assert states.kubeconfig_of_default_fleet(env) is None
    file = tmp_path / "elsewhere"
    with states.opened(tmp_path / "fleet") as state:
        state.write(FleetRecord(kubeconfig=str(file)))
    assert states.kubeconfig_of_default_fleet(env) is None
    file.write_text("")
    assert states.kubeconfig_of_default_fleet(env) == file


def test_deleting_leaves_what_is_not_the_fleets(tmp_path: Path) -> None:
    directory = tmp_path / "fleet"
    with states.opened(directory) as state:
        state.write(FleetRecord())
        (directory / "cluster-1").mkdir()
        for name in ("cluster-1/serviceaccounts.key", "kubeconfig", "notes.txt"):
            (directory / name).write_text("")
        assert states.remove(directory) == ["notes.txt"]
    assert [path.name for path in directory.iterdir()] == ["notes.txt"]
    (directory / "notes.txt").unlink()
    with states.opened(directory) as state:
        state.write(FleetRecord())
        assert states.remove(directory) == []
    assert not directory.exists()


def test_a_record_that_cannot_be_read_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "fleet.json").write_text(json.dumps({"format": FORMAT, "members": 3}))
    with pytest.raises(StateError, match=r"fleet\.json cannot be read"):
        states.look(tmp_path)
