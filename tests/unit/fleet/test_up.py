"""What `argosy up` refuses before anything is started, and what it takes from the last start."""

from __future__ import annotations

import argparse
import socket
from pathlib import Path

import pytest
import yaml

from argosy.cli import running
from argosy.cli.main import main
from argosy.fleet import states
from argosy.fleet.fleets import FleetSettings


def test_a_port_in_use_is_named_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["up", "--state", str(tmp_path / "s"), "--port", str(port)]) == 1
    assert capsys.readouterr().err == (
        f"argosy up: port {port} of 127.0.0.1 is in use by another program: end that one, name another port with "
        "--port, or leave --port out to have a free one\n"
    )
    assert not (tmp_path / "s").exists()


def test_contexts_of_others_are_refused_before_anything_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / ".kube" / "config"
    file.parent.mkdir()
    file.write_text(yaml.safe_dump({"contexts": [{"name": "hub", "context": {}}]}))
    assert main(["up", "--state", str(tmp_path / "s"), "--merge-kubeconfig"]) == 1
    assert f'{file} has a context "hub" of somebody else' in capsys.readouterr().err
    assert not (tmp_path / "s" / "hub").exists()


def test_a_fleet_in_memory_does_not_run_in_the_background(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["up", "--memory", "--detach"]) == 2
    assert "leave out --memory or --detach" in capsys.readouterr().err


def test_a_queueing_configuration_with_mistakes_starts_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["up", "--state", str(tmp_path / "s"), "--queueing-config", str(tmp_path / "none")]
    assert main(arguments) == 2
    assert "argosy up: nothing was started: --queueing-config" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


def settings(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> FleetSettings:
    seen: list[FleetSettings] = []

    def take(settings: FleetSettings, *_: object, **__: object) -> None:
        seen.append(settings)

    monkeypatch.setattr(running, "run_fleet", take)
    monkeypatch.setattr(running, "_run", lambda *_: 0)
    assert main(["up", *arguments]) == 0
    return seen[0]


def members(found: FleetSettings) -> list[str]:
    return [shape.name for shape in found.members]


def test_a_start_without_a_word_brings_back_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = ("--state", str(tmp_path))
    first = settings(monkeypatch, *state, "--members", "2")
    assert (members(first), first.kubeconfig) == (
        ["cluster-1", "cluster-2"],
        tmp_path / "kubeconfig",
    )
    import msgspec

    with states.opened(tmp_path) as opened:
        shapes = msgspec.to_builtins(first.members)
        opened.write(states.FleetRecord(members=tuple(shapes), merged="/m"))
    again = settings(monkeypatch, *state)
    assert (again.members, again.merged) == (first.members, Path("/m"))
    assert members(settings(monkeypatch, *state, "--members", "4"))[-1] == "cluster-4"


def test_members_are_spread_over_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some = settings(
        monkeypatch, "--state", str(tmp_path), "--members", "5", "--processes", "3"
    ).parts()
    assert [[shape.name for shape in part.members] for part in some] == [
        ["cluster-1", "cluster-3", "cluster-5"],
        ["cluster-2", "cluster-4"],
    ]
    assert capsys.readouterr().err == ""
    most = settings(monkeypatch, "--state", str(tmp_path), "--members", "2", "--processes", "9")
    assert (most.processes, len(most.parts())) == (3, 2)
    assert "there will be 3" in capsys.readouterr().err


def test_numbers_that_are_none(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--processes", "0"], ["--port", "70000"], ["--members", "0"]):
        with pytest.raises(SystemExit) as ended:
            main(["up", *arguments])
        assert ended.value.code == 2
        assert arguments[1] in capsys.readouterr().err


def test_which_kubeconfig_a_command_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from argosy.cli.connecting import kubeconfig_of

    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("ARGOSY_STATE", str(tmp_path / "fleet"))
    nothing, named = argparse.Namespace(), argparse.Namespace(kubeconfig="/named")
    assert (kubeconfig_of(nothing), kubeconfig_of(named)) == (None, "/named")
    (tmp_path / "k").write_text("")
    with states.opened(tmp_path / "fleet") as state:
        state.write(states.FleetRecord(kubeconfig=str(tmp_path / "k")))
    assert (kubeconfig_of(nothing), kubeconfig_of(named)) == (tmp_path / "k", "/named")
    monkeypatch.setenv("KUBECONFIG", "/from/environment")
    assert kubeconfig_of(nothing) is None
