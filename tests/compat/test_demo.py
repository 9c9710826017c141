"""`argosy demo`: it ends well, twice, with and without kubectl, and leaves nothing behind, also when interrupted."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml

from tests.support.processes import command

ROOT = Path(__file__).parent.parent.parent
ERRORS = re.compile(r"error|traceback|exception", re.IGNORECASE)


def demo(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command("demo", *arguments),
        env={**os.environ, **variables},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def processes_of(directory: Path) -> list[str]:
    """Command lines and environments of processes that have to do with the directory (Linux)."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if str(directory).encode() in line and entry.name != str(os.getpid()):
            found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return found


def nothing_is_left(directory: Path) -> None:
    assert not directory.exists(), sorted(directory.rglob("*"))
    nothing_runs(directory)


def nothing_runs(directory: Path) -> None:
    """Soon: a process that has given its lock back may need a moment to be gone."""
    end = time.monotonic() + 5
    while left := processes_of(directory):
        assert time.monotonic() < end, left
        time.sleep(0.05)


@pytest.mark.kubectl
@pytest.mark.long
@pytest.mark.timeout(400)
def test_the_guide_with_kubectl_twice(tmp_path: Path) -> None:
    directory = tmp_path / "demo"
    for _ in range(2):
        done = demo("--state", str(directory))
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stderr == ""
        assert not ERRORS.search(done.stdout)
        assert "$ kubectl apply -f examples/fleet/guide/1-queues.yaml" in done.stdout
        assert "clusterqueue.kueue.x-k8s.io/cluster-queue created" in done.stdout
        assert "=== Cluster: cluster-2 ===" in done.stdout
        assert "/spec/suspend" in done.stdout
        assert "Epoch 3/3: Processing accuracy: 95%" in done.stdout
        assert "Job model-evaluation: 3 succeeded, 0 failed, 0 active" in done.stdout
        assert "\x1b" not in done.stdout
        nothing_is_left(directory)


@pytest.mark.long
@pytest.mark.timeout(240)
def test_the_guide_without_kubectl(tmp_path: Path) -> None:
    directory, programs = tmp_path / "demo", tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "sed", "grep", "sort", "tail"):
        (programs / name).symlink_to(shutil.which(name) or name)
    done = demo("--state", str(directory), PATH=str(programs))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert not ERRORS.search(done.stdout)
    assert "kubectl is not on the PATH" in done.stdout
    assert "Job mock-workload: 3 succeeded, 0 failed, 0 active" in done.stdout
    nothing_is_left(directory)


@pytest.mark.kubectl
@pytest.mark.timeout(240)
def test_fairness(tmp_path: Path) -> None:
    directory = tmp_path / "demo"
    done = demo("fairness", "--state", str(directory))
    assert done.returncode == 0, done.stdout + done.stderr
    assert not ERRORS.search(done.stdout)
    trees = [line.split()[1:5] for line in done.stdout.splitlines() if "─bob-queue" in line]
    # Nominal, subtree, used, borrowed, step by step.
    assert trees == [
        ["8", "8", used, borrowed]
        for used, borrowed in (
            ("0", "0"),
            ("24", "16"),
            ("11", "3"),
            ("8", "0"),
            ("8", "0"),
            ("11", "3"),
        )
    ]
    assert "is pending in ClusterQueue dave-queue" in " ".join(done.stdout.split())
    nothing_is_left(directory)


@pytest.mark.kubectl
@pytest.mark.long
@pytest.mark.timeout(240)
@pytest.mark.parametrize("flags", [(), ("--template",)], ids=["a placement each", "by template"])
def test_a_burst_spreads_over_the_clusters(tmp_path: Path, flags: tuple[str, ...]) -> None:
    directory = tmp_path / "demo"
    done = demo("burst", "--jobs", "40", "--rate", "10", "--state", str(directory), *flags)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not ERRORS.search(done.stdout)
    rows = {
        words[0]: words
        for line in done.stdout.splitlines()
        if len(words := line.split()) == 7
        and words[0] in {"cluster-1", "cluster-2", "cluster-3", "all"}
    }
    jobs = {name: int(words[1]) for name, words in rows.items() if words[2].isdigit()}
    assert jobs.pop("all") == 40
    assert sum(jobs.values()) == 40
    assert min(jobs.values()) > 0
    nothing_is_left(directory)


