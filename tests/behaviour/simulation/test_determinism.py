"""A seed gives the same history to the byte, whatever the process; another seed gives another one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.behaviour.simulation.worlds import command

FILES = ("events.jsonl", "jobs.csv", "summary.json", "report.html")


def simulated(directory: Path, *, hash_seed: str, seed: int = 7) -> dict[str, bytes]:
    done = command(
        "simulate", "small", "--until", "80m", "--seed", str(seed), "--out", str(directory),
        hash_seed=hash_seed,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "fairness" in done.stdout
    return {name: (directory / name).read_bytes() for name in FILES}


@pytest.mark.timeout(300)
def test_a_seed_gives_the_same_files_in_every_process(tmp_path: Path) -> None:
    one = simulated(tmp_path / "one", hash_seed="1")
    again = simulated(tmp_path / "again", hash_seed="4242")
    other = simulated(tmp_path / "other", hash_seed="1", seed=8)
    assert one == again
    assert other["events.jsonl"] != one["events.jsonl"]
    events = [json.loads(line) for line in one["events.jsonl"].splitlines()]
    assert {"submitted", "placed", "admitted", "started", "ended"} <= {e["event"] for e in events}
    assert [each["t"] for each in events] == sorted(each["t"] for each in events)
