"""A fleet on a disk that is full: writes are refused with the reason, reads go on, and it recovers by itself."""

from __future__ import annotations

import errno
import io
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.fleets import argosy, connection, until
from tests.support.connections import Connection
from tests.support.processes import sailing

SIZE = "24m"
MAPS = "/api/v1/namespaces/default/configmaps"
FULL = "the disk is full: no room for"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "argosy-test", str(place)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path) -> Path:
    """Take all the room; a large write stops short of the last pages."""
    file = disk / "fill"
    with file.open("wb", buffering=0) as stream:
        for size in (1 << 20, 4096):
            while _has_taken(stream, b"\0" * size):
                continue
    return file


def _has_taken(stream: io.RawIOBase, content: bytes) -> bool:
    try:
        return bool(stream.write(content))
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return False


def large(name: str) -> dict[str, object]:
    return {"metadata": {"name": name}, "data": {"a": "x" * 50_000}}


def is_refused(cluster: Connection, name: str) -> bool:
    reply = cluster.request("POST", MAPS, large(name))
    if reply.code == 201:
        return False
    assert (reply.code, reply.body["reason"]) == (503, "ServiceUnavailable")
    assert FULL in reply.body["message"]
    assert "free some space on that disk" in reply.body["message"]
    return True


@pytest.mark.parametrize("processes", ["1", "3"])
def test_writes_are_refused_reads_go_on_and_it_recovers(disk: Path, processes: str) -> None:
    with sailing(disk, "--members", "2", "--processes", processes) as fleet:
        with (
            connection(fleet.kubeconfig, "hub") as hub,
            connection(fleet.kubeconfig, "cluster-1") as member,
        ):
            for cluster in (hub, member):
                cluster.create(MAPS, large("before"))
            full = fill(disk)
            for name, cluster in (("hub", hub), ("cluster-1", member)):
                numbers = iter(range(10_000))
                until(lambda: is_refused(cluster, f"full-{next(numbers)}"), f"{name} refuses")  # noqa: B023
                assert cluster.get(f"{MAPS}/before")["data"]["a"] == "x" * 50_000
            full.unlink()
            for cluster in (hub, member):
                until(lambda: not is_refused(cluster, "after"), "it takes writes again")  # noqa: B023
            assert fleet.process.poll() is None
        until(lambda: argosy("status", "--state", str(disk / "state")).returncode == 0, "all is up")
        assert fleet.stop() == 0


def test_a_fleet_that_is_there_starts_on_a_full_disk(disk: Path) -> None:
    with sailing(disk, "--members", "2") as fleet, connection(fleet.kubeconfig, "hub") as hub:
        hub.create(MAPS, large("before"))
    full = fill(disk)
    with sailing(disk) as fleet, connection(fleet.kubeconfig, "hub") as hub:
        assert hub.get(f"{MAPS}/before")["data"]["a"] == "x" * 50_000
        numbers = iter(range(10_000))
        until(lambda: is_refused(hub, f"full-{next(numbers)}"), "it refuses")
        full.unlink()
        until(lambda: not is_refused(hub, "after"), "it takes writes again")


def test_a_new_fleet_does_not(disk: Path) -> None:
    fill(disk)
    for more in ((), ("--detach",), ("--processes", "2")):
        got = argosy("up", "--state", str(disk / "new"), "--members", "1", *more)
        assert (got.returncode, got.stdout) == (1, "")
        assert "argosy up: the disk is full" in got.stderr
        assert "free some space on that disk, and start again" in got.stderr
        assert "Traceback" not in got.stderr