def test_a_fleet_that_is_kept_goes_on(tmp_path: Path) -> None:
    """One job is enough of a story for that."""
    directory = tmp_path / "demo"
    try:
        done = demo("burst", "--jobs", "1", "--state", str(directory), "--keep")
        assert done.returncode == 0, done.stdout + done.stderr
        again = demo("--state", str(directory))
        assert again.returncode == 1
        assert "the fleet of another demo runs in" in again.stderr
        listed = subprocess.run(
            command("jobs", "-n", "trials", "--kubeconfig", str(directory / "kubeconfig")),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert "trial-1" in listed.stdout
    finally:
        subprocess.run(command("down", "--state", str(directory / "fleet")), timeout=60, check=True)
    nothing_runs(directory)


def test_a_directory_of_somebody_else_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    done = demo("--state", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == (
        f"argosy demo: {tmp_path} is no demo's directory (it has thesis.tex): nothing was changed; give --state a "
        "new or an empty one\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.timeout(240)
def test_a_step_that_fails_is_named_with_the_end_of_the_log(tmp_path: Path) -> None:
    """kubectl that cannot reach anybody."""
    programs = tmp_path / "bin"
    programs.mkdir()
    kubectl = programs / "kubectl"
    kubectl.write_text("#!/bin/sh\necho it is broken >&2\nexit 3\n")
    kubectl.chmod(0o755)
    directory = tmp_path / "demo"
    done = demo("--state", str(directory), PATH=f"{programs}:{os.environ['PATH']}")
    assert done.returncode == 1
    assert (
        'argosy demo: step 2 of 10, "Guide, steps 1 to 3: ResourceFlavor, ClusterQueue, Namespace", failed: `kubectl '
        "apply -f examples/fleet/guide/1-queues.yaml` ended with exit code 3 and said: it is broken"
    ) in done.stderr
    assert "The end of the fleet's log:\n  argosy: starting: hub ..." in done.stderr
    nothing_is_left(directory)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 10))]
)
def test_interrupted_at_any_moment(tmp_path: Path, seed: int) -> None:
    """Ctrl-C, sometimes twice, sometimes SIGTERM, anywhere in the first twenty seconds."""
    chance = random.Random(seed)
    number = signal.SIGTERM if seed == 9 else signal.SIGINT
    story = chance.choice(["guide", "fairness", "burst"])
    directory = tmp_path / "demo"
    log = tmp_path / "said"
    with log.open("wb") as said:
        process = subprocess.Popen(
            command("demo", story, "--state", str(directory)),
            cwd=ROOT,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        moment = chance.choice([chance.uniform(0.3, 4), chance.uniform(4, 20)])
        time.sleep(moment)
        assert process.poll() is None, log.read_text()
        # As a terminal does: to the whole foreground group, which is the demo alone.
        os.killpg(process.pid, number)
        if chance.random() < 0.3:
            time.sleep(chance.uniform(0, 0.3))
            if process.poll() is None:
                os.killpg(process.pid, number)
        code = process.wait(30)
    text = log.read_text()
    assert code in ({130, -2} if number is signal.SIGINT else {143, -15}), text
    # Before it has read its arguments, Python itself tells of Ctrl-C.
    assert code < 0 or "Traceback" not in text, text
    nothing_is_left(directory)


def test_examples_are_whole_documents() -> None:
    files = sorted((ROOT / "examples").rglob("*.yaml"))
    assert len(files) >= 6
    for file in files:
        for raw in yaml.safe_load_all(file.read_text()):
            # A file may begin with a comment and a mark.
            if raw is None:
                continue
            # What a process is started with is no object of the API.
            named = set() if raw["kind"] in {"Configuration", "Fleet"} else {"metadata"}
            assert {"apiVersion", "kind"} | named <= set(raw), file
