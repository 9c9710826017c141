"""How `argosy serve` ends: when it is told to, and when it cannot begin."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.connections import Connection, address_of
from tests.support.processes import ServeProcess, command, serve_arguments, serving, start

# What an orderly end may take, with watches open.
END_SECONDS = 2.0


def refused(directory: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Start where it must fail; everything it said and its code."""
    return subprocess.run(
        command(*serve_arguments(directory), *more),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def is_healthy(served: ServeProcess) -> None:
    with Connection(address_of(served.kubeconfig)) as connection:
        assert connection.get("/readyz") == "ok"


def open_watch(served: ServeProcess) -> http.client.HTTPSConnection:
    address = address_of(served.kubeconfig)
    stream = http.client.HTTPSConnection(
        address.host, address.port, context=address.tls, timeout=20
    )
    headers = {"Authorization": f"Bearer {address.token}"}
    stream.request("GET", "/api/v1/namespaces?watch=1", headers=headers)
    return stream


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_a_signal_ends_it_cleanly_with_watches_open(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path) as served:
        watches = [open_watch(served) for _ in range(5)]
        streams = [watch.getresponse() for watch in watches]
        assert all(json.loads(stream.readline())["type"] == "ADDED" for stream in streams)
        address = address_of(served.kubeconfig)
        idle = socket.create_connection((address.host, address.port))
        begun = time.monotonic()
        assert served.stop(number) == 0
        assert time.monotonic() - begun < END_SECONDS
        for watch, stream in zip(watches, streams, strict=True):
            # A whole stream, ended by its last chunk: what is left of the initial state, no error.
            lines = stream.read().splitlines()
            assert all(json.loads(line)["type"] == "ADDED" for line in lines)
            watch.close()
        idle.close()
        assert "Traceback" not in served.log
        assert served.process.stdout is not None
        assert served.process.stdout.read() == b""


def test_what_was_written_is_there_after_a_clean_end(tmp_path: Path) -> None:
    path = "/api/v1/namespaces/default/configmaps"
    with serving(tmp_path) as served:
        first = address_of(served.kubeconfig)
        with Connection(first) as connection:
            made = connection.create(path, {"metadata": {"name": "app"}, "data": {"a": "1"}})
    with serving(tmp_path) as served:
        again = address_of(served.kubeconfig)
        assert (again.port, again.token, again.ca) == (first.port, first.token, first.ca)
        with Connection(again) as connection:
            assert connection.get(f"{path}/app") == made


def test_a_second_process_is_told_that_the_state_is_in_use(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        got = refused(tmp_path)
        assert got.returncode == 1
        assert got.stdout == ""
        (line,) = got.stderr.splitlines()
        assert line.startswith("argosy serve: ")
        assert "in use" in line
        assert str(tmp_path / "state") in line
        is_healthy(served)


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        got = refused(tmp_path, "--port", str(port))
    assert got.returncode == 1
    (line,) = got.stderr.splitlines()
    assert line.startswith("argosy serve: ")
    assert str(port) in line
    with serving(tmp_path, "--port", str(port)) as served:
        assert f":{port} " in served.line


@pytest.mark.parametrize("damage", ["not a database", "cut in half", "overwritten inside"])
def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, damage: str) -> None:
    with serving(tmp_path) as served, Connection(address_of(served.kubeconfig)) as connection:
        for number in range(50):
            raw = {"metadata": {"name": f"m{number}"}, "data": {"a": "x" * 5000}}
            connection.create("/api/v1/namespaces/default/configmaps", raw)
    file = tmp_path / "state" / "store.db"
    content = file.read_bytes()
    match damage:
        case "not a database":
            content = b"this is no database\n" * 1000
        case "cut in half":
            content = content[: len(content) // 2]
        case "overwritten inside":
            middle = len(content) // 2
            content = content[:middle] + os.urandom(20_000) + content[middle + 20_000 :]
    file.write_bytes(content)
    got = refused(tmp_path)
    assert got.returncode == 1
    (line,) = got.stderr.splitlines()
    assert line.startswith("argosy serve: ")
    assert str(file) in line
    assert file.read_bytes() == content


def test_a_state_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    with serving(tmp_path):
        pass
    file = tmp_path / "state" / "store.db"
    with closing(sqlite3.connect(file)) as database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        database.execute(f"PRAGMA user_version = {version + 1}")
    content = file.read_bytes()
    got = refused(tmp_path)
    assert got.returncode == 1
    (line,) = got.stderr.splitlines()
    assert line.startswith("argosy serve: ")
    assert "newer" in line
    assert file.read_bytes() == content


def test_a_state_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where a directory should be")
    got = refused(tmp_path)
    assert got.returncode == 1
    (line,) = got.stderr.splitlines()
    assert line.startswith("argosy serve: ")
    assert str(tmp_path / "state") in line


def test_a_kubeconfig_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").mkdir()
    got = refused(tmp_path)
    assert got.returncode == 1
    (line,) = got.stderr.splitlines()
    assert line.startswith("argosy serve: ")
    assert str(tmp_path / "kubeconfig") in line


def test_neither_state_nor_memory(tmp_path: Path) -> None:
    got = subprocess.run(
        command("serve", "--kubeconfig", str(tmp_path / "kubeconfig")),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert got.returncode == 2
    assert "--state DIR" in got.stderr
    assert not (tmp_path / "kubeconfig").exists()


def test_a_killed_server_gives_its_state_back(tmp_path: Path) -> None:
    first = start(tmp_path)
    first.kill()
    assert first.process.stdout is not None
    first.process.stdout.close()
    with serving(tmp_path) as served:
        is_healthy(served)


def test_nothing_of_a_memory_cluster_stays(tmp_path: Path) -> None:
    with serving(tmp_path, "--memory"):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {"kubeconfig", "log"}
