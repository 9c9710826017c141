"""`make demo`: it ends well, twice, with and without kubectl, and leaves nothing behind, also when interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
DEMO = [sys.executable, str(ROOT / "tools" / "demo.py"), "--directory"]


def processes_in(directory: Path) -> list[str]:
    """Command lines of processes that were started for the directory (Linux)."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if str(directory) in line and "argosy" in line:
            found.append(line)
    return found


@pytest.mark.kubectl
def test_with_kubectl_twice(tmp_path: Path) -> None:
    directory = tmp_path / "demo"
    for _ in range(2):
        done = subprocess.run(
            [*DEMO, str(directory)], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "$ kubectl apply -f examples/quickstart/web.yaml" in done.stdout
        assert "deployment.apps/web created" in done.stdout
        assert "there must be a replica for each cluster it is pinned to" in done.stdout
        assert "nothing is left" in done.stdout
        assert not directory.exists()
        assert processes_in(directory) == []


def test_without_kubectl(tmp_path: Path) -> None:
    directory = tmp_path / "demo"
    done = subprocess.run(
        [*DEMO, str(directory)],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kubectl is not on the PATH" in done.stdout
    assert "Deployment web applied" in done.stdout
    assert "there must be a replica for each cluster it is pinned to" in done.stdout
    assert not directory.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_interrupted(tmp_path: Path, number: signal.Signals) -> None:
    directory = tmp_path / "demo"
    with subprocess.Popen(
        [*DEMO, str(directory)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("argosy: cluster is ready"):
                break
        os.killpg(process.pid, number)
        code = process.wait(20)
        assert code == (130 if number is signal.SIGINT else 143)
    deadline = time.monotonic() + 5
    while processes_in(directory):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not directory.exists()


def test_examples_are_whole_documents() -> None:
    files = sorted((ROOT / "examples").rglob("*.yaml"))
    assert len(files) >= 6
    for file in files:
        for raw in yaml.safe_load_all(file.read_text()):
            # What a process is started with is no object of the API.
            named = set() if raw["kind"] == "Configuration" else {"metadata"}
            assert {"apiVersion", "kind"} | named <= set(raw), file
