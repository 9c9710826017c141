"""Ctrl-C at any moment of a fleet's start and life: it ends, nothing is left, and the next start works."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.crash.fleets import MARK, argosy, connection, marked, status, until
from tests.support.processes import command, sailing, start_fleet

# From before anything is loaded until some time after it is ready.
LONGEST_SECONDS = 3.5
END_SECONDS = 20.0


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(MARK, str(tmp_path))
    return str(tmp_path)


@pytest.mark.timeout(300)
def test_ten_random_moments(tmp_path: Path, mark: str) -> None:
    state, source = tmp_path / "state", random.Random(7)
    moments = [source.uniform(0.05, LONGEST_SECONDS) for _ in range(10)]
    for number, moment in enumerate(moments):
        more = ("--processes", "3") if number % 2 else ()
        arguments = command("up", "--state", str(state), "--members", "2", *more)
        with subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        ) as process:
            time.sleep(moment)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=END_SECONDS)
        said = f"moment {moment:.2f}: {err.decode()}"
        if b"argosy: starting" in err:
            assert process.returncode == (0 if b"the fleet is ready" in out else 130), said
            assert "Traceback" not in said
        else:
            # Python itself may not have been up yet.
            assert process.returncode in {130, -signal.SIGINT}, said
        assert marked(mark) == [], said
        assert not (state / "run.json").exists(), said
    with sailing(tmp_path, "--members", "2") as fleet:
        assert {each["state"] for each in status(state)["clusters"]} == {"Serving", "Joined"}
        with connection(fleet.kubeconfig, "cluster-2") as member:
            assert len(member.get("/api/v1/nodes")["items"]) == 3
        assert fleet.stop(signal.SIGINT) == 0
    assert marked(mark) == []


def test_a_second_one_does_not_wait(tmp_path: Path, mark: str) -> None:
    """A process that does not end keeps the fleet from ending in order."""
    fleet = start_fleet(tmp_path, "--members", "2", "--processes", "3")
    stuck = next(
        each["pid"]
        for each in status(tmp_path / "state")["processes"]
        if each["name"] == "members-1"
    )
    subprocess.run(["kill", "-STOP", str(stuck)], check=True)
    begun = time.monotonic()
    fleet.process.send_signal(signal.SIGINT)
    # It is ending, and waits for the one that is stuck.
    until(lambda: len(marked(mark)) == 2, "the others end")
    assert fleet.process.poll() is None
    assert fleet.stop(signal.SIGINT) == 130
    assert time.monotonic() - begun < 8
    assert fleet.process.stdout is not None
    fleet.process.stdout.close()
    until(lambda: not marked(mark), "every process has ended")
    with sailing(tmp_path, "--members", "2"):
        assert argosy("status", "--state", str(tmp_path / "state")).returncode == 0


def test_while_it_is_detached(tmp_path: Path, mark: str) -> None:
    state = tmp_path / "state"
    arguments = command("up", "--state", str(state), "--members", "2", "--detach")
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        until((state / "run.json").exists, "it is starting")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=END_SECONDS)
    assert (process.returncode, out, b"Traceback" in err) == (130, b"", False)
    assert marked(mark) == []
    got = argosy("up", "--state", str(state), "--members", "2", "--detach")
    try:
        assert (got.returncode, "the fleet is ready" in got.stdout) == (0, True)
    finally:
        assert argosy("down", "--state", str(state)).returncode == 0
    # The directory is free; Python may still be clearing up.
    until(lambda: not marked(mark), "every process has ended")
