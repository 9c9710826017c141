"""`argosy simulate --live` as it is typed: a fleet in real time, a region that goes dark, records at the end, and
Ctrl-C in the middle.
"""

from __future__ import annotations

import csv
import json
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from argosy.simulation.reading import SHIPPED
from tests.support.processes import command

SECONDS = 120.0
SCENARIO = """
name: tiny
horizon: {horizon}
fleet:
  defaults:
    heartbeatPeriodSeconds: 1
    nodePools:
    - {{name: general, nodes: 2, machine: {{cpu: 16, memory: 64Gi}}, pricePerHour: 0.80}}
  members:
  - {{name: east-1, region: us-east}}
  - {{name: west-1, region: us-west}}
objects:
- {{file: small/queues.yaml}}
jobs:
- name: train
  team: research
  namespace: research
  queue: main
  arrivals: {{bursts: [{{every: 2s, size: 4}}]}}
  duration: 2s
  pods: 2
  resources: {{cpu: 1, memory: 1Gi}}
outages:
- {{regions: [us-west], from: 3s, until: 6s}}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    shutil.copytree(SHIPPED / "small", tmp_path / "small")
    return tmp_path / "tiny.yaml"


def events(out: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (out / "events.jsonl").read_text().splitlines()]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("processes", [1, 3])
def test_a_whole_scenario(tmp_path: Path, scenario: Path, processes: int) -> None:
    scenario.write_text(SCENARIO.format(horizon="8s"))
    out = tmp_path / "out"
    done = subprocess.run(
        command(
            *("simulate", str(scenario), "--live", "--out", str(out)),
            *("--processes", str(processes)),
        ),
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert f"kubectl --kubeconfig {out}/fleet/kubeconfig get memberclusters" in done.stderr
    assert "16 submitted: 16 complete" in done.stdout
    summary = json.loads((out / "summary.json").read_text())
    assert summary["isWhole"] is True
    assert summary["integrity"] == {"lost": 0, "ranTwice": 0, "endedTwice": 0}
    assert summary["clusters"]["west-1"]["darkSeconds"] == pytest.approx(3.0, abs=1.0)
    assert summary["clusters"]["east-1"]["nodes"] == 2
    with (out / "jobs.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["outcome"] for row in rows} == {"complete"}
    assert {row["cluster"] for row in rows} == {"east-1", "west-1"}
    assert len(rows) == 16
    told = [each["event"] for each in events(out)]
    assert told.count("started") == told.count("ended") == 16
    # Its agent noticed, by whichever of its watches was first, and that of the other region had nothing to notice.
    cut = [line for line in (out / "argosy.log").read_text().splitlines() if "Connect call" in line]
    assert any("fleet-member-west-1/" in line for line in cut)
    assert not any("fleet-member-east-1/" in line for line in cut)
    assert (out / "report.html").exists()
    # The fleet ended in order, and its state is there.
    assert not (out / "fleet" / "run.json").exists()
    assert (out / "fleet" / "hub" / "store.db").exists()


@pytest.mark.timeout(300)
def test_interrupting_writes_what_there_is(tmp_path: Path, scenario: Path) -> None:
    scenario.write_text(SCENARIO.format(horizon="10m"))
    out = tmp_path / "out"
    arguments = command("simulate", str(scenario), "--live", "--out", str(out), "--processes", "2")
    with subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            _wait_for(out / "argosy.log", "cannot be reached", process)
            process.send_signal(signal.SIGINT)
            said, told = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
    assert process.returncode == 130, told
    assert "cut short after" in told
    assert "submitted" in said
    summary = json.loads((out / "summary.json").read_text())
    assert summary["isWhole"] is False
    assert summary["jobs"]["submitted"] == len(
        [each for each in events(out) if each["event"] == "submitted"]
    )
    assert summary["jobs"]["complete"] > 0
    assert "Traceback" not in told
    assert not (out / "fleet" / "run.json").exists()


def _wait_for(path: Path, text: str, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + SECONDS
    while not (path.exists() and text in path.read_text()):
        assert process.poll() is None, "it ended by itself"
        assert time.monotonic() < until, f"{path} never said {text}"
        time.sleep(0.1)
